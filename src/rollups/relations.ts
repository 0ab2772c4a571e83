/** The stored aggregates: each has a view `…_expected` that computes it from the load profile beneath. */
export const AGGREGATES = [
  { relation: 'device_hourly', bucket: 'hour', keys: ['device_id', 'hour', 'user_id'], peak: false },
  { relation: 'user_hourly', bucket: 'hour', keys: ['user_id', 'hour'], peak: false },
  { relation: 'user_daily', bucket: 'day', keys: ['user_id', 'day'], peak: true },
  { relation: 'user_monthly_by_hour', bucket: 'month', keys: ['user_id', 'month', 'hour_of_day'], peak: false },
] as const;

export type Aggregate = (typeof AGGREGATES)[number];

const SUMS = ['energy_mwh', 'estimated_mwh', 'export_mwh', 'reading_count', 'covered_ms', 'export_covered_ms'];

/** All columns of an aggregate, keys first. */
export const columnsOf = (aggregate: Aggregate): string[] => [
  ...aggregate.keys,
  ...SUMS,
  ...(aggregate.peak ? ['peak_hour'] : []),
];
