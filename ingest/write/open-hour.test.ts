import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BucketDeltas, ReadonlyQuarterHourBuckets } from '#ingest/normalise/buckets.ts';
import { HOUR_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { MEASURE_NAMES, type MeasureSums } from '#src/rollups/levels.ts';
import { addToOpenHour, formatOpenHour, listQuarterHours, type OpenHour, parseOpenHour } from './open-hour.ts';

const START_MS = Date.UTC(2026, 5, 1);
const sums = (value: number) =>
  Object.fromEntries(MEASURE_NAMES.map((name, at) => [name, value * (at + 1)])) as unknown as MeasureSums;
const deltasOf = (values: readonly (readonly [number, number])[]): BucketDeltas =>
  new Map(values.map(([quarter, value]) => [START_MS + quarter * QUARTER_HOUR_MS, sums(value)]));

/** Returns the sums of ended hours and of the latest hour, as a query would add them up. */
function total(closed: readonly ReadonlyQuarterHourBuckets[], open: OpenHour): Map<number, number> {
  const found = new Map<number, number>();
  for (const part of [...closed, open ? listQuarterHours(open) : []]) {
    for (const [startMs, values] of part) {
      const sum = (found.get(startMs) ?? 0) + values.energyMilliwattHours;
      const wanted = sums(values.energyMilliwattHours);
      for (const name of MEASURE_NAMES) assert.equal(values[name], wanted[name]);
      if (sum === 0) found.delete(startMs);
      else found.set(startMs, sum);
    }
  }
  return found;
}

test('distributes changes in any order of hours, reverted or not, over closed hours and the open one', () => {
  const batch = fc.uniqueArray(fc.tuple(fc.nat(40), fc.integer({ min: -1_000_000, max: 1_000_000 })), {
    maxLength: 9,
    selector: ([quarter]) => quarter,
  });
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 12 }), (batches) => {
      let open: OpenHour = null;
      const closed: ReadonlyQuarterHourBuckets[] = [];
      const wanted = new Map<number, number>();
      for (const values of batches) {
        for (const [quarter, value] of values) {
          const at = START_MS + quarter * QUARTER_HOUR_MS;
          wanted.set(at, (wanted.get(at) ?? 0) + value);
          if (wanted.get(at) === 0) wanted.delete(at);
        }
        const before = open;
        const next = addToOpenHour(open, deltasOf(values));
        open = next.open;
        closed.push(next.closed);
        // The energy of an hour is added to the stored sums only when the hour has ended.
        const hours = new Set(values.map(([quarter]) => Math.floor(quarter / 4)));
        const isOneHour =
          before === null ? hours.size <= 1 : [...hours].every((hour) => hour + START_MS / HOUR_MS === before.hour);
        expect(next.closed.size > 0 && isOneHour).toBe(false);
      }
      assert.deepEqual(total(closed, open), wanted);
    }),
    { numRuns: 500 },
  );
});

test('closes an hour whose sums are all zero', () => {
  const { open } = addToOpenHour(null, deltasOf([[1, 5]]));
  expect(open && formatOpenHour(open)).toBe(`${START_MS / HOUR_MS},5,10,15,20,25,30,,5,,,,10,,,,15,,,,20,,,,25,,,,30`);
  expect(addToOpenHour(open, deltasOf([[1, -5]]))).toEqual({ open: null, closed: new Map() });
});

test('writes and reads every safe integer with all of its digits', () => {
  const edges = [0, -1, 9, 10, 999_999_999, 1_000_000_000, 9_999_999_999_999, 2 ** 53 - 1, 1 - 2 ** 53, 2 ** 53 - 11];
  const number = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(...edges));
  fc.assert(
    fc.property(fc.nat(2 ** 31), fc.array(number, { minLength: 24, maxLength: 24 }), (hour, quarters) => {
      const text = formatOpenHour({ hour, quarters });
      const numbers = text.split(',').slice(1 + MEASURE_NAMES.length);
      expect(quarters.map((_, index) => numbers[index] || '0')).toEqual(quarters.map(String));
      expect(text).toMatch(/[^,]$/);
      expect(parseOpenHour(text)).toEqual({ hour, quarters });
      // Earlier versions of the service also wrote zeros.
      expect(parseOpenHour([hour, ...MEASURE_NAMES.map(() => 0), ...quarters].join(','))).toEqual({ hour, quarters });
    }),
  );
});
