import { QUARTER_MS } from '#src/core/units.ts';
import { DAY_QUARTERS, endOf, type Profile, type Watts } from './profile.ts';
import { quantile } from './robust.ts';

/** Panels that make nothing in hours in which they always made something: a dead inverter, or snow. */
export interface ProductionMissing {
  kind: 'production_missing';
  /** When they last made something. */
  sinceMs: number;
  untilMs: number;
  /** What they would have made since then on a poor day, at least. */
  expectedKwh: number;
  /** Nothing is told of them, rather than that it is nothing. */
  isSilent: boolean;
  /** What they made in each of the days before, oldest first; the last is now. */
  compared: { atMs: number; kwh: number }[];
}

const DAYS = 21;
const LEAST_DAYS = 10;
/** A day of three weeks in which as little was made at that hour. */
const POOR = 0.15;
/** Less than this share of their best is dusk, or a meter's last digit. */
const NOTHING_SHARE = 0.002;
/** What has to be missing, kWh, and as a share of what a poor day makes. */
const LEAST_KWH = 0.2;
const LEAST_SHARE = 0.6;
/** An inverter sleeps at night, and is heard of after noon by some: two days. (Its alert on silence, `no_data`, is earlier.) */
const SILENT_QUARTERS = 2 * DAY_QUARTERS;

/** Whether production is missing since it was last seen: by then poor days of the last three weeks had made much of what they make. */
export function productionMissing(profile: Profile): ProductionMissing | null {
  const { production, fromMs } = profile;
  if (!production) return null;
  const best = quantile(
    production.filter((watts) => !Number.isNaN(watts)),
    0.99,
  );
  if (!(best > 0)) return null;
  const end = production.length;
  const last = production.findLastIndex((watts) => watts > NOTHING_SHARE * best);
  // Not seen for longer than it is compared with: panels that were taken down.
  if (last < 0 || end - last > DAYS * DAY_QUARTERS) return null;
  const isSilent = production.subarray(last + 1).every(Number.isNaN);
  // Some tell what they made once a day.
  if (isSilent && end - last < SILENT_QUARTERS) return null;
  let [sinceThenKwh, dayKwh] = [0, 0];
  for (let back = 0; back < DAY_QUARTERS; back++) {
    const poor = poorWatts(production, end - 1 - back, last);
    if (poor === null) return null;
    dayKwh += poor / 4_000;
    const place = end - 1 - back;
    // Where it is not known whether they made something, nothing is missing.
    if (place > last && (isSilent || !Number.isNaN(production[place]))) sinceThenKwh += poor / 4_000;
  }
  if (sinceThenKwh < Math.max(LEAST_KWH, LEAST_SHARE * dayKwh)) return null;
  return {
    kind: 'production_missing',
    sinceMs: fromMs + (last + 1) * QUARTER_MS,
    untilMs: endOf(profile),
    expectedKwh: sinceThenKwh,
    isSilent,
    compared: daysOf(production, fromMs),
  };
}

/** What they made at this time of the day on a poor day of those before they were last seen; null: it is not known for long enough. The sun keeps no summer time. */
function poorWatts(production: Watts, place: number, last: number): number | null {
  const before: number[] = [];
  for (let day = 1; day <= 2 * DAYS && before.length < DAYS; day++) {
    const at = place - day * DAY_QUARTERS;
    // An inverter that sleeps at night is not heard of then.
    if (at >= 0 && at <= last) before.push(production[at] || 0);
  }
  return before.length < LEAST_DAYS ? null : quantile(before, POOR);
}

function daysOf(production: Watts, fromMs: number): ProductionMissing['compared'] {
  const days: ProductionMissing['compared'] = [];
  for (let day = 14; day >= 0; day--) {
    const to = production.length - day * DAY_QUARTERS;
    if (to < DAY_QUARTERS) continue;
    const known = production.subarray(to - DAY_QUARTERS, to).filter((watts) => !Number.isNaN(watts));
    if (known.length > 0 || day === 0)
      days.push({ atMs: fromMs + to * QUARTER_MS, kwh: known.reduce((sum, watts) => sum + watts / 4_000, 0) });
  }
  return days;
}
