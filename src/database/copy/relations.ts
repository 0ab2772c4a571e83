/** A relation that a move copies. */
export interface Copied {
  relation: string;
  /** Time by which it is copied in slices of a day; without one it is compared row by row as a whole. */
  by?: string;
  /**
   * Where only some of its rows are copied: a view of both sessions that has them, as they are at the target, and a condition that is true of them
   * at the target alone.
   */
  part?: { view: string; whose: string };
}

/** What a move copies beside the load profile (src/start/move.ts), in an order in which every row finds what it refers to. */
export const COPIED: readonly Copied[] = [
  { relation: 'ingest_slots' },
  { relation: 'users' },
  { relation: 'arrivals' },
  { relation: 'home_groups' },
  { relation: 'group_members' },
  { relation: 'api_keys' },
  { relation: 'idempotent_answers' },
  { relation: 'sign_ins' },
  { relation: 'email_changes' },
  { relation: 'sessions' },
  { relation: 'identities' },
  { relation: 'devices' },
  { relation: 'device_heads' },
  { relation: 'device_claims' },
  { relation: 'imports' },
  { relation: 'provisioning_batches' },
  { relation: 'device_silences' },
  { relation: 'silence_watches' },
  { relation: 'believed_time' },
  { relation: 'daily_runs' },
  { relation: 'host_clocks' },
  { relation: 'clock_steps' },
  { relation: 'untimed_series' },
  { relation: 'late_changes' },
  { relation: 'reading_edits' },
  { relation: 'alerts' },
  { relation: 'price_series' },
  { relation: 'prices' },
  { relation: 'tariffs' },
  { relation: 'bill_periods' },
  { relation: 'bill_versions' },
  { relation: 'bill_adjustments' },
  { relation: 'webhooks' },
  { relation: 'gateways' },
  { relation: 'discovered_devices' },
  { relation: 'gateway_announcements' },
  { relation: 'unread_messages' },
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
  { relation: 'audit_log' },
  { relation: 'departures' },
  { relation: 'departed_logins' },
  { relation: 'parcels' },
  { relation: 'departed_messages' },
  { relation: 'arriving_series' },
  { relation: 'readings', by: 'read_at' },
];

/** Sums of groups of homes and what they need: a worker keeps them anew, of whoever is there. */
export const KEPT_ANEW: Readonly<Record<string, string>> = {
  group_sums_progress: 'sums of groups are kept anew',
  changed_home_days: 'of sums of groups, which are kept anew',
  kept_groups: 'kept anew',
  kept_group_homes: 'kept anew',
  kept_group_sums: 'kept anew',
  kept_begun_homes: 'kept anew',
  kept_device_pasts: 'kept anew',
};

/** What it does not copy beside the aggregates, and why. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  installation: 'set last (filling.ts): until then it says that the database is being filled, and from which one',
  schema_migrations: 'what this database was made with',
  request_counts: 'windows of a minute and a day, not logged: they begin anew, as after a crash',
  rollup_progress: "how far the target's own aggregates are",
  temporary_secrets: 'of imports that are under way; they end with the old database',
  stale_days: "days of the source's own aggregates",
  ...KEPT_ANEW,
  late_deltas: 'empty: folded into the load profile before that is copied',
};
