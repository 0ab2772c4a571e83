import type { JudgedPoint, Point } from '#ingest/normalise/law.ts';
import { int8Array, timestampArray } from './binary-array.ts';
import type { Followed } from './follow.ts';
import type { StoredPlan } from './save-series.ts';
import { forgetsNotes, type SeriesPlan } from './series-plan.ts';
import { type Step, statement } from './step.ts';

/** Rows of many series one after the other, so that they are one statement: the key of each, and its point. */
interface Rows<P extends Point> {
  seriesIds: number[];
  points: P[];
}

function rowsOf<P extends Point>(stored: readonly StoredPlan[], of: (plan: SeriesPlan) => readonly P[]): Rows<P> {
  const rows: Rows<P> = { seriesIds: [], points: [] };
  for (const { seriesId, plan } of stored) {
    for (const point of of(plan)) {
      rows.seriesIds.push(seriesId);
      rows.points.push(point);
    }
  }
  return rows;
}

const NO_POINTS: readonly JudgedPoint[] = [];

/** Readings that are taken for something, or (false) that are plainly counted. */
const judged = (isNoted: boolean) => (plan: SeriesPlan) =>
  plan.verdicts ? [...plan.verdicts.values()].filter(({ verdict }) => (verdict !== null) === isNoted) : NO_POINTS;

const KEY = '$1::bigint[], $2::timestamptz[], $3::bigint[]';
const MATCH = 't.series_id = c.series_id AND t.read_at = c.read_at AND t.interval_ms = c.interval_ms';

const keys = ({ seriesIds, points }: Rows<Point>) => [
  int8Array(seriesIds),
  timestampArray(points.map(({ readAtMs }) => readAtMs)),
  int8Array(points.map(({ intervalMs }) => intervalMs)),
];
const values = ({ points }: Rows<Point>) => int8Array(points.map(({ value }) => value));

/**
 * Takes away a reading that was made by hand; retention may have kept it apart. A statement each, as they are few: by constants TimescaleDB
 * unpacks what has the row of a compressed chunk, by a join all of it.
 */
const withdraw = (key: readonly unknown[]): Step[] =>
  ['readings', 'closed_readings'].map((relation) =>
    statement({
      text: `DELETE FROM ${relation} WHERE series_id = $1 AND read_at = $2 AND interval_ms = $3`,
      values: [...key],
    }),
  );

/**
 * Writes readings, and what they were taken for: those that were planned, beside those that just follow. What was read by hand is a
 * reading beside what was sent, and goes with its edit.
 */
export function saveReadings({ seriesIds, readings }: Followed, stored: readonly StoredPlan[]): Step[] {
  const steps: Step[] = [];
  const add = (rows: Rows<Point>, text: string, more: (string | null)[] | Buffer | null, name?: string) => {
    if (rows.points.length === 0) return;
    steps.push(statement({ ...(name && { name }), text, values: more ? [...keys(rows), more] : keys(rows) }));
  };
  // First, as another one may take its place.
  for (const { seriesId, plan } of stored) {
    for (const { readAtMs, intervalMs } of plan.withdrawn)
      steps.push(...withdraw([seriesId, new Date(readAtMs), intervalMs]));
  }
  const planned = rowsOf<Point>(stored, (plan) => [...plan.inserts, ...plan.added]);
  const inserts = {
    seriesIds: [...seriesIds, ...planned.seriesIds],
    points: [...readings, ...planned.points],
  };
  add(
    inserts,
    // In the list of what is selected, unnest() needs no store for its rows: a twentieth of the statement.
    `INSERT INTO readings (series_id, read_at, interval_ms, value)
     SELECT unnest($1::bigint[]), unnest($2::timestamptz[]), unnest($3::bigint[]), unnest($4::bigint[])`,
    values(inserts),
    'insert-readings',
  );
  const lowered = rowsOf(stored, (plan) => plan.lowered);
  add(
    lowered,
    `UPDATE readings t SET value = c.value
     FROM unnest(${KEY}, $4::bigint[]) c (series_id, read_at, interval_ms, value) WHERE ${MATCH}`,
    values(lowered),
  );
  const cleared = rowsOf(stored, judged(false));
  add(
    cleared,
    `DELETE FROM reading_notes t USING unnest(${KEY}) c (series_id, read_at, interval_ms) WHERE ${MATCH}`,
    null,
  );
  // Of a series of which nothing counts any more nothing is noted, wherever in its past.
  const forgotten = stored.filter(({ plan }) => forgetsNotes(plan)).map(({ seriesId }) => seriesId);
  if (forgotten.length > 0)
    steps.push(
      statement({ text: 'DELETE FROM reading_notes WHERE series_id = ANY ($1::bigint[])', values: [forgotten] }),
    );
  const notes = rowsOf(stored, judged(true));
  add(
    notes,
    `INSERT INTO reading_notes (series_id, read_at, interval_ms, verdict) SELECT * FROM unnest(${KEY}, $4::text[])
     ON CONFLICT (series_id, read_at, interval_ms) DO UPDATE SET verdict = excluded.verdict`,
    notes.points.map(({ verdict }) => verdict),
  );
  return steps;
}
