import { sql } from 'kysely';
import { type Database, parseBigints } from '#src/database/connect.ts';
import { MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import type { ReadingRow } from './page.ts';
import type { DeviceWithReadings } from './series.ts';

/** An edit by the owner that is applied at least in part. Times are Unix ms. */
interface ComputedEdit {
  editId: string;
  channel: string | null;
  kind: string | null;
  /** Start of the edit, and the range `[fromMs, toMs)` in which it is applied. */
  startMs: number;
  fromMs: number;
  toMs: number;
  hasValue: boolean;
  /** Times that an edit for a wrong clock excludes. Null: the edit excludes its whole time range. */
  instants: ReadonlySet<number> | null;
}

/** Returns a function that finds the earliest edit that excludes or added a reading, and returns its id or null. */
export async function createEditFinder(
  db: Database,
  { deviceId, series }: DeviceWithReadings,
  rows: readonly ReadingRow[],
): Promise<(row: ReadingRow) => string | null> {
  const edits = rows.length === 0 ? [] : await editsAt(db, deviceId, rows);
  const asked = new Set(rows);
  return (row) => {
    if (!asked.has(row)) return null;
    const of = series.get(row.series_id);
    const found = edits.find(
      (edit) =>
        (edit.channel === null || (edit.channel === of?.channel && edit.kind === of.kind)) &&
        (row.note === 'excluded' ? excludes(edit, row) : edit.hasValue && edit.startMs === row.read_at.getTime()),
    );
    return found?.editId ?? null;
  };
}

/** Whether an edit excludes a reading. The reading that an edit adds can be excluded only by another edit. */
function excludes({ startMs, fromMs, toMs, hasValue, instants }: ComputedEdit, row: ReadingRow): boolean {
  const ms = row.read_at.getTime();
  if (ms < fromMs || ms >= toMs) return false;
  const isStart = hasValue && ms === startMs;
  if (row.interval_ms === MANUAL_READING_INTERVAL_MARKER) return !isStart && (instants?.has(ms) ?? true);
  return isStart || (instants?.has(ms) ?? true);
}

async function editsAt(db: Database, deviceId: string, rows: readonly ReadingRow[]): Promise<ComputedEdit[]> {
  const times = [...new Set(rows.map(({ read_at }) => read_at.getTime()))];
  const last = times.at(-1) as number;
  // Raw SQL: an edit for a wrong clock may list a time for each second of a day. Only those with a reading are returned.
  const { rows: found } = await sql<{
    edit_id: string;
    channel: string | null;
    kind: string | null;
    start_at: Date;
    from_at: Date;
    to_at: Date;
    has_value: boolean;
    instants: string | null;
  }>`
    SELECT e.edit_id, e.channel, e.kind, e.from_at AS start_at, t.from_at, t.to_at, e.value IS NOT NULL AS has_value,
      CASE WHEN e.instants IS NOT NULL THEN ARRAY(SELECT i FROM unnest(e.instants) i WHERE i = ANY (${times}::bigint[]))::text END AS instants
    FROM reading_edits e
    CROSS JOIN LATERAL (SELECT coalesce(e.counted_from, e.from_at) AS from_at, coalesce(e.counted_to, e.to_at) AS to_at) t
    WHERE e.device_id = ${deviceId} AND e.is_counted AND t.from_at <= ${new Date(last)} AND t.to_at > ${new Date(times[0] as number)}
    ORDER BY e.edit_id`.execute(db);
  return found.map(({ edit_id, channel, kind, start_at, from_at, to_at, has_value, instants }) => ({
    editId: edit_id,
    channel,
    kind,
    startMs: start_at.getTime(),
    fromMs: from_at.getTime(),
    toMs: to_at.getTime(),
    hasValue: has_value,
    instants: instants === null ? null : new Set(parseBigints(instants)),
  }));
}
