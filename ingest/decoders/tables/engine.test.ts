import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blueprintFamily } from '../_blueprint/decode.ts';
import { createTableFamily } from './engine.ts';
import { type FamilyTable, parseFamilyTable, readFamilyTable } from './form.ts';

const BLUEPRINT = readFileSync(new URL('../_blueprint/table.json', import.meta.url), 'utf8');
const messageOf = (topic: string, payload: string) => ({
  topic,
  payload: Buffer.from(payload),
  receivedAtMs: Date.UTC(2026, 6, 5),
});

test('reads the blueprint’s cases equally through its table and its code', () => {
  const family = createTableFamily(parseFamilyTable('table.json', BLUEPRINT));
  const body = '{"time": "2026-07-04T23:59:00Z", "total_wh": 1234, "power": "x"}';
  for (const message of [
    messageOf('example/cellar/energy', body),
    messageOf('example/cellar/energy', '{"total_wh": null}'),
    messageOf('example/cellar/energy', '12'),
    messageOf('example/cellar/energy/more', body),
  ]) {
    expect(family.takes?.(message.topic)).toBe(blueprintFamily.takes?.(message.topic));
    const [read, expected] = [family, blueprintFamily].map((one) => {
      const decoded = one.decode(message, {}, new Set() as never);
      return decoded && [decoded.said, decoded.refused];
    });
    expect(read).toEqual(expected);
  }
});

test('each table is valid and names its sources', () => {
  const names = readdirSync(import.meta.dirname).filter((file) => /^(?!.*\.cases\.).*\.json$/.test(file));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(readFamilyTable(name.slice(0, -'.json'.length)).sources).not.toEqual([]);
});

/** Changes one member of the blueprint table's topic or field. Returns the resulting error. */
function faultOf(change: (topic: Record<string, unknown>, field: Record<string, unknown>) => void): string {
  const table = JSON.parse(BLUEPRINT) as FamilyTable;
  const [topic] = table.topics;
  change(topic as never, topic?.fields?.power as never);
  try {
    parseFamilyTable('x.json', JSON.stringify(table));
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
  [
    (topic) => Object.assign(topic, { fields: { 'p{device}': { channel: 'import', kind: 'power_w' } } }),
    'has parts in',
  ],
  [(topic) => Object.assign(topic, { at: '$..{field}' }), 'topics.0.at must be a JSONPath'],
  [(topic) => Object.assign(topic, { channels: {} }), 'Unrecognized key: "channels"'],
])('names the file and the member of an error %# in a table', (change, message) => {
  expect(faultOf(change)).toMatch('x.json: ');
  expect(faultOf(change)).toMatch(message);
});

test('names the file of a syntax error', () => {
  expect(() => parseFamilyTable('x.json', '{"family": ')).toThrow(/^x\.json: /);
});

const tableOf = (...topics: unknown[]) =>
  createTableFamily(parseFamilyTable('x.json', JSON.stringify({ family: 'x', devices: 'x', sources: ['x'], topics })));
const POWER = { channel: 'import', kind: 'power_w' };
/**
 * Decodes messages one after another, so that the family learns from each. Returns the values of the last message; null if the family does
 * not recognise it.
 */
const lastOf = (family: ReturnType<typeof tableOf>, ...messages: [topic: string, payload: string][]) => {
  const marks = family.newMemory();
  const all = messages.map(([topic, payload]) => {
    const message = messageOf(topic, payload);
    if (family.remembers(topic) && family.isNews?.(marks, message)) family.learn(marks, message);
    return family.decode(message, {}, marks);
  });
  return { read: all.at(-1)?.said.map(({ channel, value }) => [channel, value]) ?? null, refused: all.at(-1)?.refused };
};

test('sets and deletes marks, and applies entries by them', () => {
  const family = tableOf(
    { topic: '{root+}/meter', remembers: { of: '{root}', at: '$.has', is: false }, ignored: true },
    { topic: '{root+}/{field}', known: '{root}', device: '{root}', fields: { p: { ...POWER, channel: 'export' } } },
    { topic: '{root+}/{field}', unknown: '{root}', device: '{root}', fields: { p: POWER } },
  );
  const [none, other] = [
    ['a/meter', '{"has":false}'] as [string, string],
    ['b/meter', '{"has":false}'] as [string, string],
  ];
  expect(lastOf(family, ['a/p', '5']).read).toEqual([['import', 5]]);
  expect(lastOf(family, none, ['a/p', '5']).read).toEqual([['export', 5]]);
  expect(lastOf(family, other, ['a/p', '5']).read).toEqual([['import', 5]]);
  expect(lastOf(family, none, ['a/meter', '{"has":true}'], ['a/p', '5']).read).toEqual([['import', 5]]);
  for (const empty of ['', '{}', '{"has":null}', 'x'])
    expect(lastOf(family, none, ['a/meter', empty], ['a/p', '5']).read).toEqual([['export', 5]]);
  expect(family.isNews?.(new Set(['a']), messageOf(...none))).toBe(false);
});

test('remembers a bounded number of marks, because attackers choose topics', () => {
  const family = tableOf({ topic: '{root+}/meter', remembers: { of: '{root}' }, ignored: true });
  const marks = family.newMemory();
  for (let one = 0; one < 3_000; one++) family.learn(marks, messageOf(`${one}/meter`, '1'));
  expect(marks.size).toBe(2_000);
});

test('reads the unit and the place of a number in the body, and turns its sign', () => {
  const family = tableOf({
    ...{ topic: '{device}/{field}', payload: 'json', at: '$.{field}[0].value', unit_at: '$.{field}[0].unit' },
    fields: { power: { ...POWER, turned: true }, energy: { channel: 'import', kind: 'energy_total_kwh' } },
  });
  const read = (name: string, value: unknown, unit?: string) =>
    lastOf(family, [`a/${name}`, JSON.stringify({ [name]: [{ value, unit }] })]);
  expect(read('power', 1.5, 'kW').read).toEqual([['import', -1_500]]);
  expect(read('energy', 1.5, 'MWh').read).toEqual([['import', 1_500]]);
  for (const unit of ['kvarh', 'W', '', undefined]) expect(read('energy', 1.5, unit)).toMatchObject({ read: [] });
  expect(read('energy', 1.5, 'W').refused).toEqual(['energy has no unit that is known']);
  expect(lastOf(family, ['a/energy', '{"other":1}']).refused).toEqual(['energy has no value']);
});

test('applies the unit and the time that a program has wrapped around a number', () => {
  const family = tableOf({
    topic: '{device}/{field}',
    fields: { e: { channel: 'import', kind: 'energy_total_kwh' }, t: { channel: 'room', kind: 'temperature_c' } },
  });
  const read = (name: string, body: unknown) => lastOf(family, [`a/${name}`, JSON.stringify(body)]);
  expect(read('e', { value: 1.5, time: '2026-07-04T23:00:00Z' }).read).toEqual([['import', 1.5]]);
  expect(read('e', { value: 1_500, unit: 'Wh' }).read).toEqual([['import', 1.5]]);
  expect(read('e', { value: 1.5, unit: 'm3' })).toEqual({ read: [], refused: ['e has no unit that is known'] });
  expect(read('t', { value: 21.5, unit: '°C' }).read).toEqual([['room', 21.5]]);
});

test('refuses a body without the object of its fields', () => {
  const family = tableOf({ topic: '{device}', payload: 'json', at: '$.meter.{field}', fields: { p: POWER } });
  expect(lastOf(family, ['a', '{"meter":{"p":5}}']).read).toEqual([['import', 5]]);
  expect(lastOf(family, ['a', '{"meters":{"p":5}}']).refused).toEqual(['payload has no object $.meter']);
});
