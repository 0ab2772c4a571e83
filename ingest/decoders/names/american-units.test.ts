import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('reads Whr and kWhr as watt hours, at the end of a name or next to the number', () => {
  const unit = fc.constantFrom<[string, number]>(['Whr', 0.001], ['WHr', 0.001], ['kWhr', 1], ['kWHr', 1], ['kwhr', 1]);
  fc.assert(
    fc.property(unit, fc.integer({ min: 1, max: 900 }), ([written, times], thousands) => {
      const value = thousands * 1_000;
      const imported = [{ channel: 'import', kind: 'energy_total_kwh', value: value * times }];
      expect(readMessage('cellar/meter', { [`total_import_${written}`]: value })?.readings).toMatchObject(imported);
      expect(readMessage('cellar/meter', { import: { value, unit: written } })?.readings).toMatchObject(imported);
      expect(readMessage(`cellar/meter/import_${written}`, `${value}`)?.readings).toMatchObject(imported);
    }),
  );
});

test('counts therms as heat if the name says heat, and asks about every other therm', () => {
  expect(readMessage('flat/7', { heating_therms: 1_000 })?.readings).toMatchObject([
    { channel: 'heat/import', value: 29_307.1 },
  ]);
  for (const name of ['therms', 'total_therms', 'cooling_therms', 'gas_therms']) {
    const result = readMessage('flat/7', { [name]: 1_000 });
    expect([name, result?.readings, result?.asks]).toMatchObject([name, [], [{ value: 29_307.1, unit: 'kWh' }]]);
  }
  // A thermometer is no unit.
  expect(readMessage('flat/7', { therm: 21.5, therm_1: 20, energy_therm: 3 })?.readings ?? []).toEqual([]);
});

test('asks about a register in gallons, which may be American or imperial, and never about a tank, a day or rain', () => {
  const name = fc.constantFrom('gallons', 'total_gallons', 'gallons_total');
  const topic = fc.constantFrom('flats/7/water', 'flats/7/ultrasonic');
  fc.assert(
    fc.property(name, topic, fc.boolean(), (gallons, at, isDeep) => {
      const body = isDeep ? { header: { type: 'x' }, data: { [gallons]: 1_000, leak: 'no' } } : { [gallons]: 1_000 };
      const result = readMessage(at, body);
      expect(result).toMatchObject({ readings: [], asks: [{ value: 3.785411784, unit: 'm³' }] });
      for (const other of ['tank', 'today', 'rain'])
        expect([other, readMessage(`${at}/${other}`, body)]).toEqual([other, null]);
      // The water of a heating circuit is no consumption.
      const ofHeat = readMessage(at, { [gallons]: 1_000, heating_therms: 10 });
      expect(ofHeat).toMatchObject({ readings: [{ channel: 'heat/import' }], asks: [] });
    }),
  );
  expect(readMessage('flats/7/water/gallons', '1000')).toMatchObject({ readings: [], asks: [{ value: 3.785411784 }] });
});
