import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blueprint } from '../_blueprint/decode.ts';
import { createTableFamily } from './engine.ts';
import { type FamilyTable, parseTable, readTable } from './form.ts';

const BLUEPRINT = readFileSync(new URL('../_blueprint/table.json', import.meta.url), 'utf8');
const messageOf = (topic: string, payload: string) => ({
  topic,
  payload: Buffer.from(payload),
  receivedAtMs: Date.UTC(2026, 6, 5),
});

test('reads the blueprint’s cases equally through its table and its code', () => {
  const family = createTableFamily(parseTable('table.json', BLUEPRINT));
  const body = '{"time": "2026-07-04T23:59:00Z", "total_wh": 1234, "power": "x"}';
  for (const message of [
    messageOf('example/cellar/energy', body),
    messageOf('example/cellar/energy', '{"total_wh": null}'),
    messageOf('example/cellar/energy', '12'),
    messageOf('example/cellar/energy/more', body),
  ]) {
    expect(family.takes?.(message.topic)).toBe(blueprint.takes?.(message.topic));
    const [read, expected] = [family, blueprint].map((one) => {
      const decoded = one.decode(message, {}, new Set() as never);
      return decoded && [decoded.said, decoded.refused];
    });
    expect(read).toEqual(expected);
  }
});

test('each table is valid and names its sources', () => {
  const names = readdirSync(import.meta.dirname).filter((file) => /^(?!.*\.cases\.).*\.json$/.test(file));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(readTable(name.slice(0, -'.json'.length)).sources).not.toEqual([]);
});

/** Returns the error of the blueprint's table after one member of its topic or field was changed. */
function faultOf(change: (topic: Record<string, unknown>, field: Record<string, unknown>) => void): string {
  const table = JSON.parse(BLUEPRINT) as FamilyTable;
  const [topic] = table.topics;
  change(topic as never, topic?.fields?.power as never);
  try {
    parseTable('x.json', JSON.stringify(table));
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

test.each<[Parameters<typeof faultOf>[0], string]>([
  [(_topic, field) => Object.assign(field, { unit: 'Wh' }), 'topics.0.fields.power.unit is no unit of power_w'],
  [(_topic, field) => Object.assign(field, { words: { on: true } }), 'topics.0.fields.power.words are for'],
  [(_topic, field) => Object.assign(field, { at: '$..power' }), 'topics.0.fields.power.at must be a JSONPath'],
  [(_topic, field) => Object.assign(field, { channel: '{phase}' }), 'topics.0 names a part in power that nothing has'],
  [(topic) => Object.assign(topic, { payload: 'text' }), 'topics.0.time needs "payload": "json"'],
  [(topic) => Object.assign(topic, { device: '{room}' }), 'topics.0 has no part {room}, which its device names'],
  [(topic) => Object.assign(topic, { parts: { device: '(a)' } }), 'topics.0.parts.device'],
  [(topic) => Object.assign(topic, { fields: undefined }), 'topics.0 has neither fields nor "ignored": true'],
  [(topic) => Object.assign(topic, { ignored: true }), 'topics.0.ignored reads nothing'],
  [(topic) => Object.assign(topic, { channels: {} }), 'Unrecognized key: "channels"'],
])('names the file and the member of an error %# in a table', (change, message) => {
  expect(faultOf(change)).toMatch('x.json: ');
  expect(faultOf(change)).toMatch(message);
});

test('names the file of a syntax error', () => {
  expect(() => parseTable('x.json', '{"family": ')).toThrow(/^x\.json: /);
});
