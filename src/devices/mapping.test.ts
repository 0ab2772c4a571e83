import { expect, test } from 'vitest';
import { measureProcessorMs } from '#test/support/processor-time.ts';
import { mappingSchema } from './mapping.ts';

const ENTRY = { topic: 'home/+/energy', path: '$.total', unit: 'kWh', meaning: 'import' };
const mistakes = (...all: unknown[]): string[] =>
  (mappingSchema.safeParse(all).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each([
  [ENTRY],
  [{ topic: 'meter', unit: 'l', meaning: 'water', scale: 10 }],
  [{ topic: 'meters/#', unit: 'kWh', meaning: 'import' }],
  [{ topic: '/lead/+/#', unit: 'F', meaning: 'temperature', path: '$' }],
  [{ ...ENTRY, unit: 'W', meaning: 'power', scale: -1 }],
  [{ ...ENTRY, time_path: "$['t s']", time_unit: 's' }],
  [{ ...ENTRY, where: { '$.idx': 51, '$.stype': 'kWh', '$.on': true } }],
])('accepts the mapping %j', (one) => {
  expect(mistakes(one)).toEqual([]);
});

test.each([
  [{ topic: '#' }, /^0\.topic: must be an MQTT topic/],
  [{ topic: '+/+' }, /^0\.topic: must be/],
  [{ topic: 'a/#/b' }, /^0\.topic: must be/],
  [{ topic: 'a+/b' }, /^0\.topic: must be/],
  [{ topic: 'a\u0000' }, /^0\.topic: must be/],
  [{ path: '$..total' }, /^0\.path: must be a JSONPath to one value/],
  [{ path: '$[?@.a]' }, /^0\.path: /],
  [{ path: 'total' }, /^0\.path: /],
  [{ unit: 'kwh' }, /^0\.unit: /],
  [{ unit: 'C' }, /^0\.unit: import is in a unit of energy/],
  [{ unit: 'kWh', meaning: 'water' }, /^0\.unit: water is in m3 or l/],
  [{ unit: 'W', meaning: 'import/t1' }, /^0\.unit: a tariff is of energy/],
  [{ meaning: 'constructor' }, /^0\.meaning: must be import, export/],
  [{ scale: 0 }, /^0\.scale: must not be 0/],
  [{ scale: -1 }, /^0\.unit: scale can be below 0/],
  [{ circuit: 'export' }, /^0\.circuit: /],
  [{ device: '+-+' }, /^0\.device: /],
  [{ topic: 'home/energy', device: 'x-+' }, /^0\.device: has a `\+`/],
  [{ device: 'plug' }, /^0\.device: must have a `\+`, because the topic has one/],
  [{ topic: 'home/+/#', path: undefined }, /^0\.topic: must not end in # here/],
  [{ topic: 'home/#', device: 'plug', path: undefined }, /^0\.topic: must not end in # here/],
  [{ path: undefined, time_path: '$.t' }, /^0\.time_path: needs a path/],
  [{ time_unit: 's' }, /^0\.time_unit: needs a time_path/],
  [{ where: {} }, /^0\.where: must have 1 to 4 conditions/],
  [{ where: { '$..idx': 51 } }, /^0\.where/],
  [{ where: { '$.idx': [51] } }, /^0\.where/],
  [{ path: undefined, where: { '$.idx': 51 } }, /^0\.where: needs a path/],
  [{ eval: true }, /Unrecognized/],
])('rejects the mapping %j', (change, message) => {
  expect(mistakes({ ...ENTRY, ...change })).toEqual([expect.stringMatching(message)]);
});

test('rejects two entries that may be one register of a device, and accepts entries that cannot be', () => {
  const other = { ...ENTRY, path: '$.other' };
  const clash = [
    expect.stringMatching(
      /^1\.device: may be the same number of one device as entry 0 \(home\/\+\/energy \$\.total\): .* such as garage-\+, or a circuit$/,
    ),
  ];
  expect(mistakes(ENTRY, other)).toEqual(clash);
  const because = (cause: string) => [
    expect.stringContaining(`because a device is called what the wildcard stands for (${cause})`),
  ];
  expect(mistakes(ENTRY, { ...ENTRY, topic: 'garage/+/energy' })).toEqual(
    because('home/x/energy is x, garage/x/energy is x'),
  );
  expect(mistakes(ENTRY, { ...ENTRY, topic: 'garage/#', device: 'plug' })).toEqual(
    because('home/x/energy is x, garage/# is plug'),
  );
  expect(mistakes({ ...ENTRY, device: 'home-+' }, { ...ENTRY, topic: 'garage/+/energy', device: 'garage-+' })).toEqual(
    [],
  );
  expect(mistakes(ENTRY, { ...other, circuit: 'pump' })).toEqual([]);
  expect(mistakes(ENTRY, { ...other, meaning: 'export' })).toEqual([]);
  expect(mistakes(ENTRY, { ...other, unit: 'W' })).toEqual([]);
});

test('rejects production next to other electricity of one device, because it would count as used', () => {
  const made = { ...ENTRY, path: '$.made', meaning: 'production' };
  expect(mistakes(ENTRY, made)).toEqual([expect.stringMatching(/a device that produces needs a separate name/)]);
  expect(mistakes({ ...ENTRY, device: 'meter-+' }, { ...made, device: 'roof-+' })).toEqual([]);
  expect(mistakes({ ...ENTRY, meaning: 'heat' }, made)).toEqual([]);
});

test('validates a hundred entries fast, and rejects more', () => {
  const all = Array.from({ length: 101 }, (_, index) => ({ ...ENTRY, topic: `m/${index}` }));
  expect(measureProcessorMs(() => expect(mistakes(...all.slice(1))).toEqual([]))).toBeLessThan(500);
  expect(mistakes(...all)).toEqual([expect.stringMatching(/Too big/)]);
});
