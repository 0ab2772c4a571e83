import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';

// Source: praseodym/dsmr2mqtt. "Delivered" has no certain direction, and the message contains no unit.
test('asks about a tariff with an unclear word next to a tariff with a direction, and about none without one', () => {
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
