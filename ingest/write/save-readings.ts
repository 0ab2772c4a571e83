import type { Point } from '#ingest/normalise/law.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { int8Array, timestampArray } from './binary-array.ts';
import type { StoredPlan } from './save-series.ts';
import type { SeriesPlan } from './series-plan.ts';

/** Rows of many series one after the other, so that they are one statement: the key of each, and its point. */
interface Rows<P extends Point> {
  seriesIds: number[];
  points: P[];
}

function rowsOf<P extends Point>(stored: readonly StoredPlan[], of: (plan: SeriesPlan) => Iterable<P>): Rows<P> {
  const rows: Rows<P> = { seriesIds: [], points: [] };
  for (const { seriesId, plan } of stored) {
    for (const point of of(plan)) {
      rows.seriesIds.push(seriesId);
      rows.points.push(point);
    }
  }
  return rows;
}

/** Readings that are taken for something, or (false) that are plainly counted. */
const judged = (isNoted: boolean) =>
  function* (plan: SeriesPlan) {
    for (const point of plan.verdicts.values()) if ((point.verdict !== null) === isNoted) yield point;
  };

const KEY = '$1::bigint[], $2::timestamptz[], $3::bigint[]';
const MATCH = 't.series_id = c.series_id AND t.read_at = c.read_at AND t.interval_ms = c.interval_ms';

const keys = ({ seriesIds, points }: Rows<Point>) => [
  int8Array(seriesIds),
  timestampArray(points.map(({ readAtMs }) => readAtMs)),
  int8Array(points.map(({ intervalMs }) => intervalMs)),
];
const values = ({ points }: Rows<Point>) => int8Array(points.map(({ value }) => value));

/** Writes readings, and what they were taken for. */
export async function saveReadings(client: PoolClient, stored: readonly StoredPlan[]): Promise<void> {
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  const inserts = rowsOf(stored, (plan) => plan.inserts);
  if (inserts.points.length > 0) {
    await client.query({
      name: 'insert-readings',
      text: `INSERT INTO readings (series_id, read_at, interval_ms, value) SELECT * FROM unnest(${KEY}, $4::bigint[])`,
      values: [...keys(inserts), values(inserts)],
    });
  }
  const lowered = rowsOf(stored, (plan) => plan.lowered);
  if (lowered.points.length > 0) {
    await client.query(
      `UPDATE readings t SET value = c.value
       FROM unnest(${KEY}, $4::bigint[]) c (series_id, read_at, interval_ms, value) WHERE ${MATCH}`,
      [...keys(lowered), values(lowered)],
    );
  }
  const cleared = rowsOf(stored, judged(false));
  if (cleared.points.length > 0) {
    await client.query(
      `DELETE FROM reading_notes t USING unnest(${KEY}) c (series_id, read_at, interval_ms) WHERE ${MATCH}`,
      keys(cleared),
    );
  }
  const notes = rowsOf(stored, judged(true));
  if (notes.points.length > 0) {
    await client.query(
      `INSERT INTO reading_notes (series_id, read_at, interval_ms, verdict) SELECT * FROM unnest(${KEY}, $4::text[])
       ON CONFLICT (series_id, read_at, interval_ms) DO UPDATE SET verdict = excluded.verdict`,
      [...keys(notes), notes.points.map(({ verdict }) => verdict)],
    );
  }
}
