import type { ColumnType, Generated } from 'kysely';
import type { MilliwattHours } from '#src/core/units.ts';
import type {
  ACCOUNT_PLANS,
  ACCOUNT_ROLES,
  ACTIVE_OR_PAUSED,
  ALERT_DELIVERY_CHANNELS,
  ALERT_TYPES,
  AppType,
  DELIVERY_STATUSES,
  DeviceManager,
  EVENT_TYPES,
  LANGUAGES,
  MemberAccessLevel,
  OauthTokenKind,
  Placement,
  RESOLUTIONS_MINUTES,
  SERIES_KINDS,
} from './enums.ts';
import type { AggregatedQuantity } from './meter.ts';

type OneOf<Words extends readonly (string | number)[]> = Words[number];

/** Relations for typed queries. sql/CATALOGUE.md documents them with units. src/rollups/levels.ts declares consumption and its sums. */
export interface Tables {
  users: {
    user_id: string;
    email: string;
    role: OneOf<typeof ACCOUNT_ROLES>;
    phone: string | null;
    timezone: Generated<string>;
    plan: Generated<OneOf<typeof ACCOUNT_PLANS>>;
    enrolled_by: string | null;
    created_at: Generated<Date>;
    signed_in_at: Generated<Date | null>;
    home_recounted: Generated<boolean>;
    may_be_recounted: Generated<boolean>;
    is_timezone_given: Generated<boolean>;
    is_enrolled: Generated<boolean>;
    emission_series_id: Generated<string | null>;
    remarks_by_mail: Generated<boolean>;
    language: Generated<OneOf<typeof LANGUAGES>>;
  };
  api_keys: {
    key_id: string;
    user_id: string;
    group_id: Generated<string | null>;
    key_sha256: Buffer;
    prefix: string;
    name: string | null;
    scopes: string[];
    created_at: Generated<Date>;
    last_used_at: Date | null;
    expires_at: Date | null;
    revoked_at: Date | null;
    allowed_addresses: Generated<string[]>;
    end_set_at: Generated<Date | null>;
    told_end: Generated<Date | null>;
    told_days: Generated<number | null>;
    device_id: Generated<string | null>;
    made_by: Generated<DeviceManager | null>;
    member_id: Generated<string | null>;
  };
  devices: {
    device_id: string;
    user_id: string;
    type: string;
    location: string;
    limit_kw: Generated<number>;
    register_max_kwh: number | null;
    max_gap_minutes: Generated<number>;
    timezone: string | null;
    mqtt_secret_sha256: Buffer;
    /** JSON. */
    decoder_config: Generated<Record<string, unknown>>;
    /** JSON. */
    computed_with: Generated<unknown>;
    /** The owner's settings for the quantities of the device, as JSON. */
    channels: Generated<
      Record<string, { counts_as?: string; placement?: Placement; circuit?: string; asked?: boolean }>
    >;
    created_at: Generated<Date>;
    deleted_at: Date | null;
    placement: Generated<Placement>;
    placement_by: Generated<'owner' | 'decoder' | 'type'>;
    swaps_confirmed_at: Generated<Date>;
    upstream_device_id: string | null;
    external_id: string | null;
    imported_as: string | null;
    certificate_sha256: Buffer | null;
    managed_by: Generated<DeviceManager>;
  };
  alerts: {
    alert_id: string;
    user_id: string;
    type: OneOf<typeof ALERT_TYPES>;
    threshold_milliwatt_hours: MilliwattHours | null;
    /** Decimal number in the currency of the tariff. */
    threshold: string | null;
    threshold_hours: number | null;
    delivery: OneOf<typeof ALERT_DELIVERY_CHANNELS>;
    status: Generated<OneOf<typeof ACTIVE_OR_PAUSED>>;
    created_at: Generated<Date>;
    authorization_id: Generated<string | null>;
  };
  tariffs: {
    tariff_id: string;
    user_id: string;
    name: string;
    /** Date as YYYY-MM-DD. Queries must select it as text, because the driver would parse it into a time. */
    valid_from: ColumnType<Date, string, string>;
    currency: string;
    /** JSON. */
    terms: unknown;
  };
  reading_edits: {
    edit_id: string;
    device_id: string;
    channel: string | null;
    kind: string | null;
    from_at: Date;
    to_at: Date;
    value: number | null;
    reason: string;
    author: string | null;
    created_at: Date;
    revoker: string | null;
    revoked_at: Date | null;
    is_counted: Generated<boolean>;
    counted_from: Generated<Date | null>;
    counted_to: Generated<Date | null>;
    instants: Generated<number[] | null>;
  };
  bill_periods: {
    bill_period_id: string;
    user_id: string;
    device_id: string | null;
    /** Date as YYYY-MM-DD. Queries must select it as text, because the driver would parse it into a time. */
    first_day: ColumnType<Date, string, never>;
    last_day: ColumnType<Date, string, never>;
    timezone: string;
    starts_at: Date;
    ends_at: Date;
    created_at: Date;
    closed_at: Date | null;
  };
  bill_versions: {
    bill_period_id: string;
    version: number;
    /** JSON. */
    told: unknown;
    sha256: Buffer;
    import_milliwatt_hours: MilliwattHours;
    export_milliwatt_hours: MilliwattHours;
    estimated_milliwatt_hours: MilliwattHours;
  };
  bill_adjustments: {
    told_in: string;
    bill_period_id: string;
    import_milliwatt_hours: MilliwattHours;
    export_milliwatt_hours: MilliwattHours;
  };
  price_series: {
    series_id: string;
    user_id: string;
    kind: Generated<OneOf<typeof SERIES_KINDS>>;
    name: string;
    currency: string | null;
    resolution_minutes: OneOf<typeof RESOLUTIONS_MINUTES>;
  };
  prices: {
    series_id: string;
    day: Date;
    prices: (string | null)[];
    fetched: Generated<(string | null)[] | null>;
    is_fetched: Generated<boolean[] | null>;
  };
  series_sources: {
    series_id: string;
    /** JSON. */
    settings: unknown;
    secrets_sealed: Buffer | null;
    fetch_key: string;
    host: string;
    next_fetch_at: Date;
    lease_id: Generated<string | null>;
    leased_until: Generated<Date | null>;
    fetches: Generated<number>;
    fetches_on: Generated<Date>;
    retries: Generated<number>;
    tells_tomorrow: Generated<boolean>;
    last_fetched_at: Generated<Date | null>;
    last_error: Generated<string | null>;
    failing_since: Generated<Date | null>;
    is_notified: Generated<boolean>;
  };
  source_hosts: {
    host: string;
    fetched_at: Date;
  };
  webhooks: {
    webhook_id: string;
    user_id: string;
    /** The first element of `events`, for processes of earlier versions, which read only one type. */
    event: OneOf<typeof EVENT_TYPES>;
    events: OneOf<typeof EVENT_TYPES>[];
    url: string;
    /** Null for a subscription to Green Button notices, which are not signed. */
    auth_token_sealed: Buffer | null;
    former_token_sealed: Buffer | null;
    former_token_valid_until: Date | null;
    failing_since: Generated<Date | null>;
    failed_in_a_row: Generated<number>;
    catching_up_to: Generated<number | null>;
    status: Generated<OneOf<typeof ACTIVE_OR_PAUSED>>;
    created_at: Generated<Date>;
    member_id: Generated<string | null>;
    authorization_id: Generated<string | null>;
    is_notice: Generated<boolean>;
  };
  home_members: {
    member_id: string;
    user_id: string;
    email: string;
    access: MemberAccessLevel;
    created_at: Date;
    member_user_id: string | null;
    accepted_at: Date | null;
    ended_at: Generated<Date | null>;
  };
  apps: {
    app_id: string;
    user_id: string;
    name: string;
    website: string;
    type: AppType;
    redirect_uris: string[];
    notification_url: string | null;
    scopes: string[];
    client_secret_sha256: Buffer | null;
    created_at: Date;
    resource_id: Generated<string>;
  };
  authorizations: {
    authorization_id: string;
    app_id: string;
    user_id: string;
    scopes: string[];
    created_at: Date;
    expires_at: Date | null;
    last_used_at: Generated<Date | null>;
    resource_id: Generated<string>;
    green_button_scope: Generated<string | null>;
  };
  oauth_tokens: {
    token_sha256: Buffer;
    kind: OauthTokenKind;
    authorization_id: string | null;
    /** JSON. */
    payload: unknown;
    expires_at: Date;
    consumed_at: Generated<Date | null>;
    answer_sealed: Generated<Buffer | null>;
    app_id: Generated<string | null>;
  };
  gateways: {
    gateway_id: string;
    user_id: string;
    name: string;
    mqtt_secret_sha256: Buffer;
    /** JSON. */
    decoder_config: Generated<Record<string, unknown>>;
    announced: Generated<number>;
    created_at: Generated<Date>;
  };
  discovered_devices: {
    discovery_id: string;
    gateway_id: string;
    family: string;
    native_id: string;
    /** JSON. */
    channels: unknown;
    device_id: string | null;
    first_seen_at: Generated<Date>;
    last_seen_at: Generated<Date>;
    awaits: string | null;
  };
  unread_messages: {
    gateway_id: string;
    shape: string;
    messages: number;
    first_seen_at: Date;
    last_seen_at: Date;
    example_topic: string | null;
    example_payload: Buffer | null;
    example_bytes: number | null;
    example_received_at: Date | null;
  };
  events: {
    event_id: string;
    type: string;
    user_id: string;
    /** JSON. */
    data: unknown;
    created_at: Generated<Date>;
  };
  deliveries: {
    delivery_id: string;
    event_id: string;
    webhook_id: string | null;
    target: string;
    place: Generated<number>;
    status: Generated<OneOf<typeof DELIVERY_STATUSES>>;
    tries: Generated<number>;
    /** JSON. */
    attempts: Generated<unknown>;
    next_attempt_at: Date;
    leased_until: Date | null;
    created_at: Date;
  };
  alert_firings: {
    alert_id: string;
    period_start: Date;
    device_id: Generated<string>;
    period_end: Date | null;
    total_milliwatt_hours: MilliwattHours | null;
    total_cost: string | null;
    currency: string | null;
    event_id: string;
    fired_at: Date;
  };
  idempotent_answers: {
    user_id: string;
    caller_id: string;
    idempotency_key: string;
    request_sha256: Buffer;
    status: number;
    body_sealed: Buffer;
    created_at: Generated<Date>;
  };
  email_changes: {
    user_id: string;
    email_change_id: string;
    email: string;
    requester_user_id: string;
    requested_by: string;
    created_at: Generated<Date>;
  };
  sign_ins: {
    sign_in_id: string;
    user_id: string;
    token_sha256: Buffer;
    code_mac: Buffer;
    tried_codes: Generated<number>;
    created_at: Date;
    expires_at: Date;
    browser_sha256: Generated<Buffer | null>;
    network: Generated<string | null>;
    is_known: Generated<boolean>;
    session_id: Generated<string | null>;
  };
  sessions: {
    session_id: string;
    user_id: string;
    secret_sha256: Buffer;
    created_at: Date;
    last_seen_at: Date;
    expires_at: Date;
    user_agent: Generated<string | null>;
    address: Generated<string | null>;
    signed_in_by: Generated<'mail' | 'provider' | 'device' | 'passkey'>;
  };
  passkeys: {
    passkey_id: string;
    user_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    host: string;
    name: string;
    created_at: Date;
    last_used_at: Generated<Date | null>;
  };
  passkey_challenges: {
    challenge_id: string;
    challenge: string;
    session_id: string | null;
    expires_at: Date;
  };
  identities: {
    issuer: string;
    subject: string;
    user_id: string;
    linked_at: Date;
    used_at: Date;
  };
  series: {
    series_id: Generated<number>;
    device_id: string;
    channel: string;
    kind: string;
    counts_import: Generated<boolean>;
    counts_export: Generated<boolean>;
    meter: AggregatedQuantity | null;
    native_name: string | null;
    unit: string | null;
    first_read_at: Date | null;
    nonzero_at: Date | null;
    split_after: Date[] | null;
    earlier_roles: object[] | null;
    described: object | null;
    meant: string | null;
  };
  /**
   * The columns of `series` that decide to which totals a series contributes, with the time range in which they apply. A missing bound is a
   * number (`Infinity`), not a Date.
   */
  series_roles: {
    series_id: number;
    device_id: string;
    channel: string;
    kind: string;
    counts_from: Date;
    counts_until: Date;
    meter: AggregatedQuantity | null;
    counts_import: boolean;
    counts_export: boolean;
  };
  readings: {
    series_id: number;
    read_at: Date;
    interval_ms: Generated<number>;
    value: number;
  };
  reading_notes: {
    series_id: number;
    read_at: Date;
    interval_ms: Generated<number>;
    verdict: string;
  };
  lower_kept_readings: { series_id: number; read_at: Date; interval_ms: Generated<number> };
  rejected_messages: {
    rejected_id: Generated<number>;
    received_at: Generated<Date>;
    device_id: string | null;
    topic: string;
    payload: Buffer;
    element: number | null;
    reason: string;
    replayed: Generated<boolean>;
    message_id: number | null;
  };
  temporary_secrets: { secret_sha256: Buffer; device_id: string; expires_at: Date };
  device_heads: {
    device_id: string;
    user_id: string;
    version: number;
    seen_at: Date | null;
    /** JSON. */
    laws: Generated<string>;
    open: string | null;
  };
  device_silences: {
    device_id: string;
    began_at: Date;
    user_id: string;
    was_heard: boolean;
    ended_at: Date | null;
  };
  silence_watches: { began_at: Date; ended_at: Date };
  audit_log: {
    audit_id: string;
    at: Generated<Date>;
    actor_user_id: string | null;
    actor_key_id: string | null;
    address: string | null;
    action: string;
    target: string | null;
    about_user_id: string | null;
    /** JSON. */
    details: unknown;
  };
  home_groups: {
    group_id: string;
    user_id: string;
    name: string;
    kind: string | null;
    parent_group_id: string | null;
    created_at: Generated<Date>;
  };
  group_members: { group_id: string; user_id: string; added_at: Generated<Date> };
  raised_remarks: { user_id: string; kind: string; subject: string; event_id: string; seen_at: Date };
  usage_told: { user_id: string; told_at: Date; followed_since: Date | null; followed_until: Date | null };
  imports: {
    import_id: string;
    user_id: string;
    created_at: Generated<Date>;
    rows: number;
    created: number;
    users_created: number;
    /** JSON. */
    differing: Generated<unknown>;
    credentials_sealed: Buffer | null;
  };
  provisioning_batches: {
    batch_id: string;
    user_id: string;
    owner_user_id: string | null;
    name: string;
    type: string;
    location: string;
    secret_sha256: Buffer;
    serials: string[] | null;
    max_devices: number;
    claimed: Generated<number>;
    expires_at: Date;
    revoked_at: Generated<Date | null>;
    created_at: Generated<Date>;
  };
  device_claims: { device_id: string; batch_id: string; nonce_sha256: Buffer | null; claimed_at: Date };
}
