/**
 * `computed_with` of a device of which the law is told something else from now on: ingest computes its past again within seconds. Where that is
 * under way, what is stored is computed with what the column says, by time.
 */
export const COMPUTED_BEFORE_SQL = `coalesce(computed_with, jsonb_build_object('limit_kw', limit_kw,
  'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))`;
