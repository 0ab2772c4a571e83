import { describe, expect, test } from 'vitest';
import { computeNextFetchTime, type FetchOutcome, type FetchState, planNextFetch } from './fetch-times.ts';

const FRESH: FetchState = {
  retries: 0,
  tells_tomorrow: false,
  last_fetched_at: null,
  last_error: null,
  failing_since: null,
  is_notified: false,
};
const READ: FetchOutcome = { isRead: true, hasTomorrow: false, error: null };
const FULL: FetchOutcome = { isRead: true, hasTomorrow: true, error: null };
const FAILED: FetchOutcome = { isRead: false, error: 'no answer' };
const DAILY = { timezone: 'Europe/Berlin', at: ['13:15'] };

/** Returns the times of a first fetch at `start` and of all later fetches, each planned after the previous one. */
function run(outcomes: readonly FetchOutcome[], start: string, times = DAILY, from = FRESH) {
  let [state, now] = [from, new Date(start)];
  const at: string[] = [];
  const notified: string[] = [];
  let [day, fetchesToday] = ['', 0];
  for (const outcome of outcomes) {
    const today = now.toISOString().slice(0, 10);
    fetchesToday = today === day ? fetchesToday + 1 : 1;
    day = today;
    const plan = planNextFetch(state, outcome, { times, now, fetchesToday });
    if (plan.notifies) notified.push(now.toISOString().slice(0, 16));
    ({ state } = plan);
    now = plan.nextAt;
    at.push(now.toISOString().slice(0, 16));
  }
  return { at, state, notified };
}

describe('the next fetch', () => {
  test('is at the first time of day, by the clocks of the source', () => {
    const next = (after: string, at: string[], timezone = 'Europe/Berlin') =>
      computeNextFetchTime({ timezone, at }, new Date(after)).toISOString().slice(0, 16);
    expect(next('2026-06-15T11:14:00Z', ['13:15'])).toBe('2026-06-15T11:15');
    expect(next('2026-06-15T11:15:00Z', ['13:15'])).toBe('2026-06-16T11:15');
    expect(next('2026-10-24T11:15:00Z', ['13:15'])).toBe('2026-10-25T12:15');
    expect(next('2026-06-15T11:15:00Z', ['13:15', '00:05', '18:00'])).toBe('2026-06-15T16:00');
    expect(next('2026-06-15T23:50:00Z', ['00:05'], 'Pacific/Auckland')).toBe('2026-06-16T12:05');
    // The local time 02:30 does not exist on this day, because the clocks go forward.
    expect(next('2026-03-28T23:30:00Z', ['02:30'])).toBe('2026-03-29T01:30');
  });

  test('is after 5, 15 and 60 minutes if a fetch failed, and then at the next time of day', () => {
    const { at, state } = run([FAILED, FAILED, FAILED, FAILED, READ], '2026-06-15T11:15:00Z');
    expect(at).toEqual([
      '2026-06-15T11:20',
      '2026-06-15T11:35',
      '2026-06-15T12:35',
      '2026-06-16T11:15',
      '2026-06-17T11:15',
    ]);
    expect(state).toMatchObject({ retries: 0, failing_since: null, last_error: null });
  });

  test('is a retry if a source lacks tomorrow’s prices that it usually has, and not if it never has them', () => {
    expect(run([READ, READ], '2026-06-15T11:15:00Z').at).toEqual(['2026-06-16T11:15', '2026-06-17T11:15']);
    const late = run([FULL, READ, READ, FULL, READ], '2026-06-15T11:15:00Z');
    expect(late.at).toEqual([
      '2026-06-16T11:15',
      '2026-06-16T11:20',
      '2026-06-16T11:35',
      '2026-06-17T11:15',
      '2026-06-17T11:20',
    ]);
    expect(late.state).toMatchObject({ last_error: null, failing_since: null });
  });

  test('waits as long as a response with status 429 demands, even past a regular time of day', () => {
    const asked = (seconds: number): FetchOutcome => ({ ...FAILED, isRead: false, retryAfterMs: seconds * 1_000 });
    const twice = { timezone: 'UTC', at: ['11:15', '12:00'] };
    expect(run([asked(600)], '2026-06-15T11:15:00Z', twice).at).toEqual(['2026-06-15T11:25']);
    expect(run([asked(3_600)], '2026-06-15T11:15:00Z', twice).at).toEqual(['2026-06-15T12:15']);
    expect(run([asked(0)], '2026-06-15T11:15:00Z', twice).at).toEqual(['2026-06-15T11:16']);
    expect(run([asked(1e9)], '2026-06-15T11:15:00Z', twice).at).toEqual(['2026-06-16T11:15']);
  });

  test('is never the 25th of a UTC day, and retries do not displace the regular fetch times', () => {
    const hourly = {
      timezone: 'UTC',
      at: Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:30`),
    };
    for (const times of [hourly, { timezone: 'UTC', at: ['00:30', '12:00', '18:00'] }, DAILY]) {
      const { at } = run(Array(120).fill(FAILED), '2026-06-15T00:10:00Z', times);
      const days = Map.groupBy(at, (time) => time.slice(0, 10));
      for (const [day, fetches] of days) expect([day, fetches.length <= 24]).toEqual([day, true]);
      const whole = days.get('2026-06-16')?.map((time) => time.slice(11)) ?? [];
      if (times.timezone === 'UTC') expect(whole).toEqual(expect.arrayContaining(times.at));
    }
  });

  test('is on the next day if a response demands a wait past midnight after the 24th fetch of a UTC day', () => {
    const times = { timezone: 'UTC', at: ['00:30', '02:30'] };
    const asked: FetchOutcome = { isRead: false, error: 'no answer', retryAfterMs: 2 * 3_600_000 };
    const now = new Date('2026-06-15T23:30:00Z');
    const { nextAt } = planNextFetch(FRESH, asked, { times, now, fetchesToday: 24 });
    expect(nextAt.toISOString()).toBe('2026-06-16T02:30:00.000Z');
  });

  test('is reported once if fetches have failed for a day, and again only after a success', () => {
    const { notified, state } = run(Array(12).fill(FAILED), '2026-06-15T11:15:00Z');
    expect([notified, state.failing_since?.toISOString(), state.last_fetched_at]).toEqual([
      ['2026-06-16T11:15'],
      '2026-06-15T11:15:00.000Z',
      null,
    ]);
    const again = run([READ, ...Array(12).fill(FAILED)], '2026-06-18T11:15:00Z', DAILY, state);
    expect(again.notified).toHaveLength(1);
  });
});
