/** A relation that a move copies. */
export interface CopiedRelation {
  relation: string;
  /**
   * Time column, if the relation is copied in slices of a day. Without it, the whole relation is compared row by row.
   */
  by?: string;
  /**
   * For relations of which only some rows are copied. `view`: contains these rows in both sessions, in the form for the
   * target. `whose`: condition that only these rows meet at the target.
   */
  part?: { view: string; whose: string };
}

/**
 * Relations that a move copies in addition to the load profile (src/start/move.ts). A relation comes after all
 * relations to which it refers.
 */
export const COPIED_RELATIONS: readonly CopiedRelation[] = [
  { relation: 'ingest_slots' },
  { relation: 'users' },
  { relation: 'arrivals' },
  { relation: 'home_groups' },
  { relation: 'group_members' },
  { relation: 'idempotent_answers' },
  { relation: 'email_changes' },
  { relation: 'sessions' },
  { relation: 'sign_ins' },
  { relation: 'passkeys' },
  { relation: 'identities' },
  { relation: 'devices' },
  { relation: 'home_members' },
  { relation: 'apps' },
  { relation: 'authorizations' },
  { relation: 'oauth_tokens' },
  { relation: 'api_keys' },
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
  { relation: 'series_sources' },
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
  { relation: 'raised_remarks' },
  { relation: 'usage_changes' },
  { relation: 'usage_untold' },
  { relation: 'usage_told' },
  { relation: 'series' },
  { relation: 'closed_readings' },
  { relation: 'reading_notes' },
  { relation: 'lower_kept_readings' },
  { relation: 'quantity_changes' },
  { relation: 'rejected_messages' },
  { relation: 'audit_log' },
  { relation: 'departures' },
  { relation: 'departed_logins' },
  { relation: 'parcels' },
  { relation: 'departed_messages' },
  { relation: 'arriving_series' },
  { relation: 'arriving_names' },
  { relation: 'readings', by: 'read_at' },
];

/**
 * Sums of groups of homes, and their helper tables. They are not copied, because a worker recomputes them from the
 * homes that exist.
 */
export const RECOMPUTED_RELATIONS: Readonly<Record<string, string>> = {
  group_sums_progress: 'sums of groups are kept anew',
  changed_home_days: 'of sums of groups, which are kept anew',
  kept_groups: 'kept anew',
  kept_group_homes: 'kept anew',
  kept_group_sums: 'kept anew',
  kept_begun_homes: 'kept anew',
  kept_device_pasts: 'kept anew',
};

/** Relations that a move does not copy, apart from the aggregates, and the reason for each. */
export const UNCOPIED_RELATIONS: Readonly<Record<string, string>> = {
  installation: 'set last (filling.ts): until then it says that the database is being filled, and from which one',
  schema_migrations: 'what this database was made with',
  request_counts: 'windows of a minute and a day, not logged: they begin anew, as after a crash',
  login_places: 'not logged: noted with the next connection of each login',
  source_hosts: 'times of the last second',
  source_checks: 'counts of a day',
  endings: 'for the back-ups of the embedded database that is moved',
  rollup_progress: "how far the target's own aggregates are",
  passkey_challenges: 'valid for minutes: people press the button again',
  temporary_secrets: 'of imports that are under way; they end with the old database',
  stale_days: "days of the source's own aggregates",
  ...RECOMPUTED_RELATIONS,
  late_deltas: 'empty: folded into the load profile before that is copied',
};
