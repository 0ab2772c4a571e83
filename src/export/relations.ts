import type { OwnerKeyKind } from './keys.ts';

/** A relation that contains rows of a person and becomes a JSON file of the archive. */
export interface ExportedRelation {
  relation: string;
  /** Name of the file without its extension. Default: the name of the relation. */
  file?: string;
  /** Description for people who read the archive. */
  means: string;
  /** Column by which a person's rows are found, and the kind of key in that column. Default: `user_id`. */
  by?: { column: string; of: OwnerKeyKind };
  /** Columns of a unique key, by which the rows are sorted and pages are split. Default: the primary key. */
  key?: readonly string[];
  /** Columns that are not exported, each with the reason. */
  omitted?: Readonly<Record<string, string>>;
  /** SQL expressions that replace a column, for example to export the column only in some rows. */
  expressions?: Readonly<Record<string, string>>;
  /** Number of rows that one query reads, if rows may be long. */
  pageRows?: number;
  /** Whether the file is omitted in an export by a utility, because it names members of homes. */
  namesMembers?: true;
}

const SECRET = 'a secret, or computed from one';
/** SQL expression of a payload in base64, because it may not be valid text. */
const BASE64 = "translate(encode(r.payload, 'base64'), E'\\n', '')";

/**
 * The JSON files of an archive. A file contains all columns of its relation except omitted ones and bytes. Secrets are stored as bytes, so
 * none is exported by accident.
 */
export const EXPORTED_RELATIONS: readonly ExportedRelation[] = [
  {
    relation: 'users',
    file: 'account',
    means:
      'The account. enrolled_by: the utility that created it; is_enrolled: whether a utility created it, even one since deleted.',
    omitted: {
      home_recounted: 'whether a mail about an update of the home’s values is still to be sent',
      may_be_recounted: 'whether a later update may still be a reason for such a mail',
      is_timezone_given: 'whether a person chose the time zone',
    },
  },
  { relation: 'arrivals', means: 'The installation from which the account was moved here, and the time.' },
  {
    relation: 'home_members',
    file: 'members',
    means: 'People who were invited to the home, and its present and past members.',
    namesMembers: true,
    omitted: { member_user_id: 'the account of another person, who is known to the owner by the e-mail address' },
  },
  {
    relation: 'home_members',
    file: 'memberships',
    means: 'Homes of other accounts of which the account is or was a member.',
    by: { column: 'member_user_id', of: 'user' },
    namesMembers: true,
  },
  {
    relation: 'apps',
    means: 'Apps that the account registered.',
    omitted: { client_secret_sha256: SECRET },
  },
  { relation: 'authorizations', means: 'Apps that the account has authorized to read its home.' },
  {
    relation: 'api_keys',
    file: 'keys',
    means: 'API keys, also revoked ones. The keys themselves are not stored, only their SHA-256.',
    omitted: {
      key_sha256: SECRET,
      told_end: 'which mail about its expiry was sent: in events.json',
      told_days: 'as told_end',
    },
  },
  { relation: 'home_groups', file: 'groups', means: 'Groups of homes that the account owns.' },
  { relation: 'group_members', file: 'group_memberships', means: 'Groups of homes that contain the account.' },
  {
    relation: 'sessions',
    means: 'Browsers that are signed in to the dashboard.',
    omitted: { secret_sha256: SECRET },
  },
  {
    relation: 'passkeys',
    means: 'Passkeys for the dashboard. host: the only host at which the passkey works.',
    omitted: { public_key: 'the key that verifies sign-ins with the passkey' },
  },
  {
    relation: 'identities',
    means: 'The person’s identities at OpenID Connect providers that sign in to the dashboard.',
  },
  {
    relation: 'sign_ins',
    means: 'Requests of the last day to sign in by e-mail, not yet used.',
    omitted: { token_sha256: SECRET, code_mac: SECRET, browser_sha256: SECRET },
  },
  {
    relation: 'email_changes',
    means: 'The new e-mail address, until it is confirmed by a mail to it, and who requested the change.',
    omitted: { email_change_id: SECRET },
  },
  {
    relation: 'idempotent_answers',
    file: 'idempotent_requests',
    means: 'Requests with an Idempotency-Key of the last 24 hours.',
    omitted: { request_sha256: SECRET, body_sealed: 'a response that may contain a secret' },
  },
  {
    relation: 'request_counts',
    means: 'Requests counted for rate limits, times in Unix milliseconds. Counters in Redis are not included.',
    by: { column: 'counted', of: 'user' },
  },
  {
    relation: 'devices',
    means:
      'Devices, also deleted ones, with their settings, their places in the home and their owner’s statements about them.',
    omitted: { mqtt_secret_sha256: SECRET, certificate_sha256: 'identifies the certificate that it logs in with' },
  },
  {
    relation: 'device_claims',
    means: 'Devices that a meter claimed at its first contact, and the batch that allowed it.',
    by: { column: 'device_id', of: 'device' },
    omitted: { nonce_sha256: SECRET },
  },
  {
    relation: 'imports',
    means:
      'Imports of devices. created, users_created: numbers of devices and accounts. differing: rows whose devices existed with other settings.',
    omitted: { credentials_sealed: SECRET },
  },
  {
    relation: 'provisioning_batches',
    means: 'Batches of meters that claim their identities; owner_user_id: the account that gets the devices.',
    omitted: { secret_sha256: SECRET },
  },
  {
    relation: 'device_heads',
    file: 'devices_seen',
    means: 'When a message of each device was last received.',
    omitted: {
      version: 'a number that changes with each write of the row',
      laws: 'state of the computation from readings.csv',
      open: 'energy of the hour that is not complete: in load_profile.csv',
    },
  },
  {
    relation: 'device_silences',
    file: 'silences',
    means: 'When devices were silent for an hour or longer. was_heard: whether a message had been received before.',
  },
  {
    relation: 'temporary_secrets',
    file: 'temporary_logins',
    means: 'Temporary logins of devices during imports of energy data.',
    by: { column: 'device_id', of: 'device' },
    key: ['device_id', 'expires_at'],
    omitted: { secret_sha256: SECRET },
  },
  {
    relation: 'series',
    file: 'channels',
    means: 'Quantities that each device measures; readings.csv refers to series_id.',
    by: { column: 'device_id', of: 'device' },
  },
  {
    relation: 'quantity_changes',
    means: 'When a more precise quantity appeared on a channel, and until when the earlier quantity counts.',
    by: { column: 'device_id', of: 'device' },
  },
  {
    relation: 'late_changes',
    means: 'Hours of devices whose energy changed after they were complete: by late readings, and by changed settings.',
    by: { column: 'device_id', of: 'device' },
  },
  {
    relation: 'reading_edits',
    means:
      'Edits of readings, with author, revoker and reason: exclusions of readings, and values that a person read off a register (in mWh). Edits of the author "clock", made after a host’s clock was set back, exclude only the readings at instants (Unix ms).',
    by: { column: 'device_id', of: 'device' },
  },
  {
    relation: 'untimed_series',
    file: 'untimed_channels',
    means:
      'Channels that sent readings without a time, and the host that received them: steps of its clock change their times.',
    by: { column: 'device_id', of: 'device' },
  },
  {
    relation: 'gateways',
    means: 'Household brokers that are bridged to this service.',
    omitted: { mqtt_secret_sha256: SECRET },
  },
  {
    relation: 'discovered_devices',
    means: 'Devices whose messages arrived through a gateway.',
    by: { column: 'gateway_id', of: 'gateway' },
  },
  {
    relation: 'gateway_announcements',
    means: 'The latest announcement of each device behind a gateway; payload in base64.',
    by: { column: 'gateway_id', of: 'gateway' },
    expressions: { payload: BASE64 },
    pageRows: 50,
  },
  {
    relation: 'unread_messages',
    means:
      'Messages through a gateway that no decoder understands, counted by the shape of their topic, with one example of the last 24 hours; payload in base64.',
    by: { column: 'gateway_id', of: 'gateway' },
    expressions: { example_payload: "translate(encode(r.example_payload, 'base64'), E'\\n', '')" },
    pageRows: 50,
  },
  {
    relation: 'rejected_messages',
    means: 'Messages of devices and gateways that could not be used, of the last 90 days; payload in base64.',
    by: { column: 'device_id', of: 'sender' },
    expressions: { payload: BASE64 },
    pageRows: 50,
  },
  { relation: 'alerts', means: 'Alerts that the account has set.' },
  { relation: 'tariffs', means: 'Tariffs: prices of energy taken from the grid and of energy fed in.' },
  { relation: 'bill_periods', means: 'Bill periods of the home or of one of its devices.' },
  {
    relation: 'bill_versions',
    means: 'Versions of the statement of each bill period, with the SHA-256 of each.',
    by: { column: 'bill_period_id', of: 'billPeriod' },
    expressions: { sha256: "encode(r.sha256, 'hex')" },
  },
  {
    relation: 'bill_adjustments',
    means: 'Corrections of closed bill periods; told_in: the later bill period whose statement lists them.',
    by: { column: 'bill_period_id', of: 'billPeriod' },
  },
  { relation: 'price_series', means: 'The account’s own series of prices or emission intensities; kind says which.' },
  {
    relation: 'prices',
    means:
      'Values of these series by UTC day, in order of time: the price or the grams of a kWh, in billionths; null: unknown.',
    by: { column: 'series_id', of: 'priceSeries' },
  },
  {
    relation: 'series_sources',
    means: 'External sources from which price series fetch their values.',
    by: { column: 'series_id', of: 'priceSeries' },
    omitted: {
      secrets_sealed: SECRET,
      fetch_key: 'contains a hash of the token',
      lease_id: 'state of the worker that fetches',
      leased_until: 'state of the worker that fetches',
      fetches: 'state of the worker that fetches',
      fetches_on: 'state of the worker that fetches',
      retries: 'state of the worker that fetches',
      tells_tomorrow: 'state of the worker that fetches',
      is_notified: 'which mail about the failures was sent: in events.json',
    },
  },
  {
    relation: 'alert_firings',
    means: 'When alerts fired.',
    by: { column: 'alert_id', of: 'alert' },
  },
  {
    relation: 'webhooks',
    means: 'Webhooks: subscriptions to events.',
    omitted: { auth_token_sealed: SECRET, former_token_sealed: SECRET },
  },
  { relation: 'events', means: 'Events of the account in the last 30 days.' },
  {
    relation: 'deliveries',
    means: 'Notifications of these events: by mail, by SMS, or through a webhook.',
    by: { column: 'event_id', of: 'event' },
    // The column `attempts` contains responses of a webhook's receiver, which belong to the webhook's account.
    expressions: { attempts: 'CASE WHEN r.webhook_id IS NULL THEN r.attempts END' },
  },
  {
    relation: 'deliveries',
    file: 'webhook_deliveries',
    means: 'Deliveries to the account’s own webhooks, with the responses of their receivers.',
    by: { column: 'webhook_id', of: 'webhook' },
  },
  {
    relation: 'audit_log',
    file: 'acts',
    means: 'Actions of the account in the last 24 months.',
    by: { column: 'actor_user_id', of: 'user' },
    omitted: { about_user_id: 'the account that the target belongs to' },
  },
  {
    relation: 'audit_log',
    file: 'acts_upon',
    means: 'Actions on the account in the last 24 months.',
    by: { column: 'about_user_id', of: 'user' },
    omitted: { about_user_id: 'the account itself' },
    // The API key and the IP address of another person are omitted.
    expressions: {
      actor_key_id: 'CASE WHEN r.actor_user_id = r.about_user_id THEN r.actor_key_id END',
      address: 'CASE WHEN r.actor_user_id = r.about_user_id OR r.actor_user_id IS NULL THEN r.address END',
    },
  },
  { relation: 'raised_remarks', means: 'Remarks on the home that were sent as events and still apply.' },
  {
    relation: 'usage_told',
    means: 'When the event usage.updated was last sent (1970: never), and whether somebody subscribes to it.',
  },
  { relation: 'usage_untold', means: 'Changed hours that the next event usage.updated will list.' },
];

/** Relations with readings of series, each exported as a CSV file of the same name. */
export const SERIES_READINGS_FILES = [
  {
    relation: 'readings',
    value: 'value',
    means:
      'All stored readings of the series in channels.json. Units of value by kind: register and interval mWh, power mW, temperature and setpoint 0.001 °C, humidity 0.001 %, heating 0 or 1. interval_ms -1: read by hand (reading_edits.json).',
  },
  {
    relation: 'closed_readings',
    value: 'value',
    means: 'For each series, the last readings deleted by retention, from which consumption is computed further.',
  },
  {
    relation: 'reading_notes',
    value: 'verdict',
    means: 'Readings that were not counted like ordinary ones, and why (verdict).',
  },
  {
    relation: 'lower_kept_readings',
    means: 'Readings for whose time a higher value was also received, and rejected.',
  },
] as const;

/** Levels of aggregates that are exported as CSV files: each with its view and the name of its file. */
export const AGGREGATE_FILES = [
  { relation: 'device_intervals', file: 'load_profile' },
  { relation: 'device_hourly', file: 'device_hourly' },
  { relation: 'user_hourly', file: 'hourly' },
  { relation: 'user_daily', file: 'daily' },
  { relation: 'user_monthly', file: 'monthly' },
  { relation: 'user_monthly_by_hour', file: 'monthly_by_hour' },
] as const;
