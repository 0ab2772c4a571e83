import type { Point, Verdict } from '#ingest/normalise/law.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { int8Array, timestampArray } from './binary-array.ts';
import type { PartitionMonths } from './partition-months.ts';

/** Where readings are looked up and written while a batch is worked in. */
export interface ReadingStore {
  /**
   * For each series, the readings from the last plainly counted one before `firstMs` up to `lastMs`, and `beyond` more.
   * With `firstMs` -Infinity the whole series from its start.
   */
  load(wanted: readonly Wanted[], beyond: number): Promise<Stretch[]>;
  /** Writes the changes. Rows that are inserted must not be there yet (the caller holds the device's lock). */
  save(changes: ReadingChanges): Promise<void>;
}

/** The database's readings, within a transaction. Throws MissingPartitions where a reading lies in a month without one. */
export const readingStore = (client: PoolClient, months: PartitionMonths): ReadingStore => ({
  load: (wanted, beyond) => loadStretches(client, wanted, beyond),
  async save(changes) {
    months.check(changes.inserts.map((row) => row.point.readAtMs));
    await saveReadings(client, changes);
  },
});

/** A stretch to be looked up. */
export interface Wanted {
  seriesId: number;
  firstMs: number;
  lastMs: number;
}

/** A stretch of a stored series. */
export interface Stretch {
  /** Latest plainly counted reading before the change: the law starts from it. Null: from the beginning. */
  restart: Point | null;
  /** Readings after it, in order. */
  points: Point[];
  /** Whether the series goes on beyond the last of them. */
  more: boolean;
}

const toPoint = (row: { read_at: Date; interval_ms: number; value: number }): Point => ({
  readAtMs: row.read_at.getTime(),
  intervalMs: row.interval_ms,
  value: row.value,
});

/** Where retention has dropped what came before a stretch, it begins with what was kept of it. */
async function loadStretches(client: PoolClient, wanted: readonly Wanted[], beyond: number): Promise<Stretch[]> {
  const bound = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : ms < 0 ? '-infinity' : 'infinity');
  // Raw SQL: the hot path of ingest: prepared statements over arrays.
  const { rows } = await client.query(
    `WITH wanted AS (
       SELECT w.*, r.read_at AS restart_at, r.interval_ms AS restart_interval_ms, r.value AS restart_value
       FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY w (series_id, first_at, last_at, n)
       LEFT JOIN LATERAL (
         (SELECT r.* FROM readings r
          WHERE r.series_id = w.series_id AND r.read_at < w.first_at AND NOT EXISTS (
            SELECT FROM reading_notes x
            WHERE x.series_id = r.series_id AND x.read_at = r.read_at AND x.interval_ms = r.interval_ms)
          ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT 1)
         UNION ALL
         -- The first that was kept when the rest was dropped: it was plainly counted.
         (SELECT k.* FROM closed_readings k
          WHERE k.series_id = w.series_id AND k.read_at < w.first_at ORDER BY k.read_at, k.interval_ms LIMIT 1)
         ORDER BY read_at DESC, interval_ms DESC LIMIT 1
       ) r ON true
     ), lower AS (
       SELECT *, coalesce(restart_at, '-infinity') AS from_at, coalesce(restart_interval_ms, -1) AS from_interval_ms FROM wanted
     )
     SELECT l.n, l.restart_at, l.restart_interval_ms, l.restart_value, p.read_at, p.interval_ms, p.value
     FROM lower l LEFT JOIN LATERAL (
       (SELECT r.read_at, r.interval_ms, r.value FROM readings r
        WHERE r.series_id = l.series_id AND r.read_at >= l.from_at AND r.read_at <= l.last_at
          AND (r.read_at, r.interval_ms) > (l.from_at, l.from_interval_ms))
       UNION ALL
       (SELECT k.read_at, k.interval_ms, k.value FROM closed_readings k
        WHERE k.series_id = l.series_id AND (k.read_at, k.interval_ms) > (l.from_at, l.from_interval_ms))
       UNION ALL
       (SELECT r.read_at, r.interval_ms, r.value FROM readings r
        WHERE r.series_id = l.series_id AND r.read_at > l.last_at ORDER BY r.read_at, r.interval_ms LIMIT $4)
     ) p ON true
     ORDER BY l.n, p.read_at, p.interval_ms`,
    [wanted.map((w) => w.seriesId), wanted.map((w) => bound(w.firstMs)), wanted.map((w) => bound(w.lastMs)), beyond],
  );
  const stretches: Stretch[] = wanted.map(() => ({ restart: null, points: [], more: false }));
  const beyondCount = wanted.map(() => 0);
  for (const row of rows) {
    const index = Number(row.n) - 1;
    const stretch = stretches[index] as Stretch;
    if (row.restart_at !== null && !stretch.restart) {
      stretch.restart = toPoint({
        read_at: row.restart_at,
        interval_ms: row.restart_interval_ms,
        value: row.restart_value,
      });
    }
    if (row.read_at === null) continue;
    const point = toPoint(row);
    stretch.points.push(point);
    if (point.readAtMs > (wanted[index] as { lastMs: number }).lastMs) {
      beyondCount[index] = (beyondCount[index] as number) + 1;
      stretch.more = (beyondCount[index] as number) >= beyond;
    }
  }
  return stretches;
}

/** What a write does to readings and their notes; flat, one entry a row, so that it is a few statements in all. */
export interface ReadingChanges {
  inserts: { seriesId: number; point: Point }[];
  lowered: { seriesId: number; point: Point }[];
  notes: { seriesId: number; point: Point; verdict: Verdict }[];
  cleared: { seriesId: number; point: Point }[];
}

export const noReadingChanges = (): ReadingChanges => ({ inserts: [], lowered: [], notes: [], cleared: [] });

const keys = (rows: readonly { seriesId: number; point: Point }[]) => [
  int8Array(rows.map((row) => row.seriesId)),
  timestampArray(rows.map((row) => row.point.readAtMs)),
  int8Array(rows.map((row) => row.point.intervalMs)),
];

async function saveReadings(client: PoolClient, changes: ReadingChanges): Promise<void> {
  const { inserts, lowered, notes, cleared } = changes;
  const KEY = '$1::bigint[], $2::timestamptz[], $3::bigint[]';
  const MATCH = 't.series_id = c.series_id AND t.read_at = c.read_at AND t.interval_ms = c.interval_ms';
  if (inserts.length > 0) {
    await client.query({
      name: 'insert-readings',
      text: `INSERT INTO readings (series_id, read_at, interval_ms, value) SELECT * FROM unnest(${KEY}, $4::bigint[])`,
      values: [...keys(inserts), int8Array(inserts.map((row) => row.point.value))],
    });
  }
  if (lowered.length > 0) {
    await client.query(
      `UPDATE readings t SET value = c.value
       FROM unnest(${KEY}, $4::bigint[]) c (series_id, read_at, interval_ms, value) WHERE ${MATCH}`,
      [...keys(lowered), int8Array(lowered.map((row) => row.point.value))],
    );
  }
  if (cleared.length > 0) {
    await client.query(
      `DELETE FROM reading_notes t USING unnest(${KEY}) c (series_id, read_at, interval_ms) WHERE ${MATCH}`,
      keys(cleared),
    );
  }
  if (notes.length > 0) {
    await client.query(
      `INSERT INTO reading_notes (series_id, read_at, interval_ms, verdict) SELECT * FROM unnest(${KEY}, $4::text[])
       ON CONFLICT (series_id, read_at, interval_ms) DO UPDATE SET verdict = excluded.verdict`,
      [...keys(notes), notes.map((row) => row.verdict)],
    );
  }
}
