import { expect, test } from 'vitest';
import { describe } from '../describe.ts';
import { readSettings } from '../family.ts';

const message = {
  topic: 'tele/plug/SENSOR',
  payload: Buffer.from('{"ENERGY": {"Total": 301.004}, "P1": {"sum": 17}}'),
  receivedAtMs: Date.UTC(2026, 6, 5),
  replayed: false,
};
const mapped = (path: string, topic = 'tele/+/SENSOR') =>
  readSettings({ mapping: [{ topic, path, unit: 'kWh', meaning: 'import' }] });

test('what an owner maps goes before the family that knows the topic', () => {
  const read = describe(message, mapped('$.P1.sum'), []);
  expect(read).toMatchObject({ family: 'mapping', readings: [{ device: 'plug', channel: 'import', value: 17 }] });
});

test('what is not where he says goes on to the family, as do other topics', () => {
  expect(describe(message, mapped('$.P2.sum'), [])?.family).toBe('tasmota');
  expect(describe(message, mapped('$.P1.sum', 'tele/other/SENSOR'), [])?.family).toBe('tasmota');
});

test('a mapping that cannot be used is none', () => {
  expect(describe(message, mapped('$..sum'), [])?.family).toBe('tasmota');
});
