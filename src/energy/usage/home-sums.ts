import { type RawBuilder, sql } from 'kysely';
import { mapWithoutBlocking } from '#src/core/turns.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { getEstimatedExportKey } from '#src/database/meter.ts';
import { userOrDeviceLoadProfilesSql } from '#src/rollups/level-queries.ts';
import { COLUMN_BY_MEASURE } from '#src/rollups/levels.ts';
import type { Home } from '../home/home.ts';
import {
  computeMeasureWeights,
  hasDeviceExport,
  listRolePeriods,
  listWeightedTimeRanges,
  MAX_HOURS_OF_ROLE_CHANGES,
  MEASURES_BY_HOME_SUM,
  type MeasureWeights,
} from '../home/role-periods.ts';
import { HOME_USAGE_SQL, type HomeSums, listHomeSumNames } from '../home/sums.ts';
import { localTimeSql, startOfSubDayUnitSql } from '../local-time.ts';
import { type DayRange, findCommonIntervalMinutes, type SubDayUnit } from '../ranges.ts';
import { groupQuarterHoursBySubDayUnit, sumQuarterHourGroup, sumWeightedQuarterHours } from './quarter-hours.ts';

/** Sums over a home's devices in an hour, half-hour or quarter-hour of a zone. */
interface HomeSumsOfSubDayUnit extends HomeSums {
  startsAt: Date;
}
interface HomeDaySums extends HomeSums {
  day: string;
  /** Start of the hour with the highest usage. Null if nothing was used or no hour was mostly measured. */
  peak: Date | null;
}
interface HomeMonthSums extends HomeSums {
  month: string;
  /** Hour of the day (0 to 23) with the highest total. Null if nothing was used or no hour was mostly measured. */
  peakHourOfDay: number | null;
}

/** SQL: the usage, and whether at least half of it was measured. */
const USED = sql.raw(HOME_USAGE_SQL);
const IS_PEAK = sql.raw(`used > 0 AND 2 * "estimated" <= used`);

export async function readHomeSumsBySubDayUnit(
  db: Database,
  home: Home,
  range: DayRange,
  unit: SubDayUnit,
): Promise<HomeSumsOfSubDayUnit[]> {
  if (findCommonIntervalMinutes(range, unit) < 60) return sumHomeQuarterHours(db, home, range, unit);
  const { rows } = await sql<HomeSumsOfSubDayUnit>`
    SELECT hour AS "startsAt", ${homeSumColumnsSql([home])} FROM (${homeHours(home, range)}) h ORDER BY 1`.execute(db);
  return rows;
}

/**
 * Returns the sums of a home by half-hours, quarter-hours, or local hours that do not coincide with UTC hours. Adding up in this process is
 * ten times as fast as in SQL.
 */
async function sumHomeQuarterHours(
  db: Database,
  home: Home,
  range: DayRange,
  unit: SubDayUnit,
): Promise<HomeSumsOfSubDayUnit[]> {
  const names = listHomeSumNames(home.isMoreAsked).filter(
    (name) => home.needsConsumption || (name !== 'consumption' && name !== 'consumptionMs'),
  );
  const { quarters, units } = groupQuarterHoursBySubDayUnit(range, unit);
  const sums = await sumWeightedQuarterHours(db, listWeightedTimeRanges(home, quarters, names), quarters, names);
  return mapWithoutBlocking(units, (one) => {
    const ofUnit = names.map((name) => [name, sumQuarterHourGroup(sums[name], one)]);
    return { startsAt: new Date(one.startMs), ...(Object.fromEntries(ofUnit) as HomeSums) };
  });
}

export async function readHomeSumsByDay(db: Database, home: Home, range: DayRange): Promise<HomeDaySums[]> {
  // Raw SQL: names of relations are known only at run time.
  const { rows } = await sql<HomeDaySums>`
    WITH hours AS (SELECT hour, ${homeSumColumnsSql([home])}, ${USED} AS used FROM (${homeHours(home, range)}) h)
    SELECT to_char(${localTimeSql(sql`hour`, range)}, 'YYYY-MM-DD') AS day, ${totalsOfHomeSumsSql([home])},
      (array_agg(hour ORDER BY used DESC, hour) FILTER (WHERE ${IS_PEAK}))[1] AS peak
    FROM hours GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Returns the sums of a home by month, from the days within the range. */
export async function readHomeSumsByMonth(db: Database, home: Home, range: DayRange): Promise<HomeMonthSums[]> {
  const { rows } = await sql<HomeMonthSums>`
    WITH hours AS (${homeHours(home, range)}),
    profile AS (
      SELECT to_char(${localTimeSql(sql`hour`, range)}, 'YYYY-MM-01') AS month, extract(hour FROM ${localTimeSql(sql`hour`, range)})::int AS hour_of_day, ${totalsOfHomeSumsSql([home])}
      FROM hours GROUP BY 1, 2),
    used AS (SELECT *, ${USED} AS used FROM profile)
    SELECT month, ${totalsOfHomeSumsSql([home])}, (array_agg(hour_of_day ORDER BY used DESC, hour_of_day) FILTER (WHERE ${IS_PEAK}))[1] AS "peakHourOfDay"
    FROM used GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}

/** Returns the sums of a whole range, the number of days with known usage, and the peak hour of the day. */
export async function readHomeSummary(
  db: Database,
  home: Home,
  range: DayRange,
): Promise<HomeSums & { days: number; peakHourOfDay: number | null }> {
  const { rows } = await sql<HomeSums & { days: number; peakHourOfDay: number | null }>`
    WITH hours AS MATERIALIZED (${homeHours(home, range)}),
    profile AS (
      SELECT extract(hour FROM ${localTimeSql(sql`hour`, range)})::int AS hour_of_day, ${totalsOfHomeSumsSql([home])} FROM hours GROUP BY 1),
    used AS (SELECT *, ${USED} AS used FROM profile),
    days AS (SELECT ${localTimeSql(sql`hour`, range)}::date AS day, ${totalsOfHomeSumsSql([home])} FROM hours GROUP BY 1)
    SELECT ${totalsOfHomeSumsSql([home])}, (array_agg(hour_of_day ORDER BY used DESC, hour_of_day) FILTER (WHERE ${IS_PEAK}))[1] AS "peakHourOfDay",
      (SELECT count(${USED})::int FROM days) AS days
    FROM used`.execute(db);
  const [row] = rows;
  return { ...known(home, row), days: row?.days ?? 0, peakHourOfDay: row?.peakHourOfDay ?? null };
}

/** The bounds of the time range must be starts of quarter-hours. */
export async function readHomeSums(db: Database, home: Home, range: { from: Date; to: Date }): Promise<HomeSums> {
  if (range.from >= range.to) return known(home, undefined);
  const { rows } = await homeSpan(home, range).execute(db);
  return known(home, rows[0] as HomeSums | undefined);
}

/** SQL returns null for a sum over no rows. */
const known = (home: Home, row: HomeSums | undefined): HomeSums =>
  Object.fromEntries(listHomeSumNames(home.isMoreAsked).map((name) => [name, row?.[name] ?? 0])) as HomeSums;

const COLUMNS: Record<keyof MeasureWeights, string> = {
  imported: COLUMN_BY_MEASURE.energyMilliwattHours,
  exported: COLUMN_BY_MEASURE.exportMilliwattHours,
  estimated: COLUMN_BY_MEASURE.estimatedMilliwattHours,
  importMs: COLUMN_BY_MEASURE.coveredMs,
  exportMs: COLUMN_BY_MEASURE.exportCoveredMs,
};
const READ = Object.values(COLUMNS);

/**
 * Splits a range into pieces that are read by hour or by quarter-hour. An hour is read by quarter-hour if the role of a device changes
 * within it, or the range begins or ends within it.
 */
function cuts(homes: readonly Home[], { from, to }: { from: Date; to: Date }, minutes: 15 | 30 | 60) {
  const bounds = homes
    .flatMap(({ stretches }) => stretches)
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime())
    .concat(from.getTime(), to.getTime())
    .filter((ms) => ms % (minutes * 60_000) !== 0);
  const hours = [...new Set(bounds.map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS))].toSorted((a, b) => a - b);
  if (hours.length > MAX_HOURS_OF_ROLE_CHANGES) return [{ from, to, minutes: 15 as const }];
  const pieces: { from: Date; to: Date; minutes: 15 | 30 | 60 }[] = [];
  let start = from;
  for (const hour of hours) {
    const [cutFrom, cutTo] = [
      new Date(Math.max(hour, from.getTime())),
      new Date(Math.min(hour + HOUR_MS, to.getTime())),
    ];
    if (start < cutFrom) pieces.push({ from: start, to: cutFrom, minutes });
    pieces.push({ from: cutFrom, to: cutTo, minutes: 15 });
    start = cutTo;
  }
  if (start < to) pieces.push({ from: start, to, minutes });
  return pieces;
}

/** Names of the columns with the sums. */
export const homeSumColumnsSql = (homes: readonly Home[]): RawBuilder<unknown> =>
  sql.raw(
    listHomeSumNames(isMoreAsked(homes))
      .map((name) => `"${name}"`)
      .join(', '),
  );
export const totalsOfHomeSumsSql = (homes: readonly Home[]): RawBuilder<unknown> =>
  sql.raw(
    listHomeSumNames(isMoreAsked(homes))
      .map((name) => `sum("${name}") AS "${name}"`)
      .join(', '),
  );

/**
 * Builds SQL that multiplies rows of the load profile by the factors of their device and time, and adds them up. All homes must be loaded
 * with the same options.
 */
function weighted(homes: readonly Home[], range: { from: Date; to: Date }, minutes: 15 | 30 | 60) {
  const parts = homes.flatMap((home, place) => listRolePeriods(home, range).map((part) => ({ ...part, place })));
  const ids = homes.flatMap((home) =>
    home.special.flatMap((device) =>
      hasDeviceExport(home, device) ? [device.deviceId, getEstimatedExportKey(device.deviceId)] : [device.deviceId],
    ),
  );
  const devices = { key: 'device_id', ids } as const;
  const users = {
    key: 'user_id',
    ids: homes.flatMap((home, place) =>
      home.needsConsumption || parts.some((part) => part.place === place && !part.isGridThere) ? [home.userId] : [],
    ),
  } as const;
  const isAllNeeded = users.ids.length > 0 || devices.ids.length === 0;
  const owners = [...(devices.ids.length > 0 ? [devices] : []), ...(isAllNeeded ? [users] : [])];
  const pieces = cuts(homes, range, minutes);
  const rows = pieces.flatMap((piece) =>
    owners.map((owner) => userOrDeviceLoadProfilesSql(owner, piece, piece.minutes, READ)),
  );
  // Each measure of each sum has its own column of factors.
  const names = listHomeSumNames(isMoreAsked(homes));
  const weights = parts.map(computeMeasureWeights);
  const columns = names.flatMap((name) =>
    MEASURES_BY_HOME_SUM[name].map((measure) => ({
      as: `"${name}_${measure}"`,
      values: weights.map((one) => one[name][measure] ?? 0),
    })),
  );
  const sums = names.map((name) => {
    const terms = MEASURES_BY_HOME_SUM[name].map((measure) => `f."${name}_${measure}" * p.${COLUMNS[measure]}`);
    return `sum(${terms.join(' + ')}) AS "${name}"`;
  });
  const column = <Name extends 'who' | 'from' | 'to' | 'place'>(name: Name) => parts.map((part) => part[name]);
  const arrays = sql.join([
    sql`${column('place')}::int[], ${column('who')}::text[], ${column('from')}::timestamptz[], ${column('to')}::timestamptz[]`,
    ...columns.map(({ values }) => sql`${values}::float8[]`),
  ]);
  const found = sql`(${sql.join(rows, sql` UNION ALL `)}) p
    JOIN unnest(${arrays}) f (home, who, from_at, to_at, ${sql.raw(columns.map(({ as }) => as).join(', '))})
      ON f.who = p.who AND p.at >= f.from_at AND p.at < f.to_at`;
  return { found, sums: sql.raw(sums.join(', ')), isWhole: pieces.every((piece) => piece.minutes === minutes) };
}

const isMoreAsked = (homes: readonly Home[]): boolean => homes.some((home) => home.isMoreAsked);

/** The bounds of the time range must be starts of quarter-hours. */
function homeSpan(home: Home, range: { from: Date; to: Date }): RawBuilder<unknown> {
  const { found, sums } = weighted([home], range, 60);
  return sql`SELECT ${sums} FROM ${found}`;
}

const homeHours = (home: Home, range: DayRange): RawBuilder<unknown> => hoursBy([home], range, 'hour', sql``, sql``);

/** Builds a query for the sums of several homes by hour or shorter unit. `home`: index of the home in the list `homes`. */
export const homeSumsBySubDayUnitSql = (
  homes: readonly Home[],
  range: DayRange,
  unit: SubDayUnit,
): RawBuilder<unknown> => hoursBy(homes, range, unit, sql`home, `, sql`, 2`);

function hoursBy(
  homes: readonly Home[],
  range: DayRange,
  unit: SubDayUnit,
  by: RawBuilder<unknown>,
  andBy: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const minutes = findCommonIntervalMinutes(range, unit);
  const { found, sums, isWhole } = weighted(homes, range, minutes);
  // Raw SQL: names of relations are known only at run time.
  if (minutes === 60) {
    return sql`SELECT ${by}${isWhole ? sql`at` : sql`date_bin('1 hour', at, 'epoch')`} AS hour, ${sums} FROM ${found} GROUP BY 1${andBy}`;
  }
  // Adds up over devices first, because computing local times takes longer than summing.
  return sql`SELECT ${by}${startOfSubDayUnitSql(sql`at`, range, unit)} AS hour, ${totalsOfHomeSumsSql(homes)}
    FROM (SELECT ${by}at, ${sums} FROM ${found} GROUP BY 1${andBy}) p GROUP BY 1${andBy}`;
}
