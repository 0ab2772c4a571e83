import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { dropZeroBuckets } from '#ingest/normalise/buckets.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { computeReferenceConsumption, getStartOfQuarterHour } from '#test/reference/consumption.ts';
import {
  arbitraryConflictingReadings,
  arbitraryPowers,
  arbitraryRegisters,
  arbitrarySettings,
} from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import { createTestDeviceHeadCache } from '#test/support/head-caches.ts';
import { readWholeLoadProfile, type StoredDevice } from '#test/support/memory-store.ts';
import { expectCountingRuleResults } from '#test/support/planned-energy.ts';
import { HISTORY_COUNT } from '#test/support/planned-histories.ts';
import { createStoreWithDevices, recomputeAllChunks, writeBatch } from '#test/support/planned-writes.ts';

function added(profiles: readonly ReturnType<typeof computeReferenceConsumption>[]): Map<string, string> {
  const sums = new Map<string, bigint[]>();
  for (const [at, row] of profiles.flatMap((one) => [...one])) {
    const values = [row.energy, row.estimated, row.exported, row.readings, row.covered, row.exportCovered];
    const known = sums.get(String(at));
    sums.set(
      String(at),
      known ? values.map((value, place) => BigInt(value) + (known[place] as bigint)) : values.map(BigInt),
    );
  }
  return new Map([...sums].map(([at, values]) => [at, String(values)]));
}

const series = fc.constantFrom('register' as const, 'power' as const).chain((kind) =>
  (kind === 'register' ? arbitraryRegisters : arbitraryPowers)('import')
    .chain(arbitraryConflictingReadings)
    .map((readings) => ({ kind, readings })),
);

test('starts a series from scratch when its decoder settings change, and never counts energy across the change, however late readings arrive', () => {
  const scale = fc.constantFrom(0.001, 0.1, 10, 1_000, -1);
  fc.assert(
    fc.property(
      arbitrarySettings,
      series,
      fc.record({
        order: fc.integer({ min: 1, max: 1_008 }),
        share: fc.integer({ min: 5, max: 95 }),
        isOrdered: fc.boolean(),
      }),
      scale,
      fc.option(arbitrarySettings, { nil: null }),
      (before, { kind, readings }, { order, share, isOrdered }, factor, changed) => {
        fc.pre(kind === 'power' || factor > 0);
        const mine = convertToReferenceReadings(readings, 'dev_0');
        const { store } = createStoreWithDevices([{ ...before, readings: [] }]);
        const device = store.devices.get('dev_0') as StoredDevice;
        const rank = (index: number) => ((index + 1) * order) % 1_009;
        const queue = isOrdered
          ? mine.toSorted((a, b) => a.readAtMs - b.readAtMs)
          : mine
              .map((reading, index) => ({ reading, at: rank(index) }))
              .sort((a, b) => a.at - b.at)
              .map(({ reading }) => reading);
        const former = queue.slice(0, Math.ceil((queue.length * share) / 100));
        // Some readings arrive again and are decoded with the new settings.
        const after = [...former.slice(-3), ...queue.slice(former.length)].map((reading) => ({
          ...reading,
          // JSON has no -0; adding 0 turns it into 0.
          value: Math.round(reading.value * factor) + 0,
        }));
        const memory = createTestDeviceHeadCache('all');
        const come = (all: readonly DecodedReading[]) => {
          for (let first = 0; first < all.length; first += 7)
            for (const _ of writeBatch(store, memory, all.slice(first, first + 7)));
          expectCountingRuleResults(device);
        };
        come(former);
        store.split('dev_0');
        const splitMs = Math.max(...former.map(({ readAtMs }) => readAtMs));
        come(after);
        if (changed) {
          store.set('dev_0', changed);
          recomputeAllChunks(store, ['dev_0'], 50 * HOUR_MS);
          expectCountingRuleResults(device);
        }
        const sides = [former, after.filter(({ readAtMs }) => readAtMs > splitMs)];
        const wanted = added(
          sides.map((side) => computeReferenceConsumption(side, device.settings, getStartOfQuarterHour, [])),
        );
        const stored = [...dropZeroBuckets(readWholeLoadProfile(device))].map(
          ([at, d]) =>
            [
              String(at),
              String([
                d.energyMilliwattHours,
                d.estimatedMilliwattHours,
                d.exportMilliwattHours,
                d.readingCount,
                d.coveredMs,
                d.exportCoveredMs,
              ]),
            ] as const,
        );
        expect(new Map(stored)).toEqual(wanted);
      },
    ),
    { numRuns: HISTORY_COUNT, endOnFailure: true },
  );
});
