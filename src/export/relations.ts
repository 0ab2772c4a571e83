import type { Parent } from './keys.ts';

/** A relation with rows of a person, as a JSON file of the archive. */
export interface Exported {
  /** Name of the file, without its ending. */
  file: string;
  relation: string;
  /** For people who read the archive. */
  means: string;
  /** What its rows are found by: the column, and whose key that is. */
  by: { column: string; of: Parent };
  /** Unique, in order, with their types: pages go on after the last of them. */
  key: Readonly<Record<string, 'text' | 'bigint' | 'timestamptz'>>;
  columns: readonly string[];
  /** Columns that are not shown, and why. */
  omitted?: Readonly<Record<string, string>>;
  /** Columns that are shown in some rows only: SQL. */
  expressions?: Readonly<Record<string, string>>;
  /** Rows that are read at once, where they may be long. */
  pageRows?: number;
}

const SECRET = 'secret, or made of one';
/** Bytes may be no text. */
const BASE64 = "translate(encode(r.payload, 'base64'), E'\\n', '')";
const DELIVERY_COLUMNS = [
  'delivery_id',
  'event_id',
  'webhook_id',
  'target',
  'place',
  'status',
  'tries',
  'attempts',
  'next_attempt_at',
  'leased_until',
  'created_at',
];
const AUDIT_COLUMNS = ['audit_id', 'at', 'actor_user_id', 'actor_key_id', 'address', 'action', 'target', 'details'];

/** The JSON files. Columns are named one by one: what is added to a relation is shown by nobody's oversight. */
export const EXPORTED: readonly Exported[] = [
  {
    file: 'account',
    relation: 'users',
    means: 'The account. enrolled_by: the utility that created it.',
    by: { column: 'user_id', of: 'user' },
    key: { user_id: 'text' },
    columns: ['user_id', 'email', 'role', 'phone', 'timezone', 'plan', 'enrolled_by', 'created_at', 'signed_in_at'],
    omitted: { home_recounted: 'whether a mail about an update is still to be sent' },
  },
  {
    file: 'arrivals',
    relation: 'arrivals',
    means: 'From which other installation the account came, and when.',
    by: { column: 'user_id', of: 'user' },
    key: { user_id: 'text' },
    columns: ['user_id', 'from_installation', 'arrived_at'],
  },
  {
    file: 'keys',
    relation: 'api_keys',
    means: 'API keys, also revoked ones. The keys themselves are kept nowhere.',
    by: { column: 'user_id', of: 'user' },
    key: { key_id: 'text' },
    columns: [
      'key_id',
      'user_id',
      'prefix',
      'name',
      'scopes',
      'created_at',
      'last_used_at',
      'expires_at',
      'revoked_at',
      'group_id',
    ],
    omitted: { key_sha256: SECRET },
  },
  {
    file: 'groups',
    relation: 'home_groups',
    means: 'Groups of homes that the account owns.',
    by: { column: 'user_id', of: 'user' },
    key: { group_id: 'text' },
    columns: ['group_id', 'user_id', 'name', 'kind', 'parent_group_id', 'created_at'],
  },
  {
    file: 'group_memberships',
    relation: 'group_members',
    means: 'Groups of homes that the account is in.',
    by: { column: 'user_id', of: 'user' },
    key: { group_id: 'text' },
    columns: ['group_id', 'user_id', 'added_at'],
  },
  {
    file: 'sessions',
    relation: 'sessions',
    means: 'Browsers that are signed in to the dashboard.',
    by: { column: 'user_id', of: 'user' },
    key: { session_id: 'text' },
    columns: ['session_id', 'user_id', 'created_at', 'last_seen_at', 'expires_at', 'user_agent', 'address'],
    omitted: { secret_sha256: SECRET },
  },
  {
    file: 'sign_ins',
    relation: 'sign_ins',
    means: 'Requests to sign in by e-mail that were not used, of the last day.',
    by: { column: 'user_id', of: 'user' },
    key: { sign_in_id: 'text' },
    columns: ['sign_in_id', 'user_id', 'tried_codes', 'created_at', 'expires_at', 'network', 'is_known'],
    omitted: { token_sha256: SECRET, code_mac: SECRET, browser_sha256: SECRET },
  },
  {
    file: 'idempotent_requests',
    relation: 'idempotent_answers',
    means: 'Requests with an Idempotency-Key of the last 24 hours.',
    by: { column: 'user_id', of: 'user' },
    key: { caller_id: 'text', idempotency_key: 'text' },
    columns: ['user_id', 'caller_id', 'idempotency_key', 'status', 'created_at'],
    omitted: { request_sha256: SECRET, body_sealed: 'may show a secret once more' },
  },
  {
    file: 'request_counts',
    relation: 'request_counts',
    means: 'Requests counted for rate limits, times in Unix milliseconds. Counters kept in Redis are not here.',
    by: { column: 'counted', of: 'user' },
    key: { counted: 'text' },
    columns: [
      'counted',
      'minute_from_ms',
      'minute_count',
      'day_from_ms',
      'day_count',
      'denied_from_ms',
      'denied_count',
      'suspended_until_ms',
    ],
  },
  {
    file: 'devices',
    relation: 'devices',
    means:
      'Devices, also deleted ones, with their settings, their places in the home and what their owner said of them.',
    by: { column: 'user_id', of: 'user' },
    key: { device_id: 'text' },
    columns: [
      'device_id',
      'user_id',
      'type',
      'location',
      'status',
      'limit_kw',
      'register_max_kwh',
      'max_gap_minutes',
      'timezone',
      'created_at',
      'deleted_at',
      'computed_with',
      'decoder_config',
      'recent_rejects',
      'says_faulty',
      'placement',
      'placement_by',
      'upstream_device_id',
      'channels',
    ],
    omitted: { mqtt_secret_sha256: SECRET },
  },
  {
    file: 'devices_seen',
    relation: 'device_heads',
    means: 'When each device was last heard.',
    by: { column: 'user_id', of: 'user' },
    key: { device_id: 'text' },
    columns: ['device_id', 'user_id', 'seen_at'],
    omitted: {
      version: 'a number that tells one state from another',
      laws: 'where the arithmetic of readings.csv stands',
      open: 'the hour that is open: in load_profile.csv',
    },
  },
  {
    file: 'temporary_logins',
    relation: 'temporary_secrets',
    means: 'Logins of imports that are under way.',
    by: { column: 'device_id', of: 'device' },
    key: { device_id: 'text', expires_at: 'timestamptz' },
    columns: ['device_id', 'expires_at'],
    omitted: { secret_sha256: SECRET },
  },
  {
    file: 'channels',
    relation: 'series',
    means: 'What each device measures; readings.csv refers to series_id.',
    by: { column: 'device_id', of: 'device' },
    key: { series_id: 'bigint' },
    columns: [
      'series_id',
      'device_id',
      'channel',
      'kind',
      'counts_import',
      'counts_export',
      'closed_until',
      'native_name',
      'unit',
      'meter',
      'tariff_since',
    ],
  },
  {
    file: 'quantity_changes',
    relation: 'quantity_changes',
    means: 'When a better quantity was found on a channel.',
    by: { column: 'device_id', of: 'device' },
    key: { device_id: 'text', channel: 'text', noted_at: 'timestamptz', note: 'text' },
    columns: ['device_id', 'channel', 'noted_at', 'note'],
  },
  {
    file: 'late_changes',
    relation: 'late_changes',
    means: 'Hours of devices that changed after they were known: by readings that came late, and by settings.',
    by: { column: 'device_id', of: 'device' },
    key: { device_id: 'text', hour: 'timestamptz' },
    columns: [
      'device_id',
      'hour',
      'late_readings',
      'corrections',
      'import_milliwatt_hours',
      'export_milliwatt_hours',
      'changed_at',
    ],
  },
  {
    file: 'gateways',
    relation: 'gateways',
    means: 'Household brokers.',
    by: { column: 'user_id', of: 'user' },
    key: { gateway_id: 'text' },
    columns: ['gateway_id', 'user_id', 'name', 'decoder_config', 'created_at', 'announced'],
    omitted: { mqtt_secret_sha256: SECRET },
  },
  {
    file: 'discovered_devices',
    relation: 'discovered_devices',
    means: 'Devices that were heard through a gateway.',
    by: { column: 'gateway_id', of: 'gateway' },
    key: { discovery_id: 'text' },
    columns: [
      'discovery_id',
      'gateway_id',
      'family',
      'native_id',
      'channels',
      'device_id',
      'first_seen_at',
      'last_seen_at',
    ],
  },
  {
    file: 'gateway_announcements',
    relation: 'gateway_announcements',
    means: 'What devices behind a gateway last announced of themselves; payload in base64.',
    by: { column: 'gateway_id', of: 'gateway' },
    key: { gateway_id: 'text', topic: 'text' },
    columns: ['gateway_id', 'topic', 'payload', 'place', 'received_at'],
    expressions: { payload: BASE64 },
    pageRows: 50,
  },
  {
    file: 'rejected_messages',
    relation: 'rejected_messages',
    means: 'Messages of devices and gateways that could not be used, of the last 90 days; payload in base64.',
    by: { column: 'device_id', of: 'sender' },
    key: { rejected_id: 'bigint' },
    columns: [
      'rejected_id',
      'received_at',
      'device_id',
      'topic',
      'payload',
      'element',
      'reason',
      'replayed',
      'message_id',
    ],
    expressions: { payload: BASE64 },
    pageRows: 50,
  },
  {
    file: 'alerts',
    relation: 'alerts',
    means: 'Alerts.',
    by: { column: 'user_id', of: 'user' },
    key: { alert_id: 'text' },
    columns: [
      'alert_id',
      'user_id',
      'type',
      'threshold_milliwatt_hours',
      'threshold',
      'threshold_hours',
      'delivery',
      'status',
      'created_at',
    ],
  },
  {
    file: 'tariffs',
    relation: 'tariffs',
    means: 'Tariffs: what energy costs, and what is paid for what is fed in.',
    by: { column: 'user_id', of: 'user' },
    key: { tariff_id: 'text' },
    columns: ['tariff_id', 'user_id', 'name', 'valid_from', 'currency', 'terms'],
  },
  {
    file: 'price_series',
    relation: 'price_series',
    means: 'Series of prices of the account’s own.',
    by: { column: 'user_id', of: 'user' },
    key: { series_id: 'text' },
    columns: ['series_id', 'user_id', 'name', 'currency', 'resolution_minutes'],
  },
  {
    file: 'prices',
    relation: 'prices',
    means:
      'Prices of these series for a kWh by UTC day, in billionths of the currency, in order of time; null: not known.',
    by: { column: 'series_id', of: 'priceSeries' },
    key: { series_id: 'text', day: 'timestamptz' },
    columns: ['series_id', 'day', 'prices'],
  },
  {
    file: 'alert_firings',
    relation: 'alert_firings',
    means: 'When alerts fired.',
    by: { column: 'alert_id', of: 'alert' },
    key: { alert_id: 'text', period_start: 'timestamptz', device_id: 'text' },
    columns: [
      'alert_id',
      'period_start',
      'device_id',
      'period_end',
      'total_milliwatt_hours',
      'total_cost',
      'currency',
      'event_id',
      'fired_at',
    ],
  },
  {
    file: 'webhooks',
    relation: 'webhooks',
    means: 'Subscriptions to events.',
    by: { column: 'user_id', of: 'user' },
    key: { webhook_id: 'text' },
    columns: [
      'webhook_id',
      'user_id',
      'event',
      'url',
      'former_token_valid_until',
      'status',
      'created_at',
      'failing_since',
      'failed_in_a_row',
      'catching_up_to',
    ],
    omitted: { auth_token_sealed: SECRET, former_token_sealed: SECRET },
  },
  {
    file: 'events',
    relation: 'events',
    means: 'What happened in the account, of the last 30 days.',
    by: { column: 'user_id', of: 'user' },
    key: { event_id: 'text' },
    columns: ['event_id', 'type', 'user_id', 'data', 'created_at'],
  },
  {
    file: 'deliveries',
    relation: 'deliveries',
    means: 'Who was notified of these events: by mail, by SMS, or through whose subscription.',
    by: { column: 'event_id', of: 'event' },
    key: { delivery_id: 'text' },
    columns: DELIVERY_COLUMNS,
    // What the receiver of another account answered is that one's.
    expressions: { attempts: 'CASE WHEN r.webhook_id IS NULL THEN r.attempts END' },
  },
  {
    file: 'webhook_deliveries',
    relation: 'deliveries',
    means: 'Deliveries through the account’s own subscriptions, with what their receivers answered.',
    by: { column: 'webhook_id', of: 'webhook' },
    key: { delivery_id: 'text' },
    columns: DELIVERY_COLUMNS,
  },
  {
    file: 'acts',
    relation: 'audit_log',
    means: 'What the account did, of the last 24 months.',
    by: { column: 'actor_user_id', of: 'user' },
    key: { audit_id: 'text' },
    columns: AUDIT_COLUMNS,
    omitted: { about_user_id: 'whose the target is' },
  },
  {
    file: 'acts_upon',
    relation: 'audit_log',
    means: 'What was done to the account, of the last 24 months.',
    by: { column: 'about_user_id', of: 'user' },
    key: { audit_id: 'text' },
    columns: AUDIT_COLUMNS,
    omitted: { about_user_id: 'the account itself' },
    // Of somebody else: where that one was.
    expressions: {
      actor_key_id: 'CASE WHEN r.actor_user_id = r.about_user_id THEN r.actor_key_id END',
      address: 'CASE WHEN r.actor_user_id = r.about_user_id OR r.actor_user_id IS NULL THEN r.address END',
    },
  },
  {
    file: 'usage_told',
    relation: 'usage_told',
    means: 'When usage.updated was last told (1970: never), and whether the home is followed.',
    by: { column: 'user_id', of: 'user' },
    key: { user_id: 'text' },
    columns: ['user_id', 'told_at', 'followed_since', 'followed_until'],
  },
  {
    file: 'usage_untold',
    relation: 'usage_untold',
    means: 'Hours that the next usage.updated will be about.',
    by: { column: 'user_id', of: 'user' },
    key: { user_id: 'text', hour: 'timestamptz' },
    columns: ['user_id', 'hour'],
  },
];

/** Relations of series, as CSV files of their names. */
export const SERIES_FILES = [
  {
    relation: 'readings',
    value: 'value',
    means:
      'Every reading that is kept, of series in channels.json. Units of value by kind: register and interval mWh, power mW, temperature and setpoint 0.001 °C, humidity 0.001 %, heating 0 or 1.',
  },
  {
    relation: 'closed_readings',
    value: 'value',
    means: 'The last readings of each series that retention dropped.',
  },
  { relation: 'reading_notes', value: 'verdict', means: 'Readings that were not plainly counted, and why.' },
] as const;

/** Levels of the ladder, as CSV files: the view, and the name of the file. */
export const LEVEL_FILES = [
  { relation: 'device_intervals', file: 'load_profile' },
  { relation: 'device_hourly', file: 'device_hourly' },
  { relation: 'user_hourly', file: 'hourly' },
  { relation: 'user_daily', file: 'daily' },
  { relation: 'user_monthly', file: 'monthly' },
  { relation: 'user_monthly_by_hour', file: 'monthly_by_hour' },
] as const;

/** Relations of which everything is shown by a file of others. */
export const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  device_hours: 'load_profile.csv',
  device_days: 'load_profile.csv',
  late_deltas: 'load_profile.csv, some seconds later',
  closed_device_intervals: 'load_profile.csv',
  closed_device_hourly: 'device_hourly.csv',
  closed_user_hourly: 'hourly.csv',
  closed_user_daily: 'daily.csv',
  closed_user_monthly_by_hour: 'monthly_by_hour.csv',
  open_hours: 'device_hourly.csv',
  open_quarter_hours: 'load_profile.csv',
  device_notes: 'reading_notes.csv and quantity_changes.json',
  usage_changes: 'hourly.csv: hours that changed a moment ago, until they are compared with alerts',
};

/** Relations that have nothing of a person. */
export const NOT_OF_A_PERSON: Readonly<Record<string, string>> = {
  schema_migrations: 'what the database was made with',
  installation: 'the name of the installation',
  ingest_slots: 'places of ingest workers',
  rollup_progress: 'how far aggregates are',
  stale_days: 'days that are computed anew',
  departures: 'ids of accounts that are in another installation, which exports them',
  departed_logins: 'ids of their devices',
  parcels: 'of accounts on their way into another installation, for some seconds: nobody can ask for them',
  departed_messages: 'of accounts that are in another installation, on their way there',
  arriving_series: 'numbers of accounts that are not here yet',
};
