import { sql } from 'kysely';
import { DAY_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { RollupOwners } from '#src/rollups/level-queries.ts';
import {
  COLUMN_BY_MEASURE,
  getQuarterHourColumn,
  type Measure,
  PACKED_DAYS_TABLE,
  QUARTER_HOURS_WITH_OWN_COLUMN,
  STORED_HOURS_TABLE,
} from '#src/rollups/levels.ts';
import type { MeasureWeights, WeightedTimeRange } from '../home/role-periods.ts';
import type { DayRange, SubDayUnit } from '../ranges.ts';
import { createWallClock, getStartOfSubDayUnit } from '../wall-clock.ts';

const QUARTER_HOURS_OF = { day: 96, hour: 4, open: 1 };

/** The first element of each list is at the start of the range. */
type MeasuredQuarterHours<M extends Measure> = Record<M, Float64Array>;

interface Row {
  who: string;
  at: number;
  quarters: number;
  [column: string]: unknown;
}

/**
 * Reads the load profiles of users and devices. The query returns days and hours as they are stored, because one row per quarter-hour would
 * take longer than all processing. Both times must be starts of quarter-hours.
 */
export async function readQuarterHours<M extends Measure>(
  db: Database,
  owners: RollupOwners | readonly RollupOwners[],
  { from, to }: { from: Date; to: Date },
  measures: readonly M[],
): Promise<Map<string, MeasuredQuarterHours<M>>> {
  const first = from.getTime() / QUARTER_HOUR_MS;
  const count = to.getTime() / QUARTER_HOUR_MS - first;
  const columns = measures.map((measure) => COLUMN_BY_MEASURE[measure]);
  const place = (time: string) => sql`(date_part('epoch', ${sql.ref(time)}) / 900)::int AS at`;
  const lists = (of: (column: string) => string) =>
    sql.raw(columns.map((one) => `${of(one)}::text AS ${one}`).join(', '));
  const since = new Date(from.getTime() - DAY_MS);
  // Raw SQL: with two statements, an hour that is stored in between would be counted twice or not at all.
  const rowsOf = ({ key, ids }: RollupOwners) => {
    const owner = sql.ref(key);
    return sql`
    SELECT ${owner} AS who, ${place(PACKED_DAYS_TABLE.time)}, ${QUARTER_HOURS_OF.day}::int AS quarters, ${lists((column) => column)}
    FROM ${sql.table(PACKED_DAYS_TABLE.relation)} WHERE ${owner} = ANY (${ids}::text[]) AND ${sql.ref(PACKED_DAYS_TABLE.time)} > ${since} AND ${sql.ref(PACKED_DAYS_TABLE.time)} < ${to}
    UNION ALL
    SELECT ${owner}, ${place(STORED_HOURS_TABLE.time)}, ${QUARTER_HOURS_OF.hour}, ${lists(quartersOfHour)}
    FROM ${sql.table(STORED_HOURS_TABLE.relation)} WHERE ${owner} = ANY (${ids}::text[]) AND ${sql.ref(STORED_HOURS_TABLE.time)} > ${since} AND ${sql.ref(STORED_HOURS_TABLE.time)} < ${to}
    UNION ALL
    SELECT ${owner}, ${place('starts_at')}, ${QUARTER_HOURS_OF.open}, ${lists((column) => `ARRAY[${column}]`)}
    FROM open_quarter_hours WHERE ${owner} = ANY (${ids}::text[]) AND starts_at >= ${from} AND starts_at < ${to}`;
  };
  const { rows } = await sql<Row>`${sql.join([owners].flat().map(rowsOf), sql` UNION ALL `)}`.execute(db);
  const found = new Map<string, MeasuredQuarterHours<M>>();
  for (const row of rows) {
    let lists = found.get(row.who);
    if (!lists) {
      lists = Object.fromEntries(
        measures.map((measure) => [measure, new Float64Array(count)]),
      ) as MeasuredQuarterHours<M>;
      found.set(row.who, lists);
    }
    for (const measure of measures)
      addPackedQuarterHours(
        lists[measure],
        row[COLUMN_BY_MEASURE[measure]] as string | null,
        row.at - first,
        row.quarters,
      );
  }
  return found;
}

const MEASURE_OF = {
  imported: 'energyMilliwattHours',
  exported: 'exportMilliwattHours',
  estimated: 'estimatedMilliwattHours',
  importMs: 'coveredMs',
  exportMs: 'exportCoveredMs',
} as const satisfies Record<keyof MeasureWeights, Measure>;
const MEASURES = Object.values(MEASURE_OF);

/**
 * Returns sums of load profiles by quarter-hour, in which each measure is multiplied by its factor. Both times must be starts of
 * quarter-hours.
 */
export async function sumWeightedQuarterHours<Name extends string>(
  db: Database,
  parts: readonly WeightedTimeRange<Name>[],
  range: { from: Date; to: Date },
  names: readonly Name[],
): Promise<Record<Name, Float64Array>> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_HOUR_MS;
  const sums = Object.fromEntries(names.map((name) => [name, new Float64Array(count)])) as Record<Name, Float64Array>;
  const byKey = Map.groupBy(parts, ({ key }) => key);
  if (byKey.size === 0) return sums;
  const owners = [...byKey].map(([key, ofKey]) => ({ key, ids: [...new Set(ofKey.map(({ id }) => id))] }));
  const profiles = await readQuarterHours(db, owners, range, MEASURES);
  for (const part of parts) {
    const profile = profiles.get(part.id);
    if (!profile) continue;
    // The bounds are starts of quarter-hours or infinite.
    const first = Math.max(0, (part.fromMs - fromMs) / QUARTER_HOUR_MS);
    const end = Math.min(count, (part.toMs - fromMs) / QUARTER_HOUR_MS);
    for (const name of names)
      for (const [weight, times] of Object.entries(part.weights[name]) as [keyof MeasureWeights, number][])
        addTimes(sums[name], profile[MEASURE_OF[weight]], times, { first, end });
  }
  return sums;
}

function addTimes(to: Float64Array, from: Float64Array, times: number, { first, end }: { first: number; end: number }) {
  if (times === 0) return;
  for (let at = first; at < end; at++) to[at] = (to[at] as number) + times * (from[at] as number);
}

const quartersOfHour = (column: string): string => {
  const later = QUARTER_HOURS_WITH_OWN_COLUMN.map((quarter) => `coalesce(${getQuarterHourColumn(column, quarter)}, 0)`);
  return `ARRAY[${[[column, ...later].join(' - '), ...later].join(', ')}]`;
};

/** An hour or shorter unit of a zone. `first`, `end`: indexes into lists of quarter-hours. */
interface QuarterHourGroup {
  /** Unix ms. */
  startMs: number;
  /** Indexes of the quarter-hours: `[first, end)`. */
  first: number;
  end: number;
}

/** Returns the quarter-hours of a range, grouped by local hours or shorter units. */
export function groupQuarterHoursBySubDayUnit(
  range: DayRange,
  unit: SubDayUnit,
): { quarters: { from: Date; to: Date }; units: QuarterHourGroup[] } {
  const [fromMs, toMs] = [range.from, range.to].map(
    (time) => Math.ceil(time.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS,
  ) as [number, number];
  const clockOf = createWallClock(fromMs, toMs, range.zone);
  const units: QuarterHourGroup[] = [];
  for (let ms = fromMs, at = 0; ms < toMs; ms += QUARTER_HOUR_MS, at++) {
    const startMs = getStartOfSubDayUnit(ms, clockOf(ms), unit);
    const last = units.at(-1);
    if (last?.startMs === startMs) last.end = at + 1;
    else units.push({ startMs, first: at, end: at + 1 });
  }
  return { quarters: { from: new Date(fromMs), to: new Date(toMs) }, units };
}

export function sumQuarterHourGroup(list: Float64Array, { first, end }: QuarterHourGroup): number {
  let sum = 0;
  for (let at = first; at < end; at++) sum += list[at] as number;
  return sum;
}

const [COMMA, MINUS, ZERO] = [44, 45, 48];

/**
 * Adds the elements of an array, in PostgreSQL's text form, to a list from index `at` on. A single element stands for all of them; null
 * stands for zeros.
 */
export function addPackedQuarterHours(list: Float64Array, text: string | null, at: number, quarters: number): void {
  if (text === null) return;
  let [place, value, sign] = [at, 0, 1];
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === MINUS) sign = -1;
    else if (code >= ZERO && code < ZERO + 10) value = value * 10 + (code - ZERO);
    else {
      // The array element ends at this character. NULL adds 0, because letters do not change the value.
      if (code !== COMMA && index !== text.length - 1) continue;
      if (place >= 0 && place < list.length) list[place] = (list[place] as number) + sign * value;
      [place, value, sign] = [place + 1, 0, 1];
    }
  }
  if (place !== at + 1 || quarters === 1) return;
  const only = Number(text.slice(1, -1));
  for (let index = Math.max(at + 1, 0); index < Math.min(at + quarters, list.length); index++)
    list[index] = (list[index] as number) + only;
}
