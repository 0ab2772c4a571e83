import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type LatestChannelValue, readLatestChannelValues, readPowerValues, sumPowers } from '#src/devices/live.ts';
import { sumExpectedCoverageMs } from '../home/contribution-spans.ts';
import type { Home } from '../home/home.ts';
import { computeHomePower, type DevicePower } from '../home/power.ts';
import type { HomeDevice } from '../home/roles.ts';
import { readQuarterHours } from '../usage/quarter-hours.ts';

export interface CurrentPower {
  watts: number;
  /** Time of the oldest measured value in the sum, ISO 8601. Null: the power is a mean. */
  at: string | null;
  /** Length of the mean in minutes. Null: the power is measured. */
  minutes: number | null;
}

/** Maximum age in ms of a measured power. */
const FRESH_MS = 60_000;
/** Minimum known time in ms for a mean power: in a shorter time, meters are too imprecise. */
const MIN_KNOWN_MS = 120_000;
const WATT_MS_PER_MILLIWATT_HOUR = 3_600;

type Parts = Pick<Home, 'devices' | 'stretches'>;

/**
 * Returns the current power of a home: measured if each device has sent a value in the last 60 s, otherwise the mean of the last minutes.
 * Null if neither is known.
 */
export async function loadCurrentPower(db: Database, home: Parts, now: Date): Promise<CurrentPower | null> {
  const channels = await readLatestChannelValues(db, idsOf(home), now);
  return computeMeasuredPower(home, channels, now.getTime()) ?? (await meanPower(db, home, now));
}

const idsOf = ({ devices }: Parts): string[] => [...new Set(devices.map(({ deviceId, partOf }) => partOf ?? deviceId))];

/** Number of steps of five seconds in the last ten minutes. */
const TRAIL_STEPS = 120;
const STEP_SECONDS = 5;

/** Returns the measured power of a home in W at each step of the last ten minutes. Null if unknown. */
export async function loadRecentPower(
  db: Database,
  home: Parts,
  now: Date,
): Promise<{ at: string; watts: number | null }[]> {
  const stepMs = STEP_SECONDS * 1_000;
  const nowMs = now.getTime();
  const firstMs = nowMs - (TRAIL_STEPS - 1) * stepMs;
  const from = new Date(firstMs - FRESH_MS);
  const powers = await readPowerValues(db, idsOf(home), { from, to: now, stepSeconds: STEP_SECONDS });
  const latest = new Map<string, (typeof powers)[number]>();
  let next = 0;
  return Array.from({ length: TRAIL_STEPS }, (_, step) => {
    const atMs = firstMs + step * stepMs;
    for (; next < powers.length && Date.parse(powers[next]?.channel.last_at ?? '') <= atMs; next++) {
      const power = powers[next] as (typeof powers)[number];
      latest.set(power.seriesId, power);
    }
    const byDevice = Map.groupBy(latest.values(), ({ deviceId }) => deviceId);
    const channels = new Map([...byDevice].map(([id, some]) => [id, some.map(({ channel }) => channel)]));
    return { at: new Date(atMs).toISOString(), watts: computeMeasuredPower(home, channels, atMs)?.watts ?? null };
  });
}

/** Computes the power of a home from the latest values of its devices. Null if a device has sent no value within 60 s. */
export function computeMeasuredPower(
  home: Parts,
  channels: ReadonlyMap<string, readonly LatestChannelValue[]>,
  nowMs: number,
): (CurrentPower & { at: string; minutes: null }) | null {
  const times: string[] = [];
  const powerOfDevice = ({ deviceId, partOf, placement }: HomeDevice): DevicePower | null => {
    const own = (channels.get(partOf ?? deviceId) ?? []).filter(
      (one) => one.unit === 'W' && one.placement === (partOf === null ? null : placement),
    );
    const { power_w: watts, power_at: at } = sumPowers(own);
    if (watts === null || at === null || nowMs - Date.parse(at) > FRESH_MS) return null;
    times.push(at);
    return { inWatts: Math.max(0, watts), outWatts: Math.max(0, -watts) };
  };
  const power = computeHomePower(home, nowMs, powerOfDevice);
  const [at] = times.toSorted();
  if (!power || power.unknown.length > 0 || at === undefined) return null;
  return { watts: Math.round(power.watts), at, minutes: null };
}

/** Returns the mean power of the current quarter-hour or, if too little of it is known, of the current and the previous one. */
async function meanPower(db: Database, home: Parts, now: Date): Promise<CurrentPower | null> {
  const quarterMs = Math.floor(now.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const range = { from: new Date(quarterMs - QUARTER_HOUR_MS), to: new Date(quarterMs + QUARTER_HOUR_MS) };
  const ids = home.devices.map(({ deviceId }) => deviceId);
  const found = await readQuarterHours(db, { key: 'device_id', ids }, range, [
    'energyMilliwattHours',
    'coveredMs',
    'exportMilliwattHours',
    'exportCoveredMs',
  ]);
  for (const first of [1, 0]) {
    let longestMs = 0;
    const atMs = now.getTime();
    const power = computeHomePower(home, atMs, (device) => {
      const lists = found.get(device.deviceId);
      if (!lists) return null;
      const sum = (list: Float64Array) => list.subarray(first).reduce((all, value) => all + value, 0);
      const [inMs, outMs] = [sum(lists.coveredMs), sum(lists.exportCoveredMs)];
      const { imports: importChannels, exports: exportChannels } = sumExpectedCoverageMs(
        device.counted,
        atMs,
        atMs + 1,
      );
      const knownMs = Math.max(inMs / Math.max(1, importChannels), outMs / Math.max(1, exportChannels));
      if (knownMs < MIN_KNOWN_MS) return null;
      longestMs = Math.max(longestMs, knownMs);
      // `ms` is summed over all registers of one direction. Each register covers the same time, so `ms` is divided by their number.
      const mean = (energy: number, ms: number, channelCount: number) =>
        ms > 0 ? (energy * WATT_MS_PER_MILLIWATT_HOUR * channelCount) / ms : 0;
      return {
        inWatts: mean(sum(lists.energyMilliwattHours), inMs, importChannels),
        outWatts: mean(sum(lists.exportMilliwattHours), outMs, exportChannels),
      };
    });
    if (power) return { watts: Math.round(power.watts), at: null, minutes: Math.round(longestMs / 60_000) };
  }
  return null;
}
