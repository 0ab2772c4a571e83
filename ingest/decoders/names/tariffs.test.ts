import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

// Source: praseodym/dsmr2mqtt. "Delivered" has no certain direction, and the message contains no unit.
test('asks about a tariff with an unclear word next to a tariff with a direction', () => {
  const unclear = fc.constantFrom('Delivered', 'Supplied', 'Received', 'Geleverd');
  const directed = fc.constantFrom('Used', 'Returned', 'Import');
  fc.assert(
    fc.property(unclear, directed, fc.constantFrom('T1', 'T2', '_tariff_1'), (one, other, tariff) => {
      const [doubtful, clear] = [`Electricity${one}${tariff}`, `Electricity${other}${tariff}`];
      const both = readMessage('dsmr/measurements', { [doubtful]: 812.44, [clear]: 4_521.4 });
      expect(both?.readings).toEqual([]);
      expect(both?.asks.map(({ native_name, unit }) => [native_name, unit]).sort()).toEqual(
        [
          [clear, null],
          [doubtful, null],
        ].sort(),
      );
      const state = readMessage('dsmr/measurements', { [doubtful]: 1, [clear]: 4_521.4 });
      expect(state?.asks.map(({ native_name }) => native_name)).toEqual([clear]);
    }),
  );
});

// Source: sanderdona/dsmr-p1-to-mqtt. Each tariff has a topic of its own.
test('asks about a tariff whose topic or object names a flow, and about no tariff of a price or a day', () => {
  const flow = fc.constantFrom('delivered', 'returned', 'received', 'import', 'export', 'teruglevering');
  const tariff = fc.constantFrom('t1', 't2', 'tariff2', 'laag', 'tarief_1');
  const number = fc.integer({ min: 2, max: 90_000 });
  const askedOf = (topic: string, body: unknown) => {
    const result = readMessage(topic, body);
    expect(result?.readings ?? []).toEqual([]);
    return result?.asks.map(({ device, native_name, value, unit }) => [device, native_name, value, unit]);
  };
  fc.assert(
    fc.property(flow, tariff, number, (way, part, value) => {
      const name = `${way}/${part}`;
      const asked = (device: string, named: string) => [[device, named, value, null]];
      for (const body of [{ value, time: '2026-11-27T09:40:25Z' }, `${value}`])
        expect(askedOf(`house/readings/${name}`, body)).toEqual(asked('house/readings', name));
      expect(askedOf(`house/readings/${way}_${part}`, `${value}`)).toEqual(asked('house/readings', `${way}_${part}`));
      expect(askedOf('house/readings', { [way]: { [part]: value } })).toEqual(asked('house/readings', name));
      for (const other of ['price', 'day', 'today'])
        expect(askedOf(`house/${other}/${name}`, `${value}`)).toBeUndefined();
    }),
  );
});
