import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeReferenceIncrements, orderDistinctReadings } from '#test/reference/consumption.ts';
import { arbitraryConflictingReadings, arbitraryIntervals } from '#test/reference/histories.ts';
import {
  computeEnergyIntervals,
  convertToReferenceReadings,
  listStatePairsAfterRestart,
} from '#test/support/counting-rules.ts';
import { createIntervalCountingRule } from './intervals.ts';

const series = arbitraryIntervals('import').chain(arbitraryConflictingReadings);

test('gives the same energy as the reference for 1,000 random series of intervals; if intervals overlap, the first one counts', () => {
  fc.assert(
    fc.property(series, fc.constantFrom('import', 'export'), (readings, direction) => {
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const none = { limitKw: 0, registerMaxKwh: null, maxGapMinutes: 0 };
      expect(computeEnergyIntervals(createIntervalCountingRule(direction), points)).toEqual(
        computeReferenceIncrements({ kind: 'interval', direction, readings: points }, none).map(
          ({ from, to, energy }) => ({
            startMs: Number(from),
            endMs: Number(to),
            importMilliwattHours: direction === 'import' ? Number(energy) : 0,
            exportMilliwattHours: direction === 'export' ? Number(energy) : 0,
            estimated: false,
          }),
        ),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('restarting from any stored interval reaches the same state as the whole series', () => {
  fc.assert(
    fc.property(series, fc.constantFrom(1, 2, 5), (readings, length) => {
      for (const { state, restarted } of listStatePairsAfterRestart(
        createIntervalCountingRule('import'),
        orderDistinctReadings(convertToReferenceReadings(readings)),
        length,
      ))
        expect(restarted).toEqual(state);
    }),
  );
});
