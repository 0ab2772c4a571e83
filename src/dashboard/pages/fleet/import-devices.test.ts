import { expect, test } from 'vitest';
import { readDeviceTable } from './import-devices.ts';

test('decodes a table as UTF-8, with or without a byte order mark', async () => {
  expect(await readDeviceTable(new Blob(['type,location\nmeter,Küche\n']))).toEqual({
    text: 'type,location\nmeter,Küche\n',
  });
  expect(await readDeviceTable(new Blob(['\uFEFFtype,location\n']))).toEqual({ text: 'type,location\n' });
  expect(await readDeviceTable(new Blob(['type,location\nmeter,"a;b"\n']))).toHaveProperty('text');
});

test('does not send a file that a spreadsheet saved in another encoding', async () => {
  const latin1 = new Blob([new Uint8Array([...'type,location\nmeter,K'].map((one) => one.charCodeAt(0)).concat(0xfc))]);
  expect(await readDeviceTable(latin1)).toEqual({ problem: 'notText' });
  expect(await readDeviceTable(new Blob(['type;location\nmeter;cellar\n']))).toEqual({ problem: 'semicolons' });
  expect(await readDeviceTable(new Blob(['x'.repeat(8 * 1_048_576 + 1)]))).toEqual({ problem: 'tooLarge' });
  const gone = Object.assign(new Blob(['type']), { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) });
  expect(await readDeviceTable(gone)).toEqual({ problem: 'unreadable' });
});
