import type { MilliwattHours } from '#src/core/units.ts';

/**
 * The stored sums of consumption by quarter-hour, hour, day and month, and the measures that are added up. All code and generated SQL use
 * this declaration. A new measure also needs a computation in ingest/normalise/buckets.ts and a migration (sql/README.md).
 */

/** Measures in the order of the attributes of the SQL type `interval_delta`. */
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
  /** Name of the measure's column (bigint) in every relation. */
  column: string;
  means: string;
  /**
   * Whether the measure shows that data are known. If all such measures are 0, the row is deleted, because a 0 in another column would look
   * like a known value.
   */
  isKnowledge?: boolean;
}

export type Measure = keyof typeof MEASURES;

/** Sums of the measures, or the amounts by which these sums change. */
export type MeasureSums = { [M in Measure]: M extends `${string}MilliwattHours` ? MilliwattHours : number };

const entries = Object.entries(MEASURES) as [Measure, MeasureDeclaration][];

export const MEASURE_NAMES: readonly Measure[] = entries.map(([name]) => name);
export const COLUMN_BY_MEASURE = Object.fromEntries(entries.map(([name, { column }]) => [name, column])) as Record<
  Measure,
  string
>;
export const MEASURE_COLUMNS: readonly string[] = Object.values(COLUMN_BY_MEASURE);
/** Columns that are all 0 in a row without known data. */
export const KNOWN_DATA_COLUMNS: readonly string[] = entries
  .filter(([, { isKnowledge }]) => isKnowledge)
  .map(([, { column }]) => column);

type Unit = 'quarter-hour' | 'hour' | 'day' | 'month';

/** A key column. `hour_of_day` is in UTC, 0 to 23. */
export type RollupKey = 'device_id' | 'user_id' | 'starts_at' | 'hour' | 'day' | 'month' | 'hour_of_day';

export interface RollupLevel {
  /** Public view that adds up stored hours and the latest hour of each device. */
  relation: string;
  comment: string;
  unit: Unit;
  /** The key column that contains the start of the row. */
  time: RollupKey;
  keys: readonly RollupKey[];
  primaryKey: readonly RollupKey[];
  /** Lower level from which this level is summed. */
  above: string;
  /** Whether the level is not stored but only a view. */
  isView?: boolean;
  /** Whether the rows belong to devices. Then the view `closed_…` combines two tables and may have several rows per key. */
  isOfDevice?: boolean;
  /** The part (an hour, or hour of the day) with the highest sum of a measure; the earliest of equal ones. Null if all sums are 0. */
  peak?: {
    column: string;
    comment: string;
    measure: Measure;
    /** Key of the lower level that identifies a part. */
    of: RollupKey;
  };
}

/** The consumption of devices by quarter-hour, from which all sums are computed. */
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

/** One of the two tables with the stored consumption of devices. Queries add up both, so a change can be written to either. */
interface Stored {
  relation: string;
  /** The key column that contains the start of a row. */
  time: RollupKey;
  keys: readonly RollupKey[];
}

/**
 * Table with recent hours: one row per device and hour, with the sum of each measure and its quarter-hours 2 to 4 (null: 0). The first
 * quarter-hour is the rest of the sum.
 */
export const STORED_HOURS_TABLE: Stored = {
  relation: 'device_hours',
  time: 'starts_at',
  keys: ['device_id', 'starts_at', 'user_id'],
};

/**
 * Table with old hours: one row per device and UTC day, with an array of quarter-hours for each measure. A single element stands for all
 * quarter-hours; null stands for zeros.
 */
export const PACKED_DAYS_TABLE: Stored = {
  relation: 'device_days',
  time: 'day',
  keys: ['device_id', 'day', 'user_id'],
};

/** Quarter-hours with a column of their own. The first quarter-hour is the sum of the hour minus these. */
export const QUARTER_HOURS_WITH_OWN_COLUMN = [2, 3, 4] as const;
export const getQuarterHourColumn = (column: string, quarter: (typeof QUARTER_HOURS_WITH_OWN_COLUMN)[number]): string =>
  `${column}_${quarter}`;

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

export function findRollupLevel(relation: string): RollupLevel {
  const level = [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS].find((one) => one.relation === relation);
  if (!level) throw new Error(`${relation} is no level`);
  return level;
}

/** Levels that are stored. For each, a view `…_expected` computes what it should contain. */
export const STORED_ROLLUP_LEVELS: readonly RollupLevel[] = ROLLUP_LEVELS.filter(
  ({ isView, isOfDevice }) => !isView && !isOfDevice,
);

/**
 * Levels that are continuous aggregates if the database supports them. Months never are, because a TimescaleDB error loses rows of variable
 * length (#10296).
 */
export const CONTINUOUS_AGGREGATE_LEVELS: readonly RollupLevel[] = STORED_ROLLUP_LEVELS.filter(
  ({ unit }) => unit !== 'month',
);

/** Returns the relation of a level without the devices' latest hours. */
export const getClosedHoursRelation = ({ relation }: RollupLevel): string => `closed_${relation}`;

/** Column of device levels with the start of the stored row. An index covers conditions on it. */
export const ROW_TIME_COLUMN = 'row_starts_at';

export const getExpectedValuesRelation = (level: RollupLevel): string => `${getClosedHoursRelation(level)}_expected`;

export const listRollupValueColumns = ({ peak }: RollupLevel): string[] => [
  ...MEASURE_COLUMNS,
  ...(peak ? [peak.column] : []),
];

export const listRollupColumns = (level: RollupLevel): string[] => [...level.keys, ...listRollupValueColumns(level)];
