/**
 * SQL for the column `computed_with` of a device whose counting settings change. Ingest recomputes the device's past within seconds. If a
 * recomputation is already running, the column already contains the settings used so far, by time.
 */
export const PREVIOUS_COUNTING_SETTINGS_SQL = `coalesce(computed_with, jsonb_build_object('limit_kw', limit_kw,
  'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))`;
