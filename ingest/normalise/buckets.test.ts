import fc from 'fast-check';
import { expect, test } from 'vitest';
import { castToMilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { addIntervalToBuckets, type BucketDeltas, dropZeroBuckets } from './buckets.ts';

/** Random energies. The maximum is chosen so that the sum of five intervals in one quarter-hour is still a safe integer. */
const milliwattHours = fc
  .oneof(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 0, max: Math.floor(Number.MAX_SAFE_INTEGER / 5) }))
  .map(castToMilliwattHours);
const interval = fc
  .record({
    startMs: fc.integer({ min: 0, max: 4 * QUARTER_HOUR_MS }).map((ms) => Date.UTC(2026, 8, 30) + ms),
    lengthMs: fc.oneof(
      fc.integer({ min: 1, max: 2 * QUARTER_HOUR_MS }),
      fc.integer({ min: 1, max: 5 * 24 * 3_600_000 }),
    ),
    importMilliwattHours: milliwattHours,
    exportMilliwattHours: milliwattHours,
    estimated: fc.boolean(),
  })
  .map(({ startMs, lengthMs, ...rest }) => ({ startMs, endMs: startMs + lengthMs, ...rest }));
const roles = fc.record({ import: fc.boolean(), export: fc.boolean() });

test('splits an interval at quarter-hours, in proportion to time, in whole mWh that add up to it', () => {
  fc.assert(
    fc.property(interval, roles, (one, counts) => {
      const { startMs, endMs } = one;
      const deltas: BucketDeltas = new Map();
      addIntervalToBuckets(deltas, one, counts, 1);
      const ofQuarterHours = [...deltas].sort(([a], [b]) => a - b);
      const firstMs = startMs - (startMs % QUARTER_HOUR_MS);
      const quarters = Math.ceil((endMs - firstMs) / QUARTER_HOUR_MS);
      expect(ofQuarterHours.map(([bucketMs]) => (bucketMs - firstMs) / QUARTER_HOUR_MS).join()).toBe(
        Array.from({ length: quarters }, (_, index) => index).join(),
      );
      // At the end of each quarter-hour, the energy since the start of the interval is in proportion to the elapsed time, rounded down.
      for (const [name, energy, counted] of [
        ['energyMilliwattHours', one.importMilliwattHours, counts.import],
        ['estimatedMilliwattHours', one.estimated ? one.importMilliwattHours : 0, counts.import],
        ['exportMilliwattHours', one.exportMilliwattHours, counts.export],
        ['coveredMs', endMs - startMs, counts.import],
        ['exportCoveredMs', endMs - startMs, counts.export],
      ] as const) {
        let sum = 0n;
        const upTo = ofQuarterHours.map(([, delta]) => (sum += BigInt(delta[name])));
        const share = (bucketMs: number) =>
          (BigInt(counted ? energy : 0) * BigInt(Math.min(bucketMs + QUARTER_HOUR_MS, endMs) - startMs)) /
          BigInt(endMs - startMs);
        expect([name, upTo.join()]).toEqual([name, ofQuarterHours.map(([bucketMs]) => share(bucketMs)).join()]);
      }
      // A reading at the end of a quarter-hour is counted in this quarter-hour.
      expect(ofQuarterHours.findIndex(([, delta]) => delta.readingCount !== 0)).toBe(quarters - 1);
      expect(ofQuarterHours.at(-1)?.[1].readingCount).toBe(1);
    }),
    { numRuns: 300 },
  );
});

test('leaves all buckets empty after adding and subtracting the same interval', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 5 }), roles, (all, counts) => {
      const deltas: BucketDeltas = new Map();
      for (const one of all) addIntervalToBuckets(deltas, one, counts, 1);
      for (const one of all.toReversed()) addIntervalToBuckets(deltas, one, counts, -1);
      expect([...dropZeroBuckets(deltas)]).toEqual([]);
    }),
  );
});
