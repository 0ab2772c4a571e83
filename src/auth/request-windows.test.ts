import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeRemainingRequests,
  decideOnRequests,
  decodeCounters,
  encodeCounters,
  NO_REQUEST_LIMIT,
  type RequestCounters,
  ZERO_COUNTERS,
} from './request-windows.ts';

const NOON = Date.UTC(2026, 5, 15, 12);
const limits = { minute: 30, day: 5_000 };
const rules = (nowMs: number, canBeSuspended = true, weight = 1) => ({ limits, nowMs, canBeSuspended, weight });
const added = (counters: RequestCounters, add: Partial<RequestCounters>) => {
  const plus = encodeCounters(add, 0);
  return decodeCounters(encodeCounters(counters, 0).map((number, index) => number + (plus[index] ?? 0)));
};
/**
 * Returns a function that counts requests, starting from the given counters. The function returns the number of allowed requests.
 */
function counter(known = ZERO_COUNTERS) {
  let counters = known;
  return {
    take(wanted: number, nowMs: number, canBeSuspended = true, weight = 1) {
      const { granted, add } = decideOnRequests(counters, wanted, rules(nowMs, canBeSuspended, weight));
      counters = added(counters, add);
      return granted;
    },
    left: (nowMs: number) => computeRemainingRequests(counters, { limits, nowMs }),
  };
}

describe('requests', () => {
  test('are refused for the duration of a suspension, even if the clock was ahead when it began', () => {
    const { take, left } = counter({ ...ZERO_COUNTERS, suspendedUntilMs: NOON + 900_000 });
    expect(take(1, NOON)).toBe(0);
    // The clock was set back by two hours.
    expect(take(1, NOON - 7_200_000)).toBe(1);
    expect(left(NOON - 7_200_000).suspendedWaitMs).toBe(0);
  });

  test("are limited to the plan's number within a minute that begins with the first of them", () => {
    const { take, left } = counter();
    expect([take(20, NOON), take(20, NOON + 59_999), take(1, NOON + 59_999), take(40, NOON + 60_000)]).toEqual([
      20, 10, 0, 30,
    ]);
    expect(left(NOON + 60_500)).toMatchObject({ minuteLeft: 0, minuteWaitMs: 59_500, dayLeft: 4_940 });
  });

  test("that the minute's limit refuses do not count towards the day's limit, and vice versa", () => {
    const { take, left } = counter({ ...ZERO_COUNTERS, dayFromMs: Date.UTC(2026, 5, 15), dayCount: 4_990 });
    expect([take(9, NOON), take(9, NOON), left(NOON).minuteLeft]).toEqual([9, 1, 20]);
    expect([take(5, NOON), left(NOON).minuteLeft, left(NOON).dayWaitMs]).toEqual([0, 20, 12 * 3_600_000]);
    expect(take(5, Date.UTC(2026, 5, 16))).toBe(5);
  });

  test('that count as ten use ten or nothing, and leave the remainder to requests that count as one', () => {
    const { take, left } = counter();
    const heavy = (wanted: number) => take(wanted, NOON, true, 10);
    expect([take(5, NOON), heavy(3), left(NOON).minuteLeft]).toEqual([5, 2, 5]);
    expect([heavy(1), take(9, NOON), left(NOON).minuteLeft, left(NOON).dayLeft]).toEqual([0, 5, 0, 4_970]);
    expect(take(3, NOON + 60_000, true, 10)).toBe(3);
  });

  test('that are refused a thousand times in ten minutes suspend an account for a quarter of an hour, but never an address', () => {
    for (const canBeSuspended of [true, false]) {
      const { take, left } = counter();
      expect(take(30 + 999, NOON, canBeSuspended)).toBe(30);
      expect(left(NOON).suspendedWaitMs).toBe(0);
      expect(take(1, NOON + 1, canBeSuspended)).toBe(0);
      expect(left(NOON + 1).suspendedWaitMs).toBe(canBeSuspended ? 900_000 : 0);
      expect(take(1, NOON + 900_000, canBeSuspended)).toBe(canBeSuspended ? 0 : 1);
      expect(take(1, NOON + 900_001, canBeSuspended)).toBe(1);
    }
  });

  test('that are refused over more than ten minutes do not suspend an account', () => {
    const { take, left } = counter();
    take(30 + 999, NOON);
    take(30 + 999, NOON + 600_000);
    expect(left(NOON + 600_000).suspendedWaitMs).toBe(0);
  });

  test('use one window although the clocks of two processes differ; a clock that was set back begins a new window', () => {
    const { take } = counter();
    const midnight = Date.UTC(2026, 5, 16);
    expect([take(30, midnight), take(1, midnight - 200), take(1, midnight)]).toEqual([30, 0, 0]);
    expect(take(1, midnight - 60_000)).toBe(1);
  });
});

/** A number of requests; some numbers are large enough to suspend an account. */
const some = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1_200 }));
/** Counters that result from random requests at random times around noon. */
const histories = fc.array(fc.tuple(some, fc.integer({ min: -100_000, max: 900_000 })), {
  maxLength: 12,
});
const reached = histories.map((steps) =>
  steps.reduce(
    (known, [wanted, at]) => added(known, decideOnRequests(known, wanted, rules(NOON + at)).add),
    ZERO_COUNTERS,
  ),
);

test('a decision is valid for all counters within its bounds, including the counters that it was made on', () => {
  fc.assert(
    fc.property(
      reached,
      reached,
      some,
      fc.boolean(),
      fc.constantFrom(1, 10),
      (known, other, wanted, isAccount, weight) => {
        const decided = decideOnRequests(known, wanted, rules(NOON, isAccount, weight));
        const [least, most] = [
          encodeCounters(decided.least, -NO_REQUEST_LIMIT),
          encodeCounters(decided.most, NO_REQUEST_LIMIT),
        ];
        const isWithin = (counters: RequestCounters) =>
          encodeCounters(counters, 0).every(
            (number, index) => number >= (least[index] ?? 0) && number <= (most[index] ?? 0),
          );
        expect(isWithin(known)).toBe(true);
        // Changes one counter at a time.
        for (const [index, name] of (Object.keys(ZERO_COUNTERS) as (keyof RequestCounters)[]).entries()) {
          const edges = [
            least[index],
            most[index],
            0,
            1,
            30,
            5_000,
            999,
            1_000,
            NOON - 60_000,
            NOON + 60_000,
            NOON - 600_000,
          ];
          for (const value of [other[name], ...edges]) {
            const near = { ...known, [name]: value };
            if (!isWithin(near)) continue;
            const { granted, add } = decideOnRequests(near, wanted, rules(NOON, isAccount, weight));
            const expected = { granted: decided.granted, add: encodeCounters(decided.add, 0) };
            assert.deepEqual({ name, value, granted, add: encodeCounters(add, 0) }, { name, value, ...expected });
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('no minute and no day admits more requests than its limit, in any order of requests', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20_000 })), { maxLength: 300 }),
      (steps) => {
        const { take, left } = counter();
        let [nowMs, granted] = [NOON, 0];
        for (const [wanted, afterMs] of steps) {
          nowMs += afterMs;
          granted += take(wanted, nowMs, false);
          expect(left(nowMs).minuteLeft).toBeGreaterThanOrEqual(0);
        }
        // A minute window starts with its first request, so at most one more window than elapsed minutes can begin.
        expect(granted).toBeLessThanOrEqual(limits.minute * (1 + Math.floor((nowMs - NOON) / 60_000)));
        expect(granted).toBeLessThanOrEqual(limits.day * 2);
      },
    ),
    { numRuns: 300 },
  );
});
