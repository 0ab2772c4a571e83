import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('reads names and numbers that are separated by colons', () => {
  const symbols = readMessage('fhem/Dryer_Pwr/state', 'P: 412.5 E: 9021.4 I: 1790 U: 230.1 f: 49.98');
  expect(symbols?.readings).toEqual([]);
  expect(symbols?.asks.map(({ native_name, value }) => [native_name, value])).toEqual([
    ['P', 412.5],
    ['E', 9_021.4],
  ]);
  const units = readMessage('house/main', 'import_total: 512.5 kWh, export_total: 12,25 kWh');
  expect(units?.readings.map(({ channel, value }) => [channel, value])).toEqual([
    ['import', 512.5],
    ['export', 12.25],
  ]);
});

test('reads no text in which colons are part of a sentence, a time or an address', () => {
  for (const text of [
    'T: 21.5',
    'power: 412 since 12:30 P: 3',
    'P: on E: 5 I: 3 U: 230',
    'E: 1 and P: 2',
    'E:5 P:3 I:2 U:230 at 12:30:01',
    'fe80::1:2 P: 412',
  ])
    expect([text, readMessage('fhem/x/state', text)]).toEqual([text, null]);
});
