/**
 * SQL expression for the column `computed_with` of a device whose settings change. It is the settings with which the consumption was
 * computed so far; ingest then recomputes the past within seconds. If a recomputation is already running, the column already contains them,
 * by time, and remains unchanged.
 */
export const PREVIOUS_COUNTING_SETTINGS_SQL = `coalesce(computed_with, jsonb_build_object('limit_kw', limit_kw,
  'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))`;
