import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeBelievedTime, isClockTooFarAhead, MAX_CLOCK_LEAP_MS } from './believed-time.ts';

const STORED_MS = Date.parse('2026-11-24T12:00:00Z');

test('starts with a clock more than 31 days ahead never move the believed time, however many there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 40 }), (days, starts) => {
      const clockMs = STORED_MS + MAX_CLOCK_LEAP_MS + days * 86_400_000;
      let storedMs = STORED_MS;
      for (let start = 0; start < starts; start++) storedMs = computeBelievedTime({ storedMs, clockMs, wasUsed: true });
      expect(storedMs).toBe(STORED_MS);
      expect(isClockTooFarAhead(clockMs, storedMs)).toBe(true);
    }),
  );
});

test('a start moves the believed time to a clock that is up to 31 days ahead, and never back', () => {
  const start = (clockMs: number) => computeBelievedTime({ storedMs: STORED_MS, clockMs, wasUsed: true });
  expect(start(STORED_MS + MAX_CLOCK_LEAP_MS)).toBe(STORED_MS + MAX_CLOCK_LEAP_MS);
  expect(start(STORED_MS - 86_400_000)).toBe(STORED_MS);
});

test('an installation that no device has used yet accepts its clock', () => {
  for (const storedMs of [null, 0])
    expect(computeBelievedTime({ storedMs, clockMs: STORED_MS, wasUsed: false })).toBe(STORED_MS);
});
