import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDailyDue, latestDailyMs, spreadMs } from './due.ts';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);

test('the latest time of a day is that of today once it has come, else of yesterday', () => {
  expect(latestDailyMs('02:43', at('2026-11-24T02:43:00Z'))).toBe(at('2026-11-24T02:43:00Z'));
  expect(latestDailyMs('02:43', at('2026-11-24T02:42:59Z'))).toBe(at('2026-11-23T02:43:00Z'));
});

test('whatever the clock does, a daily job runs for each day at most once, and is due again two days later at the latest', () => {
  const hours = fc.array(fc.integer({ min: -20, max: 60 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(hours, (steps) => {
      let nowMs = at('2026-11-24T12:00:00Z');
      let ranForMs = latestDailyMs('02:43', nowMs);
      const runs: number[] = [];
      for (const step of steps) {
        nowMs += step * 3_600_000;
        const latestMs = latestDailyMs('02:43', nowMs);
        if (!isDailyDue(latestMs, ranForMs)) continue;
        runs.push(latestMs);
        ranForMs = latestMs;
      }
      // Without a run in the future by more than a day a job never repeats a day.
      const isForward = steps.every((step) => step >= 0);
      if (isForward) expect(new Set(runs).size).toBe(runs.length);
      expect(isDailyDue(latestDailyMs('02:43', nowMs + 2 * DAY_MS), ranForMs)).toBe(true);
    }),
  );
});

test('a clock that was set back by hours does not repeat a run, one by more than a day does', () => {
  const ranForMs = at('2026-11-24T02:43:00Z');
  expect(isDailyDue(latestDailyMs('02:43', at('2026-11-24T01:00:00Z')), ranForMs)).toBe(false);
  expect(isDailyDue(latestDailyMs('02:43', at('2025-09-20T12:00:00Z')), ranForMs)).toBe(true);
});

test('jobs of the same interval begin apart from each other, within their interval and ten minutes', () => {
  const offsets = [0, 1, 2, 3].map((index) => spreadMs(3_600_000, { index, of: 4 }));
  expect(offsets).toEqual([150_000, 300_000, 450_000, 600_000]);
  expect(spreadMs(5_000, { index: 3, of: 4 })).toBe(5_000);
});
