import { castToMilliwattHours, DAY_MS, milliwattHoursToKwh, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createRowTimeLabeller } from './clock-labels.ts';
import type { DeviceUsage } from './device-usage.ts';
import { readDistributedQuarterHours } from './distribute-gaps.ts';
import { sumExpectedCoverageMs } from './home/contribution-spans.ts';
import { loadDeviceAsHome } from './home/home.ts';
import type { GroupBy } from './insights.ts';
import type { ImportedQuarterHours } from './like-days.ts';
import { type DayRange, isSubDayUnit, splitQuarterHours } from './ranges.ts';
import { readQuarterHours } from './usage/quarter-hours.ts';
import { createWallClock, getStartOfSubDayUnit } from './wall-clock.ts';

/** How the estimated energy of a row was distributed: as on similar days, or evenly. Null if there is none. */
type EstimateKind = 'like_days' | 'line' | null;

const MEASURES = ['energyMilliwattHours', 'estimatedMilliwattHours', 'coveredMs'] as const;

interface Asked {
  range: DayRange;
  groupBy: GroupBy;
  /** IANA name of the home's time zone, by which similar days are found. */
  homeZone: string;
  now: Date;
}

/** Returns the usage of a device after the energy of long gaps was distributed as on similar days, with the method of each row. */
export async function loadRowsWithDistributedGaps(
  db: Database,
  deviceId: string,
  rows: readonly DeviceUsage[],
  asked: Asked,
): Promise<(DeviceUsage & { estimate: EstimateKind })[]> {
  const sums = await sumsOf(db, deviceId, asked);
  return rows.map((row) => {
    const sum = sums.get(row.starts_at ?? row.date);
    if (!sum?.isShared) return { ...row, estimate: sum && sum.estimated > 0 ? 'line' : null };
    const estimated = 'estimated_kwh' in row ? { estimated_kwh: kwh(sum.estimated) } : {};
    return { ...row, kwh_used: kwh(sum.energy), ...estimated, estimate: 'like_days' };
  });
}

const kwh = (milliwattHours: number): number => milliwattHoursToKwh(castToMilliwattHours(milliwattHours));

interface Sum {
  energy: number;
  estimated: number;
  isShared: boolean;
}

/** Returns the sums of each row, by `starts_at` or, for days and months, by `date`. */
async function sumsOf(db: Database, deviceId: string, { range, groupBy, homeZone, now }: Asked) {
  const sums = new Map<string, Sum>();
  const loaded = await loadDeviceAsHome(db, deviceId);
  const [meter] = loaded?.home.devices ?? [];
  if (!meter || meter.beginsAtMs === null) return sums;
  const floor = (ms: number) => Math.floor(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const fromMs = Math.max(floor(range.from.getTime()), meter.beginsAtMs);
  // The clock of a device may be fast, so data up to a day ahead are included.
  const endMs = floor(now.getTime()) + DAY_MS;
  const toMs = Math.min(floor(range.to.getTime()), endMs);
  if (fromMs >= toMs) return sums;
  const beginsAtMs = meter.beginsAtMs;
  const read = (from: number, to: number) => imported(db, deviceId, Math.max(from, beginsAtMs), Math.min(to, endMs));
  const wholeMs = (ms: number) => sumExpectedCoverageMs(meter.counted, ms, ms + QUARTER_HOUR_MS).imports;
  const shape = { zone: homeZone, wholeMs };
  const shared = await readDistributedQuarterHours(read, { fromMs, toMs }, shape);
  const clockOf = createWallClock(fromMs, toMs, range.zone);
  const unit = isSubDayUnit(groupBy) ? groupBy : 'hour';
  const labelsOf = createRowTimeLabeller(range, unit);
  let last: { startMs: number; sum: Sum } | undefined;
  let at = 0;
  for await (const { from, to } of splitQuarterHours(fromMs, toMs)) {
    for (let ms = from.getTime(); ms < to.getTime(); ms += QUARTER_HOUR_MS, at++) {
      const clock = clockOf(ms);
      const startMs = getStartOfSubDayUnit(ms, clock, unit);
      if (last?.startMs !== startMs) {
        const { day } = clock;
        const date = groupBy === 'month' ? `${day.date.slice(0, 7)}-01` : day.date;
        const key = isSubDayUnit(groupBy) ? labelsOf(new Date(startMs)).starts_at : date;
        const sum = sums.get(key) ?? { energy: 0, estimated: 0, isShared: false };
        sums.set(key, sum);
        last = { startMs, sum };
      }
      last.sum.energy += shared.energy[at] as number;
      last.sum.estimated += shared.estimated[at] as number;
      if (shared.isShared[at]) last.sum.isShared = true;
    }
  }
  return sums;
}

/** The bounds of the time range must be starts of quarter-hours. */
async function imported(db: Database, deviceId: string, fromMs: number, toMs: number): Promise<ImportedQuarterHours> {
  const list = () => new Float64Array((toMs - fromMs) / QUARTER_HOUR_MS);
  const all = { fromMs, energy: list(), estimated: list(), coveredMs: list() };
  for await (const chunk of splitQuarterHours(fromMs, toMs)) {
    const found = (await readQuarterHours(db, { key: 'device_id', ids: [deviceId] }, chunk, MEASURES)).get(deviceId);
    if (!found) continue;
    const at = (chunk.from.getTime() - fromMs) / QUARTER_HOUR_MS;
    all.energy.set(found.energyMilliwattHours, at);
    all.estimated.set(found.estimatedMilliwattHours, at);
    all.coveredMs.set(found.coveredMs, at);
  }
  return all;
}
