import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, updateDevice } from '#src/devices/store.ts';
import type { Dashboard } from './dashboard.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from './load-profile.ts';

/** Homes for the browser tests, with years of data that are written directly to the database. */

export const QUARTER_HOUR_MS = 900_000;
export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns the power of a device in a quarter-hour, in W; null if unknown. */
type Load = (at: { ms: number; hour: number; weekday: number }) => number | null;

interface Kind {
  type: string;
  import?: Load;
  export?: Load;
  placement?: 'grid' | 'production' | 'storage' | 'consumption';
}

/** Pairs devices, each in its location, with a history of `days` days up to now. Returns their ids. */
export async function insertDeviceHistories<Name extends string>(
  dashboard: Dashboard,
  userId: string,
  days: number,
  devices: Record<Name, Kind>,
): Promise<Record<Name, string>> {
  const untilMs = Date.now();
  const firstMs = Math.floor(untilMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS - days * DAY_MS;
  const ids = {} as Record<Name, string>;
  const rows: Parameters<typeof addToLoadProfile>[1][number][] = [];
  for (const [name, kind] of Object.entries(devices) as [Name, Kind][]) {
    const { device } = await createDevice(dashboard.db, { userId, type: kind.type, location: name });
    const { device_id: deviceId } = device;
    ids[name] = deviceId;
    if (kind.placement) await updateDevice(dashboard.db, ALL_ACCOUNTS, deviceId, { placement: kind.placement });
    for (const direction of ['import', 'export'] as const) {
      const load = kind[direction];
      if (!load) continue;
      await dashboard.database.pool.query(
        `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, $2, 'register', $3, $4)`,
        [deviceId, direction, direction === 'import', direction === 'export'],
      );
      for (let ms = firstMs; ms < untilMs; ms += QUARTER_HOUR_MS) {
        const time = new Date(ms);
        const watts = load({
          ms,
          hour: time.getUTCHours() + time.getUTCMinutes() / 60,
          weekday: time.getUTCDay() || 7,
        });
        if (watts === null) continue;
        // Of the current quarter-hour, only the part that has passed is covered.
        const coveredMs = Math.min(QUARTER_HOUR_MS, untilMs - ms);
        const energy = Math.round((watts * coveredMs) / 3_600);
        rows.push(
          direction === 'import'
            ? {
                deviceId,
                userId,
                startsAtMs: ms,
                energyMilliwattHours: energy,
                ...COMPLETE_QUARTER_HOUR_MEASURES,
                coveredMs,
              }
            : {
                deviceId,
                userId,
                startsAtMs: ms,
                exportMilliwattHours: energy,
                exportCoveredMs: coveredMs,
                readingCount: 1,
              },
        );
      }
    }
    await dashboard.database.pool.query('UPDATE device_heads SET seen_at = $2 WHERE device_id = $1', [
      deviceId,
      new Date(untilMs),
    ]);
  }
  for (let at = 0; at < rows.length; at += 50_000)
    await addToLoadProfile(dashboard.database, rows.slice(at, at + 50_000));
  return ids;
}

/** Power of a home on an ordinary day in W: 120 W, and more at breakfast, in the evening and on weekends. */
export const computeOrdinaryLoadWatts: Load = ({ hour, weekday }) =>
  120 +
  (hour >= 6.5 && hour < 8 ? 900 : 0) +
  (hour >= 17 && hour < 22 ? 700 : 0) +
  (hour >= 12 && hour < 12.5 ? 2_200 : 0) +
  (weekday > 5 && hour >= 9 && hour < 17 ? 350 : 0);

/** Power of rooftop panels on a clear day, in W. */
export const computeClearDaySolarWatts: Load = ({ hour }) =>
  Math.max(0, Math.round(3_000 * Math.sin(((hour - 7) / 10) * Math.PI))) * Number(hour >= 7 && hour < 17);
