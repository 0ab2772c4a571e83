import { type MilliwattHours, QUARTER_MS } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { homeBetween } from '../usage/home-sums.ts';
import { type Home, loadHome } from './home.ts';
import type { HomeDevice } from './roles.ts';
import { usedOf } from './sums.ts';

/** A channel that is silent for longer is not waited for. */
const SILENT_MS = 3_600_000;
/** Channels that are known until about the same moment: what one is behind is less than what any alert is about. */
const TOGETHER_MS = 60_000;

/**
 * What each of some periods (Unix ms) of a home came to so far, mWh; null where nothing is known. While one of its channels is behind,
 * a period under way counts up to the quarter-hour until which all are known: what was exported and is not told yet would look used.
 */
export async function usedInPeriods(
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
    totals.push(toMs <= startMs ? null : usedOf(await homeBetween(db, home, range)));
  }
  return totals;
}

/** Until when what a home imports and feeds in at the connection point is known, Unix ms, a start of a quarter-hour; Infinity: all that there is. */
export async function exportsKnownUntil(db: Database, userId: string, nowMs: number): Promise<number> {
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  const atGrid = ({ placement }: HomeDevice) => (placement === 'grid' ? { import: true, export: true } : null);
  return knownUntil(db, home, nowMs, atGrid);
}

/** Until when all counted channels of a home are known that are not silent, Unix ms, a start of a quarter-hour; Infinity: all that there is. */
async function knownUntil(
  db: Database,
  home: Home,
  nowMs: number,
  counts: (device: HomeDevice, hasSources: boolean) => Directions | null = countsNow,
): Promise<number> {
  const now = home.stretches.at(-1);
  // Plugs alone only add up: what one is behind is missing, and nothing of it is too much.
  if (!now?.isGridThere) return Number.POSITIVE_INFINITY;
  const counted = home.special.filter((device) => counts(device, now.hasSources) !== null && device.endsAtMs === null);
  // Raw SQL: what stands of series is in their heads, as JSON.
  const { rows } = await queryOf(db)<{
    key: string;
    counts_import: boolean;
    counts_export: boolean;
    last_ms: number;
  }>(
    `SELECT s.device_id || coalesce('/' || s.meter, '') AS key, s.counts_import, s.counts_export, (law ->> 1)::bigint AS last_ms
     FROM device_heads h CROSS JOIN LATERAL jsonb_array_elements(h.laws::jsonb) law
     JOIN series s ON s.series_id = (law ->> 0)::bigint
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
  return Math.floor(first / QUARTER_MS) * QUARTER_MS;
}

interface Directions {
  import: boolean;
  export: boolean;
}

/** Which directions of a device count towards what is used beside a grid device; null: none. */
function countsNow({ placement, producesExport }: HomeDevice, hasSources: boolean): Directions | null {
  if (placement === 'grid') return { import: true, export: hasSources };
  if (placement === 'production') return { import: !producesExport, export: producesExport };
  return placement === 'storage' ? { import: true, export: true } : null;
}
