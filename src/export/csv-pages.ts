import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { getSeparateQuantityKey, SEPARATELY_STORED_QUANTITIES } from '#src/database/meter.ts';
import { closedAndOpenHourRowsOfOwnerSql, type RollupOwner } from '#src/rollups/level-queries.ts';
import {
  KNOWN_DATA_COLUMNS,
  listRollupColumns,
  MEASURE_COLUMNS,
  PACKED_DAYS_TABLE,
  type RollupLevel,
  STORED_HOURS_TABLE,
} from '#src/rollups/levels.ts';
import { streamOwnerKeys } from './keys.ts';

/** Number of lines that PostgreSQL joins into one page of text. */
const PAGE_LINES = 20_000;
/** Time range in ms of an aggregate that one query reads. */
const SLICE_MS = 92 * DAY_MS;

/** Minimum length in ms of the time range of readings that one query reads. */
const MIN_WIDTH_MS = 1_000;
const MAX_WIDTH_MS = 400 * DAY_MS;

/** An `interval_ms` below that of every reading, so that the first page contains all readings at its start time. */
const BEFORE_ALL = -2;

/** Returns an SQL expression that formats a time column in RFC 3339, as the API's JSON responses do. */
const time = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Joins values into a CSV line. They need no quotes, because they are identifiers, numbers, times and words of this code. */
const line = (values: readonly string[]): string =>
  `concat_ws(',', ${values.map((one) => `coalesce((${one})::text, '')`).join(', ')})`;

/**
 * A relation with readings of series, or with facts about such readings. `value`: its column that is not part of the key, if there is one.
 */
interface SeriesReadingsRelation {
  relation: 'readings' | 'closed_readings' | 'reading_notes' | 'lower_kept_readings';
  value?: 'value' | 'verdict';
}

/** Returns the columns of a relation's CSV file that follow `device_id`, `series_id` and `kind`. */
const columnsOf = ({ value }: SeriesReadingsRelation): string[] => [
  'read_at',
  'interval_ms',
  ...(value ? [value] : []),
];

/** Yields the CSV lines of a relation: the rows of every series of a person's devices, in order of time. */
export async function* streamSeriesCsv(
  db: Database,
  userId: string,
  of: SeriesReadingsRelation,
): AsyncGenerator<string> {
  yield `${['device_id', 'series_id', 'kind', ...columnsOf(of)].join(',')}\n`;
  for await (const deviceIds of streamOwnerKeys(db, userId, 'device')) {
    const series = await db
      .selectFrom('series')
      .select(['series_id', 'device_id', 'kind'])
      .where('device_id', '=', sql<string>`ANY (${deviceIds}::text[])`)
      .orderBy('device_id')
      .orderBy('series_id')
      .execute();
    for (const { series_id, device_id, kind } of series)
      yield* linesOf(db, of, series_id, `${device_id},${series_id},${kind}`);
  }
}

/**
 * Yields one series page by page. Each page covers a time range, which is adapted to the number of rows. With only a LIMIT, PostgreSQL
 * might sort all remaining rows for each page.
 */
async function* linesOf(
  db: Database,
  of: SeriesReadingsRelation,
  seriesId: number,
  begin: string,
): AsyncGenerator<string> {
  const { relation } = of;
  // Raw SQL in this function: PostgreSQL returns a whole page as one text.
  const bounds = await sql<{ first: Date | null; last: Date }>`
    SELECT min(read_at) AS first, max(read_at) AS last FROM ${sql.table(relation)} WHERE series_id = ${seriesId}`.execute(
    db,
  );
  const { first, last } = bounds.rows[0] as { first: Date | null; last: Date };
  if (!first) return;
  const values = sql.raw(line([time('read_at'), ...columnsOf(of).slice(1)]));
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
    // A full page may end within the time range. The next page then continues after its last row.
    after = isFull ? page : { at: to.toISOString(), intervalMs: BEFORE_ALL };
    fromMs = isFull ? new Date(page.at).getTime() : to.getTime();
    if (isFull) widthMs = Math.max(MIN_WIDTH_MS, widthMs / 2);
    else if (page.lines < PAGE_LINES / 4) widthMs = Math.min(MAX_WIDTH_MS, widthMs * 2);
  }
}

/** Yields the CSV lines of one level of aggregates: all rows of each of the person's devices, or of the person. */
export async function* streamLevelCsv(
  db: Database,
  userId: string,
  level: RollupLevel,
  now: Date,
): AsyncGenerator<string> {
  yield `${listRollupColumns(level).join(',')}\n`;
  const [key, parent] = level.isOfDevice ? (['device_id', 'device'] as const) : (['user_id', 'user'] as const);
  // Separate keys exist for gas, heat, water and estimated exports, and for channels whose part of the home differs from that of their
  // device. They are also read.
  for await (const ids of streamOwnerKeys(db, userId, parent))
    for (const id of ids.flatMap((one) => [
      one,
      ...SEPARATELY_STORED_QUANTITIES.map((meter) => getSeparateQuantityKey(one, meter)),
    ]))
      yield* slices(db, level, { key, id }, now);
}

async function* slices(db: Database, level: RollupLevel, owner: RollupOwner, now: Date): AsyncGenerator<string> {
  const first = await firstMonth(db, owner);
  if (!first) return;
  // The export ends one day after now, because clocks of devices may be ahead.
  const end = now.getTime() + DAY_MS;
  const isTime = (column: string) => column === level.time || (level.unit === 'day' && column === level.peak?.column);
  const values = sql.raw(line(listRollupColumns(level).map((column) => (isTime(column) ? time(column) : column))));
  const order = sql.raw(level.primaryKey.join(', '));
  for (let from = first.getTime(); from < end; from += SLICE_MS) {
    const rows = rowsOf(level, owner, { from: new Date(from), to: new Date(from + SLICE_MS) });
    const { rows: found } = await sql<{ text: string | null }>`
      SELECT string_agg(${values}, E'\n' ORDER BY ${order}) AS text FROM (${rows}) r`.execute(db);
    if (found[0]?.text) yield `${found[0].text}\n`;
  }
}

/**
 * Selects the rows of a level whose buckets begin in a time range. Rows of devices come from the relations below the view, because the view
 * prevents the use of indexes.
 */
function rowsOf(level: RollupLevel, owner: RollupOwner, slice: { from: Date; to: Date }): RawBuilder<unknown> {
  if (!level.isOfDevice)
    return sql`SELECT * FROM ${sql.table(level.relation)} WHERE ${sql.ref(owner.key)} = ${owner.id}
      AND ${sql.ref(level.time)} >= ${slice.from} AND ${sql.ref(level.time)} < ${slice.to}`;
  const sums = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`);
  const isKnown = KNOWN_DATA_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' OR ');
  return sql`SELECT ${sql.raw([...level.keys, ...sums].join(', '))} FROM ${closedAndOpenHourRowsOfOwnerSql(level, owner, slice, MEASURE_COLUMNS)} parts
    GROUP BY ${sql.raw(level.keys.join(', '))} HAVING ${sql.raw(isKnown)}`;
}

/** Returns the month of the first known energy of a person or a device, or null. */
async function firstMonth(db: Database, { key, id }: RollupOwner): Promise<Date | null> {
  const first = (relation: string, start: string) =>
    sql`(SELECT min(${sql.ref(start)}) FROM ${sql.table(relation)} WHERE ${sql.ref(key)} = ${id})`;
  const { rows } = await sql<{ month: Date | null }>`
    SELECT date_trunc('month', least(${first(STORED_HOURS_TABLE.relation, STORED_HOURS_TABLE.time)}, ${first(PACKED_DAYS_TABLE.relation, PACKED_DAYS_TABLE.time)}, ${first('open_hours', 'hour')})) AS month`.execute(
    db,
  );
  return rows[0]?.month ?? null;
}
