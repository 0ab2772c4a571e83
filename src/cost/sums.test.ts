import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { parseDecimal } from '#src/core/decimal.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { getStartOfSubDayUnit } from '#src/energy/wall-clock.ts';
import type { Tariff, TariffRates } from '#src/tariffs/tariff.ts';
import {
  type ApiTariff,
  type ApiTariffRates,
  type CostedQuarterHour,
  computeReferenceCosts,
  getLocalTime,
  type ReferenceHome,
} from '#test/reference/cost.ts';
import type { BoughtEnergy } from './bought-energy.ts';
import { roundCost } from './cost.ts';
import { type BucketKeyFunction, type CostSources, computeCostSums } from './sums.ts';

/** For a full run, set COSTED_HISTORIES=500. */
const HISTORIES = Number(process.env.COSTED_HISTORIES ?? 60);
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns'];
const decimal = (text = '0') => parseDecimal(text) ?? assert.fail(text);
const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

const ratesOf = (written: ApiTariffRates): TariffRates => {
  if ('per_kwh' in written) return { kind: 'flat', perKwh: decimal(written.per_kwh) };
  if ('series_id' in written) {
    const { series_id, multiply = '1', add } = written;
    return { kind: 'series', seriesId: series_id, multiply: decimal(multiply), add: decimal(add) };
  }
  const periods = written.periods.map(({ per_kwh, days, months, from = '00:00', to = '24:00' }) => ({
    perKwh: decimal(per_kwh),
    days: days ? new Set(days) : null,
    months: months ? new Set(months) : null,
    fromMinute: minutes(from),
    toMinute: minutes(to),
  }));
  return { kind: 'periods', periods };
};
const tariffOf = (written: ApiTariff): Tariff => ({
  tariffId: '',
  userId: '',
  name: '',
  validFrom: written.valid_from,
  currency: written.currency,
  standingPerDay: written.standing_per_day === undefined ? null : decimal(written.standing_per_day),
  capacity: written.capacity
    ? {
        perKwMonth: decimal(written.capacity.per_kw_month),
        monthsAveraged: written.capacity.months_averaged ?? 1,
        minimumKw: decimal(written.capacity.minimum_kw),
      }
    : null,
  import: ratesOf(written.import),
  export: written.export ? ratesOf(written.export) : null,
});

const sourcesOf = (home: ReferenceHome): CostSources => ({
  tariffs: home.tariffs.map(tariffOf).sort((a, b) => (a.validFrom < b.validFrom ? -1 : 1)),
  zone: home.zone,
  isHome: true,
  meter: {
    beginsAtMs: home.quarters.length > 0 ? home.fromMs : null,
    async boughtIn({ from, to }): Promise<BoughtEnergy> {
      const fromMs = from.getTime();
      const first = (fromMs - home.fromMs) / QUARTER_HOUR_MS;
      const length = (to.getTime() - fromMs) / QUARTER_HOUR_MS;
      const of = (what: (quarter: CostedQuarterHour) => number) => {
        const column = new Float64Array(length);
        for (let at = Math.max(0, -first); at < length && first + at < home.quarters.length; at++)
          column[at] = what(home.quarters[first + at] as CostedQuarterHour);
        return column;
      };
      return {
        fromMs,
        imported: of(({ imported }) => imported),
        estimated: of(({ estimated }) => estimated),
        exported: of(({ exported }) => exported),
        coveredMs: of(({ known }) => (known ? QUARTER_HOUR_MS : 0)),
      };
    },
  },
  async pricesIn() {
    return (seriesId, quarterMs) => {
      const one = home.series.get(seriesId) ?? assert.fail(seriesId);
      const stepMs = one.minutes * 60_000;
      const price = one.prices.get(Math.floor(quarterMs / stepMs) * stepMs);
      return price === undefined ? null : decimal(price);
    };
  },
});

const price = fc
  .tuple(fc.integer({ min: -20, max: 60 }), fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 9 }))
  .map(([cents, digits, places]) =>
    places < 3 ? (cents / 100).toFixed(2) : `0.${String(digits).padStart(9, '0').slice(0, places)}`,
  );
const clock = fc.integer({ min: 0, max: 95 }).map((quarter) => {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(quarter >> 2)}:${two((quarter & 3) * 15)}`;
});
const subset = (most: number) => fc.uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 4 });
const rates: fc.Arbitrary<ApiTariffRates> = fc.oneof(
  fc.record({ per_kwh: price }),
  fc
    .tuple(
      fc.array(
        fc
          .record(
            { per_kwh: price, days: subset(7), months: subset(12), from: clock, to: clock },
            { requiredKeys: ['per_kwh'] },
          )
          .filter(({ from = '00:00', to = '24:00' }) => from !== to),
        { maxLength: 4 },
      ),
      price,
    )
    .map(([periods, per_kwh]) => ({ periods: [...periods, { per_kwh }] })),
  fc.record(
    { series_id: fc.constantFrom('prs_15', 'prs_30', 'prs_60'), add: price, multiply: price },
    { requiredKeys: ['series_id'] },
  ),
);
const tariff = (currency: string) =>
  fc.record(
    {
      valid_from: fc
        .integer({ min: -20, max: 60 })
        .map((day) => DateTime.utc(2026, 3, 10).plus({ days: day }).toISODate() as string),
      currency: fc.constant(currency),
      import: rates,
      export: rates,
      standing_per_day: price,
      capacity: fc.record(
        {
          per_kw_month: price,
          months_averaged: fc.integer({ min: 1, max: 12 }),
          minimum_kw: fc.constantFrom('0', '2.5', '0.000000001'),
        },
        { requiredKeys: ['per_kw_month'] },
      ),
    },
    { requiredKeys: ['valid_from', 'currency', 'import'] },
  ) as fc.Arbitrary<ApiTariff>;

/**
 * A home with some days around a clock change. Its values come from a seed, because fast-check would take an hour to shrink that many
 * values.
 */
const home = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
    beginsAfter: fc.integer({ min: 0, max: 500 }),
    days: fc.constantFrom(2, 5, 20, 70),
    seed: fc.integer({ min: 1, max: 2 ** 30 }),
    isKnownMostly: fc.boolean(),
  })
  .chain((drawn) =>
    fc
      .uniqueArray(tariff(drawn.currency), { maxLength: 3, selector: ({ valid_from }) => valid_from })
      .map((tariffs) => ({ ...drawn, tariffs })),
  );

function homeOf({
  zone,
  tariffs,
  beginsAfter,
  days,
  seed,
  isKnownMostly,
}: {
  zone: string;
  tariffs: ApiTariff[];
  beginsAfter: number;
  days: number;
  seed: number;
  isKnownMostly: boolean;
}): ReferenceHome {
  let state = seed;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const fromMs = Date.UTC(2026, 2, 20) + beginsAfter * QUARTER_HOUR_MS;
  const quarters = Array.from({ length: days * 96 }, () => {
    const known = random(10) > (isKnownMostly ? 0 : 6);
    const imported = known ? random(3_000_000) : 0;
    return {
      known,
      imported,
      estimated: random(4) === 0 ? random(imported + 1) : 0,
      exported: known ? random(1_500_000) : 0,
    };
  });
  const series = new Map(
    [15, 30, 60].map((length) => {
      const prices = new Map<number, string>();
      for (let ms = fromMs - 40 * 86_400_000; ms < fromMs + (days + 3) * 86_400_000; ms += length * 60_000)
        if (random(20) > 0)
          prices.set(
            Math.floor(ms / (length * 60_000)) * length * 60_000,
            `${random(5) === 0 ? '-' : ''}0.${String(random(999_999_999)).padStart(9, '0')}`,
          );
      return [`prs_${length}`, { minutes: length, prices }] as const;
    }),
  );
  return { zone, tariffs, fromMs, quarters, series };
}

const KEYS: Record<
  'hour' | 'day' | 'month' | 'all',
  { ours: BucketKeyFunction; theirs: (ms: number, zone: string) => string }
> = {
  hour: {
    ours: (ms, clock) => new Date(getStartOfSubDayUnit(ms, clock, 'hour')).toISOString(),
    theirs: hourStart,
  },
  day: { ours: (_ms, { day }) => day.date, theirs: (ms, zone) => getLocalTime(ms, zone).date },
  month: { ours: (_ms, { day }) => day.date.slice(0, 7), theirs: (ms, zone) => getLocalTime(ms, zone).yearMonth },
  all: { ours: () => '', theirs: () => '' },
};
/** Returns the start of the local hour that contains an instant. */
function hourStart(ms: number, zone: string): string {
  const hourAt = (atMs: number) => {
    const { clock, offset } = getLocalTime(atMs, zone);
    return `${clock.slice(0, 2)}${offset}`;
  };
  let startMs = ms;
  while (hourAt(startMs - QUARTER_HOUR_MS) === hourAt(ms)) startMs -= QUARTER_HOUR_MS;
  return new Date(startMs).toISOString();
}

test('costs equal those of an independent calculation, to the smallest unit', async () => {
  await fc.assert(
    fc.asyncProperty(
      home,
      fc.constantFrom(...ZONES),
      fc.constantFrom('hour', 'day', 'month', 'all'),
      fc.record({
        first: fc.integer({ min: -25, max: 30 }),
        days: fc.constantFrom(1, 3, 31, 45, 62, 95),
        nowAfter: fc.integer({ min: 1, max: 9_000 }),
      }),
      async (drawn, asked, group, { first, days, nowAfter }) => {
        const drawnHome = homeOf(drawn);
        const day = (after: number) => DateTime.utc(2026, 3, 26).plus({ days: after }).toISODate() as string;
        const range = createDayRange(day(first), day(first + Math.min(days, group === 'hour' ? 3 : 95) - 1), asked);
        const nowMs = drawnHome.fromMs + nowAfter * QUARTER_HOUR_MS + 61_000;
        // The home has no measured energy after now.
        const quarters = drawnHome.quarters.slice(0, Math.floor((nowMs - drawnHome.fromMs) / QUARTER_HOUR_MS) + 1);
        const metered = { ...drawnHome, quarters };
        const { ours, theirs } = KEYS[group];
        const sums = await computeCostSums(
          sourcesOf(metered),
          { range, now: new Date(nowMs) },
          ours,
          group === 'month' || group === 'all',
        );
        const more = group === 'hour' ? 2 : 0;
        const costs = [...sums]
          .map(([key, one]) => [key, roundCost(one, more)] as const)
          .filter(([, cost]) => cost !== null);
        const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
        // Hours and days have no capacity charges.
        const isOfMonths = group === 'month' || group === 'all';
        const tariffs = isOfMonths ? metered.tariffs : metered.tariffs.map(({ capacity: _, ...rest }) => rest);
        const expected = computeReferenceCosts(
          { ...metered, tariffs },
          { fromMs, toMs, nowMs },
          (ms) => theirs(ms, asked),
          more,
        );
        assert.deepEqual(
          costs,
          [...expected].filter(([, cost]) => cost !== null),
        );
      },
    ),
    { numRuns: HISTORIES },
  );
});

test('rejects a range with tariffs of two currencies, and names the first day of the second currency', async () => {
  const one = { valid_from: '2026-03-01', currency: 'EUR', import: { per_kwh: '0.3' } };
  const two = { valid_from: '2026-03-10', currency: 'SEK', import: { per_kwh: '3' } };
  const sources = sourcesOf({ zone: 'UTC', tariffs: [two, one], fromMs: 0, quarters: [], series: new Map() });
  const ask = (start: string, end: string) =>
    computeCostSums(sources, { range: createDayRange(start, end, 'UTC'), now: new Date('2026-04-01') }, () => '', true);
  await expect(ask('2026-03-01', '2026-03-09')).resolves.toBeTruthy();
  await expect(ask('2026-03-10', '2026-03-12')).resolves.toBeTruthy();
  await expect(ask('2026-03-09', '2026-03-10')).rejects.toMatchObject({
    details: [{ message: expect.stringContaining('2026-03-10') }],
  });
});

test('adds fifty years of standing charges without energy by whole days', async () => {
  const old = { valid_from: '1970-01-01', currency: 'EUR', standing_per_day: '0.5', import: { per_kwh: '0.3' } };
  const sources = sourcesOf({
    zone: 'Europe/Berlin',
    tariffs: [old],
    fromMs: Date.UTC(2020, 0, 1),
    quarters: [],
    series: new Map(),
  });
  let asked = 0;
  const keyOf: BucketKeyFunction = (_, { day }) => {
    asked++;
    return day.date.slice(0, 4);
  };
  const range = createDayRange('1970-01-01', '2019-12-31', 'Europe/Berlin');
  const sums = await computeCostSums(sources, { range, now: new Date('2026-01-01') }, keyOf, false);
  expect(sums.size).toBe(50);
  expect(roundCost(sums.get('2019') ?? assert.fail())?.standing).toBe('182.50');
  expect(roundCost(sums.get('2016') ?? assert.fail())?.standing).toBe('183.00');
  // Only a few of the 96 quarter-hours of each day are evaluated.
  expect(asked).toBeLessThan(18_262 * 4);
});
