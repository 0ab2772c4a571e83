import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

/** Decodes a value of a sensor after its announcement. */
const read = (announced: object, topic: string) => {
  const config = JSON.stringify({ state_topic: topic, unique_id: 'burner_1', ...announced });
  const result = readMessage(topic, '5120', {
    prior: [{ topic: 'homeassistant/sensor/burner_1/config', payload: Buffer.from(config) }],
  });
  return [result?.readings.map(({ channel }) => channel), result?.asks.map(({ unit, value }) => [unit, value])];
};

test.each([
  ['name', { name: 'Heizölverbrauch gesamt' }, 'cellar/burner/total'],
  [
    'model',
    { name: 'Total', device: { identifiers: ['b1'], name: 'Burner', model: 'Mazout 2' } },
    'cellar/burner/total',
  ],
  ['topic', { name: 'Total' }, 'cellar/oilburner/total'],
])('asks about a volume of oil that is announced as gas or water, by its %s', (_where, announced, topic) => {
  for (const device_class of ['gas', 'water']) {
    const sensor = { ...announced, device_class, unit_of_measurement: 'L', state_class: 'total_increasing' };
    expect(read(sensor, topic)).toEqual([[], [['m³', 5.12]]]);
  }
  const energy = { ...announced, device_class: 'gas', unit_of_measurement: 'kWh', state_class: 'total_increasing' };
  expect(read(energy, topic)).toEqual([[], [['kWh', 5_120]]]);
});

test('counts gas whose names contain the letters of oil in other words', () => {
  const gas = { name: 'Total', device_class: 'gas', unit_of_measurement: 'm³', state_class: 'total' };
  const [channels, asks] = read(gas, 'cellar/boiler/total');
  expect([channels?.length, asks]).toEqual([1, []]);
  expect(String(channels)).toMatch(/(?:^|\/)gas\/m3$/);
});
