import fc from 'fast-check';
import { createTask } from 'node-cron';
import { expect, test } from 'vitest';
import { computeFirstRunDelayMs, findLatestDueMinute, isDailyJobDue, type LatestDueTime } from './schedule.ts';

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);
const nightly = createTask('43 2 * * *', () => {}, { timezone: 'UTC' });
const matched = new Map<number, boolean>();
/** Caches results, because matching a minute is slow and the random clocks repeat the same days. */
const matches = (minute: Date) => {
  const isMatch = matched.get(minute.getTime()) ?? nightly.match(minute);
  matched.set(minute.getTime(), isMatch);
  return isMatch;
};
const latestMsAt = (nowMs: number) => findLatestDueMinute(matches, nowMs).latestMs;

test('the latest due time is the same with or without the previous result, whatever the clock does', () => {
  const minutes = fc.array(fc.integer({ min: -3_000, max: 3_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(minutes, (steps) => {
      let nowMs = at('2026-11-24T12:00:30Z');
      let known: LatestDueTime | null = null;
      for (const step of steps) {
        nowMs += step * 60_000;
        known = findLatestDueMinute(matches, nowMs, known);
        expect(known.latestMs).toBe(latestMsAt(nowMs));
      }
    }),
    { numRuns: 30 },
  );
  expect(() => findLatestDueMinute(() => false, 0)).toThrow('within a day');
});

test('the latest due time of a daily job is today’s if it has passed, otherwise yesterday’s', () => {
  expect(latestMsAt(at('2026-11-24T02:43:00Z'))).toBe(at('2026-11-24T02:43:00Z'));
  expect(latestMsAt(at('2026-11-24T02:42:59Z'))).toBe(at('2026-11-23T02:43:00Z'));
});

test('whatever the clock does, a daily job runs at most once for each day, and is due again after two days at most', () => {
  const hours = fc.array(fc.integer({ min: -20, max: 60 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(hours, (steps) => {
      let nowMs = at('2026-11-24T12:00:00Z');
      let ranForMs = latestMsAt(nowMs);
      const runs: number[] = [];
      for (const step of steps) {
        nowMs += step * 3_600_000;
        const latestMs = latestMsAt(nowMs);
        if (!isDailyJobDue(latestMs, ranForMs)) continue;
        runs.push(latestMs);
        ranForMs = latestMs;
      }
      // A job never runs twice for the same daily time, unless a run was recorded more than a day in the future.
      const isForward = steps.every((step) => step >= 0);
      if (isForward) expect(new Set(runs).size).toBe(runs.length);
      expect(isDailyJobDue(latestMsAt(nowMs + 2 * DAY_MS), ranForMs)).toBe(true);
    }),
  );
});

test('a run is not repeated if the clock is set back by hours; it is repeated if it is set back by more than a day', () => {
  const ranForMs = at('2026-11-24T02:43:00Z');
  expect(isDailyJobDue(latestMsAt(at('2026-11-24T01:00:00Z')), ranForMs)).toBe(false);
  expect(isDailyJobDue(latestMsAt(at('2025-09-20T12:00:00Z')), ranForMs)).toBe(true);
});

test('jobs with the same interval start at different times, within their interval and ten minutes', () => {
  const offsets = [0, 1, 2, 3].map((index) => computeFirstRunDelayMs(3_600_000, { index, of: 4 }));
  expect(offsets).toEqual([150_000, 300_000, 450_000, 600_000]);
  expect(computeFirstRunDelayMs(5_000, { index: 3, of: 4 })).toBe(5_000);
});
