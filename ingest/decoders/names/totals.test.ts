import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

test('asks about gas, water or heat alone on its topic if no word means a total or a meter reading', () => {
  const place = fc.constantFrom('gasmeter', 'gas', 'watermeter', 'wasserzaehler', 'heat', 'waermemengenzaehler');
  const word = fc.constantFrom('consumption', 'verbrauch', 'usage');
  const total = fc.constantFrom('total', 'lifetime', 'reading', 'stand', 'counter', 'gesamt');
  fc.assert(
    fc.property(place, word, total, fc.boolean(), (of, name, lifetime, isVolume) => {
      const unit = isVolume || of.startsWith('wa') ? 'm3' : 'kwh';
      const alone = readMessage(`house/${of}/${name}_${unit}`, '41.75');
      expect(alone).toMatchObject({ readings: [], asks: [{ value: 41.75, unit: unit === 'm3' ? 'm³' : 'kWh' }] });
      const register = readMessage(`house/${of}/${lifetime}_${name}_${unit}`, '41.75');
      expect(register).toMatchObject({ readings: [{ value: 41.75 }], asks: [] });
    }),
  );
});

test('asks about a bare total next to watts, but not next to an energy', () => {
  const watt = fc.constantFrom('watt', 'Watts', 'W', 'kw');
  fc.assert(
    fc.property(watt, fc.boolean(), fc.integer({ min: 2, max: 90_000 }), (power, isDeep, total) => {
      const inside = (body: object) => (isDeep ? { data: body } : body);
      const names = (body: object) => readMessage('house/values', inside(body))?.asks.map((one) => one.native_name);
      expect(names({ [power]: 412, total, pulse: 812 })).toContain(isDeep ? 'data/total' : 'total');
      for (const body of [
        { [power]: 412, total: 1 },
        { voltage: 230, total },
        { [power]: 412, import_kwh: 7, total },
      ])
        expect(names(body) ?? []).not.toContain(isDeep ? 'data/total' : 'total');
    }),
  );
});

test('reads the first of four numbers as the total if it is the sum of the others, and no other list', () => {
  const phase = fc.integer({ min: 4_000, max: 900_000 });
  // Small numbers may have this sum by chance.
  expect(readMessage('cellar/meter/import_kwh', '5,1,1,3')).toBeNull();
  fc.assert(
    fc.property(phase, phase, phase, fc.constantFrom('import', 'export'), (one, two, three, direction) => {
      const list = [one + two + three, one, two, three].map((number) => (number / 100).toFixed(2));
      const read = (numbers: readonly string[]) => readMessage(`cellar/meter/${direction}_kwh`, numbers.join(','));
      expect(read(list)?.readings).toMatchObject([{ channel: direction, value: Number(list[0]) }]);
      expect(read(list.slice(1))?.readings ?? []).toEqual([]);
      expect(read(['0', '0', '0', '0'])?.readings ?? []).toEqual([]);
      expect(read([list[0] as string, list[0] as string, list[1] as string, list[2] as string])).toBeNull();
    }),
  );
});

test('asks about a counter of pulses if its topic names gas or water, because the owner knows the volume of a pulse', () => {
  const medium = fc.constantFrom('gas', 'water', 'gasmeter', 'cold_water', 'wasserzaehler');
  const name = fc.constantFrom('pulses', 'pulse_count', 'impulse', 'Impulse');
  fc.assert(
    fc.property(medium, name, fc.integer({ min: 2, max: 900_000 }), (of, pulses, count) => {
      const wanted = [{ native_name: pulses, unit: null, value: count }];
      expect(readMessage(`cellar/${of}/${pulses}`, `${count}`)).toMatchObject({ readings: [], asks: wanted });
      for (const other of ['today', 'tank', 'rain'])
        expect([other, readMessage(`cellar/${of}/${other}/${pulses}`, `${count}`)]).toEqual([other, null]);
      expect(readMessage(`cellar/meter/${pulses}`, `${count}`)).toBeNull();
    }),
  );
});
