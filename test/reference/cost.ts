import { DateTime } from 'luxon';

/**
 * A second, independent computation of costs. It uses a calendar for each quarter-hour, and reduces its fractions after every step. It is
 * slow and shares no code with the service.
 */

/** A tariff as the API returns it, with prices as text. */
export interface ApiTariff {
  valid_from: string;
  currency: string;
  standing_per_day?: string;
  capacity?: { per_kw_month: string; months_averaged?: number; minimum_kw?: string };
  import: ApiTariffRates;
  export?: ApiTariffRates;
}
export type ApiTariffRates =
  | { per_kwh: string }
  | { periods: { per_kwh: string; days?: number[]; from?: string; to?: string; months?: number[] }[] }
  | { series_id: string; add?: string; multiply?: string };

/** Energies of a quarter-hour in mWh, as numbers or as exact fractions. `known`: whether any import is known. */
export interface CostedQuarterHour<Energy extends number | ExactRatio = number> {
  imported: Energy;
  estimated: Energy;
  exported: Energy;
  known: boolean;
}

export interface ReferenceHome {
  zone: string;
  tariffs: readonly ApiTariff[];
  /** Start of the first quarter-hour with known energy, Unix ms. `quarters` contains this and all following quarter-hours, without gaps. */
  fromMs: number;
  quarters: readonly CostedQuarterHour<number | ExactRatio>[];
  /** Prices by the id of the price series, and then by the start of the period (a quarter-hour, half-hour or hour) in Unix ms. */
  series: ReadonlyMap<string, { minutes: number; prices: ReadonlyMap<number, string> }>;
}

export interface ReferenceCost {
  currency: string;
  total: string;
  import: string;
  export: string;
  standing: string;
  capacity?: string;
  estimated: string;
  missing_prices_kwh: number;
}

const QUARTER_HOUR = 900_000;
const DECIMALS: Record<string, number> = { EUR: 2, JPY: 0, KWD: 3 };

export class ExactRatio {
  readonly top: bigint;
  readonly bottom: bigint;
  constructor(top: bigint, bottom = 1n) {
    let [a, b] = [top < 0n ? -top : top, bottom];
    while (b > 0n) [a, b] = [b, a % b];
    const common = a === 0n ? 1n : a;
    this.top = top / common;
    this.bottom = bottom / common;
  }
  static of(text: string): ExactRatio {
    const [whole = '', fraction = ''] = text.split('.');
    return new ExactRatio(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
  }
  plus(other: ExactRatio): ExactRatio {
    return new ExactRatio(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }
  minus(other: ExactRatio): ExactRatio {
    return this.plus(new ExactRatio(-other.top, other.bottom));
  }
  times(other: ExactRatio): ExactRatio {
    return new ExactRatio(this.top * other.top, this.bottom * other.bottom);
  }
  isBelow(other: ExactRatio): boolean {
    return this.top * other.bottom < other.top * this.bottom;
  }
  text(decimals: number): string {
    const scaled = this.times(new ExactRatio(10n ** BigInt(decimals)));
    const [size, half] = [scaled.top < 0n ? -scaled.top : scaled.top, scaled.bottom];
    const [whole, rest] = [size / half, size % half];
    const rounded = rest * 2n >= half ? whole + 1n : whole;
    const digits = rounded.toString().padStart(decimals + 1, '0');
    const cut = digits.length - decimals;
    const text = decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
    return this.top < 0n && rounded !== 0n ? `-${text}` : text;
  }
}
const NOTHING = new ExactRatio(0n);

/** Date and time of day of an instant in a time zone. */
interface LocalTime {
  /** Local date as YYYY-MM-DD. */
  date: string;
  /** Local month as YYYY-MM. */
  yearMonth: string;
  /** Time of day as HH:mm. */
  clock: string;
  /** UTC offset, such as `+01:00` or `Z`. */
  offset: string;
  month: number;
  weekday: number;
}
const calendar = new Map<string, Map<number, LocalTime>>();

/**
 * Returns the local time of a quarter-hour. The results are cached, because luxon is slow, and all histories lie in the same few months and
 * zones.
 */
export function getLocalTime(ms: number, zone: string): LocalTime {
  const ofZone = calendar.get(zone) ?? new Map<number, LocalTime>();
  calendar.set(zone, ofZone);
  const known = ofZone.get(ms);
  if (known) return known;
  const local = DateTime.fromMillis(ms, { zone });
  const text = local.toISO() as string;
  const time = {
    date: text.slice(0, 10),
    yearMonth: text.slice(0, 7),
    clock: text.slice(11, 16),
    offset: text.slice(23),
    month: local.month,
    weekday: local.weekday,
  };
  ofZone.set(ms, time);
  return time;
}

const kwh = (milliwattHours: number | ExactRatio) =>
  typeof milliwattHours === 'number'
    ? new ExactRatio(BigInt(milliwattHours), 1_000_000n)
    : milliwattHours.times(new ExactRatio(1n, 1_000_000n));
const isMore = (one: number | ExactRatio, other: number | ExactRatio): boolean =>
  typeof one === 'number' && typeof other === 'number' ? one > other : kwh(other).isBelow(kwh(one));

interface Row {
  firstMs: number;
  tariff: ApiTariff | null;
  imported: ExactRatio;
  estimated: ExactRatio;
  exported: ExactRatio;
  standing: ExactRatio;
  capacity: ExactRatio | null;
  missing: ExactRatio;
}

/**
 * Returns the cost of each row of the answer, or null for a row in which no tariff was valid. `rowOf` returns the row to which a
 * quarter-hour belongs. `[fromMs, toMs)` is the requested range.
 */
export function computeReferenceCosts(
  home: ReferenceHome,
  { fromMs, toMs, nowMs }: { fromMs: number; toMs: number; nowMs: number },
  rowOf: (ms: number) => string,
  moreDecimals = 0,
): Map<string, ReferenceCost | null> {
  const rows = new Map<string, Row>();
  const lengths = new Map<string, number>();
  for (let ms = Math.ceil(fromMs / QUARTER_HOUR) * QUARTER_HOUR; ms < toMs && ms <= nowMs; ms += QUARTER_HOUR) {
    const local = getLocalTime(ms, home.zone);
    const { date } = local;
    const tariff = tariffOn(home, date);
    const quarter = home.quarters[(ms - home.fromMs) / QUARTER_HOUR];
    const name = rowOf(ms);
    let row = rows.get(name);
    if (!row) {
      const nothing = { imported: NOTHING, estimated: NOTHING, exported: NOTHING, standing: NOTHING };
      row = { firstMs: ms, tariff: null, ...nothing, capacity: null, missing: NOTHING };
      rows.set(name, row);
    }
    if (!tariff) {
      row.missing = row.missing.plus(kwh(quarter?.imported ?? 0)).plus(kwh(quarter?.exported ?? 0));
      continue;
    }
    row.tariff = tariff;
    if (tariff.standing_per_day) {
      const length = lengths.get(date) ?? quartersOf(date, home.zone);
      lengths.set(date, length);
      row.standing = row.standing.plus(
        ExactRatio.of(tariff.standing_per_day).times(new ExactRatio(1n, BigInt(length))),
      );
    }
    if (!quarter) continue;
    const bought = priceAt(home, tariff.import, ms, local);
    if (!bought) row.missing = row.missing.plus(kwh(quarter.imported));
    else {
      row.imported = row.imported.plus(kwh(quarter.imported).times(bought));
      row.estimated = row.estimated.plus(kwh(quarter.estimated).times(bought));
    }
    if (!tariff.export) continue;
    const sold = priceAt(home, tariff.export, ms, local);
    if (!sold) row.missing = row.missing.plus(kwh(quarter.exported));
    else row.exported = row.exported.plus(kwh(quarter.exported).times(sold));
  }
  addCapacity(home, rows, { fromMs, toMs, nowMs }, rowOf);
  return new Map([...rows].map(([name, row]) => [name, roundedCost(row, moreDecimals)]));
}

function roundedCost(row: Row, moreDecimals: number): ReferenceCost | null {
  if (!row.tariff) return null;
  const { currency } = row.tariff;
  const text = (amount: ExactRatio) => amount.text((DECIMALS[currency] as number) + moreDecimals);
  const total = row.imported
    .plus(row.standing)
    .plus(row.capacity ?? NOTHING)
    .minus(row.exported);
  return {
    currency,
    total: text(total),
    import: text(row.imported),
    export: text(row.exported),
    standing: text(row.standing),
    ...(row.capacity && { capacity: text(row.capacity) }),
    estimated: text(row.estimated),
    missing_prices_kwh: Number(row.missing.text(3)),
  };
}

const tariffOn = ({ tariffs }: ReferenceHome, date: string): ApiTariff | null =>
  tariffs
    .filter(({ valid_from }) => valid_from <= date)
    .sort((a, b) => (a.valid_from < b.valid_from ? 1 : -1))
    .at(0) ?? null;

/** Returns the number of quarter-hours on a local date. */
function quartersOf(date: string, zone: string): number {
  let count = 0;
  const noon = Math.floor(DateTime.fromISO(`${date}T12:00`, { zone }).toMillis() / QUARTER_HOUR) * QUARTER_HOUR;
  for (let ms = noon - 160 * QUARTER_HOUR; ms < noon + 160 * QUARTER_HOUR; ms += QUARTER_HOUR)
    if (getLocalTime(ms, zone).date === date) count++;
  return count;
}

function priceAt({ series }: ReferenceHome, rates: ApiTariffRates, ms: number, local: LocalTime): ExactRatio | null {
  if ('per_kwh' in rates) return ExactRatio.of(rates.per_kwh);
  if ('series_id' in rates) {
    const { minutes, prices } = series.get(rates.series_id) as { minutes: number; prices: ReadonlyMap<number, string> };
    const price = prices.get(Math.floor(ms / (minutes * 60_000)) * minutes * 60_000);
    if (price === undefined) return null;
    return ExactRatio.of(price)
      .times(ExactRatio.of(rates.multiply ?? '1'))
      .plus(ExactRatio.of(rates.add ?? '0'));
  }
  const { clock } = local;
  const holds = rates.periods.find(({ days, months, from = '00:00', to = '24:00' }) => {
    if (days && !days.includes(local.weekday)) return false;
    if (months && !months.includes(local.month)) return false;
    return from < to ? clock >= from && clock < to : clock >= from || clock < to;
  });
  return ExactRatio.of((holds as { per_kwh: string }).per_kwh);
}

function addCapacity(
  home: ReferenceHome,
  rows: Map<string, Row>,
  { fromMs, toMs, nowMs }: { fromMs: number; toMs: number; nowMs: number },
  rowOf: (ms: number) => string,
): void {
  /** Imported energy of the highest quarter-hour in each month, mWh. */
  const peaks = new Map<string, number | ExactRatio>();
  for (const [index, { imported, estimated, known }] of home.quarters.entries()) {
    const ms = home.fromMs + index * QUARTER_HOUR;
    const twice = typeof estimated === 'number' ? estimated * 2 : estimated.plus(estimated);
    if (!known || isMore(twice, imported) || ms > nowMs) continue;
    const month = getLocalTime(ms, home.zone).yearMonth;
    const highest = peaks.get(month) ?? 0;
    peaks.set(month, isMore(imported, highest) ? imported : highest);
  }
  const first = DateTime.fromMillis(fromMs, { zone: home.zone }).startOf('month');
  for (let month = first; month.toMillis() < toMs; month = month.plus({ months: 1 })) {
    const [start, end] = [month.toMillis(), month.plus({ months: 1 }).toMillis()];
    const isRunning = start <= nowMs && nowMs < end;
    if (start < fromMs || start > nowMs || (isRunning ? toMs <= nowMs : end > toMs)) continue;
    const lastMs = isRunning ? nowMs : end - QUARTER_HOUR;
    const name = rowOf(start);
    if (rowOf(Math.floor(lastMs / QUARTER_HOUR) * QUARTER_HOUR) !== name) continue;
    const row = rows.get(name);
    const charge = tariffOn(home, month.endOf('month').toISODate() as string)?.capacity;
    if (!row || !charge) continue;
    const names = [...peaks.keys()].filter((one) => one <= month.toFormat('yyyy-MM')).sort();
    const last = names.slice(-(charge.months_averaged ?? 1));
    if (last.length === 0) continue;
    let sum = NOTHING;
    for (const one of last) {
      const peak = kwh(peaks.get(one) as number | ExactRatio).times(new ExactRatio(4n));
      const floor = ExactRatio.of(charge.minimum_kw ?? '0');
      sum = sum.plus(peak.isBelow(floor) ? floor : peak);
    }
    const mean = sum.times(new ExactRatio(1n, BigInt(last.length)));
    row.capacity = (row.capacity ?? NOTHING).plus(mean.times(ExactRatio.of(charge.per_kw_month)));
  }
}
