import type { MilliwattHours } from '#src/core/units.ts';

/**
 * The ladder of aggregates, declared once: what is added up, and in which buckets. The SQL of each tier (`npm run sql`),
 * what ingest writes, check, rebuild, refresh and move all read it here.
 *
 * A new measure takes three files by hand: this one, ingest/normalise/buckets.ts, which fills it, and a numbered migration
 * (sql/README.md).
 */

/** What every bucket of every level adds up, in the order of the attributes of `interval_delta`. */
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
  /** Its name in every relation; a bigint. */
  column: string;
  /** Unit and meaning. */
  means: string;
  /** A row of which all of these are 0 ceases to exist: a 0 elsewhere in it would not be a known one. */
  isKnowledge?: boolean;
}

export type Measure = keyof typeof MEASURES;

/** One bucket's sums, or a difference to them. */
export type Sums = { [M in Measure]: M extends `${string}MilliwattHours` ? MilliwattHours : number };

const entries = Object.entries(MEASURES) as [Measure, MeasureDeclaration][];

/** The measures in order. */
export const MEASURE_NAMES: readonly Measure[] = entries.map(([name]) => name);
/** Columns of the measures by their names, and in order. */
export const COLUMN = Object.fromEntries(entries.map(([name, { column }]) => [name, column])) as Record<
  Measure,
  string
>;
export const MEASURE_COLUMNS: readonly string[] = Object.values(COLUMN);
/** Columns that are 0 where nothing is known. */
export const KNOWLEDGE_COLUMNS: readonly string[] = entries
  .filter(([, { isKnowledge }]) => isKnowledge)
  .map(([, { column }]) => column);

/** Length of buckets; all of them begin on bounds of UTC. */
type Unit = 'quarter-hour' | 'hour' | 'day' | 'month';

/** A key column. `hour_of_day`: UTC, 0 to 23. */
export type Key = 'device_id' | 'user_id' | 'starts_at' | 'hour' | 'day' | 'month' | 'hour_of_day';

export interface Level {
  /** What everybody reads: a view of what is stored and of the open hours. */
  relation: string;
  comment: string;
  unit: Unit;
  /** Key that has the start of the bucket. */
  time: Key;
  keys: readonly Key[];
  /** Without those that follow from the others: a device has one user. */
  primaryKey: readonly Key[];
  /** The relation beneath, which it is summed from where it is computed as a whole. */
  above: string;
  /** A view on every tier: not stored, so nothing to check. */
  isView?: boolean;
  /** Of one device: what is closed of it is in HOURS and DAYS, and `closed_…` a view of both, in which a key may have several rows. */
  isOfDevice?: boolean;
  /** The bucket's part with the highest sum of a measure, the earliest of equals; null where all are 0. */
  peak?: {
    column: string;
    comment: string;
    measure: Measure;
    /** Key of the level `above` that tells one part from another. */
    of: Key;
  };
}

/** The load profile: what every aggregate is a sum of. */
export const LOAD_PROFILE: Level = {
  relation: 'device_intervals',
  comment: 'Load profile per device and UTC quarter-hour.',
  isOfDevice: true,
  unit: 'quarter-hour',
  time: 'starts_at',
  keys: ['device_id', 'starts_at', 'user_id'],
  primaryKey: ['device_id', 'starts_at'],
  above: 'interval_delta',
};

/** What is stored of the load profile's closed hours (sql/schema). A difference may be in either: they are added up. */
interface Stored {
  relation: string;
  /** Key that has the start of the row. */
  time: Key;
  keys: readonly Key[];
}

/**
 * What ingest adds closed hours to: a row a device and hour, of each measure the sum and quarter-hours 2 to 4 (null: 0); the first
 * is what the sum leaves of the others. So a row that an earlier version wrote of a quarter-hour alone is one, too.
 */
export const HOURS: Stored = {
  relation: 'device_hours',
  time: 'starts_at',
  keys: ['device_id', 'starts_at', 'user_id'],
};

/**
 * What is packed of them when they have become old (src/rollups/pack.ts): a row a device and UTC day, of each measure an array of its
 * quarter-hours; one element: all are the same; null: all are 0.
 */
export const DAYS: Stored = { relation: 'device_days', time: 'day', keys: ['device_id', 'day', 'user_id'] };

/** Quarter-hours of a stored hour that have columns of their own. */
export const LATER_QUARTERS = [2, 3, 4] as const;
/** Column of a stored hour that has one quarter-hour of a measure. */
export const quarterColumn = (column: string, quarter: (typeof LATER_QUARTERS)[number]): string =>
  `${column}_${quarter}`;

/** The aggregates, bottom up. */
export const LEVELS: readonly Level[] = [
  {
    relation: 'device_hourly',
    comment: 'Consumption per device and UTC hour.',
    unit: 'hour',
    time: 'hour',
    keys: ['device_id', 'hour', 'user_id'],
    primaryKey: ['device_id', 'hour'],
    above: LOAD_PROFILE.relation,
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

/** The level of a public name. */
export function levelOf(relation: string): Level {
  const level = [LOAD_PROFILE, ...LEVELS].find((one) => one.relation === relation);
  if (!level) throw new Error(`${relation} is no level`);
  return level;
}

/** Levels of which closed hours are stored: for each a view `…_expected` computes them from the load profile's. */
export const STORED_LEVELS: readonly Level[] = LEVELS.filter(({ isView, isOfDevice }) => !isView && !isOfDevice);

/**
 * Levels that are continuous aggregates where the database has them, bottom up. Months never are: buckets of variable
 * width lose rows (an invalidation that ends on a bucket's start is taken for up to date, TimescaleDB #10296).
 */
export const CONTINUOUS_LEVELS: readonly Level[] = STORED_LEVELS.filter(({ unit }) => unit !== 'month');

/** Where the closed hours of a level are; its open ones are in the heads of the devices (sql/README.md). */
export const storedOf = ({ relation }: Level): string => `closed_${relation}`;

/** Column of `closed_…` of a device: start of the row of HOURS or DAYS that has it, for bounds that an index knows. */
export const ROW_TIME = 'row_starts_at';

/** The view that says what is to be stored of a level. */
export const expectedOf = (level: Level): string => `${storedOf(level)}_expected`;

/** Everything in a level beside its keys. */
export const valuesOf = ({ peak }: Level): string[] => [...MEASURE_COLUMNS, ...(peak ? [peak.column] : [])];

/** All columns of a level, keys first. */
export const columnsOf = (level: Level): string[] => [...level.keys, ...valuesOf(level)];
