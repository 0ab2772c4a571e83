import { sql } from 'kysely';
import { DAY_MS, HOUR_MS, type MilliwattHours } from '#src/core/units.ts';
import type { Database, QueryFunction } from '#src/database/connect.ts';
import { getEstimatedExportKey } from '#src/database/meter.ts';
import { closedAndOpenHourRowsOfDevicesSql, userOrDeviceLoadProfilesSql } from '#src/rollups/level-queries.ts';
import { COLUMN_BY_MEASURE, LOAD_PROFILE_LEVEL, ROW_TIME_COLUMN } from '#src/rollups/levels.ts';
import { type DayRange, findCommonIntervalMinutes } from '../ranges.ts';

// Raw SQL in this file: names of relations are known only at run time.

const ENERGY = COLUMN_BY_MEASURE.energyMilliwattHours;

/** Time range of a user (Unix ms). Both times are starts of quarter-hours. */
export interface UserTimeRange {
  userId: string;
  startMs: number;
  endMs: number;
}

/**
 * Pieces of a time range, by the stored sums from which they are read: days, hours or quarter-hours. Pieces are `[from, to)` in Unix ms; a
 * piece is empty if both times are equal.
 */
interface TimeRangeByAggregate {
  /** Whole UTC days. Empty if the range contains fewer than two. */
  days: [number, number];
  /** The UTC hours before the whole days, or the whole range if there are none. `after`: the UTC hours after them. */
  before: [number, number];
  after: [number, number];
  /** The whole range if it does not begin and end with a UTC hour, otherwise empty. */
  quarters: [number, number];
}

/** Splits a time range so that few rows have to be read. */
export function splitRangeByAggregate({ startMs, endMs }: Omit<UserTimeRange, 'userId'>): TimeRangeByAggregate {
  const none: [number, number] = [startMs, startMs];
  if (startMs % HOUR_MS !== 0 || endMs % HOUR_MS !== 0) {
    return { days: none, before: none, after: none, quarters: [startMs, endMs] };
  }
  const [firstDay, lastDay] = [Math.ceil(startMs / DAY_MS) * DAY_MS, Math.floor(endMs / DAY_MS) * DAY_MS];
  if (lastDay - firstDay < 2 * DAY_MS) return { days: none, before: [startMs, endMs], after: none, quarters: none };
  return { days: [firstDay, lastDay], before: [startMs, firstDay], after: [lastDay, endMs], quarters: none };
}

/** Returns the imports of all devices of the user in each range, in mWh; 0 if nothing is known. */
export async function readImportedEnergyInRanges(
  query: QueryFunction,
  spans: readonly UserTimeRange[],
): Promise<MilliwattHours[]> {
  if (spans.length === 0) return [];
  const pieces = spans.map(splitRangeByAggregate);
  const column = (of: (one: TimeRangeByAggregate) => number) => pieces.map((one) => new Date(of(one)));
  const { rows } = await query<{ total_milliwatt_hours: MilliwattHours }>(
    `SELECT (
       coalesce((SELECT sum(d.${ENERGY}) FROM closed_user_daily d
         WHERE c.days_from < c.days_to AND d.user_id = c.user_id AND d.day >= c.days_from AND d.day < c.days_to), 0)
       + coalesce((SELECT sum(h.${ENERGY}) FROM closed_user_hourly h
         WHERE c.before_from < c.before_to AND h.user_id = c.user_id AND h.hour >= c.before_from AND h.hour < c.before_to), 0)
       + coalesce((SELECT sum(h.${ENERGY}) FROM closed_user_hourly h
         WHERE c.after_from < c.after_to AND h.user_id = c.user_id AND h.hour >= c.after_from AND h.hour < c.after_to), 0)
       + coalesce((SELECT sum(q.${ENERGY}) FROM closed_device_intervals q
         WHERE c.quarters_from < c.quarters_to AND q.user_id = c.user_id AND q.starts_at >= c.quarters_from AND q.starts_at < c.quarters_to
           AND q.${ROW_TIME_COLUMN} > c.quarters_from - interval '24 hours' AND q.${ROW_TIME_COLUMN} < c.quarters_to), 0)
       + coalesce((SELECT sum(o.${ENERGY}) FROM open_hours o
         WHERE c.quarters_from = c.quarters_to AND o.user_id = c.user_id AND o.hour >= c.starts_at AND o.hour < c.ends_at), 0)
       + coalesce((SELECT sum(o.${ENERGY}) FROM open_quarter_hours o
         WHERE c.quarters_from < c.quarters_to AND o.user_id = c.user_id AND o.starts_at >= c.quarters_from AND o.starts_at < c.quarters_to), 0)
     )::bigint AS total_milliwatt_hours
     FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[],
       $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[]) WITH ORDINALITY
       c (user_id, starts_at, ends_at, days_from, days_to, before_from, before_to, after_from, after_to, quarters_from, quarters_to, place)
     ORDER BY c.place`,
    [
      spans.map(({ userId }) => userId),
      spans.map(({ startMs }) => new Date(startMs)),
      spans.map(({ endMs }) => new Date(endMs)),
      column(({ days }) => days[0]),
      column(({ days }) => days[1]),
      column(({ before }) => before[0]),
      column(({ before }) => before[1]),
      column(({ after }) => after[0]),
      column(({ after }) => after[1]),
      column(({ quarters }) => quarters[0]),
      column(({ quarters }) => quarters[1]),
    ],
  );
  return rows.map((row) => row.total_milliwatt_hours);
}

export interface DeviceImportedEnergy {
  deviceId: string;
  milliwattHours: MilliwattHours;
}

/** Returns the imports of each of the user's devices in each range, largest first. */
export async function readDeviceImportedEnergyInRanges(
  query: QueryFunction,
  spans: readonly UserTimeRange[],
): Promise<DeviceImportedEnergy[][]> {
  const { rows } = await query<DeviceImportedEnergy & { place: number }>(
    `SELECT f.place::int AS place, d.device_id AS "deviceId", d."milliwattHours"
     FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY f (user_id, starts_at, ends_at, place)
     CROSS JOIN LATERAL (SELECT i.device_id, sum(i.${ENERGY})::bigint AS "milliwattHours"
       FROM ${closedAndOpenHourRowsOfDevicesSql(LOAD_PROFILE_LEVEL, [ENERGY], { from: 'f.starts_at', to: 'f.ends_at' })} i
       WHERE i.user_id = f.user_id GROUP BY 1) d
     WHERE d."milliwattHours" > 0 ORDER BY f.place, d."milliwattHours" DESC, d.device_id`,
    [
      spans.map(({ userId }) => userId),
      spans.map(({ startMs }) => new Date(startMs)),
      spans.map(({ endMs }) => new Date(endMs)),
    ],
  );
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return spans.map((_, index) => byPlace.get(index + 1) ?? []);
}

/** Import and export of a device. Names ending in `Ms`: known time in ms, summed over the channels. */
interface DeviceEnergies {
  who: string;
  imported: MilliwattHours;
  exported: MilliwattHours;
  estimated: MilliwattHours;
  importMs: number;
  exportMs: number;
}

const COLUMNS = {
  imported: ENERGY,
  exported: COLUMN_BY_MEASURE.exportMilliwattHours,
  estimated: COLUMN_BY_MEASURE.estimatedMilliwattHours,
  importMs: COLUMN_BY_MEASURE.coveredMs,
  exportMs: COLUMN_BY_MEASURE.exportCoveredMs,
} as const satisfies Record<Exclude<keyof DeviceEnergies, 'who'>, string>;

/** Returns import and export of devices over a range. */
export async function readDeviceEnergies(
  db: Database,
  ids: readonly string[],
  range: DayRange,
): Promise<Map<string, DeviceEnergies>> {
  const keys = ids.flatMap((id) => [id, getEstimatedExportKey(id)]);
  const pieces = userOrDeviceLoadProfilesSql(
    { key: 'device_id', ids: keys },
    range,
    findCommonIntervalMinutes(range),
    Object.values(COLUMNS),
  );
  const sums = Object.entries(COLUMNS).map(([name, column]) => `sum(${column})::bigint AS "${name}"`);
  const { rows } =
    await sql<DeviceEnergies>`SELECT who, ${sql.raw(sums.join(', '))} FROM (${pieces}) p GROUP BY who`.execute(db);
  return new Map(rows.map((row) => [row.who, row]));
}
