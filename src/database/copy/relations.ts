/** A relation that is copied when an installation or accounts move to another database. */
export interface CopiedRelation {
  relation: string;
  /** Time column by which the relation is compared and copied day by day. Without it, the relation is compared as a whole. */
  by?: string;
  /**
   * Set if only some rows are copied. `view`: name of a view of these rows at both installations. `whose`: condition that selects them at
   * the target.
   */
  part?: { view: string; whose: string };
}

/** A relation with so few rows per account that they are moved in one transaction. */
interface BundledRelation extends CopiedRelation {
  /** SQL condition for the rows of the accounts `$1` (`text[]` of user ids). */
  whose: string;
  /** Column that the target fills from a sequence. */
  number?: string;
  stays?: true;
  /** Whether the copied rows replace existing rows of the target. */
  replaces?: true;
  /** A column that may refer to another account. If this account is unknown at the target, the column becomes null. */
  mayName?: string;
}

/** A relation whose rows do not move with an account and are deleted with it. After a failed move, the rows are restored if possible. */
interface ReturnedRelation {
  relation: string;
  whose: string;
  /** If set, only this reference column is cleared when the account is deleted, and restored after a failed move. */
  column?: string;
}

const OF_USER = 'user_id = ANY ($1)';
const OF_DEVICE = 'device_id IN (SELECT device_id FROM devices WHERE user_id = ANY ($1))';
const OF_BILL = 'bill_period_id IN (SELECT bill_period_id FROM bill_periods WHERE user_id = ANY ($1))';
const OF_GROUP = 'group_id IN (SELECT group_id FROM home_groups WHERE user_id = ANY ($1))';
const OF_EVENT = 'event_id IN (SELECT event_id FROM events WHERE user_id = ANY ($1))';
/** Condition for the keys and webhooks with which a member accesses another account's home. They end if one of the two accounts moves. */
const OF_MEMBERSHIP =
  'member_id IN (SELECT member_id FROM home_members WHERE user_id = ANY ($1) OR member_user_id = ANY ($1))';
/** Condition for authorizations of apps, and what the apps created with them. They end if the home's account or the app's owner moves. */
const OF_AUTHORIZATION = `authorization_id IN (SELECT authorization_id FROM authorizations
  WHERE user_id = ANY ($1) OR app_id IN (SELECT app_id FROM apps WHERE user_id = ANY ($1)))`;
const OWN_WEBHOOK = `${OF_USER} AND member_id IS NULL AND authorization_id IS NULL`;
const OF_WEBHOOK = `webhook_id IN (SELECT webhook_id FROM webhooks WHERE ${OWN_WEBHOOK})`;
const OF_PRICE_SERIES = 'series_id IN (SELECT series_id FROM price_series WHERE user_id = ANY ($1))';
const OF_GATEWAY = 'gateway_id IN (SELECT gateway_id FROM gateways WHERE user_id = ANY ($1))';

/**
 * Relations that a move of the installation copies. A relation comes after those to which it refers. Relations with `whose` also move with
 * single accounts.
 */
export const COPIED_RELATIONS: readonly (CopiedRelation | BundledRelation)[] = [
  { relation: 'ingest_slots' },
  { relation: 'users', whose: OF_USER },
  { relation: 'arrivals' },
  { relation: 'home_groups', whose: OF_USER },
  // A home remains in its group only if the group's utility moves, too.
  { relation: 'group_members', whose: `${OF_USER} AND ${OF_GROUP}` },
  { relation: 'idempotent_answers', whose: OF_USER },
  { relation: 'email_changes' },
  { relation: 'sessions', whose: OF_USER },
  { relation: 'sign_ins' },
  // A passkey works only at the host name for which it was created.
  { relation: 'passkeys', whose: OF_USER },
  // An identity stays valid if the target installation uses the same sign-in provider.
  { relation: 'identities', whose: OF_USER },
  { relation: 'devices', whose: OF_USER },
  { relation: 'home_members' },
  { relation: 'apps' },
  { relation: 'authorizations' },
  { relation: 'oauth_tokens' },
  // A key that is limited to a device moves only with the device.
  { relation: 'api_keys', whose: `${OF_USER} AND member_id IS NULL AND (device_id IS NULL OR ${OF_DEVICE})` },
  // A trigger creates a row for each new device, which the copied row replaces.
  { relation: 'device_heads', whose: OF_USER, replaces: true },
  { relation: 'device_claims', whose: OF_DEVICE },
  { relation: 'imports', whose: OF_USER },
  // The creator of a batch of meters may be at another installation.
  { relation: 'provisioning_batches', whose: OF_USER, mayName: 'owner_user_id' },
  { relation: 'device_silences', whose: OF_USER },
  { relation: 'silence_watches' },
  { relation: 'believed_time' },
  { relation: 'daily_runs' },
  { relation: 'host_clocks' },
  { relation: 'clock_steps' },
  { relation: 'untimed_series' },
  { relation: 'late_changes', whose: OF_DEVICE },
  { relation: 'reading_edits', whose: OF_DEVICE },
  { relation: 'alerts', whose: `${OF_USER} AND authorization_id IS NULL` },
  { relation: 'price_series', whose: OF_USER },
  { relation: 'prices', whose: OF_PRICE_SERIES },
  { relation: 'series_sources', whose: OF_PRICE_SERIES },
  // A tariff may use the prices of an account that does not move. These prices are then missing at the target.
  { relation: 'tariffs', whose: OF_USER },
  { relation: 'bill_periods', whose: OF_USER },
  { relation: 'bill_versions', whose: OF_BILL },
  { relation: 'bill_adjustments', whose: OF_BILL },
  { relation: 'webhooks', whose: OWN_WEBHOOK },
  { relation: 'gateways', whose: OF_USER },
  { relation: 'discovered_devices', whose: OF_GATEWAY },
  { relation: 'gateway_announcements', whose: OF_GATEWAY, number: 'place' },
  { relation: 'unread_messages', whose: OF_GATEWAY },
  // An event with pending deliveries to other accounts also remains at the source.
  { relation: 'events', whose: OF_USER, replaces: true },
  {
    relation: 'deliveries',
    // Deliveries to subscriptions of other accounts do not move.
    whose: `${OF_EVENT} AND (webhook_id IS NULL OR ${OF_WEBHOOK})`,
    number: 'place',
  },
  {
    relation: 'alert_firings',
    whose: 'alert_id IN (SELECT alert_id FROM alerts WHERE user_id = ANY ($1) AND authorization_id IS NULL)',
  },
  { relation: 'raised_remarks', whose: OF_USER },
  { relation: 'usage_changes', whose: 'user_ids && $1', number: 'change_id' },
  { relation: 'usage_untold', whose: OF_USER },
  { relation: 'usage_told', whose: OF_USER },
  { relation: 'series', whose: OF_DEVICE, number: 'series_id' },
  {
    relation: 'closed_readings',
    whose: `series_id IN (SELECT series_id FROM series JOIN devices USING (device_id) WHERE user_id = ANY ($1))`,
  },
  { relation: 'reading_notes' },
  { relation: 'lower_kept_readings' },
  { relation: 'quantity_changes', whose: OF_DEVICE },
  {
    relation: 'rejected_messages',
    whose: `(${OF_DEVICE} OR device_id IN (SELECT gateway_id FROM gateways WHERE user_id = ANY ($1)))`,
    number: 'rejected_id',
  },
  { relation: 'audit_log', whose: '(actor_user_id = ANY ($1) OR about_user_id = ANY ($1))', stays: true },
  { relation: 'departures' },
  { relation: 'departed_logins' },
  { relation: 'parcels' },
  { relation: 'departed_messages' },
  { relation: 'arriving_series' },
  { relation: 'arriving_names' },
  { relation: 'readings', by: 'read_at' },
];

export const BUNDLED_RELATIONS = COPIED_RELATIONS.filter((one) => 'whose' in one);

/** Relations whose rows do not move, and are deleted with an account. */
export const RELATIONS_DELETED_ON_MOVE: readonly ReturnedRelation[] = [
  { relation: 'arrivals', whose: OF_USER },
  { relation: 'source_checks', whose: OF_USER },
  { relation: 'sign_ins', whose: OF_USER },
  {
    relation: 'passkey_challenges',
    whose: 'session_id IN (SELECT session_id FROM sessions WHERE user_id = ANY ($1))',
  },
  { relation: 'email_changes', whose: '(user_id = ANY ($1) OR requester_user_id = ANY ($1))' },
  { relation: 'temporary_secrets', whose: OF_DEVICE },
  // These rows are deleted. After a failed move they are restored, because running workers have cached that these series are recorded, and
  // would not record them again.
  { relation: 'untimed_series', whose: OF_DEVICE },
  // Memberships of which either the home or the group moves, but not both.
  { relation: 'group_members', whose: `(${OF_USER} OR ${OF_GROUP}) AND NOT (${OF_USER} AND ${OF_GROUP})` },
  { relation: 'home_members', whose: '(user_id = ANY ($1) OR member_user_id = ANY ($1))' },
  // API keys that are limited to a moving group, and API keys of which only the account or only the device moves.
  {
    relation: 'api_keys',
    whose: `((NOT (${OF_USER}) AND ${OF_GROUP}) OR (device_id IS NOT NULL AND (${OF_USER}) <> (${OF_DEVICE})) OR ${OF_MEMBERSHIP})`,
  },
  // Apps of moving accounts, and what apps created in their homes.
  { relation: 'apps', whose: OF_USER },
  { relation: 'authorizations', whose: OF_AUTHORIZATION },
  {
    relation: 'oauth_tokens',
    whose: `${OF_AUTHORIZATION} OR app_id IN (SELECT app_id FROM apps WHERE user_id = ANY ($1))`,
  },
  { relation: 'alerts', whose: OF_AUTHORIZATION },
  { relation: 'alert_firings', whose: `alert_id IN (SELECT alert_id FROM alerts WHERE ${OF_AUTHORIZATION})` },
  { relation: 'webhooks', whose: `${OF_MEMBERSHIP} OR ${OF_AUTHORIZATION}` },
  // Deliveries whose event and subscription belong to two accounts, of which only one moves.
  {
    relation: 'deliveries',
    whose: `(${OF_EVENT} AND NOT (${OF_WEBHOOK})) OR (${OF_WEBHOOK} AND NOT (${OF_EVENT}))
      OR webhook_id IN (SELECT webhook_id FROM webhooks WHERE ${OF_MEMBERSHIP} OR ${OF_AUTHORIZATION})`,
  },
  { relation: 'provisioning_batches', whose: `owner_user_id = ANY ($1) AND NOT (${OF_USER})`, column: 'owner_user_id' },
];

/** Relations with millions of rows per account. They are copied while the service runs. */
export const STREAMED_RELATIONS = [
  { relation: 'reading_notes', by: 'read_at' },
  { relation: 'lower_kept_readings', by: 'read_at' },
  { relation: 'readings', by: 'read_at' },
] as const;
