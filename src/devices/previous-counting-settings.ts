/**
 * SQL expression for the column `computed_with` of a device whose settings change: the settings with which its stored consumption was
 * computed. During a recomputation, the column remains unchanged.
 */
export const PREVIOUS_COUNTING_SETTINGS_SQL = `coalesce(computed_with, jsonb_build_object('limit_kw', limit_kw,
  'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))`;
