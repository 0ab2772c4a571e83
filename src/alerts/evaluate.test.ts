import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAmountForComparison } from '#src/alerts/costs.ts';
import { findCandidatePeriods, PERIOD_KINDS } from '#src/alerts/evaluate.ts';
import { getPeriodAt, listHoursToEvaluate, listPeriodsOverlappingHour } from '#src/alerts/period.ts';
import { splitRangeByAggregate } from '#src/energy/usage/totals.ts';

const HOUR_MS = 3_600_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'America/St_Johns',
  'Pacific/Apia',
  // In these time zones, midnight occurs twice on a day on which the clock goes back.
  'Atlantic/Azores',
  'America/Havana',
  // The clocks of this zone change by half an hour.
  'Australia/Lord_Howe',
];
const START_MS = Date.UTC(2025, 0, 1);
const hourMs = fc.integer({ min: 0, max: 24 * 700 }).map((hours) => START_MS + hours * HOUR_MS);
const zone = fc.constantFrom(...ZONES);
/** Clock changes in the middle of a clock hour, which shorten this hour: two on Lord Howe Island, two in Chatham. The times are in UTC. */
const CHANGES_MS = ['2025-04-05T15:00Z', '2025-10-04T15:30Z', '2025-04-05T14:00Z', '2025-09-27T14:00Z'].map(Date.parse);
const hourAtChange = fc
  .tuple(fc.constantFrom(...CHANGES_MS), fc.integer({ min: -3, max: 3 }))
  .map(([ms, hours]) => Math.floor(ms / HOUR_MS) * HOUR_MS + hours * HOUR_MS);
const anyHour = fc.oneof(hourMs, hourAtChange);
const kind = fc.constantFrom(...PERIOD_KINDS);

const calendars = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    }),
  ]),
);
/** Returns the local date and time of an instant, computed by Intl instead of the library under test. */
const wall = (zoneName: string, ms: number) =>
  Object.fromEntries(
    (calendars.get(zoneName) as Intl.DateTimeFormat).formatToParts(ms).map(({ type, value }) => [type, value]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute', string>;
const page = {
  hour: ['year', 'month', 'day', 'hour'],
  day: ['year', 'month', 'day'],
  month: ['year', 'month'],
} as const;
const onPage = (one: keyof typeof page, zoneName: string, ms: number) =>
  page[one].map((part) => wall(zoneName, ms)[part]).join(' ');

/** Returns by how many minutes the local clock advances between two instants in the same clock hour. */
const minutesFrom = (zoneName: string, fromMs: number, toMs: number) =>
  Number(wall(zoneName, toMs).minute) - Number(wall(zoneName, fromMs).minute);

describe('period of an instant', () => {
  test('covers all instants with the same local date or hour in the zone, and none of the next period', () => {
    fc.assert(
      fc.property(kind, zone, anyHour, fc.integer({ min: 0, max: HOUR_MS - 1 }), (one, name, hour, within) => {
        const atMs = hour + within;
        const { startMs, endMs } = getPeriodAt(one, name, atMs);
        expect(startMs <= atMs && atMs < endMs).toBe(true);
        expect(onPage(one, name, startMs)).toBe(onPage(one, name, atMs));
        expect(onPage(one, name, endMs - 1)).toBe(onPage(one, name, atMs));
        // An hour that the local clock shows twice counts as two hours. A clock change may shorten an hour.
        if (one !== 'hour') {
          expect(onPage(one, name, startMs - 1)).not.toBe(onPage(one, name, atMs));
          expect(onPage(one, name, endMs)).not.toBe(onPage(one, name, atMs));
        } else {
          expect(endMs - startMs).toBeLessThanOrEqual(HOUR_MS);
          for (const [before, after] of [
            [startMs - 1, startMs],
            [endMs - 1, endMs],
          ] as const)
            expect(
              onPage(one, name, before) !== onPage(one, name, after) || minutesFrom(name, before, after) !== 1,
            ).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is split into pieces that add up to it, each aligned with the buckets of its aggregate', () => {
    fc.assert(
      fc.property(kind, zone, anyHour, (one, name, ms) => {
        const period = getPeriodAt(one, name, ms);
        const { days, before, after, quarters } = splitRangeByAggregate(period);
        const covered = [before, days, after, quarters].filter(([from, to]) => from < to);
        expect(covered[0]?.[0]).toBe(period.startMs);
        expect(covered.at(-1)?.[1]).toBe(period.endMs);
        for (const [index, [from]] of covered.slice(1).entries()) expect(from).toBe(covered[index]?.[1]);
        for (const bound of days) if (days[0] < days[1]) expect(bound % (24 * HOUR_MS)).toBe(0);
        for (const [from, to] of [before, after]) if (from < to) expect([from % HOUR_MS, to % HOUR_MS]).toEqual([0, 0]);
        for (const bound of quarters) if (quarters[0] < quarters[1]) expect(bound % (HOUR_MS / 4)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});

test('returns each period that a changed hour affects once, unless the period ended more than a day ago', () => {
  const rule = fc.record({
    kind: fc.nat({ max: 2 }),
    zone: fc.nat({ max: ZONES.length - 1 }),
    user: fc.nat({ max: 3 }),
  });
  const change = fc.record({ user: fc.nat({ max: 4 }), hourMs: anyHour });
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 8 }),
      fc.array(change, { maxLength: 20 }),
      anyHour,
      (someRules, changes, nowMs) => {
        const rules = [...someRules].sort((a, b) => a.user - b.user);
        const found = findCandidatePeriods(
          {
            kind: Uint8Array.from(rules, (one) => one.kind),
            zone: Uint16Array.from(rules, (one) => one.zone),
            user: Uint32Array.from(rules, (one) => one.user),
          },
          ZONES,
          {
            user: Uint32Array.from(changes, (one) => one.user),
            hourMs: Float64Array.from(changes, (one) => one.hourMs),
          },
          nowMs,
        );
        const got = Array.from(found.rule, (one, index) => `${one} ${found.startMs[index]} ${found.endMs[index]}`);
        // Computes the expected periods separately for each quarter-hour, without optimisation.
        const wanted = new Set<string>();
        for (const [index, one] of rules.entries()) {
          for (const { user, hourMs: from } of changes) {
            if (user !== one.user) continue;
            for (let ms = from; ms < from + HOUR_MS; ms += 15 * 60_000) {
              const { startMs, endMs } = getPeriodAt(PERIOD_KINDS[one.kind] as 'hour', ZONES[one.zone] as string, ms);
              if (endMs > nowMs - 24 * HOUR_MS) wanted.add(`${index} ${startMs} ${endMs}`);
            }
          }
        }
        expect([...got].sort()).toEqual([...wanted].sort());
        expect(new Set(got).size).toBe(got.length);
      },
    ),
    { numRuns: 100 },
  );
});

test('the hours that may fire include an hour of every day or month that may still fire', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom('day' as const, 'month' as const),
      hourMs,
      (zone, kind, hour) => {
        const nowMs = hour + 1_234_567;
        const touched = new Set(
          listHoursToEvaluate(nowMs).flatMap((ms) =>
            listPeriodsOverlappingHour(kind, zone, ms).map(({ startMs }) => startMs),
          ),
        );
        // Iterates backwards from the current period to the oldest period whose alerts may still fire.
        for (let one = getPeriodAt(kind, zone, nowMs); one.endMs > nowMs - 24 * HOUR_MS; ) {
          expect(touched).toContain(one.startMs);
          one = getPeriodAt(kind, zone, one.startMs - 1);
        }
      },
    ),
    // This instant is just after a day of 23 hours.
    { numRuns: 2_000, examples: [['Europe/Berlin', 'day', Date.UTC(2026, 2, 29, 22)]] },
  );
});

test('compares money to a billionth of the currency, where doubles would be equal', () => {
  expect(Number('100000000.000000001')).toBe(100_000_000);
  expect(parseAmountForComparison('100000000.000000001') > parseAmountForComparison('100000000')).toBe(true);
});

test('amounts too large to parse are beyond every threshold', () => {
  const most = parseAmountForComparison('999999999.999999999');
  for (const huge of ['1000000000.01', '123456789012.34', '99999999999999.99', '123456789012345678901234567890']) {
    expect(parseAmountForComparison(huge) > most).toBe(true);
    expect(parseAmountForComparison(`-${huge}`) < 0n).toBe(true);
  }
});
