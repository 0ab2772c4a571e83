import type { MilliwattHours } from '#src/core/units.ts';

/**
 * The levels of aggregates, declared once: the buckets, and the measures that are added up in them. The SQL of each tier (`npm run sql`),
 * ingest, check, rebuild, refresh and migration all use this declaration. A new measure needs three changes by hand: its declaration in
 * this file, its computation in ingest/normalise/buckets.ts, and a numbered migration (sql/README.md).
 */

/** Measures of every bucket of every level, in the order of the attributes of the SQL type `interval_delta`. */
const MEASURES = {
  energyMilliwattHours: { column: 'energy_milliwatt_hours', means: 'mWh imported: what `kwh_used` shows' },
  estimatedMilliwattHours: {
    column: 'estimated_milliwatt_hours',
    means: 'mWh: part of it that was spread over a register gap of more than an hour',
  },
  exportMilliwattHours: { column: 'export_milliwatt_hours', means: 'mWh exported, never netted' },
  readingCount: {
    column: 'reading_count',
    means: 'intervals that end in the bucket; one that ends on its bound belongs to the bucket before',
  },
  coveredMs: {
    column: 'covered_ms',
    means: 'ms for which import is known, summed over channels; 0: nothing is known of import, leave the row out',
    isKnowledge: true,
  },
  exportCoveredMs: { column: 'export_covered_ms', means: 'the same for export', isKnowledge: true },
} as const satisfies Record<string, MeasureDeclaration>;

interface MeasureDeclaration {
  /** Name of the measure's column in every relation. The column's type is bigint. */
  column: string;
  /** Unit and meaning of the measure. */
  means: string;
  /**
   * Whether the measure shows that data are known. If all such measures of a row are 0, the row is deleted: a 0 in another column would
   * look like a known value.
   */
  isKnowledge?: boolean;
}

export type Measure = keyof typeof MEASURES;

/** Sums of the measures in a bucket, or the amounts by which these sums change. */
export type MeasureSums = { [M in Measure]: M extends `${string}MilliwattHours` ? MilliwattHours : number };

const entries = Object.entries(MEASURES) as [Measure, MeasureDeclaration][];

export const MEASURE_NAMES: readonly Measure[] = entries.map(([name]) => name);
export const COLUMN_BY_MEASURE = Object.fromEntries(entries.map(([name, { column }]) => [name, column])) as Record<
  Measure,
  string
>;
export const MEASURE_COLUMNS: readonly string[] = Object.values(COLUMN_BY_MEASURE);
/** Columns of the measures that show that data are known. In a row without known data, all of them are 0. */
export const KNOWN_DATA_COLUMNS: readonly string[] = entries
  .filter(([, { isKnowledge }]) => isKnowledge)
  .map(([, { column }]) => column);

/** Length of a bucket. All buckets begin at the start of a UTC quarter-hour, hour, day or month. */
type Unit = 'quarter-hour' | 'hour' | 'day' | 'month';

/** A key column of a level. `hour_of_day` is in UTC, 0 to 23. */
export type RollupKey = 'device_id' | 'user_id' | 'starts_at' | 'hour' | 'day' | 'month' | 'hour_of_day';

export interface RollupLevel {
  /** Public view that adds up the closed hours and the open hours (the latest hour of each device, stored in its head). */
  relation: string;
  comment: string;
  unit: Unit;
  /** Key column that contains the start of the bucket. */
  time: RollupKey;
  keys: readonly RollupKey[];
  /** Columns of the primary key. `user_id` is omitted if the device determines the user. */
  primaryKey: readonly RollupKey[];
  /** Lower level whose rows are summed to recompute this level. */
  above: string;
  /** Whether the level is a view on every tier. Such a level is not stored and needs no check. */
  isView?: boolean;
  /**
   * Whether the rows of the level belong to devices. The closed hours of devices are in STORED_HOURS_TABLE and PACKED_DAYS_TABLE.
   * `closed_…` is then a view of both tables, in which a key may have several rows.
   */
  isOfDevice?: boolean;
  /**
   * The part of the bucket (such as an hour of the day) with the highest sum of a measure; of equally high parts, the earliest. Null if all
   * sums are 0.
   */
  peak?: {
    column: string;
    comment: string;
    measure: Measure;
    /** Key of the level `above` that identifies a part. */
    of: RollupKey;
  };
}

/** The load profile, from which every aggregate is summed. */
export const LOAD_PROFILE_LEVEL: RollupLevel = {
  relation: 'device_intervals',
  comment: 'Load profile per device and UTC quarter-hour.',
  isOfDevice: true,
  unit: 'quarter-hour',
  time: 'starts_at',
  keys: ['device_id', 'starts_at', 'user_id'],
  primaryKey: ['device_id', 'starts_at'],
  above: 'interval_delta',
};

/**
 * A table with closed hours of the load profile (sql/schema). There are two such tables. Queries add up their values, so a change of
 * consumption can be written to either.
 */
interface Stored {
  relation: string;
  /** Key column that contains the start of the time that a row covers. */
  time: RollupKey;
  keys: readonly RollupKey[];
}

/**
 * Table to which ingest adds closed hours: one row for each device and hour, with the sum of each measure and its quarter-hours 2 to 4
 * (null: 0). The first quarter-hour is the sum minus the other three, so a row that an earlier version wrote for a single quarter-hour can
 * be read in the same way.
 */
export const STORED_HOURS_TABLE: Stored = {
  relation: 'device_hours',
  time: 'starts_at',
  keys: ['device_id', 'starts_at', 'user_id'],
};

/**
 * Table of old hours that have been packed (src/rollups/pack.ts): one row for each device and UTC day, with an array of quarter-hours for
 * each measure. An array with one element means that all quarter-hours are equal; null means that all are 0.
 */
export const PACKED_DAYS_TABLE: Stored = {
  relation: 'device_days',
  time: 'day',
  keys: ['device_id', 'day', 'user_id'],
};

/**
 * Numbers of the quarter-hours that have a separate column in a stored hour (a row of `device_hours`). The first quarter-hour has no
 * column: it is the sum minus the other quarter-hours.
 */
export const QUARTER_HOURS_WITH_OWN_COLUMN = [2, 3, 4] as const;
/** Returns the column of a stored hour for one quarter-hour of a measure. */
export const getQuarterHourColumn = (column: string, quarter: (typeof QUARTER_HOURS_WITH_OWN_COLUMN)[number]): string =>
  `${column}_${quarter}`;

/** The levels of aggregates, from the lowest to the highest. */
export const ROLLUP_LEVELS: readonly RollupLevel[] = [
  {
    relation: 'device_hourly',
    comment: 'Consumption per device and UTC hour.',
    unit: 'hour',
    time: 'hour',
    keys: ['device_id', 'hour', 'user_id'],
    primaryKey: ['device_id', 'hour'],
    above: LOAD_PROFILE_LEVEL.relation,
    isOfDevice: true,
  },
  {
    relation: 'user_hourly',
    comment: 'Consumption per user and UTC hour, summed over devices.',
    unit: 'hour',
    time: 'hour',
    keys: ['user_id', 'hour'],
    primaryKey: ['user_id', 'hour'],
    above: 'device_hourly',
  },
  {
    relation: 'user_daily',
    comment: 'Consumption per user and UTC day.',
    unit: 'day',
    time: 'day',
    keys: ['user_id', 'day'],
    primaryKey: ['user_id', 'day'],
    above: 'user_hourly',
    peak: {
      column: 'peak_hour',
      comment: 'Start of the UTC hour with the highest consumption; null where nothing was consumed.',
      measure: 'energyMilliwattHours',
      of: 'hour',
    },
  },
  {
    relation: 'user_monthly_by_hour',
    comment: "Consumption per user, UTC month and UTC hour of the day: what a month's peak hour needs.",
    unit: 'month',
    time: 'month',
    keys: ['user_id', 'month', 'hour_of_day'],
    primaryKey: ['user_id', 'month', 'hour_of_day'],
    above: 'user_hourly',
  },
  {
    relation: 'user_monthly',
    comment: 'Consumption per user and UTC month.',
    unit: 'month',
    time: 'month',
    keys: ['user_id', 'month'],
    primaryKey: ['user_id', 'month'],
    above: 'user_monthly_by_hour',
    isView: true,
    peak: {
      column: 'peak_hour',
      comment: 'UTC hour of the day (0 to 23) with the highest total; null where nothing was consumed.',
      measure: 'energyMilliwattHours',
      of: 'hour_of_day',
    },
  },
];

/** Returns the aggregate level whose public view has this name. */
export function findRollupLevel(relation: string): RollupLevel {
  const level = [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS].find((one) => one.relation === relation);
  if (!level) throw new Error(`${relation} is no level`);
  return level;
}

/**
 * Levels whose closed hours are stored. For each of these levels, a view `…_expected` computes from the load profile what the level should
 * contain.
 */
export const STORED_ROLLUP_LEVELS: readonly RollupLevel[] = ROLLUP_LEVELS.filter(
  ({ isView, isOfDevice }) => !isView && !isOfDevice,
);

/**
 * Levels that are continuous aggregates if the database supports them, from the lowest level up. Aggregates by month are never continuous
 * aggregates: buckets of variable width lose rows, because an invalidation that ends at the start of a bucket is treated as up to date
 * (TimescaleDB #10296).
 */
export const CONTINUOUS_AGGREGATE_LEVELS: readonly RollupLevel[] = STORED_ROLLUP_LEVELS.filter(
  ({ unit }) => unit !== 'month',
);

/** Returns the relation that contains the closed hours of a level. The open hours are in the devices' heads (sql/README.md). */
export const getClosedHoursRelation = ({ relation }: RollupLevel): string => `closed_${relation}`;

/**
 * Column of the `closed_…` views of device levels: the start of the row in STORED_HOURS_TABLE or PACKED_DAYS_TABLE from which the data
 * come. An index covers conditions on this column.
 */
export const ROW_TIME_COLUMN = 'row_starts_at';

/** Returns the view that computes from the load profile what a level should contain. */
export const getExpectedValuesRelation = (level: RollupLevel): string => `${getClosedHoursRelation(level)}_expected`;

/** Returns all columns of a level other than its keys. */
export const listValueColumns = ({ peak }: RollupLevel): string[] => [
  ...MEASURE_COLUMNS,
  ...(peak ? [peak.column] : []),
];

export const listLevelColumns = (level: RollupLevel): string[] => [...level.keys, ...listValueColumns(level)];
