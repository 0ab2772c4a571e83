import assert from 'node:assert/strict';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { parseDecimal } from '#src/core/decimal.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { HomeEnergyExchange } from '#src/energy/home/exchange.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import type { PackedPrices } from '#src/tariffs/packed-days.ts';
import { parseTariff, type TariffPriceTerms } from '#src/tariffs/terms.ts';
import {
  type ApiTariff,
  type CostedQuarterHour,
  computeReferenceCosts,
  type ExactRatio,
} from '#test/reference/cost.ts';
import { type ApiWhatIfChange, computeReferenceWhatIf, type HomeQuarterHour } from '#test/reference/what-if.ts';
import type { BoughtEnergy, BoughtEnergySource } from './bought-energy.ts';
import compute, { computeWhatIf } from './compute.task.ts';
import { loadEnergyOfEarlierMonths, loadEnergyOfRange } from './cost-inputs.ts';
import type { HypotheticalHomeChange } from './what-if.ts';

/** For a full run, set WHAT_IF_HOMES=2000. */
const HOMES = Number(process.env.WHAT_IF_HOMES ?? 60);
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York', 'Australia/Adelaide'];
const SERIES = 'prs_spot';
const signal = new AbortController().signal;

/** Returns a generator of random numbers below `below`, reproducible by its seed. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof createRandom>;
const oneOf = <T>(random: Random, all: readonly T[]): T => all[random(all.length)] as T;
/** Returns a random decimal number, often with few decimals, so that the rounding of halves is tested. */
const decimal = (random: Random, most: number) => {
  const places = oneOf(random, [0, 1, 2, 3, 9]);
  return (random(most * 10 ** places + 1) / 10 ** places).toFixed(places);
};

function randomTariff(random: Random, valid_from: string, currency: string): ApiTariff {
  const price = () => decimal(random, 1);
  const rates = () =>
    oneOf(random, [
      { per_kwh: price() },
      { periods: [{ per_kwh: price(), days: [1, 2, 5], from: '06:00', to: '21:30' }, { per_kwh: price() }] },
      { series_id: SERIES, add: price(), multiply: '1.19' },
    ]);
  return {
    valid_from,
    currency,
    import: rates(),
    ...(random(3) > 0 && { export: rates() }),
    ...(random(2) > 0 && { standing_per_day: price() }),
    ...(random(2) > 0 && {
      capacity: { per_kw_month: decimal(random, 6), months_averaged: 1 + random(4), minimum_kw: decimal(random, 3) },
    }),
  };
}

const tariffOf = ({ valid_from, currency, ...terms }: ApiTariff) =>
  parseTariff({ tariff_id: '', user_id: '', name: '', valid_from, currency, terms: terms as TariffPriceTerms });
const billionths = (text = '0') => parseDecimal(text) ?? assert.fail(text);
const changeOf = ({ battery, production_scale }: ApiWhatIfChange): HypotheticalHomeChange => ({
  battery: battery
    ? {
        capacityKwh: billionths(battery.capacity_kwh),
        chargeKw: billionths(battery.charge_kw),
        dischargeKw: billionths(battery.discharge_kw),
        roundTripEfficiency: billionths(battery.round_trip_efficiency),
        initialKwh: billionths(battery.initial_kwh),
      }
    : null,
  productionScale: production_scale === undefined ? null : billionths(production_scale),
});

/** The home may get panels later, may import and export in the same quarter-hour, and has gaps. */
function randomQuarterHours(random: Random, count: number): HomeQuarterHour[] {
  const [panelsFrom, hasBattery] = [random(4) === 0 ? random(count) : 0, random(4) === 0];
  const grain = oneOf(random, [1, 1_000]);
  const energy = (most: number) => random(most / grain) * grain;
  return Array.from({ length: count }, (_, at) => {
    const hasSources = at >= panelsFrom;
    const imported = random(3) > 0 ? energy(1_500_000) : 0;
    return {
      known: random(20) > 0,
      imported,
      estimated: random(4) === 0 ? random(imported + 1) : 0,
      exported: random(3) === 0 ? energy(1_500_000) : 0,
      production: hasSources && random(2) > 0 ? energy(2_000_000) : 0,
      charged: hasSources && hasBattery ? energy(400_000) : 0,
      discharged: hasSources && hasBattery ? energy(400_000) : 0,
      hasSources,
    };
  });
}

function exchangeOf(home: readonly HomeQuarterHour[]): HomeEnergyExchange {
  const column = (value: (quarter: HomeQuarterHour) => number) => Float64Array.from(home, value);
  return {
    isKnown: column(({ known }) => Number(known)),
    imported: column(({ imported }) => imported),
    estimated: column(({ estimated }) => estimated),
    exported: column(({ exported }) => exported),
    exportedAlone: column(({ exported, hasSources }) => (hasSources ? 0 : exported)),
    production: column(({ production }) => production),
    productionMs: column(({ hasSources }) => (hasSources ? QUARTER_HOUR_MS : 0)),
    charged: column(({ charged }) => charged),
    balance: column((one) =>
      one.hasSources ? one.imported - one.exported + one.production + one.discharged - one.charged : one.imported,
    ),
  };
}

const meterOf = (beginsAtMs: number, measured: readonly CostedQuarterHour[]): BoughtEnergySource => ({
  beginsAtMs,
  async boughtIn({ from, to }): Promise<BoughtEnergy> {
    const count = (to.getTime() - from.getTime()) / QUARTER_HOUR_MS;
    const first = (from.getTime() - beginsAtMs) / QUARTER_HOUR_MS;
    const column = (value: (quarter: CostedQuarterHour) => number) =>
      Float64Array.from({ length: count }, (_, at) => {
        const quarter = measured[first + at];
        return quarter ? value(quarter) : 0;
      });
    return {
      fromMs: from.getTime(),
      imported: column(({ imported }) => imported),
      estimated: column(({ estimated }) => estimated),
      exported: column(({ exported }) => exported),
      coveredMs: column(({ known }) => (known ? QUARTER_HOUR_MS : 0)),
    };
  },
});

/** Some prices are missing. */
function randomPrices(random: Random, fromMs: number, toMs: number) {
  const prices = new Map<number, string>();
  const packed: PackedPrices[] = [];
  const dayMs = 24 * 3_600_000;
  for (let day = Math.floor(fromMs / dayMs) * dayMs; day < toMs; day += dayMs) {
    const slots = Array.from({ length: 24 }, (_, hour) => {
      const price = random(30) === 0 ? null : (random(400_000) - 50_000) / 1_000_000;
      if (price !== null) prices.set(day + hour * 3_600_000, price.toFixed(6));
      return price === null ? '' : String(billionths(price.toFixed(6)));
    });
    packed.push({ series_id: SERIES, day: new Date(day), slots: slots.join(',') });
  }
  return { series: new Map([[SERIES, { minutes: 60, prices }]]), packed };
}

function randomCase(seed: number) {
  const random = createRandom(seed);
  const zone = oneOf(random, ZONES);
  const first = DateTime.fromObject(
    { year: 2025, month: oneOf(random, [3, 10]), day: random(2) ? 1 : 1 + random(28) },
    { zone },
  );
  const last = random(6) === 0 ? first.endOf('month') : first.plus({ days: random(5) });
  const [start, end] = [first.toFormat('yyyy-MM-dd'), last.toFormat('yyyy-MM-dd')];
  const range = createDayRange(start, end, zone);
  const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
  const now = random(4) === 0 ? new Date(fromMs + random(toMs - fromMs)) : new Date(toMs + 3_600_000);
  const count = Math.min((toMs - fromMs) / QUARTER_HOUR_MS, Math.floor((now.getTime() - fromMs) / QUARTER_HOUR_MS) + 1);
  const home = randomQuarterHours(random, count);
  // The data begin before the range, so that peaks of earlier months may be known.
  const earlier = randomQuarterHours(random, random(20 * 96)).map(({ imported, estimated, exported, known }) =>
    known ? { imported, estimated, exported, known } : { imported: 0, estimated: 0, exported: 0, known },
  );
  const currency = oneOf(random, ['EUR', 'JPY', 'KWD']);
  const own = [
    randomTariff(random, random(4) ? '2024-01-01' : first.plus({ days: 3 }).toFormat('yyyy-MM-dd'), currency),
    ...(random(2) ? [randomTariff(random, first.plus({ days: 9 }).toFormat('yyyy-MM-dd'), currency)] : []),
  ];
  const battery = {
    capacity_kwh: `${1 + random(12)}.${random(10)}`,
    charge_kw: decimal(random, 4),
    discharge_kw: decimal(random, 4),
    round_trip_efficiency: oneOf(random, ['1', '0.9', '0.95', '0.5', '0.876543211', '0.7']),
    ...(random(2) && { initial_kwh: decimal(random, 1) }),
  };
  const change: ApiWhatIfChange = {
    ...(random(4) > 0 && { battery }),
    ...(random(2) > 0 && { production_scale: oneOf(random, ['0', '0.5', '1', '1.333333333', '2', '10']) }),
  };
  const prices = randomPrices(random, fromMs, toMs);
  return { random, zone, start, range, now, fromMs, toMs, home, earlier, currency, own, change, ...prices };
}

test(`${HOMES} random homes with batteries, panels and tariffs equal an independent calculation in fractions`, async () => {
  for (let seed = 1; seed <= HOMES; seed++) {
    const { zone, range, now, fromMs, toMs, home, earlier, own, change, series, packed } = randomCase(seed);
    const beginsAtMs = fromMs - earlier.length * QUARTER_HOUR_MS;
    const measured = [...earlier, ...home];
    const tariffs = own.map(tariffOf);
    const stretches = await loadEnergyOfEarlierMonths(
      meterOf(beginsAtMs, measured),
      tariffs,
      { range, zone, now },
      signal,
    );
    const held = { zone, beginsAtMs, stretches, prices: packed };
    const { canAlter: _, ...found } = await computeWhatIf({
      ...{ held, range, now, tariffs },
      exchange: exchangeOf(home),
      change: changeOf(change),
    });
    const { before, after, battery = null, unknownQuarterHours } = computeReferenceWhatIf(home, change);
    const costOf = (quarters: CostedQuarterHour<number | ExactRatio>[]) => {
      const all = { zone, tariffs: own, fromMs: beginsAtMs, quarters: [...earlier, ...quarters], series };
      return computeReferenceCosts(all, { fromMs, toMs, nowMs: now.getTime() }, () => '').get('') ?? null;
    };
    const side = ({ quarters, ...energies }: typeof before) => ({ ...energies, cost: costOf(quarters) });
    expect({ seed, ...found }).toEqual({
      seed,
      before: side(before),
      after: side(after),
      battery,
      unknownQuarterHours,
    });
  }
});

test(`${HOMES} random homes under other tariffs equal an independent calculation in fractions`, async () => {
  for (let seed = 1; seed <= HOMES; seed++) {
    const { random, zone, start, range, now, fromMs, toMs, home, earlier, currency, own, series, packed } =
      randomCase(seed);
    const beginsAtMs = fromMs - earlier.length * QUARTER_HOUR_MS;
    const measured = [...earlier, ...home];
    const offers = Array.from({ length: 1 + random(3) }, () => [randomTariff(random, start, currency)]);
    const tariffs = [own, ...offers].map((some) => some.map(tariffOf));
    const meter = meterOf(beginsAtMs, measured);
    const stretches = await loadEnergyOfRange(meter, tariffs.flat(), { range, zone, now }, signal);
    const held = { zone, beginsAtMs, stretches, prices: packed };
    const costs = await compute({ ask: 'compare', held, range, now, tariffs });
    const expected = [own, ...offers].map((some) => {
      const all = { zone, tariffs: some, fromMs: beginsAtMs, quarters: measured, series };
      return computeReferenceCosts(all, { fromMs, toMs, nowMs: now.getTime() }, () => '').get('') ?? null;
    });
    expect({ seed, costs }).toEqual({ seed, costs: expected });
  }
});
