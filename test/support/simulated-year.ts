import type { HomeFault } from '#simulators/home-faults.ts';
import { computeFreezerWatts, drawHomeTraits, type HomeTraits, simulateDay } from '#simulators/homes.ts';
import { createSeededRandom } from '#simulators/random.ts';
import { drawSolarTraits, simulateSolarDay } from '#simulators/solar.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { parseDayNumber } from '#src/remarks/calendar.ts';
import { type HomeProfile, QUARTER_HOURS_PER_DAY } from '#src/remarks/profile.ts';

const DAY_MS = 86_400_000;
const FROM_MS = Date.parse('2025-01-01T00:00:00Z');
const LATITUDE = 52;
/** Number of past days whose data the service uses to decide about a remark (notice about unusual usage). */
const SEEN_DAYS = 70;

export const HOME_KINDS = ['flat', 'family', 'heat pump', 'electric car', 'solar'] as const;
export type HomeKind = (typeof HOME_KINDS)[number];

/** Quarter-hours of a simulated home from the start of 2025. Days are in UTC. */
interface SimulatedYear {
  used: Float64Array;
  production: Float64Array | null;
  freezer: Float64Array;
  /** Usage of each day in kWh; null if the day is not simulated. */
  daily: (number | null)[];
}

/** Returns the traits of an ordinary home with a freezer, empty during three weeks of holidays. */
export function createOrdinaryHomeTraits(kind: HomeKind, seed: string): HomeTraits {
  const random = createSeededRandom(seed, 'freezer');
  const holiday = (month: number, days: number) => {
    const fromMs = Date.UTC(2025, month, random.whole(1, 14));
    return { fromMs, toMs: fromMs + days * DAY_MS };
  };
  return {
    ...drawHomeTraits(seed),
    heating: kind === 'heat pump' ? 'heat pump' : 'boiler',
    hasCar: kind === 'electric car',
    ...(kind === 'family' ? { worksFromHome: true } : {}),
    freezer: { watts: random.whole(65, 95), everyMinutes: random.whole(38, 60), onMinutes: random.whole(13, 20) },
    holidays: [holiday(6, 14), holiday(1, 7)],
  };
}

/** Simulates the first `days` days of a home, from the start of 2025. Days before `firstDay` have no data. */
export function simulateYear(kind: HomeKind, traits: HomeTraits, days: number, firstDay = 0): SimulatedYear {
  const list = () => new Float64Array(days * QUARTER_HOURS_PER_DAY).fill(Number.NaN);
  const [used, freezer, production] = [list(), list(), kind === 'solar' ? list() : null];
  const solar = drawSolarTraits(traits.seed, LATITUDE);
  for (let day = firstDay; day < days; day++) {
    const startsAtMs = FROM_MS + day * DAY_MS;
    const at = day * QUARTER_HOURS_PER_DAY;
    if (production) {
      const { load, production: made } = simulateSolarDay(traits, solar, startsAtMs, 0).watts;
      used.set(quarters(load), at);
      production.set(quarters(made), at);
    } else used.set(quarters(simulateDay(traits, startsAtMs).watts), at);
    freezer.set(quarters(computeFreezerWatts(traits, startsAtMs)), at);
  }
  const daily = Array.from({ length: days }, (_, day) => {
    const watts = used.subarray(day * QUARTER_HOURS_PER_DAY, (day + 1) * QUARTER_HOURS_PER_DAY);
    return day < firstDay ? null : watts.reduce((sum, one) => sum + one / 4_000, 0);
  });
  return { used, production, freezer, daily };
}

function quarters(minutes: Int32Array): Float64Array {
  const means = new Float64Array(QUARTER_HOURS_PER_DAY);
  for (const [minute, watts] of minutes.entries()) {
    const place = Math.floor(minute / 15);
    means[place] = (means[place] as number) + watts / 15;
  }
  return means;
}

/**
 * Returns the data from which the service decides about a remark (notice about unusual usage). `quarter`: index of the current
 * quarter-hour. `hasPlug`: whether a smart plug measures the freezer.
 */
export function createHomeProfile(year: SimulatedYear, quarter: number, hasPlug: boolean): HomeProfile {
  const from = Math.max(0, quarter - SEEN_DAYS * QUARTER_HOURS_PER_DAY);
  const today = Math.floor(quarter / QUARTER_HOURS_PER_DAY);
  const firstDay = parseDayNumber('2025-01-01');
  return {
    fromMs: FROM_MS + from * QUARTER_HOUR_MS,
    used: year.used.subarray(from, quarter),
    production: year.production?.subarray(from, quarter) ?? null,
    devices: hasPlug ? [{ deviceId: 'freezer', used: year.freezer.subarray(from, quarter) }] : [],
    daily: { firstDay, kwh: year.daily.slice(0, today) },
    today: firstDay + today,
  };
}

/** Creates a fault that begins at a quarter-hour, given by its index, and never ends. */
export const createLastingFault = (kind: HomeFault['kind'], quarter: number): HomeFault => ({
  kind,
  fromMs: FROM_MS + quarter * QUARTER_HOUR_MS,
  toMs: Number.POSITIVE_INFINITY,
});
