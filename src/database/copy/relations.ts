/** A relation that a move copies. */
export interface Copied {
  relation: string;
  /** Time by which it is copied in slices of a day; without one it is compared row by row as a whole. */
  by?: string;
}

/** What a move copies, in an order in which every row finds what it refers to. */
export const COPIED: readonly Copied[] = [
  { relation: 'installation' },
  { relation: 'ingest_slots' },
  { relation: 'users' },
  { relation: 'api_keys' },
  { relation: 'devices' },
  { relation: 'alerts' },
  { relation: 'webhooks' },
  { relation: 'gateways' },
  { relation: 'discovered_devices' },
  { relation: 'gateway_announcements' },
  { relation: 'events' },
  { relation: 'deliveries' },
  { relation: 'alert_firings' },
  { relation: 'usage_changes' },
  { relation: 'usage_untold' },
  { relation: 'usage_told' },
  { relation: 'series' },
  { relation: 'closed_readings' },
  { relation: 'reading_notes' },
  { relation: 'quantity_changes' },
  { relation: 'rejected_messages' },
  { relation: 'readings', by: 'read_at' },
  { relation: 'device_intervals', by: 'starts_at' },
];

/** What it does not copy: each database's own, or computed anew from what is copied. */
export const NOT_COPIED: readonly string[] = [
  'schema_migrations',
  'rollup_progress',
  'stale_days',
  'late_deltas',
  'request_counts',
  'idempotent_answers',
  'sign_ins',
  'sessions',
  'device_hourly',
  'user_hourly',
  'user_daily',
  'user_monthly_by_hour',
];
