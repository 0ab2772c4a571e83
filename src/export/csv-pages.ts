import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { meterKey, TOLD_APART } from '#src/database/meter.ts';
import {
  allColumns,
  KNOWLEDGE_COLUMNS,
  type Level,
  MEASURE_COLUMNS,
  PACKED_DAYS,
  STORED_HOURS,
} from '#src/rollups/levels.ts';
import { ownerPartsSql, type RowOwner } from '#src/rollups/parts.ts';
import { keysOf } from './keys.ts';

/** Lines that the database puts together at once: the process that answers others, too, only passes them on. */
const PAGE_LINES = 20_000;
/** Stretch of an aggregate that is read at once: 9,000 quarter-hours of a device. */
const SLICE_MS = 92 * DAY_MS;

/** Stretch of readings that is read at once. */
const MIN_WIDTH_MS = 1_000;
const MAX_WIDTH_MS = 400 * DAY_MS;

/** An interval_ms below that of every reading: -1 is one that was read by hand. */
const BEFORE_ALL = -2;

/** RFC 3339, as JSON shows times. */
const time = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Nothing here is text of a person or a device, which would have to be quoted: identifiers, numbers, times and words of ours. */
const line = (values: readonly string[]): string =>
  `concat_ws(',', ${values.map((one) => `coalesce((${one})::text, '')`).join(', ')})`;

/** A relation of series, and the column that it has beside its key. */
export interface OfSeries {
  relation: 'readings' | 'closed_readings' | 'reading_notes';
  value: 'value' | 'verdict';
}

/** Rows of every series of a person's devices, in order of time. */
export async function* seriesCsv(db: Database, userId: string, { relation, value }: OfSeries): AsyncGenerator<string> {
  yield `device_id,series_id,kind,read_at,interval_ms,${value}\n`;
  for await (const deviceIds of keysOf(db, userId, 'device')) {
    const series = await db
      .selectFrom('series')
      .select(['series_id', 'device_id', 'kind'])
      .where('device_id', '=', sql<string>`ANY (${deviceIds}::text[])`)
      .orderBy('device_id')
      .orderBy('series_id')
      .execute();
    for (const { series_id, device_id, kind } of series)
      yield* linesOf(db, { relation, value }, series_id, `${device_id},${series_id},${kind}`);
  }
}

/**
 * One series, page by page: by stretches of time, which grow where little was read and shrink where much was. A page is then found by the
 * key's index whatever the planner takes a series for; with nothing but a limit it may sort all that is left, for each page.
 */
async function* linesOf(
  db: Database,
  { relation, value }: OfSeries,
  seriesId: number,
  begin: string,
): AsyncGenerator<string> {
  // Raw SQL: here and below; the whole page is one text, so that none of its rows is an object here.
  const bounds = await sql<{ first: Date | null; last: Date }>`
    SELECT min(read_at) AS first, max(read_at) AS last FROM ${sql.table(relation)} WHERE series_id = ${seriesId}`.execute(
    db,
  );
  const { first, last } = bounds.rows[0] as { first: Date | null; last: Date };
  if (!first) return;
  const values = sql.raw(line([time('read_at'), 'interval_ms', value]));
  let widthMs = DAY_MS;
  let after = { at: first.toISOString(), intervalMs: BEFORE_ALL };
  for (let fromMs = first.getTime(); fromMs <= last.getTime(); ) {
    const to = new Date(fromMs + widthMs);
    const { rows } = await sql<{ lines: number; text: string | null; at: string; intervalMs: number }>`
      SELECT count(*)::int AS lines, string_agg(${begin}::text || ',' || ${values}, E'\n' ORDER BY read_at, interval_ms) AS text,
        max(read_at)::text AS at, (array_agg(interval_ms ORDER BY read_at DESC, interval_ms DESC))[1] AS "intervalMs"
      FROM (
        SELECT * FROM ${sql.table(relation)} WHERE series_id = ${seriesId}
          AND read_at >= ${after.at}::text::timestamptz AND read_at < ${to}
          AND (read_at, interval_ms) > (${after.at}::text::timestamptz, ${after.intervalMs}::bigint)
        ORDER BY read_at, interval_ms LIMIT ${sql.lit(PAGE_LINES)}
      ) page`.execute(db);
    const page = rows[0] as (typeof rows)[number];
    if (page.text) yield `${page.text}\n`;
    const isFull = page.lines === PAGE_LINES;
    // A full page may have ended amid the stretch.
    after = isFull ? page : { at: to.toISOString(), intervalMs: BEFORE_ALL };
    fromMs = isFull ? new Date(page.at).getTime() : to.getTime();
    if (isFull) widthMs = Math.max(MIN_WIDTH_MS, widthMs / 2);
    else if (page.lines < PAGE_LINES / 4) widthMs = Math.min(MAX_WIDTH_MS, widthMs * 2);
  }
}

/** A level of the ladder, all of it: of each device, or of the person. */
export async function* levelCsv(db: Database, userId: string, level: Level, now: Date): AsyncGenerator<string> {
  yield `${allColumns(level).join(',')}\n`;
  const [key, parent] = level.isOfDevice ? (['device_id', 'device'] as const) : (['user_id', 'user'] as const);
  // What is told apart has keys of its own.
  for await (const ids of keysOf(db, userId, parent))
    for (const id of ids.flatMap((one) => [one, ...TOLD_APART.map((meter) => meterKey(one, meter))]))
      yield* slices(db, level, { key, id }, now);
}

async function* slices(db: Database, level: Level, owner: RowOwner, now: Date): AsyncGenerator<string> {
  const first = await firstMonth(db, owner);
  if (!first) return;
  // Devices' clocks may be some minutes ahead.
  const end = now.getTime() + DAY_MS;
  const isTime = (column: string) => column === level.time || (level.unit === 'day' && column === level.peak?.column);
  const values = sql.raw(line(allColumns(level).map((column) => (isTime(column) ? time(column) : column))));
  const order = sql.raw(level.primaryKey.join(', '));
  for (let from = first.getTime(); from < end; from += SLICE_MS) {
    const rows = rowsOf(level, owner, { from: new Date(from), to: new Date(from + SLICE_MS) });
    const { rows: found } = await sql<{ text: string | null }>`
      SELECT string_agg(${values}, E'\n' ORDER BY ${order}) AS text FROM (${rows}) r`.execute(db);
    if (found[0]?.text) yield `${found[0].text}\n`;
  }
}

/** Rows of a level whose buckets begin in a slice. Those of devices are found by their indexes only where parts are asked for. */
function rowsOf(level: Level, owner: RowOwner, slice: { from: Date; to: Date }): RawBuilder<unknown> {
  if (!level.isOfDevice)
    return sql`SELECT * FROM ${sql.table(level.relation)} WHERE ${sql.ref(owner.key)} = ${owner.id}
      AND ${sql.ref(level.time)} >= ${slice.from} AND ${sql.ref(level.time)} < ${slice.to}`;
  const sums = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`);
  const isKnown = KNOWLEDGE_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' OR ');
  return sql`SELECT ${sql.raw([...level.keys, ...sums].join(', '))} FROM ${ownerPartsSql(level, owner, slice, MEASURE_COLUMNS)} parts
    GROUP BY ${sql.raw(level.keys.join(', '))} HAVING ${sql.raw(isKnown)}`;
}

/** The month in which something is first known of a person or a device; null where nothing is. */
async function firstMonth(db: Database, { key, id }: RowOwner): Promise<Date | null> {
  const first = (relation: string, start: string) =>
    sql`(SELECT min(${sql.ref(start)}) FROM ${sql.table(relation)} WHERE ${sql.ref(key)} = ${id})`;
  const { rows } = await sql<{ month: Date | null }>`
    SELECT date_trunc('month', least(${first(STORED_HOURS.relation, STORED_HOURS.time)}, ${first(PACKED_DAYS.relation, PACKED_DAYS.time)}, ${first('open_hours', 'hour')})) AS month`.execute(
    db,
  );
  return rows[0]?.month ?? null;
}
