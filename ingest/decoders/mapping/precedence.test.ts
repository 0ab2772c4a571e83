import { expect, test } from 'vitest';
import { describeMessage } from '../describe.ts';
import { parseDecoderSettings } from '../family.ts';

const message = {
  topic: 'tele/plug/SENSOR',
  payload: Buffer.from('{"ENERGY": {"Total": 301.004}, "P1": {"sum": 17}}'),
  receivedAtMs: Date.UTC(2026, 6, 5),
  replayed: false,
};
const mapped = (path: string, topic = 'tele/+/SENSOR') =>
  parseDecoderSettings({ mapping: [{ topic, path, unit: 'kWh', meaning: 'import' }] });

test('gives the owner’s mapping precedence over the family of the topic', () => {
  const read = describeMessage(message, mapped('$.P1.sum'), []);
  expect(read).toMatchObject({ family: 'mapping', readings: [{ device: 'plug', channel: 'import', value: 17 }] });
});

test('leaves messages without the mapped member, and other topics, to the families', () => {
  expect(describeMessage(message, mapped('$.P2.sum'), [])?.family).toBe('tasmota');
  expect(describeMessage(message, mapped('$.P1.sum', 'tele/other/SENSOR'), [])?.family).toBe('tasmota');
});

test('ignores an invalid mapping and leaves the message to its family', () => {
  expect(describeMessage(message, mapped('$..sum'), [])?.family).toBe('tasmota');
});
