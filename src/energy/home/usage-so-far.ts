import { type MilliwattHours, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { readHomeSums } from '../usage/home-sums.ts';
import { type Home, loadHome } from './home.ts';
import type { HomeDevice } from './roles.ts';
import { computeHomeUsage } from './sums.ts';

/** A channel that has been silent for longer than this (ms) does not limit the known time. */
const SILENT_MS = 3_600_000;
/** If the last readings of all channels lie within this time (ms), they count as simultaneous. */
const TOGETHER_MS = 60_000;

/**
 * Returns the usage of a home so far, in mWh, for each of some periods (Unix ms); null if unknown. If a channel has not reported yet, the
 * current period ends earlier, at the quarter-hour up to which all channels are known. Otherwise energy that was exported would count as
 * used.
 */
export async function readPeriodUsageSoFar(
  db: Database,
  userId: string,
  periods: readonly { startMs: number; endMs: number }[],
  nowMs: number,
): Promise<(MilliwattHours | null)[]> {
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  const untilMs = await knownUntil(db, home, nowMs);
  const totals: (MilliwattHours | null)[] = [];
  for (const { startMs, endMs } of periods) {
    const toMs = Math.min(endMs, untilMs);
    const range = { from: new Date(startMs), to: new Date(toMs) };
    totals.push(toMs <= startMs ? null : computeHomeUsage(await readHomeSums(db, home, range)));
  }
  return totals;
}

/** Returns the Unix time in ms up to which import and export of the grid meters are known. Infinity: all data can be used. */
export async function findEndOfKnownGridData(db: Database, userId: string, nowMs: number): Promise<number> {
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  const atGrid = ({ placement }: HomeDevice) => (placement === 'grid' ? { import: true, export: true } : null);
  return knownUntil(db, home, nowMs, atGrid);
}

/**
 * Returns the Unix time in ms up to which all contributing channels are known. Infinity: all data can be used. Channels that have been
 * silent for long are ignored.
 */
async function knownUntil(
  db: Database,
  home: Home,
  nowMs: number,
  counts: (device: HomeDevice, hasSources: boolean) => Directions | null = countsNow,
): Promise<number> {
  const now = home.stretches.at(-1);
  // Without a grid meter, missing data of a device can only make the sum too low.
  if (!now?.isGridThere) return Number.POSITIVE_INFINITY;
  const counted = home.special.filter((device) => counts(device, now.hasSources) !== null && device.endsAtMs === null);
  // Raw SQL: the state of each series is JSON in `device_heads`.
  const { rows } = await createQueryFunction(db)<{
    key: string;
    counts_import: boolean;
    counts_export: boolean;
    last_ms: number;
  }>(
    `SELECT s.device_id || coalesce('/' || s.meter, '') AS key, s.counts_import, s.counts_export, (entry ->> 1)::bigint AS last_ms
     FROM device_heads h CROSS JOIN LATERAL jsonb_array_elements(h.laws::jsonb) entry
     JOIN series s ON s.series_id = (entry ->> 0)::bigint
     WHERE h.device_id = ANY ($1) AND (s.counts_import OR s.counts_export)`,
    [counted.map(({ deviceId, partOf }) => partOf ?? deviceId)],
  );
  const byId = new Map(counted.map((device) => [device.deviceId, device]));
  const times = rows
    .filter(({ key, counts_import, counts_export }) => {
      const device = byId.get(key);
      const counted = device && counts(device, now.hasSources);
      return (counted?.import && counts_import) || (counted?.export && counts_export);
    })
    .map(({ last_ms }) => last_ms)
    .filter((ms) => ms > nowMs - SILENT_MS);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (times.length === 0 || last - first <= TOGETHER_MS) return Number.POSITIVE_INFINITY;
  return Math.floor(first / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
}

interface Directions {
  import: boolean;
  export: boolean;
}

/** Returns the directions in which a device contributes to the usage of a home with a grid meter; null if it does not. */
function countsNow({ placement, producesExport }: HomeDevice, hasSources: boolean): Directions | null {
  if (placement === 'grid') return { import: true, export: hasSources };
  if (placement === 'production') return { import: !producesExport, export: producesExport };
  return placement === 'storage' ? { import: true, export: true } : null;
}
