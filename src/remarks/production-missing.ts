import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { getEndOfProfileMs, type HomeProfile, QUARTER_HOURS_PER_DAY, type QuarterHourWatts } from './profile.ts';
import { computeQuantile } from './statistics.ts';

/**
 * Remark that solar panels produce no energy at times at which they always did before, for example because of a failed inverter or snow.
 */
export interface MissingProduction {
  kind: 'production_missing';
  /** End of the last quarter-hour with production. */
  sinceMs: number;
  untilMs: number;
  /** Minimum energy in kWh that the panels would have produced since `sinceMs`, even on a day with little sun. */
  expectedKwh: number;
  /** Whether no data of the production arrive. False if the production is known to be 0. */
  isSilent: boolean;
  /** Production in kWh of each period of 24 hours, oldest first. The last entry is for the last 24 hours. */
  compared: { atMs: number; kwh: number }[];
}

const DAYS = 21;
const MIN_DAYS = 10;
/**
 * Quantile that defines a day with little sun. At each time of day, production was as low as on such a day on only about three of 21 days.
 */
const POOR = 0.15;
/** Share of the highest power up to which production counts as zero. */
const NOTHING_SHARE = 0.002;
/** Minimum missing energy for a remark: in kWh, and as a share of a day with little sun. */
const MIN_KWH = 0.2;
const MIN_SHARE = 0.6;
/** Number of quarter-hours without data (two days) after which production counts as missing, because inverters are off at night. */
const SILENT_QUARTER_HOURS = 2 * QUARTER_HOURS_PER_DAY;

/**
 * Detects missing production: the panels have produced nothing for so long that they would have produced much energy even on a day with
 * little sun.
 */
export function detectMissingProduction(profile: HomeProfile): MissingProduction | null {
  const { production, fromMs } = profile;
  if (!production) return null;
  const best = computeQuantile(
    production.filter((watts) => !Number.isNaN(watts)),
    0.99,
  );
  if (!(best > 0)) return null;
  const end = production.length;
  const last = production.findLastIndex((watts) => watts > NOTHING_SHARE * best);
  // After more than three weeks without production, the panels have probably been removed.
  if (last < 0 || end - last > DAYS * QUARTER_HOURS_PER_DAY) return null;
  const isSilent = production.subarray(last + 1).every(Number.isNaN);
  // Some inverters report only once a day, so a short gap is normal.
  if (isSilent && end - last < SILENT_QUARTER_HOURS) return null;
  let [sinceThenKwh, dayKwh] = [0, 0];
  for (let back = 0; back < QUARTER_HOURS_PER_DAY; back++) {
    const poor = poorWatts(production, end - 1 - back, last);
    if (poor === null) return null;
    dayKwh += poor / 4_000;
    const place = end - 1 - back;
    // A quarter-hour with unknown production counts as missing only if no data have arrived since the last production.
    if (place > last && (isSilent || !Number.isNaN(production[place]))) sinceThenKwh += poor / 4_000;
  }
  if (sinceThenKwh < Math.max(MIN_KWH, MIN_SHARE * dayKwh)) return null;
  return {
    kind: 'production_missing',
    sinceMs: fromMs + (last + 1) * QUARTER_HOUR_MS,
    untilMs: getEndOfProfileMs(profile),
    expectedKwh: sinceThenKwh,
    isSilent,
    compared: daysOf(production, fromMs),
  };
}

/** Returns the power of the panels at this time of day (UTC) on a day with little sun. Null if too few values are known. */
function poorWatts(production: QuarterHourWatts, place: number, last: number): number | null {
  const before: number[] = [];
  for (let day = 1; day <= 2 * DAYS && before.length < DAYS; day++) {
    const at = place - day * QUARTER_HOURS_PER_DAY;
    // An unknown value counts as 0, because an inverter that is off at night sends no data.
    if (at >= 0 && at <= last) before.push(production[at] || 0);
  }
  return before.length < MIN_DAYS ? null : computeQuantile(before, POOR);
}

function daysOf(production: QuarterHourWatts, fromMs: number): MissingProduction['compared'] {
  const days: MissingProduction['compared'] = [];
  for (let day = 14; day >= 0; day--) {
    const to = production.length - day * QUARTER_HOURS_PER_DAY;
    if (to < QUARTER_HOURS_PER_DAY) continue;
    const known = production.subarray(to - QUARTER_HOURS_PER_DAY, to).filter((watts) => !Number.isNaN(watts));
    if (known.length > 0 || day === 0)
      days.push({ atMs: fromMs + to * QUARTER_HOUR_MS, kwh: known.reduce((sum, watts) => sum + watts / 4_000, 0) });
  }
  return days;
}
