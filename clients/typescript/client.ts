// Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
import { type CallOptions, type ClientOptions, Pages, Transport } from './transport.ts';

/** Version of the service that this client was made for. */
export const VERSION = '1.7.0';

export interface Act {
  /** Id of the entry. */
  audit_id: string;
  /** Time of the action. */
  at: string;
  /** Id of the user who acted. Null: an operator at the command line, the service itself, or a caller who was not signed in. `erased_…`: the account was deleted. */
  actor_user_id: string | null;
  /** Id of the API key or session that was used. Null: none. */
  actor_key_id: string | null;
  /** Origin: an IP address, or `cli`. Null: unknown, or the entry was caused by another entry. */
  address: string | null;
  /** Action, such as `key.created`. */
  action: string;
  /** Id of the changed object. Null: the object has no id. */
  target: string | null;
  /** Members of the request; some with their values. */
  details: Record<string, unknown>;
}

export interface Alert {
  /** Id of the alert. */
  alert_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Only in alerts on usage. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff in force: a decimal with up to 9 places, as text. Only in alerts on costs. */
  threshold?: string;
  /** Silence after which the alert fires, in hours. Only in alerts of type `no_data`. */
  threshold_hours?: number;
  /** Notification channel. */
  delivery: "email" | "sms" | "webhook";
  /** A paused alert does not fire. */
  status: "active" | "paused";
  /** Time of creation. */
  created_at: string;
}

export interface AlertPreview {
  /** Id of the user who owns the object. */
  user_id: string;
  /** Periods of the last 90 days in which the alert would have fired. */
  data: {
    /** Start of the period. For `no_data`: time of the device’s last reading. */
    period_start: string;
    /** End of the period, exclusive. Null: the silence continues. */
    period_end: string | null;
    /** Usage in the period, in kWh. Only with types on usage. */
    kwh_used?: number;
    /** Total cost of the period. Only with types on costs. */
    cost?: string;
    /** Currency of the cost (ISO 4217). Only with types on costs. */
    currency?: string;
    /** Id of the silent device. Only with type `no_data`. */
    device_id?: string;
  }[];
}

export interface AlertTriggeredEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "alert.triggered";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: {
    /** Id of the alert that fired. */
    alert_id: string;
    /** Id of the user whose data the event describes. */
    user_id: string;
    /** Type of the alert. */
    type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
    /** Threshold of the alert, in kWh. Only in alerts on usage. */
    threshold_kwh?: number;
    /** Usage of the home in the period until the alert fired, in kWh. Only in alerts on usage. */
    kwh_used?: number;
    /** Threshold of the alert, a decimal in the currency of the tariff in force. Only in alerts on costs. */
    threshold?: string;
    /** Total cost of the period until the alert fired. Only in alerts on costs. */
    cost?: string;
    /** Currency of the cost (ISO 4217). Only in alerts on costs. */
    currency?: string;
    /** Length of the silence after which the alert fires, in hours. Only in alerts of type `no_data`. */
    threshold_hours?: number | null;
    /** Start of the hour, day or month. For `no_data`: time of the device’s last reading. */
    period_start: string;
    /** End of the period, exclusive. Null: the silence continues. */
    period_end: string | null;
    /** Devices that contributed, largest share first. For `no_data`: the silent device. */
    devices: {
      /** Id of the device. */
      device_id: string;
      /** Energy imported by the device in the period, in kWh. */
      kwh_used: number;
    }[];
  };
}

export interface App {
  /** Name of the app, as the consent page shows it. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notifications of changed data. Null: none. */
  notification_url: string | null;
  /** Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** Id of the app. */
  app_id: string;
  /** OAuth client id of the app, for `/oauth/authorize` and `/oauth/token`. */
  client_id: string;
  /** Id of the account that registered the app. */
  user_id: string;
  /** `confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret. */
  type: "confidential" | "public";
  /** Time of creation. */
  created_at: string;
}

export interface Authorization {
  /** Id of the authorization. */
  authorization_id: string;
  /** The authorized app. */
  app: {
    /** Id of the app. */
    app_id: string;
    /** Name of the app. */
    name: string;
    /** HTTPS address of a page about the app. */
    website: string;
  };
  /** Scopes that the app has in the home now. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** Time of creation. */
  created_at: string;
  /** Expiry time. Null: valid until revoked. */
  expires_at: string | null;
  /** Time of the app’s latest request, to the minute. Null: none yet. */
  last_used_at: string | null;
}

export interface BillAdjustment {
  /** Id of the closed period that was corrected. */
  bill_period_id: string;
  /** First day of the corrected period. */
  start: string;
  /** Last day of the corrected period. */
  end: string;
  /** Change of the import of the corrected period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** Change of the export of the corrected period. In kWh with six decimals, as text. */
  export_kwh: string;
}

export interface BillEdit {
  /** Id of the edit. */
  edit_id: string;
  /** Id of the edited device. */
  device_id: string;
  /** `exclude`: readings are excluded. `add`: a reading by a person was added. */
  action: "exclude" | "add";
  /** The device’s own name of the quantity. Null: every quantity of the device. */
  native_name: string | null;
  /** Start of the excluded range; for `add`, the time of the reading. */
  start: string;
  /** End of the excluded range, exclusive. Null: the action is `add`. */
  end: string | null;
  /** Value of the register, in kWh with six decimals, as text. Null: the action is `exclude`. */
  kwh: string | null;
  /** Reason, in the author’s words. */
  reason: string;
  /** Role of the author; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was deleted. */
  author: "homeowner" | "utility" | "admin" | null;
}

export interface BillEnergy {
  /** Energy imported in the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** Energy exported in the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** Number of quarter-hours in the period. */
  intervals: number;
  /** Number of quarter-hours whose import is known, at least in part. */
  intervals_known: number;
  /** Number of quarter-hours whose import is estimated, at least in part. */
  intervals_estimated: number;
  /** Counted registers with their readings. */
  registers: {
    /** Id of the device. */
    device_id: string;
    /** Channel of the register, such as `import/t1`. */
    channel: string;
    /** The device’s own name of the register. */
    native_name: string;
    /** Direction in which the register is counted. */
    direction: "import" | "export";
    /** Reading at the start of the period. Null: unknown. */
    at_start: RegisterReading | null;
    /** Reading at the end of the period. Null: unknown. */
    at_end: RegisterReading | null;
    /** Energy that the register counted in the period, in kWh with six decimals, as text. After a reset, a rollover or a replacement of the meter it is not the difference of the two readings. Null: no longer known. */
    energy_kwh: string | null;
  }[];
  /** Part of `import_kwh` that no register shows. In kWh with six decimals, as text. */
  import_beside_registers_kwh: string;
  /** Part of `export_kwh` that no register shows. In kWh with six decimals, as text. */
  export_beside_registers_kwh: string;
  /** Edits in force that affect the period, up to 1,000. Absent in versions that were recorded before versions contained edits. */
  edits?: BillEdit[];
}

export interface BillPeriod {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Id of the device, if it is billed separately. Null: the home is billed, at its grid connection. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of the days: the account’s time zone when the period was created. */
  timezone: string;
  /** `open` or `closed`. The next open period bills later changes of a closed period. */
  status: "open" | "closed";
  /** Time of creation. */
  created_at: string;
  /** Time at which the period was closed. Null: the period is open. */
  closed_at: string | null;
  /** Number of the latest version. */
  version: number;
  /** Time at which the latest version was recorded. */
  recorded_at: string;
  /** Energy imported in the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** Energy exported in the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** Sum of `import_kwh` and the adjustments for other periods. In kWh with six decimals, as text. */
  billed_import_kwh: string;
  /** Sum of `export_kwh` and the adjustments for other periods. In kWh with six decimals, as text. */
  billed_export_kwh: string;
  /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
  sha256: string;
}

export interface BillPeriodDetails {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Id of the device, if it is billed separately. Null: the home is billed, at its grid connection. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of the days: the account’s time zone when the period was created. */
  timezone: string;
  /** `open` or `closed`. The next open period bills later changes of a closed period. */
  status: "open" | "closed";
  /** Time of creation. */
  created_at: string;
  /** Time at which the period was closed. Null: the period is open. */
  closed_at: string | null;
  /** The first version. */
  first_told: BillStatement;
  /** The latest version. */
  last_told: BillStatement;
  /** Current values of the period. */
  known_now: BillEnergy;
  /** Current values minus the values of the first version. */
  difference: {
    /** Difference of the import. In kWh with six decimals, as text. */
    import_kwh: string;
    /** Difference of the export. In kWh with six decimals, as text. */
    export_kwh: string;
    /** Difference of the estimated part. In kWh with six decimals, as text. */
    estimated_kwh: string;
  };
  /** All versions of the period, oldest first. Their changes add up to the latest version. */
  versions: {
    /** Number of the version. */
    version: number;
    /** Reason for the version: `first`, `again` (recorded again while the period was open), or `closing` (recorded when the period was closed). */
    cause: "first" | "again" | "closing";
    /** Time at which this version was recorded. */
    recorded_at: string;
    /** Energy imported in the period. In kWh with six decimals, as text. */
    import_kwh: string;
    /** Energy exported in the period. In kWh with six decimals, as text. */
    export_kwh: string;
    /** Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text. */
    estimated_kwh: string;
    /** Change of the import from the previous version; in the first version, the whole import. In kWh with six decimals, as text. */
    import_change_kwh: string;
    /** Change of the export from the previous version; in the first version, the whole export. In kWh with six decimals, as text. */
    export_change_kwh: string;
    /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
    sha256: string;
  }[];
  /** Corrections of closed periods that were billed with this period. While the period is open: corrections that will be billed with it. */
  adjustments: BillAdjustment[];
  /** Changes of this period after it was closed. The values at closing plus these changes equal `known_now`. */
  corrections: {
    /** Id of the period that bills the correction. Null: no later open period exists. */
    told_in: string | null;
    /** `told`: the billing period was closed with the correction. `waiting`: it was not closed yet. */
    status: "told" | "waiting";
    /** Change of the import. In kWh with six decimals, as text. */
    import_kwh: string;
    /** Change of the export. In kWh with six decimals, as text. */
    export_kwh: string;
  }[];
}

export interface BillStatement {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Id of the device, if it is billed separately. Null: the home is billed, at its grid connection. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of the days: the account’s time zone when the period was created. */
  timezone: string;
  /** Number of the version, starting at 1. */
  version: number;
  /** Reason for the version: `first`, `again` (recorded again while the period was open), or `closing` (recorded when the period was closed). */
  cause: "first" | "again" | "closing";
  /** Start of the first day. */
  starts_at: string;
  /** End of the last day. */
  ends_at: string;
  /** Time at which this version was recorded. */
  recorded_at: string;
  /** Energy imported in the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** Energy exported in the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** Number of quarter-hours in the period. */
  intervals: number;
  /** Number of quarter-hours whose import is known, at least in part. */
  intervals_known: number;
  /** Number of quarter-hours whose import is estimated, at least in part. */
  intervals_estimated: number;
  /** Counted registers with their readings. */
  registers: {
    /** Id of the device. */
    device_id: string;
    /** Channel of the register, such as `import/t1`. */
    channel: string;
    /** The device’s own name of the register. */
    native_name: string;
    /** Direction in which the register is counted. */
    direction: "import" | "export";
    /** Reading at the start of the period. Null: unknown. */
    at_start: RegisterReading | null;
    /** Reading at the end of the period. Null: unknown. */
    at_end: RegisterReading | null;
    /** Energy that the register counted in the period, in kWh with six decimals, as text. After a reset, a rollover or a replacement of the meter it is not the difference of the two readings. Null: no longer known. */
    energy_kwh: string | null;
  }[];
  /** Part of `import_kwh` that no register shows. In kWh with six decimals, as text. */
  import_beside_registers_kwh: string;
  /** Part of `export_kwh` that no register shows. In kWh with six decimals, as text. */
  export_beside_registers_kwh: string;
  /** Edits in force that affect the period, up to 1,000. Absent in versions that were recorded before versions contained edits. */
  edits?: BillEdit[];
  /** Corrections of closed periods that are billed with this period. */
  adjustments: BillAdjustment[];
  /** Sum of `import_kwh` and the adjustments. In kWh with six decimals, as text. */
  billed_import_kwh: string;
  /** Sum of `export_kwh` and the adjustments. In kWh with six decimals, as text. */
  billed_export_kwh: string;
  /** `sha256` of the previous version. Null: this is the first version. */
  previous_sha256: string | null;
  /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
  sha256: string;
}

export interface ChangedGroup {
  /** Id of the group. */
  group_id: string;
  /** Number of homes that were added. */
  added: number;
  /** Number of homes that were removed. */
  removed: number;
  /** Number of homes in the group, without the homes of its subgroups. */
  members: number;
}

export interface CheckedIntensities {
  /** The first values that would be stored, up to 100. */
  intensities: Intensity[];
  /** Number of values that would be stored. */
  count: number;
  /** The first rows that would not be stored, up to 100. */
  rejected: RejectedRow[];
}

export interface CheckedPrices {
  /** The first values that would be stored, up to 100. */
  prices: Price[];
  /** Number of values that would be stored. */
  count: number;
  /** The first rows that would not be stored, up to 100. */
  rejected: RejectedRow[];
}

export interface CommodityUsage {
  /** First day of the row. */
  date: string;
  /** Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour. */
  hour?: string;
  /** Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour. */
  time?: string;
  /** Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour. */
  starts_at?: string;
  /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated. */
  peak_hour: string | null;
  /** Usage measured as energy, in kWh. */
  kwh_used?: number;
  /** Usage measured as volume, in m³. */
  m3_used?: number;
  /** Part of `kwh_used` that is estimated, in kWh. */
  estimated_kwh?: number;
  /** Part of `m3_used` that is estimated, in m³. */
  estimated_m3?: number;
  /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
  coverage?: number | null;
  /** Whether all expected data is known. Null: no data is expected yet. */
  complete?: boolean | null;
}

export interface ComparedDay {
  /** Compared day. */
  date: string;
  /** Usage of the compared day, in kWh. */
  kwh: number;
}

export interface ComparedKwh {
  /** End of the hours that the value covers. */
  at: string;
  /** Energy of these 24 hours, in kWh. */
  kwh: number;
}

export interface ComparedWatts {
  /** End of the hours that the value covers. */
  at: string;
  /** Power in these hours, in watts. */
  watts: number;
}

/** Cost under the user’s tariffs. Null: no tariff was in force. */
export type Cost = {
  /** Currency of all amounts (ISO 4217). */
  currency: string;
  /** Sum of import, standing charge and capacity, minus export. */
  total: string;
  /** Cost of the imported energy. */
  import: string;
  /** Payment for the exported energy. */
  export: string;
  /** Standing charge for the elapsed time. */
  standing: string;
  /** Charge for the highest quarter-hour. Only for whole months, and only with a capacity tariff. */
  capacity?: string;
  /** Part of `import` that is the cost of estimated energy. */
  estimated: string;
  /** Energy without a known price, in kWh. No amount contains it. */
  missing_prices_kwh: number;
} | null;

export interface CreatedApp {
  /** Name of the app, as the consent page shows it. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notifications of changed data. Null: none. */
  notification_url: string | null;
  /** Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** Id of the app. */
  app_id: string;
  /** OAuth client id of the app, for `/oauth/authorize` and `/oauth/token`. */
  client_id: string;
  /** Id of the account that registered the app. */
  user_id: string;
  /** `confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret. */
  type: "confidential" | "public";
  /** Time of creation. */
  created_at: string;
  /** OAuth client secret, shown only once. Absent for a public app. */
  client_secret?: string;
}

export type CreatedEmissionSeries = EmissionSeries | CheckedIntensities;

export interface CreatedGateway {
  /** Id of the gateway. */
  gateway_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the gateway, chosen by its owner. */
  name: string;
  /** Decoder settings, as they were given. */
  decoder_config: Record<string, unknown>;
  /** `utility` while the gateway serves a device that the utility manages: the owner can then change only the name (403). Otherwise `owner`. */
  managed_by: "owner" | "utility";
  /** Time of creation. */
  created_at: string;
  /** MQTT credentials of the gateway. */
  mqtt: {
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** Prefix of all topics of the gateway. */
    topic_prefix: string;
  };
}

export interface CreatedKey {
  /** Id of the key. */
  key_id: string;
  /** First characters of the key, for recognition. */
  prefix: string;
  /** Scopes of the key. The role of its owner decides which data it can access. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** Expiry time of the key. Null: never. */
  expires_at: string | null;
  /** Id of the group to which the key is limited. Absent without such a limit. */
  group_id?: string;
  /** Id of the device to which the key is limited. Absent without such a limit. */
  device_id?: string;
  /** Id of the home to which the key is limited. Only in keys that a member created for the home of another account. */
  home_user_id?: string;
  /** IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address. */
  allowed_addresses: string[];
  /** The key itself. It is not shown again. */
  key: string;
}

export type CreatedPriceSeries = PriceSeries | CheckedPrices;

export interface CreatedProvisioningBatch {
  /** Id of the batch. */
  batch_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected. */
  owner_user_id: string | null;
  /** Name of the batch, chosen by its owner. */
  name: string;
  /** Type of the created devices. */
  type: string;
  /** Location of the created devices. */
  location: string;
  /** Number of serials that may claim. Null: all serials. */
  serial_count: number | null;
  /** Maximum number of meters that may claim a device. */
  max_devices: number;
  /** Number of meters that have claimed a device. */
  claimed: number;
  /** Time after which meters can no longer claim. */
  expires_at: string;
  /** Time of revocation. Null: not revoked. */
  revoked_at: string | null;
  /** Time of creation. */
  created_at: string;
  /** Credentials and topics that meters of the batch get in the factory. */
  mqtt: {
    /** MQTT user name of all meters of the batch, until each has its own. */
    username: string;
    /** MQTT password of the batch. It is not shown again. */
    password: string;
    /** Topic to which a meter publishes its claim. */
    claim_topic: string;
    /** Topic on which the meter receives the response, on its own connection only. */
    reply_topic: string;
  };
}

export interface Delivery {
  /** Id of the delivery. */
  delivery_id: string;
  /** Id of the event: `id` of its body, the same in every attempt. */
  event_id: string;
  /** Type of the event. */
  event: string;
  /** `failed` after the last retry has failed. */
  status: "pending" | "succeeded" | "failed";
  /** The attempts so far, oldest first. */
  attempts: {
    /** Time of the attempt. */
    at: string;
    /** Status code of the receiver’s response. Null: no response. */
    response_status: number | null;
    /** Duration of the attempt, in milliseconds. */
    duration_ms: number;
    /** Reason why the attempt failed. Null: it succeeded. */
    error: string | null;
  }[];
  /** Time of the next attempt. Null: no further attempt, or the subscription is paused. */
  next_attempt_at: string | null;
}

export interface Device {
  /** Id of the device. */
  device_id: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** `faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence. */
  status: "active" | "inactive" | "faulty";
  /** Time at which the last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Position of the device in its home. `excluded`: the device does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Null: none. */
  upstream_device_id: string | null;
  /** Open problems that the owner should check. Empty: none. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
}

export interface DeviceConnectedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "device.connected";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: {
    /** Id of the device. */
    device_id: string;
    /** Id of the user whose data the event describes. */
    user_id: string;
    /** Type of the device, in the words of its owner. */
    type: string;
    /** Location of the device, in the words of its owner. */
    location: string;
    /** State of the device. */
    status: "active" | "inactive" | "faulty";
    /** Time at which the first valid message arrived. */
    last_seen_at: string;
    /** Position of the device in its home. */
    placement: "grid" | "production" | "storage" | "consumption" | "excluded";
    /** Id of the upstream device, whose measurement includes this device. Null: none. */
    upstream_device_id: string | null;
  };
}

export interface DeviceDetails {
  /** Id of the device. */
  device_id: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** `faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence. */
  status: "active" | "inactive" | "faulty";
  /** Time at which the last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Position of the device in its home. `excluded`: the device does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Null: none. */
  upstream_device_id: string | null;
  /** Open problems that the owner should check. Empty: none. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** Id of the user who owns the object. */
  user_id: string;
  /** Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it. */
  limit_kw: number;
  /** Value at which the register restarts at 0, in kWh. Null: the register never restarts. */
  register_max_kwh: number | null;
  /** Longest silence over which power readings are integrated, in minutes. */
  max_gap_minutes: number;
  /** IANA time zone of a device that reports local time. Null: the time zone of its owner. */
  timezone: string | null;
  /** Decoder settings, as they were given. */
  decoder_config: Record<string, unknown>;
  /** The quantities that the device reports. */
  channels: {
    /** The device’s own name of the quantity. */
    native_name: string;
    /** Unit of `last_value`. Null: the device does not report it. */
    unit: string | null;
    /** Last value of the quantity. Null: none. */
    last_value: number | null;
    /** Time of the last value. Null: none. */
    last_at: string | null;
    /** Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null: unknown; the quantity does not count. */
    counts_as: string | null;
    /** Whether the owner should set `counts_as`, because the name of the quantity is not recognised. If `counts_as` is nevertheless set, it is the role that the quantity had before unrecognised names stopped counting. */
    asked: boolean;
    /** Position of the measurement in the home. Null: the position of the device. */
    placement: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
    /** Whether the energy of the quantity counts. False for a part of a counted total, for a power next to a register, and for an unknown quantity. */
    counted: boolean;
  }[];
  /** Whether past consumption has been recomputed with these settings: within seconds of a change, or within minutes for months of frequent readings. Until then, the new settings apply only to the older part of the past, which is recomputed first. */
  is_computed: boolean;
  /** Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. Null: none. */
  external_id: string | null;
  /** SHA-256 of the client certificate with which the device logs in, in hex. Null: none is registered. If the broker accepts certificates, one with the device’s id as its name is then valid. */
  certificate_sha256: string | null;
  /** Manager of the device. `owner`: the account that owns it. `utility`: the utility that paired it for the account, or to whose batch it belongs; the owner can then change only the `location` (403). */
  managed_by: "owner" | "utility";
  /** Time of creation. */
  created_at: string;
}

export interface DeviceImport {
  /** Id of the import. */
  import_id: string;
  /** State of the import. The import is complete before the response, or it is rejected as a whole. */
  state: "completed";
  /** Time of creation. */
  created_at: string;
  /** Number of rows in the import. */
  rows: number;
  /** Number of devices that were created. */
  created: number;
  /** Number of rows that matched an existing device, which did not change. */
  existing: number;
  /** Number of accounts that were created. */
  users_created: number;
  /** Rows that matched an existing device with other settings. Change these devices with `PATCH /v1/devices/{device_id}`. */
  differing: {
    /** Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list. */
    row: string;
    /** Id of the device. */
    device_id: string;
    /** Members whose values differ between the row and the device. */
    members: string[];
  }[];
  /** `waiting`: the passwords can be fetched, once, within a day. `gone`: the passwords were fetched, have expired, or never existed. */
  credentials: "waiting" | "gone";
}

export interface DeviceQuality {
  /** Id of the device. */
  device_id: string;
  /** One row for each month, oldest first. */
  data: MonthQuality[];
}

export interface DeviceReading {
  /** Time of the reading; for an interval, its end. */
  ts: string;
  /** Channel of the device, such as `import`. */
  channel: string;
  /** The device’s own name of the quantity. */
  native_name: string;
  /** Value of a register, in kWh. */
  energy_total_kwh?: string;
  /** Energy of an interval, in kWh. */
  energy_kwh?: string;
  /** Value of a register of gas, heat or water, in m³. */
  volume_total_m3?: string;
  /** Volume of an interval, in m³. */
  volume_m3?: string;
  /** Length of an interval, in seconds. */
  interval_s?: number;
  /** Power, in W. */
  power_w?: number;
  /** Room temperature, in °C. */
  temperature_c?: number;
  /** Set temperature, in °C. */
  setpoint_c?: number;
  /** State of a thermostat: 1 while heating, otherwise 0. */
  heating?: number;
  /** Relative humidity, in percent. */
  humidity_percent?: number;
  /** Use of the reading. `counted`: its energy counts. `baseline`: energy counts from this reading on. `excluded`: an edit excludes it. `not_counted`: another quantity counts. `unknown`: the meaning of the quantity has not been set. `lower_kept`: it counts, and a higher value for the same time does not. Other values are findings of `GET /v1/devices/{device_id}/quality`. */
  verdict: "counted" | "baseline" | "excluded" | "not_counted" | "unknown" | "lower_kept" | "glitch" | "overlap" | "late_news" | "passed_over" | "taken_back" | "jitter" | "reset" | "rollover" | "swap" | "held";
  /** Id of the edit that excludes or added the reading. */
  edit_id?: string;
}

export interface DeviceReadings {
  /** Id of the device. */
  device_id: string;
  /** The readings, oldest first. */
  data: DeviceReading[];
}

export interface DeviceUsage {
  /** Id of the device. */
  device_id: string;
  /** The rows, oldest first. */
  data: {
    /** First day of the row. */
    date: string;
    /** Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour. */
    hour?: string;
    /** Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour. */
    time?: string;
    /** Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour. */
    starts_at?: string;
    /** Energy imported by the device, in kWh. Null: the device reports no energy. */
    kwh_used: number | null;
    /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated. */
    peak_hour: string | null;
    cost?: Cost;
    emissions?: Emissions;
    /** Energy from the grid, in kWh. Null: unknown. */
    grid_import_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: unknown. */
    grid_export_kwh?: number | null;
    /** Energy that the home produced, in kWh. Null: unknown. */
    production_kwh?: number | null;
    /** Energy that batteries charged, in kWh. Null: unknown. */
    charged_kwh?: number | null;
    /** Energy that batteries discharged, in kWh. Null: unknown. */
    discharged_kwh?: number | null;
    /** Energy used by consumption devices, in kWh. Null: unknown. */
    consumption_kwh?: number | null;
    /** `kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown. */
    untracked_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: unknown. */
    self_consumed_kwh?: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage. */
    autarky?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: unknown. */
    estimated_kwh?: number | null;
    /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
    coverage?: number | null;
    /** Whether all expected data is known. Null: no data is expected yet. */
    complete?: boolean | null;
    /** Energy exported by the device, in kWh. Null: unknown. */
    export_kwh?: number | null;
    /** With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: at least a part by the load profile of similar days. `line`: all of it was spread evenly. Null: nothing in it is estimated. */
    estimate?: "like_days" | "line" | null;
    /** Room temperature measured by a thermostat. Null: unknown. */
    temperature_c?: {
      /** Mean, weighted by time, in °C. */
      mean: number;
      /** Lowest, in °C. */
      min: number;
      /** Highest, in °C. */
      max: number;
    } | null;
    /** Mean of the set temperature, weighted by time, in °C. Null: unknown. */
    setpoint_c?: number | null;
    /** Time during which the thermostat was heating, in minutes. Null: unknown. */
    heating_minutes?: number | null;
  }[];
}

export interface DiscoveredDevice {
  /** Id for pairing the device: `discovery_id` of `POST /v1/devices`. */
  discovery_id: string;
  /** Id of the gateway through which the device was discovered. */
  gateway_id: string;
  /** Family of the device’s messages, such as `tasmota`. */
  family: string;
  /** The device’s own id. */
  native_id: string;
  /** Names of the device’s channels. */
  channels: string[];
  /** The quantities of the device’s channels. */
  quantities: {
    /** Name of the channel. */
    channel: string;
    /** Measured quantity with its unit, such as `power_w`. */
    kind: string;
    /** Role of the quantity after pairing. Null: not counted. */
    counts: "import" | "export" | null;
  }[];
  /** Topic filter, below the gateway’s prefix, for announced values of which none has arrived yet. Null: values have arrived. */
  awaits: string | null;
  /** Time of the first message. */
  first_seen_at: string;
  /** Time of the last message. */
  last_seen_at: string;
}

export interface EmissionSeries {
  /** Id of the emission series. */
  series_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the series, chosen by its owner, such as the name of the grid. */
  name: string;
  /** Time for which each value applies, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Source from which the service fetches the values. Absent: the series has no source, or the caller may not change the series. */
  source?: SeriesSource;
  /** Time of the last fetch. Null: never. */
  last_fetched_at?: string | null;
  /** Time of the next fetch. */
  next_fetch_at?: string;
  /** Error of the last fetch, or of rows in its response. Null: no error. */
  last_error?: string | null;
}

/** Emissions of the energy from the grid, from the user’s emission series. Null: the user has no emission series. */
export type Emissions = {
  /** Emissions in kg of CO2 equivalent, with 3 decimals. */
  kg_co2e: string;
  /** Energy without a known intensity, in kWh. `kg_co2e` does not contain it. */
  missing_kwh: number;
} | null;

export type EnergyInsights = {
  /** Id of the user who owns the object. */
  user_id: string;
  /** The rows, oldest first. Rows without data are omitted. */
  data: Usage[];
  date_range?: undefined;
  peak_usage_time?: undefined;
  kwh_used?: undefined;
  m3_used?: undefined;
  estimated_kwh?: undefined;
  estimated_m3?: undefined;
  coverage?: undefined;
  complete?: undefined;
  cost?: undefined;
  emissions?: undefined;
  grid_import_kwh?: undefined;
  grid_export_kwh?: undefined;
  production_kwh?: undefined;
  charged_kwh?: undefined;
  discharged_kwh?: undefined;
  consumption_kwh?: undefined;
  untracked_kwh?: undefined;
  self_consumed_kwh?: undefined;
  autarky?: undefined;
} | {
  /** Id of the user who owns the object. */
  user_id: string;
  /** The rows, oldest first. Rows without data are omitted. */
  data: CommodityUsage[];
  date_range?: undefined;
  peak_usage_time?: undefined;
  kwh_used?: undefined;
  m3_used?: undefined;
  estimated_kwh?: undefined;
  estimated_m3?: undefined;
  coverage?: undefined;
  complete?: undefined;
  cost?: undefined;
  emissions?: undefined;
  grid_import_kwh?: undefined;
  grid_export_kwh?: undefined;
  production_kwh?: undefined;
  charged_kwh?: undefined;
  discharged_kwh?: undefined;
  consumption_kwh?: undefined;
  untracked_kwh?: undefined;
  self_consumed_kwh?: undefined;
  autarky?: undefined;
} | {
  /** Id of the user who owns the object. */
  user_id: string;
  /** Days of the summary. */
  date_range: {
    /** First day of the summary. */
    start: string;
    /** Last day of the summary, inclusive: today. */
    end: string;
  };
  /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated. */
  peak_usage_time: string | null;
  /** Usage measured as energy, in kWh. */
  kwh_used?: number;
  /** Usage measured as volume, in m³. */
  m3_used?: number;
  /** Part of `kwh_used` that is estimated, in kWh. */
  estimated_kwh?: number;
  /** Part of `m3_used` that is estimated, in m³. */
  estimated_m3?: number;
  /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
  coverage?: number | null;
  /** Whether all expected data is known. Null: no data is expected yet. */
  complete?: boolean | null;
  data?: undefined;
  cost?: undefined;
  emissions?: undefined;
  grid_import_kwh?: undefined;
  grid_export_kwh?: undefined;
  production_kwh?: undefined;
  charged_kwh?: undefined;
  discharged_kwh?: undefined;
  consumption_kwh?: undefined;
  untracked_kwh?: undefined;
  self_consumed_kwh?: undefined;
  autarky?: undefined;
} | {
  /** Id of the user who owns the object. */
  user_id: string;
  /** Days of the summary. */
  date_range: {
    /** First day of the summary. */
    start: string;
    /** Last day of the summary, inclusive: today. */
    end: string;
  };
  /** Usage of the home, in kWh. */
  kwh_used: number;
  /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated. */
  peak_usage_time: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: unknown. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: unknown. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: unknown. */
  production_kwh?: number | null;
  /** Energy that batteries charged, in kWh. Null: unknown. */
  charged_kwh?: number | null;
  /** Energy that batteries discharged, in kWh. Null: unknown. */
  discharged_kwh?: number | null;
  /** Energy used by consumption devices, in kWh. Null: unknown. */
  consumption_kwh?: number | null;
  /** `kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: unknown. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: unknown. */
  estimated_kwh?: number | null;
  /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
  coverage?: number | null;
  /** Whether all expected data is known. Null: no data is expected yet. */
  complete?: boolean | null;
  data?: undefined;
  m3_used?: undefined;
  estimated_m3?: undefined;
};

export interface ErrorBody {
  /** Error message for people. */
  error: string;
  /** HTTP status code of the response. */
  status: number;
  /** Error code for programs: a word from the list of errors, such as `key_revoked`. It does not change. */
  code: string;
  /** Address of the explanation in the reference. */
  doc_url: string;
  /** All validation errors of the request. */
  details?: {
    /** Path of the member, parameter or header, such as `channels.0.counts_as`. */
    field: string;
    /** Error in this field. */
    message: string;
  }[];
  /** With 429: seconds to wait before the next request. */
  retry_after?: number;
  /** With 500: id of the request in the log of the service. */
  incident?: string;
}

export interface FleetDevice {
  /** Id of the device. */
  device_id: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** `faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence. */
  status: "active" | "inactive" | "faulty";
  /** Time at which the last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Position of the device in its home. `excluded`: the device does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Null: none. */
  upstream_device_id: string | null;
  /** Open problems that the owner should check. Empty: none. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** Id of the user who owns the object. */
  user_id: string;
  /** E-mail address of the device’s owner. Null: the key lacks `users:read`. */
  email: string | null;
  /** Family of the device’s messages, such as `tasmota`. `native`: the service’s own format, without a gateway. */
  family: string;
  /** Id of the device’s gateway. Null: the device logs in itself. */
  gateway_id: string | null;
  /** Start of the silence: time of the last message, or of pairing if none was received. Null: a message was received within the last hour. */
  silent_since: string | null;
  /** Time of creation. */
  created_at: string;
}

export interface FleetSilence {
  /** Minimum length of a silence, in minutes. Shorter silences are not recorded. */
  silent_after_minutes: number;
  /** Number of devices that the caller can access. */
  devices: number;
  /** Number of homes with at least one of these devices. */
  homes: number;
  /** Times without a running worker. Silences that began and ended within them are unknown. */
  unwatched: {
    /** Start of this time. */
    from: string;
    /** End of the time, exclusive. */
    to: string;
  }[];
  /** Hours or days in which devices fell silent, oldest first. */
  data: {
    /** Start of the hour or day. */
    starts_at: string;
    /** Number of devices that fell silent in this hour or day. */
    devices: number;
    /** Number of these devices that stopped in an outage of many homes. */
    outage: number;
    /** Number of these devices that stopped together with others of their gateway. */
    gateway: number;
    /** Number of these devices that stopped together with others of their home. */
    home: number;
    /** Number of these devices that stopped alone. */
    device: number;
    /** Number of these devices that stop frequently. */
    habit: number;
    /** Number of all these devices whose kind of stop is uncertain. */
    unsure: number;
  }[];
  /** Groups of devices that stopped together: largest first, then latest first. */
  groups: {
    /** Kind of stop. `outage`: many homes stopped. `gateway`, `home`: devices of one gateway or home stopped. `device`: one device stopped alone. `habit`: a device stopped that is often silent. */
    kind: "outage" | "gateway" | "home" | "device" | "habit";
    /** Whether the kind is certain. If not, `because` gives the reason. */
    sure: boolean;
    /** Reason. `beyond_chance`: more homes stopped than chance explains; `whole_gateway`, `whole_home`: all its devices stopped; `others_go_on`: others of the home reported; `often_silent`: it often stopped in the week before. Uncertain: `part_of_gateway`, `part_of_home`: a part stopped; `only_device`: no other device of the home reported; `others_stopped_too`: unusually many homes stopped then. */
    because: "beyond_chance" | "whole_gateway" | "whole_home" | "others_go_on" | "often_silent" | "part_of_gateway" | "part_of_home" | "only_device" | "others_stopped_too";
    /** Time of the last message of the device that stopped first. */
    first_at: string;
    /** Time of the last message of the device that stopped last. */
    last_at: string;
    /** Number of devices in the group. */
    devices: number;
    /** Number of homes in the group. */
    homes: number;
    /** Number of devices in the group that have reported again. */
    heard_again: number;
    /** Id of the user. Null: the group has several users. */
    user_id: string | null;
    /** Id of the gateway. Null: the group has no gateway, or several. */
    gateway_id: string | null;
    /** Ids of the devices in the order in which they stopped; at most 20. */
    device_ids: string[];
  }[];
  /** Number of groups beyond `limit`. */
  groups_left_out: number;
}

export interface Forecast {
  /** IANA time zone of the user, which defines the days. */
  timezone: string;
  /** Forecast of the current month. Null: the home has too few days with data. */
  forecast: {
    /** First day of the current month. */
    start: string;
    /** Last day of the current month. */
    end: string;
    /** Number of past days of the month. */
    days_over: number;
    /** Usage of the home in the month so far, in kWh. */
    so_far_kwh: number;
    /** Expected usage of the home in the whole month, in kWh. */
    expected_kwh: number;
    /** Lower end of the range in which the usage of the month will probably lie, in kWh. */
    low_kwh: number;
    /** Upper end of the range in which the usage of the month will probably lie, in kWh. */
    high_kwh: number;
    /** Percentage of months whose usage lies within the range. */
    range_percent: number;
    /** Expected cost of the month. Null: no tariff, or a tariff for too few days. */
    cost: {
      /** Currency (ISO 4217). */
      currency: string;
      /** Expected cost of the month. */
      expected: number;
      /** Cost at the lower end of the range of usage. */
      low: number;
      /** Cost at the upper end of the range of usage. */
      high: number;
    } | null;
    /** Earlier months of the home with the same forecast, latest first. */
    past: {
      /** Month, as `YYYY-MM`. */
      month: string;
      /** Usage of the month that this forecast would have expected on the same day of that month, in kWh. */
      forecast_kwh: number;
      /** Actual usage of the home in the month, in kWh. */
      actual_kwh: number;
      /** Usage of the home in the same month of the previous year, in kWh. Null: unknown. */
      last_year_kwh: number | null;
    }[];
    /** Mean error of the forecast in these months, as a share of their usage. Null: no earlier months. */
    mean_error: number | null;
  } | null;
}

export interface Gateway {
  /** Id of the gateway. */
  gateway_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the gateway, chosen by its owner. */
  name: string;
  /** Decoder settings, as they were given. */
  decoder_config: Record<string, unknown>;
  /** `utility` while the gateway serves a device that the utility manages: the owner can then change only the name (403). Otherwise `owner`. */
  managed_by: "owner" | "utility";
  /** Time of creation. */
  created_at: string;
}

export interface Group {
  /** Id of the group. */
  group_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the group, chosen by its owner. */
  name: string;
  /** Kind of group, such as `building` or `feeder`. Null: not given. */
  kind: string | null;
  /** Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none. */
  parent_group_id: string | null;
  /** Number of homes in the group, without the homes of its subgroups. */
  members: number;
  /** Time of creation. */
  created_at: string;
}

export type GroupEnergyInsights = {
  /** Id of the group. */
  group_id: string;
  /** Number of homes in the total, including the homes of subgroups. Each home counts once. */
  homes: number;
  /** The rows, oldest first. Rows without data are omitted. */
  data: Usage[];
  date_range?: undefined;
  kwh_used?: undefined;
  peak_usage_time?: undefined;
  cost?: undefined;
  emissions?: undefined;
  grid_import_kwh?: undefined;
  grid_export_kwh?: undefined;
  production_kwh?: undefined;
  charged_kwh?: undefined;
  discharged_kwh?: undefined;
  consumption_kwh?: undefined;
  untracked_kwh?: undefined;
  self_consumed_kwh?: undefined;
  autarky?: undefined;
  estimated_kwh?: undefined;
  coverage?: undefined;
  complete?: undefined;
} | {
  /** Id of the group. */
  group_id: string;
  /** Number of homes in the total, including the homes of subgroups. Each home counts once. */
  homes: number;
  /** Days of the summary. */
  date_range: {
    /** First day of the summary. */
    start: string;
    /** Last day of the summary, inclusive: today. */
    end: string;
  };
  /** Usage of the homes, in kWh. */
  kwh_used: number;
  /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated. */
  peak_usage_time: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: unknown. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: unknown. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: unknown. */
  production_kwh?: number | null;
  /** Energy that batteries charged, in kWh. Null: unknown. */
  charged_kwh?: number | null;
  /** Energy that batteries discharged, in kWh. Null: unknown. */
  discharged_kwh?: number | null;
  /** Energy used by consumption devices, in kWh. Null: unknown. */
  consumption_kwh?: number | null;
  /** `kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: unknown. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: unknown. */
  estimated_kwh?: number | null;
  /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
  coverage?: number | null;
  /** Whether all expected data is known. Null: no data is expected yet. */
  complete?: boolean | null;
  data?: undefined;
};

export interface ImportCredentials {
  /** Id of the import. */
  import_id: string;
  /** MQTT credentials of the new devices. */
  credentials: {
    /** Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list. */
    row: string;
    /** Your own name of the device. Null: none. */
    external_id: string | null;
    /** Id of the device. */
    device_id: string;
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** Topic to which the device publishes its readings. */
    topic: string;
  }[];
}

export interface Intensity {
  /** Start of the time for which the value applies. The value applies for one resolution of the series. */
  starts_at: string;
  /** Grams of CO2 equivalent per kWh. A decimal with up to 9 places, as text. */
  grams_per_kwh: string;
}

export interface JudgedMessage {
  /** `read`: at least one reading counts. `asked`: nothing counts until the owner sets the meaning of a quantity. `refused`: a family recognises the message, but cannot use it. `nothing`: a family recognises the message, which contains no readings. `nobody`: no family recognises the message. */
  outcome: "read" | "asked" | "refused" | "nothing" | "nobody";
  /** The topic without the prefix of the gateway. */
  topic: string;
  /** Device family that decodes the message. Null: none. */
  family: string | null;
  /** Decoded readings. */
  readings: {
    /** Id of the device in the message. */
    device: string;
    /** Channel of the reading, such as `import`, `export/t1`, `gas/m3` or `room`. */
    channel: string;
    /** Quantity with its unit, such as `energy_total_kwh`, `power_w` or `temperature_c`. */
    kind: string;
    /** The value, in the unit given by `kind`. */
    value: number | boolean;
    /** Time stamp in the message. `null`: none, so the time of receipt is used. */
    ts: string | null;
  }[];
  /** Quantities that do not count until the owner sets their meaning. */
  asks: {
    /** Id of the device in the message. */
    device: string;
    /** The device’s own name of the quantity. */
    native_name: string;
    /** Unit of the quantity. `null`: the message does not contain it. */
    unit: string | null;
    /** The value, in the unit given by `kind`. */
    value: number | boolean;
  }[];
  /** Reasons why the message, or a part of it, cannot be used. */
  refused: string[];
  /** Number of readings that were skipped, because the message was retained. */
  left_out: number;
  /** Settings that would help. */
  would: {
    /** Device family that would decode more of the message. */
    family: string;
    /** Decoder settings to add. A zone, a unit or a number in them is an example. */
    decoder_config: Record<string, unknown>;
  }[];
  /** Values in the payload that a `mapping` of the `decoder_config` can use. */
  members: {
    /** JSONPath of the value. `null`: the payload is a plain number. */
    path: string | null;
    /** Value at this path. */
    value: number | string;
    /** Whether the value can be the time of the message. */
    may_be_time: boolean;
    /** Proposed meaning, from the unit in the name. `null`: the name contains no unit. */
    proposed: {
      /** Value for `unit` of a `mapping`. */
      unit: string;
      /** Value for `meaning` of a `mapping`. */
      meaning: string;
    } | null;
  }[];
}

export interface Key {
  /** Id of the key. */
  key_id: string;
  /** First characters of the key, for recognition. */
  prefix: string;
  /** Scopes of the key. The role of its owner decides which data it can access. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** Expiry time of the key. Null: never. */
  expires_at: string | null;
  /** Id of the group to which the key is limited. Absent without such a limit. */
  group_id?: string;
  /** Id of the device to which the key is limited. Absent without such a limit. */
  device_id?: string;
  /** Id of the home to which the key is limited. Only in keys that a member created for the home of another account. */
  home_user_id?: string;
  /** IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address. */
  allowed_addresses: string[];
  /** Name of the key, chosen by its owner. Null: none. */
  name: string | null;
  /** Time of creation. */
  created_at: string;
  /** Time of the last use. Null: never used. */
  last_used_at: string | null;
}

export interface ListedUser {
  /** Id of the user. */
  user_id: string;
  /** E-mail address. The first administrator has `admin@localhost`. */
  email: string;
  /** Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data. */
  role: "homeowner" | "utility" | "admin";
  /** Time at which the account was created. */
  created_at: string;
  /** Phone number in E.164 form. Null: none. */
  phone: string | null;
  /** IANA time zone of the user. Alerts and requests with `tz=account` use its hours, days and months. */
  timezone: string;
  /** Plan that sets the rate limits of the account. */
  plan: "free" | "developer" | "enterprise";
  /** Id of the emission series for the home’s emissions. Null: none. */
  emission_series_id: string | null;
  /** Whether the user gets a mail about each new remark on its home. */
  remarks_by_mail: boolean;
  /** Requested new e-mail address, which takes effect when a link in a mail to it is used. Only present until then, at most 7 days. */
  pending_email?: string;
  /** Device counts of the account. Only with `include=devices`. */
  devices?: {
    /** Number of devices of the account. */
    total: number;
    /** Number of devices without a message for 24 hours. */
    silent: number;
    /** Number of faulty devices. */
    faulty: number;
  };
}

export interface Member {
  /** Id of the membership. */
  member_id: string;
  /** E-mail address of the member’s account, or of the invited person. */
  email: string;
  /** `read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
  /** `invited` until the invitation is accepted. */
  status: "invited" | "active";
  /** Time of creation. */
  created_at: string;
  /** Expiry time of the invitation. Null: the invitation was accepted. */
  expires_at: string | null;
  /** Time at which the invitation was accepted. Null: not yet. */
  accepted_at: string | null;
  /** Time of the last use of a key that the member created for the home. Null: never. */
  last_used_at: string | null;
}

export interface Membership {
  /** Id of the membership. */
  member_id: string;
  /** Id of the home’s account. Requests in a session pass it as `user_id`. */
  home_user_id: string;
  /** E-mail address of the home’s account. */
  home_email: string;
  /** `read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
  /** Time at which the invitation was accepted. */
  accepted_at: string;
}

export interface Message {
  /** Result of the request, for people. */
  message: string;
}

export interface MonthQuality {
  /** Month in the time zone `tz`, as `YYYY-MM`. */
  month: string;
  /** Number of past quarter-hours of the month, starting with the device’s first reading. It counts time, not messages: a register that reports only changes also covers the time before each message. */
  intervals_expected: number;
  /** Number of these quarter-hours that are fully known, from readings at most an hour apart. */
  intervals_received: number;
  /** Number of these quarter-hours with energy that was distributed over a silence of more than an hour. */
  intervals_estimated: number;
  /** Number of these quarter-hours that are known in part, or for some channels only. */
  intervals_partial: number;
  /** Number of these quarter-hours that are unknown. */
  intervals_missing: number;
  /** Imported energy, in kWh, exact to the mWh. */
  import_kwh: number;
  /** Exported energy, in kWh, exact to the mWh. */
  export_kwh: number;
  /** Part of `import_kwh` that was distributed over silences, in kWh. */
  estimated_import_kwh: number;
  /** Part of `export_kwh` that was distributed over silences, in kWh. */
  estimated_export_kwh: number;
  /** Number of counted readings. */
  readings: number;
  /** Number of readings that arrived after a later reading of the same channel. */
  late_readings: number;
  /** Number of hours whose energy changed after it was first known. */
  corrected_hours: number;
  /** Resulting change of the month’s import, in kWh. */
  import_change_kwh: number;
  /** Resulting change of the month’s export, in kWh. */
  export_change_kwh: number;
  /** Number of readings with each finding. Readings that count in the normal way are not included. */
  findings: {
    /** False readings: the readings before and after them fit together. */
    glitches: number;
    /** Interval readings that overlap a counted interval. */
    overlaps: number;
    /** Readings with which a source continued after it was frozen. Their energy is distributed over the time since the source froze. */
    late_news: number;
    /** Readings that a frozen source repeated. */
    passed_over: number;
    /** Readings that prove the previous reading false. */
    taken_back: number;
    /** Small decreases of a register, for example if it loses its decimals. */
    jitter: number;
    /** Restarts of the register at zero. */
    resets: number;
    /** Rollovers of the register at its maximum. */
    rollovers: number;
    /** Replacements of the meter. The history is split there, and the difference between the two registers does not count. */
    swaps: number;
    /** Implausible readings that later readings will confirm or refute. */
    held: number;
  };
  /** Number of readings of the month that edits exclude. Raw readings are deleted after the retention time, and then no longer count here. */
  excluded_readings: number;
  /** Number of readings of the month that edits added. */
  added_readings: number;
  /** Ids of the edits in force that affect the month. */
  edits: string[];
  /** Number of messages and elements that were rejected in the month. Rejections are stored for 90 days. */
  rejected: number;
  /** The reasons, the most frequent first. */
  rejections: {
    /** Reason for the rejection. */
    reason: string;
    /** Number of rejections for this reason. */
    count: number;
  }[];
}

export interface MonthlyAnalytics {
  /** Id of the user who owns the object. */
  user_id: string;
  /** The months, oldest first. Months without data are omitted. */
  data: {
    /** Month in the time zone `tz`, as `YYYY-MM`. */
    month: string;
    /** Usage of the home in the month, in kWh. */
    kwh_used: number;
    /** Mean daily usage over the days with data, in kWh. */
    avg_daily_kwh: number;
    /** Hour of the day with the highest usage in the month. Null: more than half of the usage is estimated in every hour. */
    peak_hour: string | null;
    /** Change from the previous month, in kWh. Null: the previous month has no data. */
    change_kwh: number | null;
    /** Change from the previous month, in percent. Null: the previous month has no data or no usage. */
    change_percent: number | null;
    cost?: Cost;
    emissions?: Emissions;
    /** `true`: the month is not over, and is compared with the same days of the previous month. */
    partial?: true;
  }[];
}

export type NewSeriesSource = {
  /** Name of a public source, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. A preset contains the address, times and units. */
  preset: string;
  /** Token for the preset, such as an ENTSO-E token. It is stored encrypted and never returned. */
  token?: string;
} | {
  /** HTTPS address of the values, without credentials. */
  url: string;
  /** Format of the responses of the source. */
  format: "json" | "csv" | "xml";
  /** JSON: path of the list of rows, such as `$.data`; default: the whole response. XML: name of the element that contains a row. Not for CSV. */
  items?: string;
  /** Location of the start of a value in its row: JSONPath from the row, CSV column, or XML element. The start is ISO 8601, or Unix seconds or milliseconds. */
  starts_at: string;
  /** Location of the price, or of the grams of CO2 equivalent, of a kWh in its row: JSONPath from the row, CSV column, or XML element. */
  value: string;
  /** Factor for the values, such as 0.001 for prices per MWh. Default: 1. */
  scale?: string | number;
  /** IANA time zone of `at`, and of times without an offset in the response. Default: UTC. */
  timezone?: string;
  /** Headers of the request, for example with a key. They are stored encrypted and never returned. */
  headers?: Record<string, unknown>;
  /** Times of day at which the source is fetched, HH:MM, up to 24. */
  at: string[];
};

export interface PairedDevice {
  /** Id of the device. */
  device_id: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** `faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence. */
  status: "active" | "inactive" | "faulty";
  /** Time at which the last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Position of the device in its home. `excluded`: the device does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Null: none. */
  upstream_device_id: string | null;
  /** Open problems that the owner should check. Empty: none. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** MQTT credentials of the device. Absent with `discovery_id`, because its gateway signs in. */
  mqtt?: {
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** Topic to which the device publishes its readings. */
    topic: string;
  };
}

export interface Price {
  /** Start of the time for which the value applies. The value applies for one resolution of the series. */
  starts_at: string;
  /** Price per kWh. A decimal with up to 9 places, as text. */
  per_kwh: string;
}

export interface PriceSeries {
  /** Id of the price series. */
  series_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the series, chosen by its owner, such as the name of the market. */
  name: string;
  /** Currency of the prices (ISO 4217), such as `EUR`. */
  currency: string;
  /** Time for which each value applies, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Source from which the service fetches the values. Absent: the series has no source, or the caller may not change the series. */
  source?: SeriesSource;
  /** Time of the last fetch. Null: never. */
  last_fetched_at?: string | null;
  /** Time of the next fetch. */
  next_fetch_at?: string;
  /** Error of the last fetch, or of rows in its response. Null: no error. */
  last_error?: string | null;
}

export interface ProvisioningBatch {
  /** Id of the batch. */
  batch_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected. */
  owner_user_id: string | null;
  /** Name of the batch, chosen by its owner. */
  name: string;
  /** Type of the created devices. */
  type: string;
  /** Location of the created devices. */
  location: string;
  /** Number of serials that may claim. Null: all serials. */
  serial_count: number | null;
  /** Maximum number of meters that may claim a device. */
  max_devices: number;
  /** Number of meters that have claimed a device. */
  claimed: number;
  /** Time after which meters can no longer claim. */
  expires_at: string;
  /** Time of revocation. Null: not revoked. */
  revoked_at: string | null;
  /** Time of creation. */
  created_at: string;
}

export type Rates = {
  /** Price per kWh. A decimal with up to 9 places, as text. */
  per_kwh: string;
} | {
  /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
  periods: {
    /** Price per kWh. A decimal with up to 9 places, as text. */
    per_kwh: string;
    /** Weekdays on which the price applies, 1 is Monday. Default: all. */
    days?: number[];
    /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
    from?: string;
    /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
    to?: string;
    /** Months in which the price applies, 1 is January. Default: all. */
    months?: number[];
  }[];
} | {
  /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
  series_id: string;
  /** Amount added to the price per kWh after `multiply`. Default: 0. A decimal with up to 9 places, as text. */
  add?: string;
  /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. A decimal with up to 9 places, as text. */
  multiply?: string;
};

export interface ReadingEdit {
  /** Id of the edit. */
  edit_id: string;
  /** Id of the device. */
  device_id: string;
  /** `exclude`: excludes all readings of a time range, also those that arrive later. `add`: adds a register reading by a person. It counts like any late reading, and replaces a reading that the device sent for the same instant. */
  action: "exclude" | "add";
  /** The device’s own name of the quantity, as in `channels`. Null: every quantity of the device. */
  native_name: string | null;
  /** With `exclude`: start of the excluded range, inclusive. A reading is excluded if its time is in the range; an interval, if its end is in the range. */
  start: string | null;
  /** With `exclude`: end of the excluded range, exclusive. */
  end: string | null;
  /** With `add`: time of the reading. */
  at: string | null;
  /** With `add`: value of the register, in kWh (in m³ if it counts a volume). */
  kwh: number | null;
  /** Reason for the edit, in the author’s words. */
  reason: string;
  /** A `revoked` edit no longer has an effect, but stays in the list. */
  status: "in_force" | "revoked";
  /** Whether consumption has been recomputed with the edit: within seconds, or within minutes for months of frequent readings. */
  is_computed: boolean;
  /** Id of the user who made the edit. `clock`: the service made it, because a host’s clock was set back and readings received without a time would have counted twice; a register continues from its first reading in that time. Null: the account was deleted. */
  author: string | null;
  /** Time of creation. */
  created_at: string;
  /** Id of the user who revoked the edit. Null: the edit is in force, or the account was deleted. */
  revoked_by: string | null;
  /** Time of revocation. Null: the edit is in force. */
  revoked_at: string | null;
}

export interface RegisterReading {
  /** Value of the register. In kWh with six decimals, as text. */
  kwh: string;
  /** Time of the reading. */
  at: string;
  /** `measured`: sent by the device at that time. `by_hand`: read by a person at that time. `interpolated`: linear between the previous and the next reading. `last`: the previous reading, because no reading follows or the register was reset, rolled over or replaced. */
  is: "measured" | "by_hand" | "interpolated" | "last";
}

export interface RejectedRow {
  /** Position of the row in the response, starting at 1. */
  row: number;
  /** Error in the row. */
  message: string;
}

export type Remark = {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "stays_on";
  /** Start of the condition. */
  since: string;
  /** Latest time at which the condition is known to hold. */
  until: string;
  /** Lowest power of the home since the start of the condition, in watts. */
  least_w: number;
  /** Median of the same value on the compared days, in watts. */
  usual_w: number;
  /** Id of the device that the remark concerns, or that causes most of a rise. Null: unknown. */
  device_id: string | null;
  /** Location of this device. Null: unknown. */
  location: string | null;
  /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
  compared: ComparedWatts[];
  quiet_w?: undefined;
  kwh?: undefined;
  usual_kwh?: undefined;
  expected_kwh?: undefined;
  is_silent?: undefined;
  date?: undefined;
  weekday?: undefined;
  start?: undefined;
  end?: undefined;
  tariff_id?: undefined;
  name?: undefined;
  currency?: undefined;
  paid?: undefined;
  would_have_paid?: undefined;
} | {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "night_rose";
  /** Start of the condition. */
  since: string;
  /** Latest time at which the condition is known to hold. */
  until: string;
  /** Mean power of the quietest two hours of the last day, in watts. */
  quiet_w: number;
  /** Median of the same value on the compared days, in watts. */
  usual_w: number;
  /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
  compared: ComparedWatts[];
  least_w?: undefined;
  device_id?: undefined;
  location?: undefined;
  kwh?: undefined;
  usual_kwh?: undefined;
  expected_kwh?: undefined;
  is_silent?: undefined;
  date?: undefined;
  weekday?: undefined;
  start?: undefined;
  end?: undefined;
  tariff_id?: undefined;
  name?: undefined;
  currency?: undefined;
  paid?: undefined;
  would_have_paid?: undefined;
} | {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "device_uses_more";
  /** Start of the condition. */
  since: string;
  /** Latest time at which the condition is known to hold. */
  until: string;
  /** Id of the device that the remark concerns. */
  device_id: string;
  /** Location of this device. */
  location: string;
  /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
  kwh: number;
  /** Median of the same value on the compared days, in kWh. */
  usual_kwh: number;
  /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
  compared: ComparedKwh[];
  least_w?: undefined;
  usual_w?: undefined;
  quiet_w?: undefined;
  expected_kwh?: undefined;
  is_silent?: undefined;
  date?: undefined;
  weekday?: undefined;
  start?: undefined;
  end?: undefined;
  tariff_id?: undefined;
  name?: undefined;
  currency?: undefined;
  paid?: undefined;
  would_have_paid?: undefined;
} | {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "production_missing";
  /** Start of the condition. */
  since: string;
  /** Latest time at which the condition is known to hold. */
  until: string;
  /** Energy that the panels would have produced since the condition began, even with little sun, in kWh. */
  expected_kwh: number;
  /** True: the production is unknown. False: it is known to be 0. */
  is_silent: boolean;
  /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
  compared: ComparedKwh[];
  least_w?: undefined;
  usual_w?: undefined;
  device_id?: undefined;
  location?: undefined;
  quiet_w?: undefined;
  kwh?: undefined;
  usual_kwh?: undefined;
  date?: undefined;
  weekday?: undefined;
  start?: undefined;
  end?: undefined;
  tariff_id?: undefined;
  name?: undefined;
  currency?: undefined;
  paid?: undefined;
  would_have_paid?: undefined;
} | {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "unusual_day";
  /** The unusual day, in the time zone of the user. */
  date: string;
  /** Weekday of the unusual day: 1 is Monday. */
  weekday: number;
  /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
  kwh: number;
  /** Median of the same value on the compared days, in kWh. */
  usual_kwh: number;
  /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
  compared: ComparedDay[];
  since?: undefined;
  until?: undefined;
  least_w?: undefined;
  usual_w?: undefined;
  device_id?: undefined;
  location?: undefined;
  quiet_w?: undefined;
  expected_kwh?: undefined;
  is_silent?: undefined;
  start?: undefined;
  end?: undefined;
  tariff_id?: undefined;
  name?: undefined;
  currency?: undefined;
  paid?: undefined;
  would_have_paid?: undefined;
} | {
  /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "cheaper_tariff";
  /** First day of the comparison, in the time zone of the user. */
  start: string;
  /** Last day of the comparison, inclusive. */
  end: string;
  /** Id of the cheaper tariff. */
  tariff_id: string;
  /** Name of the cheaper tariff. */
  name: string;
  /** Currency of both amounts (ISO 4217). */
  currency: string;
  /** Cost of these months under the tariffs then in force, as a decimal. */
  paid: string;
  /** Cost of these months under the cheaper tariff, as a decimal. */
  would_have_paid: string;
  since?: undefined;
  until?: undefined;
  least_w?: undefined;
  usual_w?: undefined;
  device_id?: undefined;
  location?: undefined;
  compared?: undefined;
  quiet_w?: undefined;
  kwh?: undefined;
  usual_kwh?: undefined;
  expected_kwh?: undefined;
  is_silent?: undefined;
  date?: undefined;
  weekday?: undefined;
};

export interface RemarkRaisedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "remark.raised";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "stays_on";
    /** Start of the condition. */
    since: string;
    /** Latest time at which the condition is known to hold. */
    until: string;
    /** Lowest power of the home since the start of the condition, in watts. */
    least_w: number;
    /** Median of the same value on the compared days, in watts. */
    usual_w: number;
    /** Id of the device that the remark concerns, or that causes most of a rise. Null: unknown. */
    device_id: string | null;
    /** Location of this device. Null: unknown. */
    location: string | null;
    /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
    compared: ComparedWatts[];
    /** Id of the user that the remark is about. */
    user_id: string;
    quiet_w?: undefined;
    kwh?: undefined;
    usual_kwh?: undefined;
    expected_kwh?: undefined;
    is_silent?: undefined;
    date?: undefined;
    weekday?: undefined;
    start?: undefined;
    end?: undefined;
    tariff_id?: undefined;
    name?: undefined;
    currency?: undefined;
    paid?: undefined;
    would_have_paid?: undefined;
  } | {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "night_rose";
    /** Start of the condition. */
    since: string;
    /** Latest time at which the condition is known to hold. */
    until: string;
    /** Mean power of the quietest two hours of the last day, in watts. */
    quiet_w: number;
    /** Median of the same value on the compared days, in watts. */
    usual_w: number;
    /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
    compared: ComparedWatts[];
    /** Id of the user that the remark is about. */
    user_id: string;
    least_w?: undefined;
    device_id?: undefined;
    location?: undefined;
    kwh?: undefined;
    usual_kwh?: undefined;
    expected_kwh?: undefined;
    is_silent?: undefined;
    date?: undefined;
    weekday?: undefined;
    start?: undefined;
    end?: undefined;
    tariff_id?: undefined;
    name?: undefined;
    currency?: undefined;
    paid?: undefined;
    would_have_paid?: undefined;
  } | {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "device_uses_more";
    /** Start of the condition. */
    since: string;
    /** Latest time at which the condition is known to hold. */
    until: string;
    /** Id of the device that the remark concerns. */
    device_id: string;
    /** Location of this device. */
    location: string;
    /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
    kwh: number;
    /** Median of the same value on the compared days, in kWh. */
    usual_kwh: number;
    /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
    compared: ComparedKwh[];
    /** Id of the user that the remark is about. */
    user_id: string;
    least_w?: undefined;
    usual_w?: undefined;
    quiet_w?: undefined;
    expected_kwh?: undefined;
    is_silent?: undefined;
    date?: undefined;
    weekday?: undefined;
    start?: undefined;
    end?: undefined;
    tariff_id?: undefined;
    name?: undefined;
    currency?: undefined;
    paid?: undefined;
    would_have_paid?: undefined;
  } | {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "production_missing";
    /** Start of the condition. */
    since: string;
    /** Latest time at which the condition is known to hold. */
    until: string;
    /** Energy that the panels would have produced since the condition began, even with little sun, in kWh. */
    expected_kwh: number;
    /** True: the production is unknown. False: it is known to be 0. */
    is_silent: boolean;
    /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
    compared: ComparedKwh[];
    /** Id of the user that the remark is about. */
    user_id: string;
    least_w?: undefined;
    usual_w?: undefined;
    device_id?: undefined;
    location?: undefined;
    quiet_w?: undefined;
    kwh?: undefined;
    usual_kwh?: undefined;
    date?: undefined;
    weekday?: undefined;
    start?: undefined;
    end?: undefined;
    tariff_id?: undefined;
    name?: undefined;
    currency?: undefined;
    paid?: undefined;
    would_have_paid?: undefined;
  } | {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "unusual_day";
    /** The unusual day, in the time zone of the user. */
    date: string;
    /** Weekday of the unusual day: 1 is Monday. */
    weekday: number;
    /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
    kwh: number;
    /** Median of the same value on the compared days, in kWh. */
    usual_kwh: number;
    /** Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself. */
    compared: ComparedDay[];
    /** Id of the user that the remark is about. */
    user_id: string;
    since?: undefined;
    until?: undefined;
    least_w?: undefined;
    usual_w?: undefined;
    device_id?: undefined;
    location?: undefined;
    quiet_w?: undefined;
    expected_kwh?: undefined;
    is_silent?: undefined;
    start?: undefined;
    end?: undefined;
    tariff_id?: undefined;
    name?: undefined;
    currency?: undefined;
    paid?: undefined;
    would_have_paid?: undefined;
  } | {
    /** Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "cheaper_tariff";
    /** First day of the comparison, in the time zone of the user. */
    start: string;
    /** Last day of the comparison, inclusive. */
    end: string;
    /** Id of the cheaper tariff. */
    tariff_id: string;
    /** Name of the cheaper tariff. */
    name: string;
    /** Currency of both amounts (ISO 4217). */
    currency: string;
    /** Cost of these months under the tariffs then in force, as a decimal. */
    paid: string;
    /** Cost of these months under the cheaper tariff, as a decimal. */
    would_have_paid: string;
    /** Id of the user that the remark is about. */
    user_id: string;
    since?: undefined;
    until?: undefined;
    least_w?: undefined;
    usual_w?: undefined;
    device_id?: undefined;
    location?: undefined;
    compared?: undefined;
    quiet_w?: undefined;
    kwh?: undefined;
    usual_kwh?: undefined;
    expected_kwh?: undefined;
    is_silent?: undefined;
    date?: undefined;
    weekday?: undefined;
  };
}

export interface Remarks {
  /** IANA time zone of the user, which defines the days. */
  timezone: string;
  /** Current remarks on the home, the most urgent first. Empty: nothing is unusual. */
  remarks: Remark[];
}

export interface RotatedKey {
  /** Id of the key. */
  key_id: string;
  /** First characters of the key, for recognition. */
  prefix: string;
  /** Scopes of the key. The role of its owner decides which data it can access. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** Expiry time of the key. Null: never. */
  expires_at: string | null;
  /** Id of the group to which the key is limited. Absent without such a limit. */
  group_id?: string;
  /** Id of the device to which the key is limited. Absent without such a limit. */
  device_id?: string;
  /** Id of the home to which the key is limited. Only in keys that a member created for the home of another account. */
  home_user_id?: string;
  /** IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address. */
  allowed_addresses: string[];
  /** The key itself. It is not shown again. */
  key: string;
  /** Expiry time of the old key. */
  old_expires_at: string;
}

export interface SentDelivery {
  /** Id of the delivery. */
  delivery_id: string;
  /** Id of the event: `id` of its body, the same in every attempt. */
  event_id: string;
  /** Type of the event. */
  event: string;
  /** `failed` after the last retry has failed. */
  status: "pending" | "succeeded" | "failed";
  /** The attempts so far, oldest first. */
  attempts: {
    /** Time of the attempt. */
    at: string;
    /** Status code of the receiver’s response. Null: no response. */
    response_status: number | null;
    /** Duration of the attempt, in milliseconds. */
    duration_ms: number;
    /** Reason why the attempt failed. Null: it succeeded. */
    error: string | null;
  }[];
  /** Time of the next attempt. Null: no further attempt, or the subscription is paused. */
  next_attempt_at: string | null;
  /** Request that delivers the event. */
  request: {
    /** Address for the next attempt: the address of the subscription. */
    url: string;
    /** Headers of the request. The signature is only included if the address is `https://catcher.example`. */
    headers: Record<string, unknown>;
    /** Body of the request: the event, the same in every attempt. */
    body: string;
  };
}

export interface SentReading {
  /** Time of the measurement: ISO 8601 with a zone, Unix seconds or Unix milliseconds. For an interval: its end. */
  ts: string | number;
  /** Value of the register, in kWh. */
  energy_total_kwh?: number;
  /** Energy of an interval, in kWh. Needs `interval_s`. */
  energy_kwh?: number;
  /** Length of the interval, in seconds. */
  interval_s?: number;
  /** Power, in watts. */
  power_w?: number;
  /** Measured circuit or direction. Default: `import`. */
  channel?: string;
  /** Temperature, in °C. */
  temperature_c?: number;
  /** Set temperature, in °C. */
  setpoint_c?: number;
  /** Whether the thermostat is heating. */
  heating?: boolean;
  /** Relative humidity, in percent. */
  humidity_percent?: number;
}

export interface SentReadings {
  /** Number of readings that were stored: one for each quantity of an element. */
  stored: number;
  /** Number of readings that had been stored before. */
  duplicates: number;
  /** Elements that were not stored. */
  rejected: {
    /** Zero-based position of the element in the body. */
    index: number;
    /** Reason why the element, or one of its quantities, was not stored. */
    reason: string;
  }[];
}

export type SeriesSource = {
  /** Name of a public source, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. A preset contains the address, times and units. */
  preset: string;
} | {
  /** HTTPS address of the values, without credentials. */
  url: string;
  /** Format of the responses of the source. */
  format: "json" | "csv" | "xml";
  /** JSON: path of the list of rows, such as `$.data`; default: the whole response. XML: name of the element that contains a row. Not for CSV. */
  items?: string;
  /** Location of the start of a value in its row: JSONPath from the row, CSV column, or XML element. The start is ISO 8601, or Unix seconds or milliseconds. */
  starts_at: string;
  /** Location of the price, or of the grams of CO2 equivalent, of a kWh in its row: JSONPath from the row, CSV column, or XML element. */
  value: string;
  /** Factor for the values, such as 0.001 for prices per MWh. Default: 1. */
  scale?: string;
  /** IANA time zone of `at`, and of times without an offset in the response. Default: UTC. */
  timezone: string;
  /** Times of day at which the source is fetched, HH:MM, up to 24. */
  at: string[];
};

export interface Summary {
  /** The members that `metrics` and `include` select. */
  summary: {
    /** Usage of the home, in kWh. */
    total_kwh?: number;
    /** Mean daily usage over the days with data, in kWh. */
    avg_daily_kwh?: number;
    /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated. */
    peak_usage_time?: string | null;
    cost?: Cost;
    emissions?: Emissions;
    /** Energy from the grid, in kWh. Null: unknown. */
    grid_import_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: unknown. */
    grid_export_kwh?: number | null;
    /** Energy that the home produced, in kWh. Null: unknown. */
    production_kwh?: number | null;
    /** Energy that batteries charged, in kWh. Null: unknown. */
    charged_kwh?: number | null;
    /** Energy that batteries discharged, in kWh. Null: unknown. */
    discharged_kwh?: number | null;
    /** Energy used by consumption devices, in kWh. Null: unknown. */
    consumption_kwh?: number | null;
    /** `kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown. */
    untracked_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: unknown. */
    self_consumed_kwh?: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage. */
    autarky?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: unknown. */
    estimated_kwh?: number | null;
    /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
    coverage?: number | null;
    /** Whether all expected data is known. Null: no data is expected yet. */
    complete?: boolean | null;
  };
}

export interface Tariff {
  /** Id of the tariff. */
  tariff_id: string;
  /** Id of the user who owns the object. */
  user_id: string;
  /** Name of the tariff, chosen by its owner. */
  name: string;
  /** First day of the tariff, in the time zone of the user. The tariff applies until the day before the next tariff begins. */
  valid_from: string;
  /** Currency of all amounts of the tariff (ISO 4217), such as `EUR`. */
  currency: string;
  /** Standing charge per day, independent of usage. A decimal with up to 9 places, as text. */
  standing_per_day?: string;
  /** Charge for the highest quarter-hour of a month. Default: none. */
  capacity?: {
    /** Price per kW of the peak, per month. A decimal with up to 9 places, as text. */
    per_kw_month: string;
    /** Number of months over which the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** Minimum peak for the charge, in kW. Default: 0. */
    minimum_kw?: number;
  };
  /** Prices of energy from the grid. */
  import: Rates;
  /** Payments for energy to the grid. Default: none. */
  export?: Rates;
}

export interface UnreadMessages {
  /** Topic below the gateway’s prefix. `+` stands for the part that differs between devices, `#` for the rest of the topic. A single `#` stands for all other topics. */
  shape: string;
  /** Number of received messages. */
  count: number;
  /** Time at which the first message was received. */
  first_seen_at: string;
  /** Time at which the last message was received. */
  last_seen_at: string;
  /** One of the messages, stored for 24 hours. Null: none is stored (for example, of radio messages from neighbours’ meters), or the key is limited to a group of homes. */
  example: {
    /** Topic of the message, below the gateway’s prefix. */
    topic: string;
    /** Payload of the message; its first 4 KiB are stored. */
    payload: string;
    /** Encoding of `payload`: text, or base64 of binary data. */
    encoding: "utf-8" | "base64";
    /** Length of the whole payload, in bytes. */
    payload_bytes: number;
    /** Time at which the message was received. */
    received_at: string;
  } | null;
}

export interface Usage {
  /** First day of the row. */
  date: string;
  /** Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour. */
  hour?: string;
  /** Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour. */
  time?: string;
  /** Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour. */
  starts_at?: string;
  /** Usage of the home, in kWh. Null: unknown; the row then contains other known members. */
  kwh_used: number | null;
  /** Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated. */
  peak_hour: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: unknown. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: unknown. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: unknown. */
  production_kwh?: number | null;
  /** Energy that batteries charged, in kWh. Null: unknown. */
  charged_kwh?: number | null;
  /** Energy that batteries discharged, in kWh. Null: unknown. */
  discharged_kwh?: number | null;
  /** Energy used by consumption devices, in kWh. Null: unknown. */
  consumption_kwh?: number | null;
  /** `kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: unknown. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: unknown. */
  estimated_kwh?: number | null;
  /** Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet. */
  coverage?: number | null;
  /** Whether all expected data is known. Null: no data is expected yet. */
  complete?: boolean | null;
}

export interface UsageUpdatedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "usage.updated";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: {
    /** Id of the user whose data the event describes. */
    user_id: string;
    /** The hours that changed since the last event, at most 1,000. Further hours follow in the next event. */
    hours: {
      /** Day of the hour, in UTC. */
      date: string;
      /** Start of the hour, in UTC, as `HH:00`. */
      hour: string;
      /** Usage of the home in the hour, in kWh. Replaces the previously reported value. */
      kwh_used: number;
    }[];
    /** Time at which these values were read. */
    updated_at: string;
  };
}

export interface User {
  /** Id of the user. */
  user_id: string;
  /** E-mail address. The first administrator has `admin@localhost`. */
  email: string;
  /** Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data. */
  role: "homeowner" | "utility" | "admin";
  /** Time at which the account was created. */
  created_at: string;
  /** Phone number in E.164 form. Null: none. */
  phone: string | null;
  /** IANA time zone of the user. Alerts and requests with `tz=account` use its hours, days and months. */
  timezone: string;
  /** Plan that sets the rate limits of the account. */
  plan: "free" | "developer" | "enterprise";
  /** Id of the emission series for the home’s emissions. Null: none. */
  emission_series_id: string | null;
  /** Whether the user gets a mail about each new remark on its home. */
  remarks_by_mail: boolean;
  /** Requested new e-mail address, which takes effect when a link in a mail to it is used. Only present until then, at most 7 days. */
  pending_email?: string;
}

export interface UserCreatedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "user.created";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: User;
}

export interface Webhook {
  /** Id of the subscription. */
  webhook_id: string;
  /** The first of `events`. */
  event: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Subscribed events. */
  events: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that receives the events. */
  url: string;
  /** While a subscription is `paused`, nothing is sent. Its events are stored for up to 7 days, and are sent when it is resumed. */
  status: "active" | "paused";
  /** Time of creation. */
  created_at: string;
}

export interface WebhookTestEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "webhook.test";
  /** Time of the event. */
  created_at: string;
  /** Installation in which the event happened: `live` or `sandbox`. */
  environment: "live" | "sandbox";
  /** Object of the event. */
  data: {
    /** Id of the tested subscription. */
    webhook_id: string;
  };
}

/** What a webhook is sent: tell them apart by `type`. */
export type EnergyEvent = UsageUpdatedEvent | AlertTriggeredEvent | DeviceConnectedEvent | UserCreatedEvent | RemarkRaisedEvent | WebhookTestEvent;

export interface GetEnergyInsightsQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name. */
  include?: string | string[];
  /** Commodity. For gas, heat and water, `include` allows only estimated and coverage. */
  commodity?: "electricity" | "gas" | "heat" | "water";
}

export interface PostEnergyInsightsBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Calendar interval: the current day, week, month or year, up to now. Required unless `start` and `end` are given. */
  interval?: "day" | "week" | "month" | "year";
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name. */
  include?: string;
  /** Metrics of the summary: `kwh_used` gives `total_kwh` and `avg_daily_kwh`, `peak_hour` gives `peak_usage_time`. Default: both. */
  metrics?: ("kwh_used" | "peak_hour")[];
}

export interface MonthlyAnalyticsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Number of months, including the current one. */
  months?: number;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Members to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name. */
  include?: string | string[];
}

export interface GetForecastQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
}

export interface ListRemarksQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
}

export interface CreateAlertBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it. */
  threshold_hours?: number;
  /** Notification channel. */
  delivery: "email" | "sms" | "webhook";
}

export interface CreateAlertAnswer {
  /** Id of the alert. */
  alert_id: string;
  /** `active`: the alert is monitored from now on. */
  status: string;
}

export interface ListAlertsQuery {
  /** Id of the user. Required. */
  user_id: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface PreviewAlertBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it. */
  threshold_hours?: number;
}

export interface UpdateAlertBody {
  /** Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it. */
  threshold_hours?: number;
  /** Notification channel. */
  delivery?: "email" | "sms" | "webhook";
  /** A paused alert does not fire. */
  status?: "active" | "paused";
}

export interface CreateUserBody {
  /** E-mail address, unique among all accounts; case is ignored. */
  email: string;
  /** Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data. */
  role: "homeowner" | "utility" | "admin";
  /** Phone number in E.164 form, such as +4915112345678. */
  phone?: string;
  /** IANA time zone of the user, such as Europe/Berlin. Default: UTC. */
  timezone?: string;
  /** Plan that sets the rate limits of the account. */
  plan?: "free" | "developer" | "enterprise";
}

export interface CreateUserAnswer {
  /** Id of the new user. */
  user_id: string;
  /** Always `created`. */
  status: string;
}

export interface ListUsersQuery {
  /** Search text: a part of the e-mail address; case is ignored. Default: all accounts. */
  search?: string;
  /** Role: only accounts with this role. Default: all roles. */
  role?: "homeowner" | "utility" | "admin";
  /** Plan: only accounts on this plan. Default: all plans. */
  plan?: "free" | "developer" | "enterprise";
  /** `true`: only accounts with a device that has an open problem. `false`: only accounts without one. Default: all accounts. */
  has_attention?: "true" | "false";
  /** `true`: only accounts with a device that has been silent for 24 hours. `false`: only accounts without one. Default: all accounts. */
  silent?: "true" | "false";
  /** `devices`: adds the number of devices of each account. Default: none. */
  include?: "devices";
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateUserBody {
  /** E-mail address, unique among all accounts; case is ignored. */
  email?: string;
  /** Phone number in E.164 form. Null removes it. */
  phone?: string | null;
  /** Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data. */
  role?: "homeowner" | "utility" | "admin";
  /** IANA time zone of the user, such as Europe/Berlin. Default: UTC. */
  timezone?: string;
  /** Plan that sets the rate limits of the account. */
  plan?: "free" | "developer" | "enterprise";
  /** Id of the user’s emission series, for `include=emissions`: its own series, its utility’s or an administrator’s. Null removes it. */
  emission_series_id?: string | null;
  /** Whether the user gets a mail about each new remark on its home. The language of the mails is the `Accept-Language` (en, de, es, fr or nl) of the request that switches them on. */
  remarks_by_mail?: boolean;
}

export interface CreateWebhookBody {
  /** Event to subscribe to. Not together with `events`. */
  event?: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Events to subscribe to, each once, instead of `event`. */
  events?: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that receives the events, without credentials. `https://catcher.example` is a receiver in the service itself, for trying events without a server. */
  url: string;
  /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never returned. */
  auth_token: string;
}

export interface CreateWebhookAnswer {
  /** Id of the subscription. */
  webhook_id: string;
  /** `active`: events are sent from now on. */
  status: string;
}

export interface ListWebhooksQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateWebhookBody {
  /** Event to subscribe to. Not together with `events`. */
  event?: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Events to subscribe to, each once, instead of `event`. */
  events?: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that receives the events, without credentials. `https://catcher.example` is a receiver in the service itself, for trying events without a server. */
  url?: string;
  /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never returned. */
  auth_token?: string;
  /** While a subscription is `paused`, nothing is sent. Its events are stored for up to 7 days, and are sent when it is resumed. */
  status?: "active" | "paused";
}

export interface WebhookDeliveriesQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CreateDeviceBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register restarts at 0, in kWh. Default: the register never restarts. */
  register_max_kwh?: number;
  /** Longest silence over which power readings are integrated, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Default: the time zone of its owner. */
  timezone?: string;
  /** Position of the device in its home. `excluded`: the device does not count. Default: a guess from the device’s type and messages. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Default: none. */
  upstream_device_id?: string;
  /** Settings of the device’s quantities. Quantities that are not listed do not change. */
  channels?: {
    /** The device’s own name of the quantity. */
    native_name: string;
    /** Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting. */
    counts_as?: string | null;
    /** Position of the measurement in the home. Null: the position of the device. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. */
  external_id?: string;
  /** Id of a discovered device to pair, which keeps using the credentials of its gateway. */
  discovery_id?: string;
}

export interface ListDevicesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface DiscoveredDevicesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateDeviceBody {
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type?: string;
  /** Location of the device, in the words of its owner. */
  location?: string;
  /** Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register restarts at 0, in kWh. Null: the register never restarts. */
  register_max_kwh?: number | null;
  /** Longest silence over which power readings are integrated, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Null: the time zone of its owner. */
  timezone?: string | null;
  /** Decoder settings, for facts that devices do not report themselves. Unknown members are stored. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Settings for SenML. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Settings of counting meters, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** Settings of Zigbee2MQTT. */
    zigbee2mqtt?: {
      /** Format of the messages (the setting `output` of Zigbee2MQTT). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of the devices, which may contain slashes. */
      devices?: string[];
    };
    /** Settings of Z-Wave JS UI. */
    zwavejs?: {
      /** Temperature scale, if a message does not contain it. */
      temperature_unit?: "C" | "F";
    };
    /** Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics. */
    mapping?: {
      /** MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard. */
      device?: string;
      /** JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number. */
      path?: string;
      /** Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** Factor from the number to `unit`. Negative: a power with the opposite sign. */
      scale?: number;
      /** Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** Word that distinguishes two quantities of one device with the same meaning. */
      circuit?: string;
      /** JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
  /** Position of the device in its home. `excluded`: the device does not count. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Null: none. */
  upstream_device_id?: string | null;
  /** Settings of the device’s quantities. Quantities that are not listed do not change. */
  channels?: {
    /** The device’s own name of the quantity. */
    native_name: string;
    /** Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting. */
    counts_as?: string | null;
    /** Position of the measurement in the home. Null: the position of the device. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. Null removes it. */
  external_id?: string | null;
  /** SHA-256 of the client certificate with which the device logs in, in hex. Null: none is registered. If the broker accepts certificates, one with the device’s id as its name is then valid. Only utilities and administrators can register it (403). */
  certificate_sha256?: string | null;
  /** Manager of the device. `owner`: the account that owns it. `utility`: the utility that paired it for the account, or to whose batch it belongs; the owner can then change only the `location` (403). A utility can hand a device over (`owner`); an administrator can set either value. */
  managed_by?: "owner" | "utility";
}

export interface DeviceUsageQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name. */
  include?: string | string[];
  /** Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months. */
  gaps?: "line" | "like_days";
}

export interface DeviceQualityQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
}

export interface ListDeviceReadingsQuery {
  /** First instant of the range: a date (UTC), or an instant with its zone. */
  start: string | string;
  /** End of the range, exclusive, in the form of `start`. At most 36 months after `start`. */
  end: string | string;
  /** Maximum number of readings in the response. */
  limit?: number;
}

export type SendReadingsBody = SentReading[] | SentReading;

export interface CreateDeviceEditBody {
  /** `exclude`: excludes all readings of a time range, also those that arrive later. `add`: adds a register reading by a person. It counts like any late reading, and replaces a reading that the device sent for the same instant. */
  action: "exclude" | "add";
  /** The device’s own name of the quantity, as in `channels`. Required with `add`. Default with `exclude`: every quantity of the device. */
  native_name?: string;
  /** With `exclude`: start of the excluded range, inclusive. A reading is excluded if its time is in the range; an interval, if its end is in the range. */
  start?: string;
  /** With `exclude`: end of the excluded range, exclusive. */
  end?: string;
  /** With `add`: time of the reading. */
  at?: string;
  /** With `add`: value of the register, in kWh (in m³ if it counts a volume). */
  kwh?: number;
  /** Reason for the edit, in the author’s words. */
  reason: string;
}

export interface ListDeviceEditsQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface ListFleetDevicesQuery {
  /** Id of a user: only the devices of this user. Default: all devices that the caller can access. A homeowner can name only itself. */
  user_id?: string;
  /** Status: only devices in this state. Default: all states. */
  status?: "active" | "inactive" | "faulty";
  /** Minimum silence in hours: only devices without a message for this time, or paired this long ago without any message. A silence is detected within a minute. Default: all devices. */
  silent_for_hours?: number;
  /** Placement: only devices at this position in their homes. Default: all. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Family of messages: only devices that send them, such as `tasmota`, or `native`. Default: all. */
  family?: string;
  /** Kind of problem: only devices with this open problem. Default: all devices. */
  attention?: "unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed";
  /** Search text: only devices with a word of the location, or an id, that begins with it; with `users:read` also the owner’s e-mail address. Case is ignored. Default: all devices. */
  text?: string;
  /** Sort order; a minus reverses it. `last_seen_at`: longest silence first; devices with a message in the last hour come last, in no particular order. */
  sort?: "created_at" | "-created_at" | "location" | "-location" | "last_seen_at" | "-last_seen_at";
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface GetFleetSilenceQuery {
  /** First day of the range, in the time zone `tz`. */
  start: string;
  /** Last day of the range, inclusive. The range is at most 31 days. */
  end: string;
  /** Length of a row. */
  group_by?: "hour" | "day";
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Maximum number of groups in the response. */
  limit?: number;
}

export interface CreateGatewayBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Name of the gateway, chosen by its owner. */
  name: string;
}

export interface ListGatewaysQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateGatewayBody {
  /** Name of the gateway, chosen by its owner. */
  name?: string;
  /** Decoder settings, for facts that devices do not report themselves. Unknown members are stored. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Settings for SenML. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Settings of counting meters, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** Settings of Zigbee2MQTT. */
    zigbee2mqtt?: {
      /** Format of the messages (the setting `output` of Zigbee2MQTT). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of the devices, which may contain slashes. */
      devices?: string[];
    };
    /** Settings of Z-Wave JS UI. */
    zwavejs?: {
      /** Temperature scale, if a message does not contain it. */
      temperature_unit?: "C" | "F";
    };
    /** Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics. */
    mapping?: {
      /** MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard. */
      device?: string;
      /** JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number. */
      path?: string;
      /** Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** Factor from the number to `unit`. Negative: a power with the opposite sign. */
      scale?: number;
      /** Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** Word that distinguishes two quantities of one device with the same meaning. */
      circuit?: string;
      /** JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}

export interface DecodeMessageBody {
  /** MQTT topic, with or without the prefix of the gateway. */
  topic: string;
  /** Payload, if it is text, up to 128 KiB. Exactly one of `payload` and `payload_b64` is required. */
  payload?: string;
  /** Payload in base64. */
  payload_b64?: string;
  /** Whether the message was retained: the broker stored it and delivered it at subscription. Readings without their own time are then skipped. */
  retained?: boolean;
  /** Decoder settings for this message. Default: the settings of the gateway. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Settings for SenML. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Settings of counting meters, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** Settings of Zigbee2MQTT. */
    zigbee2mqtt?: {
      /** Format of the messages (the setting `output` of Zigbee2MQTT). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of the devices, which may contain slashes. */
      devices?: string[];
    };
    /** Settings of Z-Wave JS UI. */
    zwavejs?: {
      /** Temperature scale, if a message does not contain it. */
      temperature_unit?: "C" | "F";
    };
    /** Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics. */
    mapping?: {
      /** MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard. */
      device?: string;
      /** JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number. */
      path?: string;
      /** Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** Factor from the number to `unit`. Negative: a power with the opposite sign. */
      scale?: number;
      /** Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** Word that distinguishes two quantities of one device with the same meaning. */
      circuit?: string;
      /** JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}

export interface UnreadMessagesQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CreateGroupBody {
  /** Id of the owner, a utility or an administrator. Default: the owner of the key. */
  user_id?: string;
  /** Name of the group, chosen by its owner. */
  name: string;
  /** Kind of group, such as `building` or `feeder`. Null: not given. */
  kind?: string | null;
  /** Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none. */
  parent_group_id?: string | null;
}

export interface ListGroupsQuery {
  /** Id of an owner: only the owner’s groups. Default: all. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateGroupBody {
  /** Name of the group, chosen by its owner. */
  name?: string;
  /** Kind of group, such as `building` or `feeder`. Null: not given. */
  kind?: string | null;
  /** Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none. */
  parent_group_id?: string | null;
}

export interface ChangeGroupUsersBody {
  /** Ids of the homes to add. Homes that are already in the group do not change. */
  add?: string[];
  /** Ids of the homes to remove. Homes that are not in the group are ignored. */
  remove?: string[];
}

export interface ListGroupUsersQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface GroupEnergyInsightsQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** IANA time zone of the days and hours. `account`: the time zone of the group’s owner. */
  tz?: string;
  /** Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name. */
  include?: string | string[];
}

export interface CreateImportQuery {
  /** Whether homeowner accounts are created for unknown e-mail addresses. Needs `users:write`, and is for utilities and administrators. */
  create_users?: boolean;
}

export type CreateImportBody = {
  /** Id of the device’s owner. Default, if `email` is absent as well: the owner of the key. */
  user_id?: string;
  /** Type of the device, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Location of the device, in the words of its owner. */
  location: string;
  /** Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register restarts at 0, in kWh. Default: the register never restarts. */
  register_max_kwh?: number;
  /** Longest silence over which power readings are integrated, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Default: the time zone of its owner. */
  timezone?: string;
  /** Position of the device in its home. `excluded`: the device does not count. Default: a guess from the device’s type and messages. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the upstream device, whose measurement includes this device. Default: none. */
  upstream_device_id?: string;
  /** Settings of the device’s quantities. Quantities that are not listed do not change. */
  channels?: {
    /** The device’s own name of the quantity. */
    native_name: string;
    /** Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting. */
    counts_as?: string | null;
    /** Position of the measurement in the home. Null: the position of the device. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. */
  external_id?: string;
  /** Id of a discovered device to pair, which keeps using the credentials of its gateway. */
  discovery_id?: string;
  /** E-mail address of the device’s owner, instead of `user_id`. */
  email?: string;
  /** Decoder settings, for facts that devices do not report themselves. Unknown members are stored. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Settings for SenML. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Settings of counting meters, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** Settings of Zigbee2MQTT. */
    zigbee2mqtt?: {
      /** Format of the messages (the setting `output` of Zigbee2MQTT). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of the devices, which may contain slashes. */
      devices?: string[];
    };
    /** Settings of Z-Wave JS UI. */
    zwavejs?: {
      /** Temperature scale, if a message does not contain it. */
      temperature_unit?: "C" | "F";
    };
    /** Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics. */
    mapping?: {
      /** MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard. */
      device?: string;
      /** JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number. */
      path?: string;
      /** Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** Factor from the number to `unit`. Negative: a power with the opposite sign. */
      scale?: number;
      /** Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** Word that distinguishes two quantities of one device with the same meaning. */
      circuit?: string;
      /** JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}[];

export interface CreateProvisioningBatchBody {
  /** Name of the batch, chosen by its owner. */
  name: string;
  /** Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected. Default: null. */
  owner_user_id?: string;
  /** Type of the created devices. */
  type?: string;
  /** Location of the created devices. */
  location?: string;
  /** Serials that may claim. Null: all serials. Default: null. */
  serials?: string[];
  /** Maximum number of meters that may claim a device. */
  max_devices: number;
  /** Time for which meters may claim, in days. */
  valid_days?: number;
}

export interface ListProvisioningBatchesQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CreateBillPeriodBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Id of a device to bill separately. Default: the home of the user. */
  device_id?: string;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
}

export interface ListBillPeriodsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Id of a device: only its bill periods. Default: all bill periods of the user. */
  device_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CreateTariffBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Name of the tariff, chosen by its owner. */
  name: string;
  /** First day of the tariff, in the time zone of the user. The tariff applies until the day before the next tariff begins. */
  valid_from: string;
  /** Currency of all amounts of the tariff (ISO 4217), such as `EUR`. */
  currency: string;
  /** Standing charge per day, independent of usage. Default: none. */
  standing_per_day?: string | number;
  /** Charge for the highest quarter-hour of a month. Default: none. */
  capacity?: {
    /** Price per kW of the peak, per month. */
    per_kw_month: string | number;
    /** Number of months over which the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** Minimum peak for the charge, in kW. Default: 0. */
    minimum_kw?: string | number;
  };
  /** Prices of energy from the grid. */
  import: {
    /** Price per kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
    periods: {
      /** Price per kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price applies, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price applies, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
    series_id: string;
    /** Amount added to the price per kWh after `multiply`. Default: 0. */
    add?: string | number;
    /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
  /** Payments for energy to the grid. Default: none. */
  export?: {
    /** Price per kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
    periods: {
      /** Price per kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price applies, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price applies, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
    series_id: string;
    /** Amount added to the price per kWh after `multiply`. Default: 0. */
    add?: string | number;
    /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
}

export interface ListTariffsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CompareTariffsBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. Within 36 months of `start`. */
  end: string;
  /** Tariffs to compare, all in the same currency. If the user has a tariff in the range, its currency is required. */
  tariffs: {
    /** Name of the tariff, chosen by its owner. */
    name: string;
    /** Currency of all amounts of the tariff (ISO 4217), such as `EUR`. */
    currency: string;
    /** Standing charge per day, independent of usage. Default: none. */
    standing_per_day?: string | number;
    /** Charge for the highest quarter-hour of a month. Default: none. */
    capacity?: {
      /** Price per kW of the peak, per month. */
      per_kw_month: string | number;
      /** Number of months over which the peaks are averaged. Default: 1. */
      months_averaged?: number;
      /** Minimum peak for the charge, in kW. Default: 0. */
      minimum_kw?: string | number;
    };
    /** Prices of energy from the grid. */
    import: {
      /** Price per kWh. */
      per_kwh: string | number;
    } | {
      /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
      periods: {
        /** Price per kWh. */
        per_kwh: string | number;
        /** Weekdays on which the price applies, 1 is Monday. Default: all. */
        days?: number[];
        /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
        from?: string;
        /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
        to?: string;
        /** Months in which the price applies, 1 is January. Default: all. */
        months?: number[];
      }[];
    } | {
      /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
      series_id: string;
      /** Amount added to the price per kWh after `multiply`. Default: 0. */
      add?: string | number;
      /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
      multiply?: string | number;
    };
    /** Payments for energy to the grid. Default: none. */
    export?: {
      /** Price per kWh. */
      per_kwh: string | number;
    } | {
      /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
      periods: {
        /** Price per kWh. */
        per_kwh: string | number;
        /** Weekdays on which the price applies, 1 is Monday. Default: all. */
        days?: number[];
        /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
        from?: string;
        /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
        to?: string;
        /** Months in which the price applies, 1 is January. Default: all. */
        months?: number[];
      }[];
    } | {
      /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
      series_id: string;
      /** Amount added to the price per kWh after `multiply`. Default: 0. */
      add?: string | number;
      /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
      multiply?: string | number;
    };
  }[];
}

export interface CompareTariffsAnswer {
  /** Id of the user who owns the object. */
  user_id: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. */
  end: string;
  /** Currency of all amounts (ISO 4217). */
  currency: string;
  /** Cost of the range under the user’s tariffs. Null: no tariff was in force. */
  current: Cost;
  /** The tariffs that were sent, in their order. */
  alternatives: {
    /** Name of the tariff, as it was sent. */
    name: string;
    /** Cost of the range if this tariff had been in force throughout. */
    cost: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Sum of import, standing charge and capacity, minus export. */
      total: string;
      /** Cost of the imported energy. */
      import: string;
      /** Payment for the exported energy. */
      export: string;
      /** Standing charge for the elapsed time. */
      standing: string;
      /** Charge for the highest quarter-hour. Only for whole months, and only with a capacity tariff. */
      capacity?: string;
      /** Part of `import` that is the cost of estimated energy. */
      estimated: string;
      /** Energy without a known price, in kWh. No amount contains it. */
      missing_prices_kwh: number;
    };
    /** Total of this tariff minus the `current` total: negative if this tariff is cheaper. Null if `current` is null. */
    difference: string | null;
  }[];
}

export interface UpdateTariffBody {
  /** Name of the tariff, chosen by its owner. */
  name?: string;
  /** First day of the tariff, in the time zone of the user. The tariff applies until the day before the next tariff begins. */
  valid_from?: string;
  /** Currency of all amounts of the tariff (ISO 4217), such as `EUR`. */
  currency?: string;
  /** Standing charge per day, independent of usage. Null: none. */
  standing_per_day?: string | number | null;
  /** Charge for the highest quarter-hour of a month. Null: none. */
  capacity?: {
    /** Price per kW of the peak, per month. */
    per_kw_month: string | number;
    /** Number of months over which the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** Minimum peak for the charge, in kW. Default: 0. */
    minimum_kw?: string | number;
  } | null;
  /** Prices of energy from the grid. */
  import?: {
    /** Price per kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
    periods: {
      /** Price per kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price applies, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price applies, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
    series_id: string;
    /** Amount added to the price per kWh after `multiply`. Default: 0. */
    add?: string | number;
    /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
  /** Payments for energy to the grid. Null: none. */
  export?: {
    /** Price per kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition. */
    periods: {
      /** Price per kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price applies, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day at which the price begins, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price applies, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price per kWh is the price of the series × `multiply` + `add`. */
    series_id: string;
    /** Amount added to the price per kWh after `multiply`. Default: 0. */
    add?: string | number;
    /** Factor for the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  } | null;
}

export interface WhatIfBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. Within 36 months of `start`. */
  end: string;
  /** Battery in addition to the home’s existing devices. */
  battery?: {
    /** Capacity of the battery, in kWh. */
    capacity_kwh: string | number;
    /** Maximum charging power, in kW. */
    charge_kw: string | number;
    /** Maximum discharging power, in kW. */
    discharge_kw: string | number;
    /** Share of the charged energy that is discharged again, 0.5 to 1. */
    round_trip_efficiency: string | number;
    /** Stored energy at the start, in kWh. Default: 0. */
    initial_kwh?: string | number;
  };
  /** Factor for the production, 0 to 10: 2 is twice as many panels. Default: 1. */
  production_scale?: string | number;
}

export interface WhatIfAnswer {
  /** The home without the change, in the quarter-hours with data. */
  before: {
    /** Energy from the grid, in kWh. */
    grid_import_kwh: number;
    /** Energy to the grid, in kWh. */
    grid_export_kwh: number;
    /** Production that was not exported, in kWh. Null: no production, or unknown. */
    self_consumed_kwh: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: no usage. */
    autarky: number | null;
    /** Cost under the user’s tariffs. Absent if no tariff was in force. */
    cost?: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Sum of import, standing charge and capacity, minus export. */
      total: string;
      /** Cost of the imported energy. */
      import: string;
      /** Payment for the exported energy. */
      export: string;
      /** Standing charge for the elapsed time. */
      standing: string;
      /** Charge for the highest quarter-hour. Only for whole months, and only with a capacity tariff. */
      capacity?: string;
      /** Part of `import` that is the cost of estimated energy. */
      estimated: string;
      /** Energy without a known price, in kWh. No amount contains it. */
      missing_prices_kwh: number;
    };
  };
  /** The home with the change, in the same quarter-hours. */
  after: {
    /** Energy from the grid, in kWh. */
    grid_import_kwh: number;
    /** Energy to the grid, in kWh. */
    grid_export_kwh: number;
    /** Production that was not exported, in kWh. Null: no production, or unknown. */
    self_consumed_kwh: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: no usage. */
    autarky: number | null;
    /** Cost under the user’s tariffs. Absent if no tariff was in force. */
    cost?: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Sum of import, standing charge and capacity, minus export. */
      total: string;
      /** Cost of the imported energy. */
      import: string;
      /** Payment for the exported energy. */
      export: string;
      /** Standing charge for the elapsed time. */
      standing: string;
      /** Charge for the highest quarter-hour. Only for whole months, and only with a capacity tariff. */
      capacity?: string;
      /** Part of `import` that is the cost of estimated energy. */
      estimated: string;
      /** Energy without a known price, in kWh. No amount contains it. */
      missing_prices_kwh: number;
    };
  };
  /** Energy of the battery. Absent if the request had no battery. */
  battery?: {
    /** Energy into the battery, before the loss, in kWh. */
    charged_kwh: number;
    /** Energy out of the battery, in kWh. */
    discharged_kwh: number;
    /** Energy left in the battery at the end, in kWh. It has no value in the costs. */
    stored_kwh: number;
    /** `discharged_kwh` ÷ `capacity_kwh`, with two decimals. */
    full_cycles: number;
  };
  /** Hours of the range so far without complete data of the home. They are excluded from `before` and `after`. */
  unknown_hours: number;
}

export interface CreateEmissionSeriesBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Name of the series, chosen by its owner, such as the name of the grid. */
  name: string;
  /** Time for which each value applies, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. */
  source?: NewSeriesSource;
  /** Whether to test the source only. If true, the source is fetched and nothing is stored; the response (200) contains the first values that would be stored. */
  check?: boolean;
}

export interface ListEmissionSeriesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateEmissionSeriesBody {
  /** Name of the series, chosen by its owner. */
  name?: string;
  /** Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. Omitted tokens and headers do not change. Null removes the source; the values remain. */
  source?: NewSeriesSource | null;
}

export interface ListIntensitiesQuery {
  /** First day of the range, UTC. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
}

export type PutIntensitiesBody = {
  /** Start of the time for which the value applies: a multiple of the resolution in UTC. The value applies for one resolution. */
  starts_at: string;
  /** Grams of CO2 equivalent per kWh. The number may be negative. */
  grams_per_kwh: string | number;
}[];

export interface PutIntensitiesAnswer {
  /** Id of the emission series. */
  series_id: string;
  /** Number of values of the request that were stored. */
  stored: number;
}

export interface DeleteIntensitiesQuery {
  /** Start of the range, inclusive: an instant (ISO 8601), or a date (UTC). */
  from: string | string;
  /** End of the range, exclusive: an instant (ISO 8601), or a date (UTC). */
  to: string | string;
}

export interface CreatePriceSeriesBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Name of the series, chosen by its owner, such as the name of the market. */
  name: string;
  /** Time for which each value applies, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. */
  source?: NewSeriesSource;
  /** Whether to test the source only. If true, the source is fetched and nothing is stored; the response (200) contains the first values that would be stored. */
  check?: boolean;
  /** Currency of the prices (ISO 4217), such as `EUR`. */
  currency: string;
}

export interface ListPriceSeriesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdatePriceSeriesBody {
  /** Name of the series, chosen by its owner. */
  name?: string;
  /** Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. Omitted tokens and headers do not change. Null removes the source; the values remain. */
  source?: NewSeriesSource | null;
}

export interface ListPricesQuery {
  /** First day of the range, UTC. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
}

export type PutPricesBody = {
  /** Start of the time for which the value applies: a multiple of the resolution in UTC. The value applies for one resolution. */
  starts_at: string;
  /** Price per kWh. It may be negative. */
  per_kwh: string | number;
}[];

export interface PutPricesAnswer {
  /** Id of the price series. */
  series_id: string;
  /** Number of values of the request that were stored. */
  stored: number;
}

export interface DeletePricesQuery {
  /** Start of the range, inclusive: an instant (ISO 8601), or a date (UTC). */
  from: string | string;
  /** End of the range, exclusive: an instant (ISO 8601), or a date (UTC). */
  to: string | string;
}

export interface CreateKeyBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Name of the key, chosen by its owner. */
  name?: string;
  /** Scopes of the key. Default: all scopes except those for single readings (`readings:…`), or all that a utility may give to its homeowners. */
  scopes?: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** Id of a group of the user: the key can read only its homes, the homes of its subgroups, and their totals. All scopes must then end in `:read`, without `readings:read`. */
  group_id?: string;
  /** Id of a device: the key can only write its readings. Its only scope is then `readings:write`, the default. */
  device_id?: string;
  /** Id of another account’s home of which the caller’s account is a member. The key can access only that home, which is also the default `user_id`, and ends with the membership. Default scopes: all that the membership gives, except those for single readings. */
  home_user_id?: string;
  /** Expiry time of the key. Default: that of the key that creates it, or never. */
  expires_at?: string;
  /** IPv4 and IPv6 addresses and networks from which the key may be used. Default: the allowed addresses of the key that creates it. Empty: any address. */
  allowed_addresses?: string[];
}

export interface ListKeysQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateKeyBody {
  /** Expiry time of the key. Null: never. */
  expires_at?: string | null;
  /** IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address. */
  allowed_addresses?: string[];
}

export interface RotateKeyBody {
  /** Time for which the old key stays valid, in hours. Default: 24. */
  overlap_hours?: number;
  /** Expiry time of the new key. Default: that of the key of the request, or never. */
  expires_at?: string;
}

export interface AcceptMembershipBody {
  /** Token from the link in the mail. */
  token: string;
}

export interface ListMembershipsQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface InviteMemberBody {
  /** Address to which the invitation is mailed. */
  email: string;
  /** `read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
}

export interface ListMembersQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface CreateAppBody {
  /** Name of the app, as the consent page shows it. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notifications of changed data. Null: none. */
  notification_url?: string | null;
  /** Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** `confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret. */
  type: "confidential" | "public";
}

export interface ListAppsQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface UpdateAppBody {
  /** Name of the app, as the consent page shows it. */
  name?: string;
  /** HTTPS address of a page about the app. */
  website?: string;
  /** Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address. */
  redirect_uris?: string[];
  /** HTTPS address for notifications of changed data. Null: none. */
  notification_url?: string | null;
  /** Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens. */
  scopes?: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
}

export interface ListAuthorizationsQuery {
  /** Maximum number of items in the response. */
  limit?: number;
}

export interface ListAuditQuery {
  /** Id of a user: only entries with this user as actor or target. Default: all entries. */
  user_id?: string;
  /** Maximum number of items in the response. */
  limit?: number;
}

/** Every operation of the service, as a method. */
export class EnergyClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. */
  getEnergyInsights(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<EnergyInsights> {
    return this.#transport.json('GET', '/v1/energy-insights', { query, isSafe: true, options });
  }

  /** Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As CSV. */
  getEnergyInsightsCsv(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/energy-insights', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As a spreadsheet (XLSX). */
  getEnergyInsightsXlsx(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/energy-insights', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As a Green Button feed. */
  getEnergyInsightsGreenButton(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/energy-insights', { query, accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Returns a summary of a user’s usage in the current calendar interval up to now, or between two dates. */
  postEnergyInsights(body: PostEnergyInsightsBody, options?: CallOptions): Promise<Summary> {
    return this.#transport.json('POST', '/v1/energy-insights', { body, isSafe: true, options });
  }

  /** Returns a user’s usage by month, compared with the previous month. */
  monthlyAnalytics(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<MonthlyAnalytics> {
    return this.#transport.json('GET', '/v1/analytics/monthly', { query, isSafe: true, options });
  }

  /** Returns a user’s usage by month, compared with the previous month. As CSV. */
  monthlyAnalyticsCsv(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/analytics/monthly', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Returns a user’s usage by month, compared with the previous month. As a spreadsheet (XLSX). */
  monthlyAnalyticsXlsx(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/analytics/monthly', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns the expected usage and cost of a user’s home at the end of the month: a value, a range, and the errors of the same forecast in earlier months. */
  getForecast(query?: GetForecastQuery, options?: CallOptions): Promise<Forecast> {
    return this.#transport.json('GET', '/v1/forecast', { query, isSafe: true, options });
  }

  /** Returns the current remarks on a user’s home: unusual usage, devices that stay on, missing production and cheaper tariffs, with the values that they are compared with. */
  listRemarks(query?: ListRemarksQuery, options?: CallOptions): Promise<Remarks> {
    return this.#transport.json('GET', '/v1/remarks', { query, isSafe: true, options });
  }

  /** Creates an alert with a threshold on a user’s usage or costs, or on the silence of a device. */
  createAlert(body: CreateAlertBody, options?: CallOptions): Promise<CreateAlertAnswer> {
    return this.#transport.json('POST', '/v1/alerts', { body, options });
  }

  /** Lists the alerts of a user, page by page. */
  listAlerts(query: ListAlertsQuery, options?: CallOptions): Pages<Alert> {
    return this.#transport.pages('GET', '/v1/alerts', { query, isSafe: true, options });
  }

  /** Returns the periods of the last 90 days in which an alert would have fired. Creates no alert. */
  previewAlert(body: PreviewAlertBody, options?: CallOptions): Promise<AlertPreview> {
    return this.#transport.json('POST', '/v1/alerts/preview', { body, isSafe: true, options });
  }

  /** Returns one alert. */
  getAlert(alertId: string, options?: CallOptions): Promise<Alert> {
    return this.#transport.json('GET', `/v1/alerts/${encodeURIComponent(alertId)}`, { isSafe: true, options });
  }

  /** Changes an alert’s threshold, delivery or status. */
  updateAlert(alertId: string, body: UpdateAlertBody, options?: CallOptions): Promise<Alert> {
    return this.#transport.json('PATCH', `/v1/alerts/${encodeURIComponent(alertId)}`, { body, options });
  }

  /** Deletes an alert. */
  deleteAlert(alertId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/alerts/${encodeURIComponent(alertId)}`, { isSafe: true, options });
  }

  /** Creates an account. A utility creates accounts of homeowners, an administrator any account. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<CreateUserAnswer> {
    return this.#transport.json('POST', '/v1/users', { body, options });
  }

  /** Lists the accounts that the caller can access, page by page. Filters and counts of devices also need `devices:read`. */
  listUsers(query?: ListUsersQuery, options?: CallOptions): Pages<ListedUser> {
    return this.#transport.pages('GET', '/v1/users', { query, isSafe: true, options });
  }

  /** Returns one account. */
  getUser(userId: string, options?: CallOptions): Promise<User> {
    return this.#transport.json('GET', `/v1/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Changes an account. Only administrators can change role and plan. Changing `email` also needs keys:write. The new address is the `pending_email` until a link in a mail to it is used, within 7 days; sending the present address as `email` withdraws it. An administrator’s change takes effect at once. Changing the address or the role ends all keys and sessions of the account. */
  updateUser(userId: string, body: UpdateUserBody, options?: CallOptions): Promise<User> {
    return this.#transport.json('PATCH', `/v1/users/${encodeURIComponent(userId)}`, { body, options });
  }

  /** Deletes an account and all its data. The only administrator cannot be deleted (409). */
  deleteUser(userId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Returns all data of an account as a ZIP of JSON and CSV files, without secrets. */
  exportUser(userId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/users/${encodeURIComponent(userId)}/export`, { accept: 'application/zip', isSafe: true, options });
  }

  /** Subscribes the caller to one event or several. */
  createWebhook(body: CreateWebhookBody, options?: CallOptions): Promise<CreateWebhookAnswer> {
    return this.#transport.json('POST', '/v1/webhooks', { body, options });
  }

  /** Lists the caller’s own subscriptions, page by page. */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook> {
    return this.#transport.pages('GET', '/v1/webhooks', { query, isSafe: true, options });
  }

  /** Pauses or resumes a subscription, or changes its events, address or secret. After a change of the secret, both secrets are valid for 24 h. An app can change the address and the secret only of subscriptions that it created. */
  updateWebhook(webhookId: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook> {
    return this.#transport.json('PATCH', `/v1/webhooks/${encodeURIComponent(webhookId)}`, { body, options });
  }

  /** Deletes a subscription. */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/webhooks/${encodeURIComponent(webhookId)}`, { isSafe: true, options });
  }

  /** Lists the deliveries of a subscription in the last 30 days with all attempts, latest first. */
  webhookDeliveries(webhookId: string, query?: WebhookDeliveriesQuery, options?: CallOptions): Pages<Delivery> {
    return this.#transport.pages('GET', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries`, { query, isSafe: true, options });
  }

  /** Returns one delivery of a subscription, with the request. */
  getDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<SentDelivery> {
    return this.#transport.json('GET', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}`, { isSafe: true, options });
  }

  /** Retries a delivery at once, with all its retries. If the subscription is paused, the delivery is retried when it is resumed. */
  retryDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<Delivery> {
    return this.#transport.json('POST', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/retry`, { options });
  }

  /** Queues an event webhook.test for a subscription. The result is in the subscription’s deliveries. */
  testWebhook(webhookId: string, options?: CallOptions): Promise<Delivery> {
    return this.#transport.json('POST', `/v1/webhooks/${encodeURIComponent(webhookId)}/test`, { options });
  }

  /** Pairs a device. Its MQTT password is shown only once. A device that was discovered through a gateway keeps using the credentials of the gateway. */
  createDevice(body: CreateDeviceBody, options?: CallOptions): Promise<PairedDevice> {
    return this.#transport.json('POST', '/v1/devices', { body, options });
  }

  /** Lists the devices of a user, page by page. */
  listDevices(query?: ListDevicesQuery, options?: CallOptions): Pages<Device> {
    return this.#transport.pages('GET', '/v1/devices', { query, isSafe: true, options });
  }

  /** Lists the devices that were discovered through a user’s gateways and are not paired, page by page. */
  discoveredDevices(query?: DiscoveredDevicesQuery, options?: CallOptions): Pages<DiscoveredDevice> {
    return this.#transport.pages('GET', '/v1/devices/discovered', { query, isSafe: true, options });
  }

  /** Returns one device with its settings. */
  getDevice(deviceId: string, options?: CallOptions): Promise<DeviceDetails> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}`, { isSafe: true, options });
  }

  /** Changes a device. Limits and `counts_as` also apply to the past, which is recomputed within seconds. */
  updateDevice(deviceId: string, body: UpdateDeviceBody, options?: CallOptions): Promise<DeviceDetails> {
    return this.#transport.json('PATCH', `/v1/devices/${encodeURIComponent(deviceId)}`, { body, options });
  }

  /** Deletes a device and its credentials. Its past consumption stays in its owner’s history. */
  deleteDevice(deviceId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/devices/${encodeURIComponent(deviceId)}`, { isSafe: true, options });
  }

  /** Releases a device, so that a meter of a provisioning batch can claim it again if its serial is the device’s `external_id`. The previous password becomes invalid. */
  releaseDevice(deviceId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/release`, { options });
  }

  /** Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. */
  deviceUsage(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<DeviceUsage> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, isSafe: true, options });
  }

  /** Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As CSV. */
  deviceUsageCsv(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As a spreadsheet (XLSX). */
  deviceUsageXlsx(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As a Green Button feed. */
  deviceUsageGreenButton(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months. */
  deviceQuality(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<DeviceQuality> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, isSafe: true, options });
  }

  /** Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months. As CSV. */
  deviceQualityCsv(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months. As a spreadsheet (XLSX). */
  deviceQualityXlsx(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns the stored readings of a device, each with its use in the computation, oldest first, page by page. */
  listDeviceReadings(deviceId: string, query: ListDeviceReadingsQuery, options?: CallOptions): Pages<DeviceReading> {
    return this.#transport.pages('GET', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { query, isSafe: true, options });
  }

  /** Returns the stored readings of a device, each with its use in the computation, oldest first, page by page. As CSV. */
  listDeviceReadingsCsv(deviceId: string, query: ListDeviceReadingsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Stores readings of a device that uses the native format: up to 10,000 elements as JSON, or a SenML pack. The response is sent after the commit. Readings that are also sent by MQTT, or sent twice, count once. */
  sendReadings(deviceId: string, body: SendReadingsBody, options?: CallOptions): Promise<SentReadings> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { body, options });
  }

  /** Edits readings of a device by hand, with a reason: excludes the readings of a time range, or adds a register reading by a person. Past consumption is recomputed within seconds; the readings that the device sent stay stored. */
  createDeviceEdit(deviceId: string, body: CreateDeviceEditBody, options?: CallOptions): Promise<ReadingEdit> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/edits`, { body, options });
  }

  /** Lists the edits of a device’s readings, including revoked ones, with author and reason, page by page. */
  listDeviceEdits(deviceId: string, query?: ListDeviceEditsQuery, options?: CallOptions): Pages<ReadingEdit> {
    return this.#transport.pages('GET', `/v1/devices/${encodeURIComponent(deviceId)}/edits`, { query, isSafe: true, options });
  }

  /** Revokes an edit of readings. Within seconds, consumption is computed without it; the edit stays in the list. Revoking it again changes nothing. */
  revokeDeviceEdit(deviceId: string, editId: string, options?: CallOptions): Promise<ReadingEdit> {
    return this.#transport.json('DELETE', `/v1/devices/${encodeURIComponent(deviceId)}/edits/${encodeURIComponent(editId)}`, { isSafe: true, options });
  }

  /** Lists the devices of all accounts that the caller can access, page by page, with filters and an order. E-mail addresses of owners also need `users:read`. */
  listFleetDevices(query?: ListFleetDevicesQuery, options?: CallOptions): Pages<FleetDevice> {
    return this.#transport.pages('GET', '/v1/fleet/devices', { query, isSafe: true, options });
  }

  /** Counts the devices that fell silent, among all that the caller can access, by hour or day, and groups devices that stopped together. */
  getFleetSilence(query: GetFleetSilenceQuery, options?: CallOptions): Promise<FleetSilence> {
    return this.#transport.json('GET', '/v1/fleet/silence', { query, isSafe: true, options });
  }

  /** Creates a gateway. Its MQTT password is shown only once. */
  createGateway(body: CreateGatewayBody, options?: CallOptions): Promise<CreatedGateway> {
    return this.#transport.json('POST', '/v1/gateways', { body, options });
  }

  /** Lists the gateways of a user, page by page. */
  listGateways(query?: ListGatewaysQuery, options?: CallOptions): Pages<Gateway> {
    return this.#transport.pages('GET', '/v1/gateways', { query, isSafe: true, options });
  }

  /** Renames a gateway, or changes the decoder settings for all devices below it. */
  updateGateway(gatewayId: string, body: UpdateGatewayBody, options?: CallOptions): Promise<Gateway> {
    return this.#transport.json('PATCH', `/v1/gateways/${encodeURIComponent(gatewayId)}`, { body, options });
  }

  /** Deletes a gateway and its credentials. Devices that were paired through it remain, with their past. */
  deleteGateway(gatewayId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/gateways/${encodeURIComponent(gatewayId)}`, { isSafe: true, options });
  }

  /** Decodes a message of a gateway as a test: returns its readings, the reasons why it cannot be used, and settings that would help. Stores nothing. */
  decodeMessage(gatewayId: string, body: DecodeMessageBody, options?: CallOptions): Promise<JudgedMessage> {
    return this.#transport.json('POST', `/v1/gateways/${encodeURIComponent(gatewayId)}/decode`, { body, isSafe: true, options });
  }

  /** Lists messages of a gateway that no device family recognises, counted by the shape of their topic, page by page. */
  unreadMessages(gatewayId: string, query?: UnreadMessagesQuery, options?: CallOptions): Pages<UnreadMessages> {
    return this.#transport.pages('GET', `/v1/gateways/${encodeURIComponent(gatewayId)}/unread`, { query, isSafe: true, options });
  }

  /** Creates a group of homes (a building, a feeder, a district). For utilities and administrators. */
  createGroup(body: CreateGroupBody, options?: CallOptions): Promise<Group> {
    return this.#transport.json('POST', '/v1/groups', { body, options });
  }

  /** Lists the groups of homes that the caller can access, page by page. */
  listGroups(query?: ListGroupsQuery, options?: CallOptions): Pages<Group> {
    return this.#transport.pages('GET', '/v1/groups', { query, isSafe: true, options });
  }

  /** Returns one group of homes. */
  getGroup(groupId: string, options?: CallOptions): Promise<Group> {
    return this.#transport.json('GET', `/v1/groups/${encodeURIComponent(groupId)}`, { isSafe: true, options });
  }

  /** Changes a group’s name, kind or parent. */
  updateGroup(groupId: string, body: UpdateGroupBody, options?: CallOptions): Promise<Group> {
    return this.#transport.json('PATCH', `/v1/groups/${encodeURIComponent(groupId)}`, { body, options });
  }

  /** Deletes a group, and the keys that are limited to it. Its homes do not change. */
  deleteGroup(groupId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/groups/${encodeURIComponent(groupId)}`, { isSafe: true, options });
  }

  /** Adds homes to a group and removes others, up to 10,000 each; all of them or none. */
  changeGroupUsers(groupId: string, body: ChangeGroupUsersBody, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('POST', `/v1/groups/${encodeURIComponent(groupId)}/users`, { body, options });
  }

  /** Lists the homes of a group, page by page, without the homes of its subgroups. */
  listGroupUsers(groupId: string, query?: ListGroupUsersQuery, options?: CallOptions): Pages<User> {
    return this.#transport.pages('GET', `/v1/groups/${encodeURIComponent(groupId)}/users`, { query, isSafe: true, options });
  }

  /** Adds a home to a group. Adding a member again changes nothing. */
  addGroupUser(groupId: string, userId: string, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('PUT', `/v1/groups/${encodeURIComponent(groupId)}/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Removes a home from a group. The home itself does not change. */
  removeGroupUser(groupId: string, userId: string, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('DELETE', `/v1/groups/${encodeURIComponent(groupId)}/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once. */
  groupEnergyInsights(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<GroupEnergyInsights> {
    return this.#transport.json('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, isSafe: true, options });
  }

  /** Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once. As CSV. */
  groupEnergyInsightsCsv(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once. As a spreadsheet (XLSX). */
  groupEnergyInsightsXlsx(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or none. Errors are listed by row. Repeating an import changes nothing: a row matches its owner’s device with the same `external_id`, or, without an `external_id`, with the same `type` and `location`. */
  createImport(body: CreateImportBody, query?: CreateImportQuery, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('POST', '/v1/imports', { query, body, options });
  }

  /** Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or none. Errors are listed by row. Repeating an import changes nothing: a row matches its owner’s device with the same `external_id`, or, without an `external_id`, with the same `type` and `location`. From CSV. */
  createImportCsv(csv: string, query?: CreateImportQuery, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('POST', '/v1/imports', { query, body: csv, type: 'text/csv', options });
  }

  /** Returns the result of an import of devices. */
  getImport(importId: string, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('GET', `/v1/imports/${encodeURIComponent(importId)}`, { isSafe: true, options });
  }

  /** Returns the MQTT passwords of the devices that an import created: once, within a day. With an Idempotency-Key, a lost response can be fetched again. */
  fetchImportCredentials(importId: string, options?: CallOptions): Promise<ImportCredentials> {
    return this.#transport.json('POST', `/v1/imports/${encodeURIComponent(importId)}/credentials`, { options });
  }

  /** Creates a shared secret that meters get in the factory. At first contact, each meter uses it to claim its device and its own password. A meter gets the device whose `external_id` is its serial. For utilities and administrators. */
  createProvisioningBatch(body: CreateProvisioningBatchBody, options?: CallOptions): Promise<CreatedProvisioningBatch> {
    return this.#transport.json('POST', '/v1/provisioning-batches', { body, options });
  }

  /** Lists the provisioning batches that the caller created, including ended ones, page by page. Administrators see all batches. */
  listProvisioningBatches(query?: ListProvisioningBatchesQuery, options?: CallOptions): Pages<ProvisioningBatch> {
    return this.#transport.pages('GET', '/v1/provisioning-batches', { query, isSafe: true, options });
  }

  /** Ends a provisioning batch: meters can no longer claim with it. Claimed devices continue to work. */
  revokeProvisioningBatch(batchId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/provisioning-batches/${encodeURIComponent(batchId)}`, { isSafe: true, options });
  }

  /** Creates a bill period of a home or a device, and records its first version: energy, register readings at both ends, estimated energy and a checksum. For utilities and administrators. */
  createBillPeriod(body: CreateBillPeriodBody, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', '/v1/bill-periods', { body, options });
  }

  /** Lists the bill periods of a user, each with its latest version, page by page. */
  listBillPeriods(query?: ListBillPeriodsQuery, options?: CallOptions): Pages<BillPeriod> {
    return this.#transport.pages('GET', '/v1/bill-periods', { query, isSafe: true, options });
  }

  /** Lists the bill periods of a user, each with its latest version, page by page. As CSV. */
  listBillPeriodsCsv(query?: ListBillPeriodsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/bill-periods', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Lists the bill periods of a user, each with its latest version, page by page. As a spreadsheet (XLSX). */
  listBillPeriodsXlsx(query?: ListBillPeriodsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/bill-periods', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. */
  getBillPeriod(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { isSafe: true, options });
  }

  /** Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As CSV. */
  getBillPeriodCsv(billPeriodId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'text/csv', isSafe: true, options });
  }

  /** Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As a spreadsheet (XLSX). */
  getBillPeriodXlsx(billPeriodId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As a Green Button feed. */
  getBillPeriodGreenButton(billPeriodId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Deletes an open bill period. A closed period cannot be deleted. For utilities and administrators. */
  deleteBillPeriod(billPeriodId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { isSafe: true, options });
  }

  /** Closes a bill period that is over. The next open period bills later changes of its days as an adjustment. For utilities and administrators. */
  closeBillPeriod(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}/close`, { options });
  }

  /** Records the current values of an open bill period as a new version. For utilities and administrators. */
  recordBillVersion(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}/versions`, { options });
  }

  /** Creates a tariff: the prices of a user’s energy from a day on, and the payments for exported energy. */
  createTariff(body: CreateTariffBody, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('POST', '/v1/tariffs', { body, options });
  }

  /** Lists the tariffs of a user in order of `valid_from`, page by page. */
  listTariffs(query?: ListTariffsQuery, options?: CallOptions): Pages<Tariff> {
    return this.#transport.pages('GET', '/v1/tariffs', { query, isSafe: true, options });
  }

  /** Computes the cost of a range under other tariffs, each as if it had been in force for the whole range. Stores nothing. Counts as 10 requests; only one runs at a time for each account. */
  compareTariffs(body: CompareTariffsBody, options?: CallOptions): Promise<CompareTariffsAnswer> {
    return this.#transport.json('POST', '/v1/tariffs/compare', { body, isSafe: true, options });
  }

  /** Returns one tariff. */
  getTariff(tariffId: string, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('GET', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { isSafe: true, options });
  }

  /** Changes a tariff. The change also applies to the past that the tariff covers. */
  updateTariff(tariffId: string, body: UpdateTariffBody, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('PATCH', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { body, options });
  }

  /** Deletes a tariff. The previous tariff then applies to its time. */
  deleteTariff(tariffId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { isSafe: true, options });
  }

  /** Computes the energy and cost of a range with a battery, or with more or fewer panels. Stores nothing. Counts as 10 requests; only one runs at a time for each account. */
  whatIf(body: WhatIfBody, options?: CallOptions): Promise<WhatIfAnswer> {
    return this.#transport.json('POST', '/v1/what-if', { body, isSafe: true, options });
  }

  /** Creates an emission series: grams of CO2 equivalent for a kWh from the grid, uploaded by its owner or fetched from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator. */
  createEmissionSeries(body: CreateEmissionSeriesBody, options?: CallOptions): Promise<CreatedEmissionSeries> {
    return this.#transport.json('POST', '/v1/emission-series', { body, options });
  }

  /** Lists the emission series that a user can use, page by page: its own series, its utility’s series and those of administrators. */
  listEmissionSeries(query?: ListEmissionSeriesQuery, options?: CallOptions): Pages<EmissionSeries> {
    return this.#transport.pages('GET', '/v1/emission-series', { query, isSafe: true, options });
  }

  /** Returns one emission series that the caller can use. */
  getEmissionSeries(seriesId: string, options?: CallOptions): Promise<EmissionSeries> {
    return this.#transport.json('GET', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Deletes an emission series and its intensities, unless a user uses it. */
  deleteEmissionSeries(seriesId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Changes the name or the source of an emission series. */
  updateEmissionSeries(seriesId: string, body: UpdateEmissionSeriesBody, options?: CallOptions): Promise<EmissionSeries> {
    return this.#transport.json('PATCH', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { body, options });
  }

  /** Returns the intensities of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow. */
  listIntensities(seriesId: string, query?: ListIntensitiesQuery, options?: CallOptions): Promise<Intensity[]> {
    return this.#transport.json('GET', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { query, isSafe: true, options });
  }

  /** Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity for the same time is replaced; other intensities do not change. If one intensity has an error, none is stored. */
  putIntensities(seriesId: string, body: PutIntensitiesBody, options?: CallOptions): Promise<PutIntensitiesAnswer> {
    return this.#transport.json('PUT', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { body, isSafe: true, options });
  }

  /** Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity for the same time is replaced; other intensities do not change. If one intensity has an error, none is stored. From CSV. */
  putIntensitiesCsv(seriesId: string, csv: string, options?: CallOptions): Promise<PutIntensitiesAnswer> {
    return this.#transport.json('PUT', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { body: csv, type: 'text/csv', isSafe: true, options });
  }

  /** Deletes uploaded intensities from `from` (inclusive) to `to` (exclusive). If the series has a source, the intensities of the source apply to these times at once. */
  deleteIntensities(seriesId: string, query: DeleteIntensitiesQuery, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { query, isSafe: true, options });
  }

  /** Creates a price series, whose prices its owner uploads as they become known, or which the service fetches from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator. */
  createPriceSeries(body: CreatePriceSeriesBody, options?: CallOptions): Promise<CreatedPriceSeries> {
    return this.#transport.json('POST', '/v1/price-series', { body, options });
  }

  /** Lists the price series that a user can use, page by page: its own series, its utility’s series and those of administrators. */
  listPriceSeries(query?: ListPriceSeriesQuery, options?: CallOptions): Pages<PriceSeries> {
    return this.#transport.pages('GET', '/v1/price-series', { query, isSafe: true, options });
  }

  /** Returns one price series that the caller can use. */
  getPriceSeries(seriesId: string, options?: CallOptions): Promise<PriceSeries> {
    return this.#transport.json('GET', `/v1/price-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Deletes a price series and its prices, unless a tariff uses it. */
  deletePriceSeries(seriesId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/price-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Changes the name or the source of a price series. */
  updatePriceSeries(seriesId: string, body: UpdatePriceSeriesBody, options?: CallOptions): Promise<PriceSeries> {
    return this.#transport.json('PATCH', `/v1/price-series/${encodeURIComponent(seriesId)}`, { body, options });
  }

  /** Returns the prices of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow. */
  listPrices(seriesId: string, query?: ListPricesQuery, options?: CallOptions): Promise<Price[]> {
    return this.#transport.json('GET', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { query, isSafe: true, options });
  }

  /** Stores up to 10,000 prices of a series, as JSON or CSV. A price for the same time is replaced; other prices do not change. If one price has an error, none is stored. */
  putPrices(seriesId: string, body: PutPricesBody, options?: CallOptions): Promise<PutPricesAnswer> {
    return this.#transport.json('PUT', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { body, isSafe: true, options });
  }

  /** Stores up to 10,000 prices of a series, as JSON or CSV. A price for the same time is replaced; other prices do not change. If one price has an error, none is stored. From CSV. */
  putPricesCsv(seriesId: string, csv: string, options?: CallOptions): Promise<PutPricesAnswer> {
    return this.#transport.json('PUT', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { body: csv, type: 'text/csv', isSafe: true, options });
  }

  /** Deletes uploaded prices from `from` (inclusive) to `to` (exclusive). If the series has a source, the prices of the source apply to these times at once. */
  deletePrices(seriesId: string, query: DeletePricesQuery, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { query, isSafe: true, options });
  }

  /** Creates a key, which is shown only once. A key can create only keys whose scopes it has itself and that do not outlive it. A utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most. A key of one device (`device_id`) can only write its readings; creating it also needs devices:write. A key for the home of another account (`home_user_id`) needs a membership of that home. */
  createKey(body: CreateKeyBody, options?: CallOptions): Promise<CreatedKey> {
    return this.#transport.json('POST', '/v1/keys', { body, options });
  }

  /** Lists the keys of a user that are not revoked, page by page, without the secret keys themselves. */
  listKeys(query?: ListKeysQuery, options?: CallOptions): Pages<Key> {
    return this.#transport.pages('GET', '/v1/keys', { query, isSafe: true, options });
  }

  /** Changes the allowed addresses or the expiry of a key. A key cannot extend a key, itself included, beyond its own expiry. Writes follow the change at once, reads within 10 seconds. */
  updateKey(keyId: string, body: UpdateKeyBody, options?: CallOptions): Promise<Key> {
    return this.#transport.json('PATCH', `/v1/keys/${encodeURIComponent(keyId)}`, { body, options });
  }

  /** Revokes a key. Writes are refused at once, reads within 10 seconds. */
  revokeKey(keyId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/keys/${encodeURIComponent(keyId)}`, { isSafe: true, options });
  }

  /** Creates a new key with the rights of an existing one, which stays valid for `overlap_hours` (24 by default). The new key expires at `expires_at`, by default when the key of the request expires. */
  rotateKey(keyId: string, body?: RotateKeyBody, options?: CallOptions): Promise<RotatedKey> {
    return this.#transport.json('POST', `/v1/keys/${encodeURIComponent(keyId)}/rotate`, { body, options });
  }

  /** Makes the caller’s account a member of a home, by the token of an invitation. A mail must have confirmed the account’s address: a sign-in link, or the invitation itself. */
  acceptMembership(body: AcceptMembershipBody, options?: CallOptions): Promise<Membership> {
    return this.#transport.json('POST', '/v1/memberships', { body, options });
  }

  /** Lists the homes of other accounts of which the caller’s account is a member, page by page. */
  listMemberships(query?: ListMembershipsQuery, options?: CallOptions): Pages<Membership> {
    return this.#transport.pages('GET', '/v1/memberships', { query, isSafe: true, options });
  }

  /** Ends a membership of the caller’s account at once, with the keys and webhooks that it created for the home. Owner and member get a mail. */
  leaveMembership(memberId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/memberships/${encodeURIComponent(memberId)}`, { isSafe: true, options });
  }

  /** Invites a person to the caller’s own home, by a mail whose link is valid for 7 days. At most 10 mails a day, and 20 members and invitations. Only homeowners can invite, and only homeowners can become members. */
  inviteMember(userId: string, body: InviteMemberBody, options?: CallOptions): Promise<Member> {
    return this.#transport.json('POST', `/v1/users/${encodeURIComponent(userId)}/members`, { body, options });
  }

  /** Lists the members of a home and the valid invitations to it, page by page. */
  listMembers(userId: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member> {
    return this.#transport.pages('GET', `/v1/users/${encodeURIComponent(userId)}/members`, { query, isSafe: true, options });
  }

  /** Ends a membership at once, with the keys and webhooks that the member created for the home, or withdraws an invitation. Owner and member get a mail; the owner’s mail lists the passwords that the member saw. */
  removeMember(userId: string, memberId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/users/${encodeURIComponent(userId)}/members/${encodeURIComponent(memberId)}`, { isSafe: true, options });
  }

  /** Registers an app, which can then request access to homes by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once. */
  createApp(body: CreateAppBody, options?: CallOptions): Promise<CreatedApp> {
    return this.#transport.json('POST', '/v1/apps', { body, options });
  }

  /** Lists the apps that the caller’s account registered, page by page. */
  listApps(query?: ListAppsQuery, options?: CallOptions): Pages<App> {
    return this.#transport.pages('GET', '/v1/apps', { query, isSafe: true, options });
  }

  /** Returns one app. */
  getApp(appId: string, options?: CallOptions): Promise<App> {
    return this.#transport.json('GET', `/v1/apps/${encodeURIComponent(appId)}`, { isSafe: true, options });
  }

  /** Changes an app. Removed scopes end at once, also for issued tokens. */
  updateApp(appId: string, body: UpdateAppBody, options?: CallOptions): Promise<App> {
    return this.#transport.json('PATCH', `/v1/apps/${encodeURIComponent(appId)}`, { body, options });
  }

  /** Deletes an app, and ends all its authorizations at once. Each home gets a mail. */
  deleteApp(appId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/apps/${encodeURIComponent(appId)}`, { isSafe: true, options });
  }

  /** Lists the apps that can access the caller’s own home, page by page. */
  listAuthorizations(query?: ListAuthorizationsQuery, options?: CallOptions): Pages<Authorization> {
    return this.#transport.pages('GET', '/v1/authorizations', { query, isSafe: true, options });
  }

  /** Ends an app’s access to the caller’s home at once, and deletes the alerts and webhooks that the app created. */
  endAuthorization(authorizationId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/authorizations/${encodeURIComponent(authorizationId)}`, { isSafe: true, options });
  }

  /** Lists the audit log of the last 24 months, latest first, page by page. `user_id` selects the entries with this account as actor or target. For administrators. */
  listAudit(query?: ListAuditQuery, options?: CallOptions): Pages<Act> {
    return this.#transport.pages('GET', '/v1/audit', { query, isSafe: true, options });
  }
}
