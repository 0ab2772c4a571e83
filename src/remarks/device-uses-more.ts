import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { filterKnownWatts, getEndOfProfileMs, type HomeProfile, QUARTER_HOURS_PER_DAY } from './profile.ts';
import { computeMedian, computeMedianAbsoluteDeviation, computeQuantile } from './statistics.ts';

/** Remark that a device with nearly constant daily usage, such as a freezer, used clearly more. */
export interface DeviceUsageIncrease {
  kind: 'device_uses_more';
  deviceId: string;
  sinceMs: number;
  untilMs: number;
  /** Usage of the last 24 hours in kWh, and the usual usage in 24 hours. */
  kwh: number;
  usualKwh: number;
  /** Usage in kWh of each period of 24 hours, oldest first. The last entry is for the last 24 hours. */
  compared: { atMs: number; kwh: number }[];
}

const DAYS = 28;
const MIN_DAYS = 14;
const MIN_COVERAGE = 0.95;
/** Maximum spread of the daily usage, as a share of the usual usage. */
const STEADY_SHARE = 0.15;
const MIN_USUAL_KWH = 0.1;
/**
 * Maximum ratio of the usage in the last 24 hours to the usual usage. A compressor that never stops uses three or four times as much. A
 * higher ratio has another cause, such as the beginning of winter for a heat pump.
 */
const MAX_RATIO = 4;
const MIN_SHARE = 0.3;
const MIN_KWH = 0.15;
const SPREADS = 6;

/** Returns the devices that used clearly more in the last 24 hours than in the four weeks before. */
export function findDevicesWithIncreasedUsage(profile: HomeProfile): DeviceUsageIncrease[] {
  const { devices, fromMs } = profile;
  return devices.flatMap(({ deviceId, used }) => {
    const compared: DeviceUsageIncrease['compared'] = [];
    for (let day = DAYS; day >= 0; day--) {
      const to = used.length - day * QUARTER_HOURS_PER_DAY;
      const known = filterKnownWatts(used, to - QUARTER_HOURS_PER_DAY, to, MIN_COVERAGE);
      if (!known && day === 0) return [];
      if (known) compared.push({ atMs: fromMs + to * QUARTER_HOUR_MS, kwh: (mean(known) * 24) / 1_000 });
    }
    const before = compared.slice(0, -1).map(({ kwh }) => kwh);
    const [usualKwh, differs] = [computeMedian(before), computeMedianAbsoluteDeviation(before)];
    const kwh = compared.at(-1)?.kwh ?? 0;
    if (before.length < MIN_DAYS || differs > STEADY_SHARE * usualKwh) return [];
    if (usualKwh < MIN_USUAL_KWH || kwh > MAX_RATIO * usualKwh) return [];
    const rise = Math.max(MIN_KWH, MIN_SHARE * usualKwh, SPREADS * differs);
    if (kwh - usualKwh < rise || kwh - computeQuantile(before, 0.9) < rise / 2) return [];
    const last = compared.findLastIndex((one) => one.kwh < (kwh + usualKwh) / 2);
    const sinceMs = (compared[last + 1]?.atMs ?? getEndOfProfileMs(profile)) - QUARTER_HOURS_PER_DAY * QUARTER_HOUR_MS;
    return [
      {
        kind: 'device_uses_more' as const,
        deviceId,
        sinceMs,
        untilMs: getEndOfProfileMs(profile),
        kwh,
        usualKwh,
        compared,
      },
    ];
  });
}

const mean = (watts: Float64Array): number => watts.reduce((sum, one) => sum + one, 0) / watts.length;
