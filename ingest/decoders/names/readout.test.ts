import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

const shown = (topic: string, body: string) =>
  (readMessage(topic, body)?.readings ?? []).map(({ device, channel, value }) => [device, channel, value]);

// Source: wdoekes/pe32me162ir_pub publishes the readout of an ISKRA ME-162 as a member of a query string.
test('lines of a readout (IEC 62056-21) are read at any place of a text', () => {
  const lines = ['0.0.0(1234)', '1.8.0(0018432.100*kWh)', '2.8.0(0000000.512*MWh)', '3.8.0(0000017.3*kvarh)', '!', ''];
  expect(shown('power/m7', `device_id=EUI48:aa&id=X7&DATA=${lines.join('\r\n')}`)).toEqual([
    ['power/m7/EUI48:aa', 'import', 18_432.1],
    ['power/m7/EUI48:aa', 'export', 512],
  ]);
  expect(shown('cellar/readout', '/ABC5\\2XY\n1-0:1.8.1*255(000123.5*kWh)\n1-0:1.8.2*255(000023.5*kWh)\n!')).toEqual([
    ['cellar/readout', 'import/t1', 123.5],
    ['cellar/readout', 'import/t2', 23.5],
  ]);
  expect(shown('cellar/readout', '1.8.0(018432.1*kWh)')).toEqual([['cellar/readout', 'import', 18_432.1]]);
  expect(shown('cellar/readout', '2.8.0(018432,1*kWh)')).toEqual([['cellar/readout', 'export', 18_432.1]]);
  // Past periods and powers at their maximum count nothing.
  expect(shown('cellar/readout', '1.8.0*01(018432.1*kWh)\n1.6.0(02.1*kW)(2611281200)')).toEqual([]);
});
