// Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
import { type CallOptions, type ClientOptions, Pages, Transport } from './transport.ts';

/** Version of the service that this client was made for. */
export const VERSION = '1.6.0';

export interface Act {
  /** Id of the entry. */
  audit_id: string;
  /** When it was done. */
  at: string;
  /** Id of the user who did it. Null: an operator at the command line, the service itself, or somebody who was not signed in. `erased_…`: the account is gone. */
  actor_user_id: string | null;
  /** Id of the API key or session that was used. Null: none was. */
  actor_key_id: string | null;
  /** Where it came from: an IP address, or `cli`. Null: not known, or it follows from another entry. */
  address: string | null;
  /** What was done, such as `key.created`. */
  action: string;
  /** Id of what was changed. Null: nothing that has one. */
  target: string | null;
  /** Members of the request, and the values of some. */
  details: Record<string, unknown>;
}

export interface Alert {
  /** Id of the alert. */
  alert_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Only in alerts on usage. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff that holds: a decimal with up to 9 places, as text. Only in alerts on costs. */
  threshold?: string;
  /** Silence after which the alert fires, in hours. Only in alerts of type `no_data`. */
  threshold_hours?: number;
  /** How the user is told. */
  delivery: "email" | "sms" | "webhook";
  /** A paused alert does not fire. */
  status: "active" | "paused";
  /** When it was created. */
  created_at: string;
}

export interface AlertPreview {
  /** Id of the user that it belongs to. */
  user_id: string;
  /** Periods of the last 90 days in which the alert would have fired. */
  data: {
    /** Start of the period. For `no_data`: when the device was last heard. */
    period_start: string;
    /** End of the period, exclusive. Null for a silence that goes on. */
    period_end: string | null;
    /** What was used in the period, in kWh. Only with types on usage. */
    kwh_used?: number;
    /** What the period cost in total. Only with types on costs. */
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
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: {
    /** Id of the alert that fired. */
    alert_id: string;
    /** Id of the user that the event is about. */
    user_id: string;
    /** Type of the alert. */
    type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
    /** Threshold of the alert, in kWh. Only in alerts on usage. */
    threshold_kwh?: number;
    /** What the home used in the period by the time the alert fired, in kWh. Only in alerts on usage. */
    kwh_used?: number;
    /** Threshold of the alert, a decimal in the currency of the tariff that holds. Only in alerts on costs. */
    threshold?: string;
    /** What the period cost in total by the time the alert fired. Only in alerts on costs. */
    cost?: string;
    /** Currency of the cost (ISO 4217). Only in alerts on costs. */
    currency?: string;
    /** Length of the silence that the alert waits for, in hours. Only in alerts of type `no_data`. */
    threshold_hours?: number | null;
    /** Start of the hour, day or month. For `no_data`: when the device was last heard. */
    period_start: string;
    /** End of the period, exclusive. Null for a silence that goes on. */
    period_end: string | null;
    /** Devices that took part, the largest share first. For `no_data`: the silent device. */
    devices: {
      /** Id of the device. */
      device_id: string;
      /** Its import in the period, in kWh. */
      kwh_used: number;
    }[];
  };
}

export interface App {
  /** Name that the page of consent shows. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notices that data changed. Null: none. */
  notification_url: string | null;
  /** Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** Id of the app. */
  app_id: string;
  /** Identifies the app at `/oauth/authorize` and `/oauth/token`. */
  client_id: string;
  /** Account that registered the app. */
  user_id: string;
  /** `confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one. */
  type: "confidential" | "public";
  /** When it was created. */
  created_at: string;
}

export interface Authorization {
  /** Id of the authorization. */
  authorization_id: string;
  /** The app that was let in. */
  app: {
    /** Id of the app. */
    app_id: string;
    /** Name of the app. */
    name: string;
    /** Address of a page about the app. */
    website: string;
  };
  /** What the app may do in the home now. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** When it was created. */
  created_at: string;
  /** When it ends. Null: when somebody ends it. */
  expires_at: string | null;
  /** Latest request of the app, to the minute. Null: none yet. */
  last_used_at: string | null;
}

export interface BillAdjustment {
  /** Id of the period that was corrected after it was closed. */
  bill_period_id: string;
  /** Its first day. */
  start: string;
  /** Its last day. */
  end: string;
  /** By how much its import changed. In kWh with six decimals, as text. */
  import_kwh: string;
  /** By how much its export changed. In kWh with six decimals, as text. */
  export_kwh: string;
}

export interface BillEdit {
  /** Id of the edit. */
  edit_id: string;
  /** Id of the device that it is about. */
  device_id: string;
  /** Whether readings are passed over, or one was read by hand. */
  action: "exclude" | "add";
  /** The quantity. Null: every quantity of the device. */
  native_name: string | null;
  /** From this time on; of `add`: when it was read. */
  start: string;
  /** Up to this time, exclusive. Null: of `add`. */
  end: string | null;
  /** What the register showed, in kWh with six decimals, as text. Null: of `exclude`. */
  kwh: string | null;
  /** Why, in the words of its author. */
  reason: string;
  /** What its author is; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was erased. */
  author: "homeowner" | "utility" | "admin" | null;
}

export interface BillEnergy {
  /** What flowed in within the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** What flowed out within the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** Quarter-hours of the period. */
  intervals: number;
  /** Of these: of which the import is known, at least in part. */
  intervals_known: number;
  /** Of these: of which some of the import is estimated. */
  intervals_estimated: number;
  /** The registers that count, and what they showed. */
  registers: {
    /** Id of the device. */
    device_id: string;
    /** What it measures, such as `import/t1`. */
    channel: string;
    /** What the device calls it. */
    native_name: string;
    /** What it counts as. */
    direction: "import" | "export";
    /** At the start of the period. Null: not known. */
    at_start: RegisterReading | null;
    /** At the end of the period. Null: not known. */
    at_end: RegisterReading | null;
    /** What it counted in between, in kWh with six decimals, as text: with a reset, a rollover or a swap not the difference of the two. Null: not known any more. */
    energy_kwh: string | null;
  }[];
  /** Part of `import_kwh` that no register tells. In kWh with six decimals, as text. */
  import_beside_registers_kwh: string;
  /** Part of `export_kwh` that no register tells. In kWh with six decimals, as text. */
  export_beside_registers_kwh: string;
  /** Edits of readings in force that are about a time of the period, up to 1,000. Left out of statements that were recorded before statements had them. */
  edits?: BillEdit[];
}

export interface BillPeriod {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The device that is billed by itself. Null: the home, at its connection point. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of its days: that of the account when the period was made. */
  timezone: string;
  /** What changes of the days of a `closed` period is billed with the next open one. */
  status: "open" | "closed";
  /** When it was created. */
  created_at: string;
  /** When it was closed. Null: it is open. */
  closed_at: string | null;
  /** Number of the last version. */
  version: number;
  /** When that was known. */
  recorded_at: string;
  /** What flowed in within the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** What flowed out within the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** `import_kwh` and adjustments of others. In kWh with six decimals, as text. */
  billed_import_kwh: string;
  /** `export_kwh` and adjustments of others. In kWh with six decimals, as text. */
  billed_export_kwh: string;
  /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
  sha256: string;
}

export interface BillPeriodDetails {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The device that is billed by itself. Null: the home, at its connection point. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of its days: that of the account when the period was made. */
  timezone: string;
  /** What changes of the days of a `closed` period is billed with the next open one. */
  status: "open" | "closed";
  /** When it was created. */
  created_at: string;
  /** When it was closed. Null: it is open. */
  closed_at: string | null;
  /** What was told first. */
  first_told: BillStatement;
  /** What was told last. */
  last_told: BillStatement;
  /** What is known of the period now. */
  known_now: BillEnergy;
  /** What is known now, less what was told first. */
  difference: {
    /** Of what flowed in. In kWh with six decimals, as text. */
    import_kwh: string;
    /** Of what flowed out. In kWh with six decimals, as text. */
    export_kwh: string;
    /** Of the part that is estimated. In kWh with six decimals, as text. */
    estimated_kwh: string;
  };
  /** All that was told of the period, in order. Their changes add up to the last one. */
  versions: {
    /** Number of the version. */
    version: number;
    /** Why it was told: first, again while the period was open, or as it was closed. */
    cause: "first" | "again" | "closing";
    /** When this was known. */
    recorded_at: string;
    /** What flowed in within the period. In kWh with six decimals, as text. */
    import_kwh: string;
    /** What flowed out within the period. In kWh with six decimals, as text. */
    export_kwh: string;
    /** Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text. */
    estimated_kwh: string;
    /** By how much the import changed since the version before; of the first all of it. In kWh with six decimals, as text. */
    import_change_kwh: string;
    /** The same of the export. In kWh with six decimals, as text. */
    export_change_kwh: string;
    /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
    sha256: string;
  }[];
  /** Corrections of closed periods that were billed with this one or, while it is open, wait for it. */
  adjustments: BillAdjustment[];
  /** What changed of this period after it was closed. With what it was closed with they add up to `known_now`. */
  corrections: {
    /** Id of the period that bills it. Null: none that is open begins after this one. */
    told_in: string | null;
    /** Whether that period was closed with it. */
    status: "told" | "waiting";
    /** By how much the import changed. In kWh with six decimals, as text. */
    import_kwh: string;
    /** By how much the export changed. In kWh with six decimals, as text. */
    export_kwh: string;
  }[];
}

export interface BillStatement {
  /** Id of the bill period. */
  bill_period_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The device that is billed by itself. Null: the home, at its connection point. */
  device_id: string | null;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
  /** IANA time zone of its days: that of the account when the period was made. */
  timezone: string;
  /** Number of the version, from 1. */
  version: number;
  /** Why it was told: first, again while the period was open, or as it was closed. */
  cause: "first" | "again" | "closing";
  /** Start of the first day. */
  starts_at: string;
  /** End of the last day. */
  ends_at: string;
  /** When this was known. */
  recorded_at: string;
  /** What flowed in within the period. In kWh with six decimals, as text. */
  import_kwh: string;
  /** What flowed out within the period. In kWh with six decimals, as text. */
  export_kwh: string;
  /** Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text. */
  estimated_kwh: string;
  /** Quarter-hours of the period. */
  intervals: number;
  /** Of these: of which the import is known, at least in part. */
  intervals_known: number;
  /** Of these: of which some of the import is estimated. */
  intervals_estimated: number;
  /** The registers that count, and what they showed. */
  registers: {
    /** Id of the device. */
    device_id: string;
    /** What it measures, such as `import/t1`. */
    channel: string;
    /** What the device calls it. */
    native_name: string;
    /** What it counts as. */
    direction: "import" | "export";
    /** At the start of the period. Null: not known. */
    at_start: RegisterReading | null;
    /** At the end of the period. Null: not known. */
    at_end: RegisterReading | null;
    /** What it counted in between, in kWh with six decimals, as text: with a reset, a rollover or a swap not the difference of the two. Null: not known any more. */
    energy_kwh: string | null;
  }[];
  /** Part of `import_kwh` that no register tells. In kWh with six decimals, as text. */
  import_beside_registers_kwh: string;
  /** Part of `export_kwh` that no register tells. In kWh with six decimals, as text. */
  export_beside_registers_kwh: string;
  /** Edits of readings in force that are about a time of the period, up to 1,000. Left out of statements that were recorded before statements had them. */
  edits?: BillEdit[];
  /** Corrections of closed periods that are billed with this one. */
  adjustments: BillAdjustment[];
  /** `import_kwh` and the adjustments. In kWh with six decimals, as text. */
  billed_import_kwh: string;
  /** `export_kwh` and the adjustments. In kWh with six decimals, as text. */
  billed_export_kwh: string;
  /** `sha256` of the version before. Null: there is none. */
  previous_sha256: string | null;
  /** SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal. */
  sha256: string;
}

export interface ChangedGroup {
  /** Id of the group. */
  group_id: string;
  /** How many homes were added. */
  added: number;
  /** How many were removed. */
  removed: number;
  /** How many homes are in it, without those of groups below it. */
  members: number;
}

export interface CheckedIntensities {
  /** The first values that would be stored, up to 100. */
  intensities: Intensity[];
  /** How many values would be stored. */
  count: number;
  /** The first rows that would not be stored, up to 100. */
  rejected: RejectedRow[];
}

export interface CheckedPrices {
  /** The first values that would be stored, up to 100. */
  prices: Price[];
  /** How many values would be stored. */
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
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies. */
  peak_hour: string | null;
  /** What was used, in kWh, where it is measured as energy. */
  kwh_used?: number;
  /** What was used, in m³, where it is measured as volume. */
  m3_used?: number;
  /** Part of `kwh_used` that is estimated, in kWh. */
  estimated_kwh?: number;
  /** Part of `m3_used` that is estimated, in m³. */
  estimated_m3?: number;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
}

export interface ComparedDay {
  /** Compared day. */
  date: string;
  /** Usage of that day, in kWh. */
  kwh: number;
}

export interface ComparedKwh {
  /** End of the hours that the value is about. */
  at: string;
  /** Energy of these 24 hours, in kWh. */
  kwh: number;
}

export interface ComparedWatts {
  /** End of the hours that the value is about. */
  at: string;
  /** Level of these hours, in watts. */
  watts: number;
}

/** What it costs by the tariffs of the user. Null: no tariff held. */
export type Cost = {
  /** Currency of all amounts (ISO 4217). */
  currency: string;
  /** Import, standing charge and capacity, less export. */
  total: string;
  /** What the imported energy costs. */
  import: string;
  /** What the exported energy earns. */
  export: string;
  /** Standing charge of the time that has begun. */
  standing: string;
  /** Price of the highest quarter-hour. Only of whole months, and of a capacity tariff. */
  capacity?: string;
  /** Part of `import` for energy that is estimated. */
  estimated: string;
  /** Energy whose price is not known, in kWh. It is in no amount. */
  missing_prices_kwh: number;
} | null;

export interface CreatedApp {
  /** Name that the page of consent shows. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notices that data changed. Null: none. */
  notification_url: string | null;
  /** Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** Id of the app. */
  app_id: string;
  /** Identifies the app at `/oauth/authorize` and `/oauth/token`. */
  client_id: string;
  /** Account that registered the app. */
  user_id: string;
  /** `confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one. */
  type: "confidential" | "public";
  /** When it was created. */
  created_at: string;
  /** Shown once. A public app has none. */
  client_secret?: string;
}

export type CreatedEmissionSeries = EmissionSeries | CheckedIntensities;

export interface CreatedGateway {
  /** Id of the gateway. */
  gateway_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What its owner calls the gateway. */
  name: string;
  /** Settings for the decoders, as they were given. */
  decoder_config: Record<string, unknown>;
  /** `utility` while a device that the utility manages comes through it: its owner then changes the name alone (403). Otherwise `owner`. */
  managed_by: "owner" | "utility";
  /** When it was created. */
  created_at: string;
  /** How the gateway signs in to the broker. */
  mqtt: {
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** What the topics of the gateway must begin with. */
    topic_prefix: string;
  };
}

export interface CreatedKey {
  /** Id of the key. */
  key_id: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** The group whose homes are all that the key reads. Only of keys that are limited to one. */
  group_id?: string;
  /** The device whose readings are all that the key writes. Only of keys that are limited to one. */
  device_id?: string;
  /** The home of another account that is all that the key reaches. Only of keys that a member made for it. */
  home_user_id?: string;
  /** Addresses and networks that the key may be used from. None: everywhere. */
  allowed_addresses: string[];
  /** The key itself. It is not shown again. */
  key: string;
}

export type CreatedPriceSeries = PriceSeries | CheckedPrices;

export interface CreatedProvisioningBatch {
  /** Id of the batch. */
  batch_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused. */
  owner_user_id: string | null;
  /** What you call the batch. */
  name: string;
  /** Type of the devices that are made. */
  type: string;
  /** Location of the devices that are made. */
  location: string;
  /** How many serials alone may claim. Null: any may. */
  serial_count: number | null;
  /** How many meters may claim a device. */
  max_devices: number;
  /** How many have. */
  claimed: number;
  /** When nothing claims with it any more. */
  expires_at: string;
  /** When it was revoked. Null: it was not. */
  revoked_at: string | null;
  /** When it was created. */
  created_at: string;
  /** What meters of the batch are made with. */
  mqtt: {
    /** MQTT user name of all meters of the batch, until they have their own. */
    username: string;
    /** MQTT password of the batch. It is not shown again. */
    password: string;
    /** Where a meter publishes its claim. */
    claim_topic: string;
    /** Where it is answered, on its own connection alone. */
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
  /** `failed` once all retries have failed. */
  status: "pending" | "succeeded" | "failed";
  /** The attempts so far, oldest first. */
  attempts: {
    /** When it was tried. */
    at: string;
    /** Status code of the receiver. Null: no answer. */
    response_status: number | null;
    /** How long the attempt took, in milliseconds. */
    duration_ms: number;
    /** Why the attempt failed. Null: it succeeded. */
    error: string | null;
  }[];
  /** When it is tried next. Null: it is not, or the subscription is paused. */
  next_attempt_at: string | null;
}

export interface Device {
  /** Id of the device. */
  device_id: string;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
}

export interface DeviceConnectedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "device.connected";
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: {
    /** Id of the device. */
    device_id: string;
    /** Id of the user that the event is about. */
    user_id: string;
    /** What kind of device it is, in the words of its owner. */
    type: string;
    /** Where the device is, in the words of its owner. */
    location: string;
    /** State of the device. */
    status: "active" | "inactive" | "faulty";
    /** When its first valid message arrived. */
    last_seen_at: string;
    /** Where the device sits in its home. */
    placement: "grid" | "production" | "storage" | "consumption" | "excluded";
    /** Id of the device whose measurement includes this one. Null: none. */
    upstream_device_id: string | null;
  };
}

export interface DeviceDetails {
  /** Id of the device. */
  device_id: string;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** Id of the user that it belongs to. */
  user_id: string;
  /** Highest plausible load, in kW. A register that rises faster is held until later readings confirm it. */
  limit_kw: number;
  /** Value at which the register starts again at 0, in kWh. Null: it never does. */
  register_max_kwh: number | null;
  /** Longest silence that power readings are integrated over, in minutes. */
  max_gap_minutes: number;
  /** IANA time zone of a device that reports local time. Null: that of its owner. */
  timezone: string | null;
  /** Settings for the decoders, as they were given. */
  decoder_config: Record<string, unknown>;
  /** The quantities that the device reports. */
  channels: {
    /** What the device calls the quantity. */
    native_name: string;
    /** Unit of `last_value`. Null: the device does not say. */
    unit: string | null;
    /** The last value. Null: there is none. */
    last_value: number | null;
    /** When that value was measured. Null: there is none. */
    last_at: string | null;
    /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null: not known, and not counted. */
    counts_as: string | null;
    /** Whether its owner should say what it counts as: its name says nothing. With a `counts_as` it counts as it did before such names stopped counting. */
    asked: boolean;
    /** Where the quantity is measured. Null: where its device is. */
    placement: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
    /** Whether its energy counts. False for a part of a total that counts, for a power next to a register, and if it is not known what the quantity is. */
    counted: boolean;
  }[];
  /** Whether what it consumed is computed with these settings by now: within seconds of a change, of months of frequent readings within minutes. Until then its older past is computed with them, and what is later as before. */
  is_computed: boolean;
  /** What a utility or an administrator calls the device: a serial or asset number. Once in an account. Null: it has none. */
  external_id: string | null;
  /** SHA-256 of the client certificate that the device logs in with, in hex. Null: a certificate that has its id as name, where the broker takes certificates. */
  certificate_sha256: string | null;
  /** Who manages the device: its `owner`, or the `utility` that paired it for the account or whose batch it claimed. Of the latter its owner changes the `location` alone (403). */
  managed_by: "owner" | "utility";
  /** When it was created. */
  created_at: string;
}

export interface DeviceImport {
  /** Id of the import. */
  import_id: string;
  /** An import is carried out as a whole before it is answered, or refused. */
  state: "completed";
  /** When it was created. */
  created_at: string;
  /** How many rows it had. */
  rows: number;
  /** How many devices it made. */
  created: number;
  /** How many rows were devices that were there already; they are left as they are. */
  existing: number;
  /** How many accounts it made. */
  users_created: number;
  /** Rows whose devices were there already with other settings. Change those with `PATCH /v1/devices/{device_id}`. */
  differing: {
    /** The row: `line 3` of CSV, its place in the list from 0 of JSON. */
    row: string;
    /** Id of the device. */
    device_id: string;
    /** Members that the row gives and the device has otherwise. */
    members: string[];
  }[];
  /** `waiting`: the passwords can be fetched, once, within a day. `gone`: they were fetched or not fetched, or there are none. */
  credentials: "waiting" | "gone";
}

export interface DeviceQuality {
  /** Id of the device. */
  device_id: string;
  /** One row a month, in order of time. */
  data: MonthQuality[];
}

export interface DeviceReading {
  /** When it was taken; of an interval, its end. */
  ts: string;
  /** Channel of the device, such as `import`. */
  channel: string;
  /** What the device calls the quantity. */
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
  /** Whether a thermostat was heating: 1, or 0 if not. */
  heating?: number;
  /** Relative humidity, in percent. */
  humidity_percent?: number;
  /** What the reading was taken for. `counted`: its energy counts. `baseline`: energy counts from it on. `excluded`: an edit passes it over. `not_counted`: another quantity counts. `unknown`: nobody has said what the quantity is. `lower_kept`: it counts, and a higher value for the same time does not. The others are findings of `GET /v1/devices/{device_id}/quality`. */
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
    /** Import of the device, in kWh. Null: it reports no energy. */
    kwh_used: number | null;
    /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies. */
    peak_hour: string | null;
    cost?: Cost;
    emissions?: Emissions;
    /** Energy from the grid, in kWh. Null: not known. */
    grid_import_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: not known. */
    grid_export_kwh?: number | null;
    /** Energy that the home produced, in kWh. Null: not known. */
    production_kwh?: number | null;
    /** Energy into storage, in kWh. Null: not known. */
    charged_kwh?: number | null;
    /** Energy out of storage, in kWh. Null: not known. */
    discharged_kwh?: number | null;
    /** What consumption devices used, in kWh. Null: not known. */
    consumption_kwh?: number | null;
    /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
    untracked_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: not known. */
    self_consumed_kwh?: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
    autarky?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
    estimated_kwh?: number | null;
    /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
    coverage?: number | null;
    /** Whether all of it is known. Null: nothing is expected yet. */
    complete?: boolean | null;
    /** Export of the device, in kWh. Null: not known. */
    export_kwh?: number | null;
    /** With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: of a long silence by the shape of like days, at least in part. `line`: all of it was spread evenly. Null: nothing in it is estimated. */
    estimate?: "like_days" | "line" | null;
    /** Room temperature that a thermostat measured. Null: not known. */
    temperature_c?: {
      /** Mean, weighted by time, in °C. */
      mean: number;
      /** Lowest, in °C. */
      min: number;
      /** Highest, in °C. */
      max: number;
    } | null;
    /** Mean of the set temperature, weighted by time, in °C. Null: not known. */
    setpoint_c?: number | null;
    /** How long a thermostat was heating, in minutes. Null: not known. */
    heating_minutes?: number | null;
  }[];
}

export interface DiscoveredDevice {
  /** Id to pair the device with: `discovery_id` of `POST /v1/devices`. */
  discovery_id: string;
  /** Id of the gateway that it was heard through. */
  gateway_id: string;
  /** Which messages it sends, such as `tasmota`. */
  family: string;
  /** What the device calls itself. */
  native_id: string;
  /** Names of its channels. */
  channels: string[];
  /** The quantities on its channels. */
  quantities: {
    /** Name of the channel. */
    channel: string;
    /** What is measured, with its unit, such as `power_w`. */
    kind: string;
    /** What it will count as once the device is paired. Null: nothing. */
    counts: "import" | "export" | null;
  }[];
  /** Filter of topics, below the gateway’s prefix, on which its values were announced and none was received yet. Null: values are received. */
  awaits: string | null;
  /** When it was first heard. */
  first_seen_at: string;
  /** When it was last heard. */
  last_seen_at: string;
}

export interface EmissionSeries {
  /** Id of the emission series. */
  series_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What the owner calls it, such as the grid that the intensities are of. */
  name: string;
  /** For how long each value holds, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Where the series fetches its values. Absent: it does not, or the caller may not change it. */
  source?: SeriesSource;
  /** When values were last fetched. Null: never yet. */
  last_fetched_at?: string | null;
  /** When the source is fetched next. */
  next_fetch_at?: string;
  /** What was wrong with the last fetch, or with rows of its answer. Null: nothing. */
  last_error?: string | null;
}

/** Emissions of the energy from the grid, by the emission series of the user. Null: the user has none. */
export type Emissions = {
  /** Kilograms of CO2 equivalent, with 3 decimals. */
  kg_co2e: string;
  /** Energy whose intensity is not known, in kWh. It is not in `kg_co2e`. */
  missing_kwh: number;
} | null;

export type EnergyInsights = {
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The rows, oldest first. Rows about which nothing is known are left out. */
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
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The rows, oldest first. Rows about which nothing is known are left out. */
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
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The days that the summary is about. */
  date_range: {
    /** First day. */
    start: string;
    /** Last day, inclusive: today. */
    end: string;
  };
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
  peak_usage_time: string | null;
  /** What was used, in kWh, where it is measured as energy. */
  kwh_used?: number;
  /** What was used, in m³, where it is measured as volume. */
  m3_used?: number;
  /** Part of `kwh_used` that is estimated, in kWh. */
  estimated_kwh?: number;
  /** Part of `m3_used` that is estimated, in m³. */
  estimated_m3?: number;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
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
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The days that the summary is about. */
  date_range: {
    /** First day. */
    start: string;
    /** Last day, inclusive: today. */
    end: string;
  };
  /** What the home used, in kWh. */
  kwh_used: number;
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
  peak_usage_time: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: not known. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: not known. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: not known. */
  production_kwh?: number | null;
  /** Energy into storage, in kWh. Null: not known. */
  charged_kwh?: number | null;
  /** Energy out of storage, in kWh. Null: not known. */
  discharged_kwh?: number | null;
  /** What consumption devices used, in kWh. Null: not known. */
  consumption_kwh?: number | null;
  /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: not known. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
  estimated_kwh?: number | null;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
  data?: undefined;
  m3_used?: undefined;
  estimated_m3?: undefined;
};

export interface ErrorBody {
  /** What went wrong, for a person to read. */
  error: string;
  /** Status code of the answer. */
  status: number;
  /** What went wrong, for a program: a word of the list of errors, such as `key_revoked`. It does not change. */
  code: string;
  /** Where the reference explains the error. */
  doc_url: string;
  /** Each mistake in the request. */
  details?: {
    /** Path of the member, parameter or header, such as `channels.0.counts_as`. */
    field: string;
    /** What is wrong with it. */
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
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** Id of the user that it belongs to. */
  user_id: string;
  /** E-mail address of its owner. Null: the key has no `users:read`. */
  email: string | null;
  /** Which messages it sends, such as `tasmota`. `native`: those of the service itself, without a gateway. */
  family: string;
  /** Id of the gateway that it comes through. Null: it logs in itself. */
  gateway_id: string | null;
  /** When its silence began: when it was last heard, or paired where it never was. Null: it was heard within the last hour. */
  silent_since: string | null;
  /** When it was created. */
  created_at: string;
}

export interface FleetSilence {
  /** Shorter silences are not noted, in minutes. */
  silent_after_minutes: number;
  /** How many devices there are in reach. */
  devices: number;
  /** How many homes have one of them. */
  homes: number;
  /** When no worker looked. Silences that began and ended within are not known. */
  unwatched: {
    /** Start. */
    from: string;
    /** End, exclusive. */
    to: string;
  }[];
  /** Hours or days in which devices fell silent, oldest first. */
  data: {
    /** Start of the hour or day. */
    starts_at: string;
    /** How many devices fell silent in it. */
    devices: number;
    /** Of these as part of an outage of many homes. */
    outage: number;
    /** Of these with others of their gateway. */
    gateway: number;
    /** Of these with others of their home. */
    home: number;
    /** Of these alone. */
    device: number;
    /** Of these as they do again and again. */
    habit: number;
    /** Of all of these, those of which the kind is unsure. */
    unsure: number;
  }[];
  /** What stopped together, the most devices first, then the latest. */
  groups: {
    /** `outage`: of many homes; `gateway`, `home`: of one; `device`: one alone; `habit`: one that often is silent. */
    kind: "outage" | "gateway" | "home" | "device" | "habit";
    /** Whether the rule is sure of the kind. Else `because` says what the doubt is. */
    sure: boolean;
    /** `beyond_chance`: more homes at once than chance allows; `whole_gateway`, `whole_home`: all of its devices; `others_go_on`: others of its home were heard; `often_silent`: alone several times in the week before. Unsure: `part_of_gateway`, `part_of_home`: some of its devices; `only_device`: nothing else of its home could have been heard; `others_stopped_too`: unusually many homes stopped about then. */
    because: "beyond_chance" | "whole_gateway" | "whole_home" | "others_go_on" | "often_silent" | "part_of_gateway" | "part_of_home" | "only_device" | "others_stopped_too";
    /** When the first of its devices was last heard. */
    first_at: string;
    /** When the last of them was. */
    last_at: string;
    /** How many devices it has. */
    devices: number;
    /** Of how many homes they are. */
    homes: number;
    /** How many of them were heard again. */
    heard_again: number;
    /** Id of the user. Null: there are several. */
    user_id: string | null;
    /** Id of the gateway. Null: none, or several. */
    gateway_id: string | null;
    /** Ids of its devices, the first to stop first; 20 at most. */
    device_ids: string[];
  }[];
  /** How many groups more there are. */
  groups_left_out: number;
}

export interface Forecast {
  /** IANA time zone of the user, in which the days are. */
  timezone: string;
  /** Forecast of the current month. Null: too few days of the home are known. */
  forecast: {
    /** First day of the current month. */
    start: string;
    /** Last day of the current month. */
    end: string;
    /** How many days of the month are over. */
    days_over: number;
    /** What the home has used in the month so far, in kWh. */
    so_far_kwh: number;
    /** What the home will probably have used at the end of the month, in kWh. */
    expected_kwh: number;
    /** Lower end of the range in which the usage of the month will probably lie, in kWh. */
    low_kwh: number;
    /** Upper end of this range, in kWh. */
    high_kwh: number;
    /** Of 100 months, how many lie within the range. */
    range_percent: number;
    /** What the month will probably cost. Null: no tariff, or for too few days. */
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
    /** Earlier months of the home with the same forecast, the latest first. */
    past: {
      /** Month, as `YYYY-MM`. */
      month: string;
      /** Usage that this forecast would have expected on the same day of that month, in kWh. */
      forecast_kwh: number;
      /** What the home then used, in kWh. */
      actual_kwh: number;
      /** What it used in the same month of the year before, in kWh. Null: unknown. */
      last_year_kwh: number | null;
    }[];
    /** Mean error of the forecast in these months, as a share of their usage. Null: there are none. */
    mean_error: number | null;
  } | null;
}

export interface Gateway {
  /** Id of the gateway. */
  gateway_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What its owner calls the gateway. */
  name: string;
  /** Settings for the decoders, as they were given. */
  decoder_config: Record<string, unknown>;
  /** `utility` while a device that the utility manages comes through it: its owner then changes the name alone (403). Otherwise `owner`. */
  managed_by: "owner" | "utility";
  /** When it was created. */
  created_at: string;
}

export interface Group {
  /** Id of the group. */
  group_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What its owner calls the group. */
  name: string;
  /** What sort of group it is, such as `building` or `feeder`. Null: not said. */
  kind: string | null;
  /** The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none. */
  parent_group_id: string | null;
  /** How many homes are in it, without those of groups below it. */
  members: number;
  /** When it was created. */
  created_at: string;
}

export type GroupEnergyInsights = {
  /** Id of the group. */
  group_id: string;
  /** How many homes it is about: each once, with those of groups below it. */
  homes: number;
  /** The rows, oldest first. Rows about which nothing is known are left out. */
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
  /** How many homes it is about: each once, with those of groups below it. */
  homes: number;
  /** The days that the summary is about. */
  date_range: {
    /** First day. */
    start: string;
    /** Last day, inclusive: today. */
    end: string;
  };
  /** What the homes used, in kWh. */
  kwh_used: number;
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
  peak_usage_time: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: not known. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: not known. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: not known. */
  production_kwh?: number | null;
  /** Energy into storage, in kWh. Null: not known. */
  charged_kwh?: number | null;
  /** Energy out of storage, in kWh. Null: not known. */
  discharged_kwh?: number | null;
  /** What consumption devices used, in kWh. Null: not known. */
  consumption_kwh?: number | null;
  /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: not known. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
  estimated_kwh?: number | null;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
  data?: undefined;
};

export interface ImportCredentials {
  /** Id of the import. */
  import_id: string;
  /** What each new device signs in to the broker with. */
  credentials: {
    /** The row: `line 3` of CSV, its place in the list from 0 of JSON. */
    row: string;
    /** What you call the device. Null: it has no such name. */
    external_id: string | null;
    /** Id of the device. */
    device_id: string;
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** Topic that the device publishes its readings on. */
    topic: string;
  }[];
}

export interface Intensity {
  /** From when on the value holds. It holds for the resolution of the series. */
  starts_at: string;
  /** Grams of CO2 equivalent of a kWh. A decimal with up to 9 places, as text. */
  grams_per_kwh: string;
}

export interface JudgedMessage {
  /** `read`: something counts. `asked`: nothing counts until its owner says what it is. `refused`: a family knows it, and cannot use it. `nothing`: a family knows it, and it is of no interest. `nobody`: no family knows it. */
  outcome: "read" | "asked" | "refused" | "nothing" | "nobody";
  /** The topic without the prefix of the gateway. */
  topic: string;
  /** Family of devices that reads it. */
  family: string | null;
  /** What is read. */
  readings: {
    /** Id of the device, as the message has it. */
    device: string;
    /** What it is of: `import`, `export/t1`, `gas/m3`, `room`. */
    channel: string;
    /** What it is, with its unit: `energy_total_kwh`, `power_w`, `temperature_c`. */
    kind: string;
    /** In the unit that the kind names. */
    value: number | boolean;
    /** Time that the message has. `null`: that of its receipt. */
    ts: string | null;
  }[];
  /** What counts for nothing until its owner says what it is. */
  asks: {
    /** Id of the device, as the message has it. */
    device: string;
    /** How the device calls it. */
    native_name: string;
    /** Its unit, where the message says it. */
    unit: string | null;
    /** In the unit that the kind names. */
    value: number | boolean;
  }[];
  /** Why the message, or a part of it, cannot be used. */
  refused: string[];
  /** Readings that are left out, since the broker had kept the message. */
  left_out: number;
  /** Which setting would help. */
  would: {
    /** Family of devices that would read more of it. */
    family: string;
    /** The setting. A zone, a unit or a number in it is an example. */
    decoder_config: Record<string, unknown>;
  }[];
  /** Places that a `mapping` of the `decoder_config` can name. */
  members: {
    /** JSONPath of the place. `null`: the payload is a plain number. */
    path: string | null;
    /** What is there. */
    value: number | string;
    /** Whether it can be the time of the message. */
    may_be_time: boolean;
    /** What it may be, by the unit in its name. `null`: nothing says so. */
    proposed: {
      /** As `unit` of a `mapping`. */
      unit: string;
      /** As `meaning` of a `mapping`. */
      meaning: string;
    } | null;
  }[];
}

export interface Key {
  /** Id of the key. */
  key_id: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** The group whose homes are all that the key reads. Only of keys that are limited to one. */
  group_id?: string;
  /** The device whose readings are all that the key writes. Only of keys that are limited to one. */
  device_id?: string;
  /** The home of another account that is all that the key reaches. Only of keys that a member made for it. */
  home_user_id?: string;
  /** Addresses and networks that the key may be used from. None: everywhere. */
  allowed_addresses: string[];
  /** What its owner calls the key. Null: it has no name. */
  name: string | null;
  /** When it was created. */
  created_at: string;
  /** When the key was last used. Null: never. */
  last_used_at: string | null;
}

export interface ListedUser {
  /** Id of the user. */
  user_id: string;
  /** E-mail address. That of the first administrator is `admin@localhost`. */
  email: string;
  /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
  role: "homeowner" | "utility" | "admin";
  /** When the account was created. */
  created_at: string;
  /** Phone number in E.164 form. Null: none was given. */
  phone: string | null;
  /** IANA time zone of the user. Alerts use its hours, days and months, as do requests with `tz=account`. */
  timezone: string;
  /** Plan that sets the rate limits of the account. */
  plan: "free" | "developer" | "enterprise";
  /** Emission series by which the emissions of the home are computed. Null: none. */
  emission_series_id: string | null;
  /** Whether the user gets a mail about each new remark on its home. */
  remarks_by_mail: boolean;
  /** E-mail address that the account will have once the link of a mail to it was used. Only while it waits, at most 7 days. */
  pending_email?: string;
  /** Its devices, counted. Only with `include=devices`. */
  devices?: {
    /** How many devices the account has. */
    total: number;
    /** How many of them were not heard for 24 hours. */
    silent: number;
    /** How many of them are faulty. */
    faulty: number;
  };
}

export interface Member {
  /** Id of the membership. */
  member_id: string;
  /** Address of the member’s account; of an invitation, the address that it was mailed to. */
  email: string;
  /** `read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
  /** `invited` until the invitation is accepted. */
  status: "invited" | "active";
  /** When it was created. */
  created_at: string;
  /** When the invitation ends. Null: it was accepted. */
  expires_at: string | null;
  /** When the invitation was accepted. Null: it was not yet. */
  accepted_at: string | null;
  /** When a key that the member made for the home was last used. Null: never. */
  last_used_at: string | null;
}

export interface Membership {
  /** Id of the membership. */
  member_id: string;
  /** Id of the home’s account. Requests of a session name it as `user_id`. */
  home_user_id: string;
  /** E-mail address of the home’s account. */
  home_email: string;
  /** `read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
  /** When the invitation was accepted. */
  accepted_at: string;
}

export interface Message {
  /** What was done, for a person to read. */
  message: string;
}

export interface MonthQuality {
  /** Month of the time zone `tz`, as `YYYY-MM`. */
  month: string;
  /** Quarter-hours of the month that are over, from the first that the device told of on. What is expected is time, not messages: a register that sends when it changes tells of the time before, too. */
  intervals_expected: number;
  /** Of these: known throughout, by readings at most an hour apart. */
  intervals_received: number;
  /** Of these: with energy that was spread over a silence of more than an hour. */
  intervals_estimated: number;
  /** Of these: known for a part of the time, or of the channels. */
  intervals_partial: number;
  /** Of these: of which nothing is known. */
  intervals_missing: number;
  /** What flowed in, in kWh, to the mWh. */
  import_kwh: number;
  /** What flowed out, in kWh, to the mWh. */
  export_kwh: number;
  /** Part of `import_kwh` that was spread over silences, in kWh. */
  estimated_import_kwh: number;
  /** Part of `export_kwh` that was spread over silences, in kWh. */
  estimated_export_kwh: number;
  /** Readings that count. */
  readings: number;
  /** Readings that came when a later one of their channel was stored already. */
  late_readings: number;
  /** Hours whose energy changed after it was known. */
  corrected_hours: number;
  /** By how much that changed the import of the month, in kWh. */
  import_change_kwh: number;
  /** By how much that changed the export of the month, in kWh. */
  export_change_kwh: number;
  /** What readings were taken for that were not plainly counted. */
  findings: {
    /** Readings that were false: what came before and after them fits. */
    glitches: number;
    /** Interval readings that overlap one that counts. */
    overlaps: number;
    /** Readings in which a frozen source told all that it had kept back, spread over the time since. */
    late_news: number;
    /** Readings that such a source had repeated meanwhile. */
    passed_over: number;
    /** Readings that showed that the one before them was false. */
    taken_back: number;
    /** Small steps back, as of a register that loses its fraction. */
    jitter: number;
    /** The register began again from zero. */
    resets: number;
    /** The register passed its maximum. */
    rollovers: number;
    /** Another register took over: the history is split there, and nothing is counted over the step. */
    swaps: number;
    /** Readings that are implausible, and wait for the next ones to say what they were. */
    held: number;
  };
  /** Readings of the month that edits pass over, as long as readings are kept. */
  excluded_readings: number;
  /** Readings of the month that a person read, and that edits added. */
  added_readings: number;
  /** Ids of the edits in force that are about a time of the month. */
  edits: string[];
  /** Messages and elements that were refused in the month, of the last 90 days. */
  rejected: number;
  /** The reasons, the most frequent first. */
  rejections: {
    /** Why they were refused. */
    reason: string;
    /** How many. */
    count: number;
  }[];
}

export interface MonthlyAnalytics {
  /** Id of the user that it belongs to. */
  user_id: string;
  /** The months, oldest first. Months without data are left out. */
  data: {
    /** Month of the time zone `tz`, as `YYYY-MM`. */
    month: string;
    /** What the home used in the month, in kWh. */
    kwh_used: number;
    /** Mean of the days about which something is known, in kWh. */
    avg_daily_kwh: number;
    /** Hour of the day with the highest usage in the month. Null: none qualifies. */
    peak_hour: string | null;
    /** Change against the month before, in kWh. Null: nothing is known of that month. */
    change_kwh: number | null;
    /** Change against the month before, in percent. Null: nothing was used, or is known, in that month. */
    change_percent: number | null;
    cost?: Cost;
    emissions?: Emissions;
    /** The month is not over, and is compared with the same days of the month before. */
    partial?: true;
  }[];
}

export type NewSeriesSource = {
  /** A public source, by name, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. Its address, times and units are known. */
  preset: string;
  /** Token of the preset, such as that of ENTSO-E. It is stored encrypted and never returned. */
  token?: string;
} | {
  /** HTTPS address of the values, without credentials. */
  url: string;
  /** Format of its answers. */
  format: "json" | "csv" | "xml";
  /** JSON: path of the list of rows, such as `$.data`; default: the whole answer. XML: name of the element that contains a row. Not for CSV. */
  items?: string;
  /** Where a row has the start of its value: JSONPath from the row, CSV column, or XML element. It is ISO 8601, or Unix seconds or milliseconds. */
  starts_at: string;
  /** Where a row has the price, or the grams of CO2 equivalent, of a kWh. */
  value: string;
  /** Factor on the values, such as 0.001 for prices of a MWh. Default: 1. */
  scale?: string | number;
  /** IANA time zone of `at`, and of times without an offset in the answer. Default: UTC. */
  timezone?: string;
  /** Headers of the request, such as a key. They are stored encrypted and never returned. */
  headers?: Record<string, unknown>;
  /** Times of day at which it is fetched, HH:MM, up to 24. */
  at: string[];
};

export interface PairedDevice {
  /** Id of the device. */
  device_id: string;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed")[];
  /** How the device signs in to the broker. Not with `discovery_id`: its gateway signs in. */
  mqtt?: {
    /** MQTT user name. */
    username: string;
    /** MQTT password. It is not shown again. */
    password: string;
    /** Topic that the device publishes its readings on. */
    topic: string;
  };
}

export interface Price {
  /** From when on the value holds. It holds for the resolution of the series. */
  starts_at: string;
  /** Price of a kWh. A decimal with up to 9 places, as text. */
  per_kwh: string;
}

export interface PriceSeries {
  /** Id of the price series. */
  series_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What the owner calls it, such as the market that the prices are of. */
  name: string;
  /** Currency of the prices (ISO 4217), such as `EUR`. */
  currency: string;
  /** For how long each value holds, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Where the series fetches its values. Absent: it does not, or the caller may not change it. */
  source?: SeriesSource;
  /** When values were last fetched. Null: never yet. */
  last_fetched_at?: string | null;
  /** When the source is fetched next. */
  next_fetch_at?: string;
  /** What was wrong with the last fetch, or with rows of its answer. Null: nothing. */
  last_error?: string | null;
}

export interface ProvisioningBatch {
  /** Id of the batch. */
  batch_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused. */
  owner_user_id: string | null;
  /** What you call the batch. */
  name: string;
  /** Type of the devices that are made. */
  type: string;
  /** Location of the devices that are made. */
  location: string;
  /** How many serials alone may claim. Null: any may. */
  serial_count: number | null;
  /** How many meters may claim a device. */
  max_devices: number;
  /** How many have. */
  claimed: number;
  /** When nothing claims with it any more. */
  expires_at: string;
  /** When it was revoked. Null: it was not. */
  revoked_at: string | null;
  /** When it was created. */
  created_at: string;
}

export type Rates = {
  /** Price of a kWh. A decimal with up to 9 places, as text. */
  per_kwh: string;
} | {
  /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
  periods: {
    /** Price of a kWh. A decimal with up to 9 places, as text. */
    per_kwh: string;
    /** Weekdays on which the price holds, 1 is Monday. Default: all. */
    days?: number[];
    /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
    from?: string;
    /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
    to?: string;
    /** Months in which the price holds, 1 is January. Default: all. */
    months?: number[];
  }[];
} | {
  /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
  series_id: string;
  /** What is added to the price of a kWh after that. Default: 0. A decimal with up to 9 places, as text. */
  add?: string;
  /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. A decimal with up to 9 places, as text. */
  multiply?: string;
};

export interface ReadingEdit {
  /** Id of the edit. */
  edit_id: string;
  /** Id of the device. */
  device_id: string;
  /** `exclude`: readings of a time are passed over, whenever they come. `add`: a person read a register; it counts as any reading that comes late, and in the place of one that was sent for the same instant. */
  action: "exclude" | "add";
  /** What the device calls the quantity, as its `channels` do. Null: every quantity of the device. */
  native_name: string | null;
  /** Of `exclude`: from this time on. Readings have the time at which they were taken; of intervals that is their end. */
  start: string | null;
  /** Of `exclude`: up to this time, which is not excluded any more. */
  end: string | null;
  /** Of `add`: when it was read. */
  at: string | null;
  /** Of `add`: what the register showed, in kWh (m³ where it counts a volume). */
  kwh: number | null;
  /** Why, in the words of who edits. */
  reason: string;
  /** A `revoked` edit has no effect any more, and stays to be seen. */
  status: "in_force" | "revoked";
  /** Whether consumption is computed so by now: within seconds of a change, of months of frequent readings within minutes. */
  is_computed: boolean;
  /** Id of the user who made it; `clock`: the clock of a host was set back, and what it received without a time in that stretch would count twice. A register goes on from its first reading in the stretch. Null: the account was erased. */
  author: string | null;
  /** When it was created. */
  created_at: string;
  /** Id of the user who revoked it. Null: nobody, or the account was erased. */
  revoked_by: string | null;
  /** When it was revoked. Null: it was not. */
  revoked_at: string | null;
}

export interface RegisterReading {
  /** What the register shows. In kWh with six decimals, as text. */
  kwh: string;
  /** When it shows that. */
  at: string;
  /** `measured` at that time, or read then by a person (`by_hand`); `interpolated` on the line between the readings before and after it; `last`: the last one before the end, where the register did not go on. */
  is: "measured" | "by_hand" | "interpolated" | "last";
}

export interface RejectedRow {
  /** Number of the row in the answer, from 1. */
  row: number;
  /** What is wrong with it. */
  message: string;
}

export type Remark = {
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "stays_on";
  /** Start of the condition. */
  since: string;
  /** Time up to which the condition is known. */
  until: string;
  /** Lowest power of the home since then, in watts. */
  least_w: number;
  /** Median of the same value on the days that it is compared with, in watts. */
  usual_w: number;
  /** Id of the device that it is about, or that causes most of a rise. Null: unknown. */
  device_id: string | null;
  /** Where this device is. Null: unknown. */
  location: string | null;
  /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "night_rose";
  /** Start of the condition. */
  since: string;
  /** Time up to which the condition is known. */
  until: string;
  /** Mean power of the quietest two hours of the last day, in watts. */
  quiet_w: number;
  /** Median of the same value on the days that it is compared with, in watts. */
  usual_w: number;
  /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "device_uses_more";
  /** Start of the condition. */
  since: string;
  /** Time up to which the condition is known. */
  until: string;
  /** Id of the device that it is about. */
  device_id: string;
  /** Where this device is. */
  location: string;
  /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
  kwh: number;
  /** Median of the same value on the days that it is compared with, in kWh. */
  usual_kwh: number;
  /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "production_missing";
  /** Start of the condition. */
  since: string;
  /** Time up to which the condition is known. */
  until: string;
  /** Energy that the panels would have produced since then on a poor day, in kWh. */
  expected_kwh: number;
  /** Whether the production is unknown, instead of known to be 0. */
  is_silent: boolean;
  /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "unusual_day";
  /** The day, in the time zone of the user. */
  date: string;
  /** Its weekday: 1 is Monday. */
  weekday: number;
  /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
  kwh: number;
  /** Median of the same value on the days that it is compared with, in kWh. */
  usual_kwh: number;
  /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
  /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
  kind: "cheaper_tariff";
  /** First day of the comparison, in the time zone of the user. */
  start: string;
  /** Last day of the comparison, inclusive. */
  end: string;
  /** Id of the cheaper tariff. */
  tariff_id: string;
  /** Its name. */
  name: string;
  /** Currency of both amounts (ISO 4217). */
  currency: string;
  /** Cost of these months by the tariffs that held, a decimal. */
  paid: string;
  /** Cost of these months by the cheaper tariff, a decimal. */
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
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: {
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "stays_on";
    /** Start of the condition. */
    since: string;
    /** Time up to which the condition is known. */
    until: string;
    /** Lowest power of the home since then, in watts. */
    least_w: number;
    /** Median of the same value on the days that it is compared with, in watts. */
    usual_w: number;
    /** Id of the device that it is about, or that causes most of a rise. Null: unknown. */
    device_id: string | null;
    /** Where this device is. Null: unknown. */
    location: string | null;
    /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "night_rose";
    /** Start of the condition. */
    since: string;
    /** Time up to which the condition is known. */
    until: string;
    /** Mean power of the quietest two hours of the last day, in watts. */
    quiet_w: number;
    /** Median of the same value on the days that it is compared with, in watts. */
    usual_w: number;
    /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "device_uses_more";
    /** Start of the condition. */
    since: string;
    /** Time up to which the condition is known. */
    until: string;
    /** Id of the device that it is about. */
    device_id: string;
    /** Where this device is. */
    location: string;
    /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
    kwh: number;
    /** Median of the same value on the days that it is compared with, in kWh. */
    usual_kwh: number;
    /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "production_missing";
    /** Start of the condition. */
    since: string;
    /** Time up to which the condition is known. */
    until: string;
    /** Energy that the panels would have produced since then on a poor day, in kWh. */
    expected_kwh: number;
    /** Whether the production is unknown, instead of known to be 0. */
    is_silent: boolean;
    /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "unusual_day";
    /** The day, in the time zone of the user. */
    date: string;
    /** Its weekday: 1 is Monday. */
    weekday: number;
    /** Usage of the device in the last 24 hours, or of the home on the day, in kWh. */
    kwh: number;
    /** Median of the same value on the days that it is compared with, in kWh. */
    usual_kwh: number;
    /** Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself. */
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
    /** What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months. */
    kind: "cheaper_tariff";
    /** First day of the comparison, in the time zone of the user. */
    start: string;
    /** Last day of the comparison, inclusive. */
    end: string;
    /** Id of the cheaper tariff. */
    tariff_id: string;
    /** Its name. */
    name: string;
    /** Currency of both amounts (ISO 4217). */
    currency: string;
    /** Cost of these months by the tariffs that held, a decimal. */
    paid: string;
    /** Cost of these months by the cheaper tariff, a decimal. */
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
  /** IANA time zone of the user, in which the days are. */
  timezone: string;
  /** Current remarks on the home, the most urgent first. Empty: nothing is unusual. */
  remarks: Remark[];
}

export interface RotatedKey {
  /** Id of the key. */
  key_id: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** The group whose homes are all that the key reads. Only of keys that are limited to one. */
  group_id?: string;
  /** The device whose readings are all that the key writes. Only of keys that are limited to one. */
  device_id?: string;
  /** The home of another account that is all that the key reaches. Only of keys that a member made for it. */
  home_user_id?: string;
  /** Addresses and networks that the key may be used from. None: everywhere. */
  allowed_addresses: string[];
  /** The key itself. It is not shown again. */
  key: string;
  /** When the old key ends. */
  old_expires_at: string;
}

export interface SentDelivery {
  /** Id of the delivery. */
  delivery_id: string;
  /** Id of the event: `id` of its body, the same in every attempt. */
  event_id: string;
  /** Type of the event. */
  event: string;
  /** `failed` once all retries have failed. */
  status: "pending" | "succeeded" | "failed";
  /** The attempts so far, oldest first. */
  attempts: {
    /** When it was tried. */
    at: string;
    /** Status code of the receiver. Null: no answer. */
    response_status: number | null;
    /** How long the attempt took, in milliseconds. */
    duration_ms: number;
    /** Why the attempt failed. Null: it succeeded. */
    error: string | null;
  }[];
  /** When it is tried next. Null: it is not, or the subscription is paused. */
  next_attempt_at: string | null;
  /** What is sent. */
  request: {
    /** Where the next try would go: the address of the subscription. */
    url: string;
    /** Headers of the request. With a signature only where the address is `https://catcher.example`. */
    headers: Record<string, unknown>;
    /** The body, the same at every try: the event. */
    body: string;
  };
}

export interface SentReading {
  /** When it was measured: ISO 8601 with a zone, Unix seconds or Unix milliseconds. Of an interval: its end. */
  ts: string | number;
  /** What the register shows, in kWh. */
  energy_total_kwh?: number;
  /** Energy of an interval, in kWh. Needs `interval_s`. */
  energy_kwh?: number;
  /** Length of the interval, in seconds. */
  interval_s?: number;
  /** Power, in watts. */
  power_w?: number;
  /** Which circuit or direction is measured. Default: `import`. */
  channel?: string;
  /** Temperature, in °C. */
  temperature_c?: number;
  /** Set temperature, in °C. */
  setpoint_c?: number;
  /** Whether it heats. */
  heating?: boolean;
  /** Relative humidity, in percent. */
  humidity_percent?: number;
}

export interface SentReadings {
  /** How many readings were stored: one for each quantity of an element. */
  stored: number;
  /** How many were stored already. */
  duplicates: number;
  /** Elements that were not stored. */
  rejected: {
    /** Position of the element in the body, from 0. */
    index: number;
    /** Why it, or a quantity of it, was not stored. */
    reason: string;
  }[];
}

export type SeriesSource = {
  /** A public source, by name, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. Its address, times and units are known. */
  preset: string;
} | {
  /** HTTPS address of the values, without credentials. */
  url: string;
  /** Format of its answers. */
  format: "json" | "csv" | "xml";
  /** JSON: path of the list of rows, such as `$.data`; default: the whole answer. XML: name of the element that contains a row. Not for CSV. */
  items?: string;
  /** Where a row has the start of its value: JSONPath from the row, CSV column, or XML element. It is ISO 8601, or Unix seconds or milliseconds. */
  starts_at: string;
  /** Where a row has the price, or the grams of CO2 equivalent, of a kWh. */
  value: string;
  /** Factor on the values, such as 0.001 for prices of a MWh. Default: 1. */
  scale?: string;
  /** IANA time zone of `at`, and of times without an offset in the answer. Default: UTC. */
  timezone: string;
  /** Times of day at which it is fetched, HH:MM, up to 24. */
  at: string[];
};

export interface Summary {
  /** The members that `metrics` and `include` ask for. */
  summary: {
    /** What the home used, in kWh. */
    total_kwh?: number;
    /** Mean of the days with data, in kWh. */
    avg_daily_kwh?: number;
    /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
    peak_usage_time?: string | null;
    cost?: Cost;
    emissions?: Emissions;
    /** Energy from the grid, in kWh. Null: not known. */
    grid_import_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: not known. */
    grid_export_kwh?: number | null;
    /** Energy that the home produced, in kWh. Null: not known. */
    production_kwh?: number | null;
    /** Energy into storage, in kWh. Null: not known. */
    charged_kwh?: number | null;
    /** Energy out of storage, in kWh. Null: not known. */
    discharged_kwh?: number | null;
    /** What consumption devices used, in kWh. Null: not known. */
    consumption_kwh?: number | null;
    /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
    untracked_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: not known. */
    self_consumed_kwh?: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
    autarky?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
    estimated_kwh?: number | null;
    /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
    coverage?: number | null;
    /** Whether all of it is known. Null: nothing is expected yet. */
    complete?: boolean | null;
  };
}

export interface Tariff {
  /** Id of the tariff. */
  tariff_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /** What the owner calls it. */
  name: string;
  /** First day on which it holds, in the time zone of the user. It holds until the day before the next one’s. */
  valid_from: string;
  /** Currency of all its amounts (ISO 4217), such as `EUR`. */
  currency: string;
  /** What each day costs, whatever is used. A decimal with up to 9 places, as text. */
  standing_per_day?: string;
  /** What the highest quarter-hour of a month costs. Default: nothing. */
  capacity?: {
    /** Price of a kW of the peak, for a month. A decimal with up to 9 places, as text. */
    per_kw_month: string;
    /** Over how many months the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** What a peak counts as at least, in kW. Default: 0. */
    minimum_kw?: number;
  };
  /** What energy from the grid costs. */
  import: Rates;
  /** What is paid for energy into the grid. Default: nothing. */
  export?: Rates;
}

export interface UnreadMessages {
  /** Topic below the gateway's prefix, where `+` stands for what tells one device from others, and `#` for what follows. `#` alone: of all further shapes. */
  shape: string;
  /** How many messages, since the first. */
  count: number;
  /** When the first of them was received. */
  first_seen_at: string;
  /** When the last of them was received. */
  last_seen_at: string;
  /** One of them, kept for 24 hours. Null: none is kept, as of what receivers hear of neighbours by radio; or the key is limited to a group of homes. */
  example: {
    /** Its topic, below the gateway's prefix. */
    topic: string;
    /** Its payload, of which the first 4 KiB are kept. */
    payload: string;
    /** What `payload` is: the text, or bytes that are none. */
    encoding: "utf-8" | "base64";
    /** How long the whole payload was, in bytes. */
    payload_bytes: number;
    /** When it was received. */
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
  /** What the home used, in kWh. Null: not known, while something in `include` is. */
  kwh_used: number | null;
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies. */
  peak_hour: string | null;
  cost?: Cost;
  emissions?: Emissions;
  /** Energy from the grid, in kWh. Null: not known. */
  grid_import_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: not known. */
  grid_export_kwh?: number | null;
  /** Energy that the home produced, in kWh. Null: not known. */
  production_kwh?: number | null;
  /** Energy into storage, in kWh. Null: not known. */
  charged_kwh?: number | null;
  /** Energy out of storage, in kWh. Null: not known. */
  discharged_kwh?: number | null;
  /** What consumption devices used, in kWh. Null: not known. */
  consumption_kwh?: number | null;
  /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
  untracked_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: not known. */
  self_consumed_kwh?: number | null;
  /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
  autarky?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
  estimated_kwh?: number | null;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
}

export interface UsageUpdatedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "usage.updated";
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: {
    /** Id of the user that the event is about. */
    user_id: string;
    /** The hours that changed since the last event, at most 1,000. Further hours follow in the next event. */
    hours: {
      /** Day of the hour, in UTC. */
      date: string;
      /** Start of the hour, in UTC, as `HH:00`. */
      hour: string;
      /** What the home used in the hour, in kWh. Replaces what was reported before. */
      kwh_used: number;
    }[];
    /** When these values were read. */
    updated_at: string;
  };
}

export interface User {
  /** Id of the user. */
  user_id: string;
  /** E-mail address. That of the first administrator is `admin@localhost`. */
  email: string;
  /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
  role: "homeowner" | "utility" | "admin";
  /** When the account was created. */
  created_at: string;
  /** Phone number in E.164 form. Null: none was given. */
  phone: string | null;
  /** IANA time zone of the user. Alerts use its hours, days and months, as do requests with `tz=account`. */
  timezone: string;
  /** Plan that sets the rate limits of the account. */
  plan: "free" | "developer" | "enterprise";
  /** Emission series by which the emissions of the home are computed. Null: none. */
  emission_series_id: string | null;
  /** Whether the user gets a mail about each new remark on its home. */
  remarks_by_mail: boolean;
  /** E-mail address that the account will have once the link of a mail to it was used. Only while it waits, at most 7 days. */
  pending_email?: string;
}

export interface UserCreatedEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "user.created";
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: User;
}

export interface Webhook {
  /** Id of the subscription. */
  webhook_id: string;
  /** The first of `events`. */
  event: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Events that are subscribed to. */
  events: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that events are sent to. */
  url: string;
  /** Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed. */
  status: "active" | "paused";
  /** When it was created. */
  created_at: string;
}

export interface WebhookTestEvent {
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "webhook.test";
  /** When the event happened. */
  created_at: string;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** What the event is about. */
  data: {
    /** Id of the subscription that is tested. */
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
  /** What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name. */
  include?: string | string[];
  /** What was used. Of `include`, all but electricity takes only estimated and coverage. */
  commodity?: "electricity" | "gas" | "heat" | "water";
}

export interface PostEnergyInsightsBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** The current calendar day, week, month or year, up to now. Required unless `start` and `end` are given. */
  interval?: "day" | "week" | "month" | "year";
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name. */
  include?: string;
  /** Which members the summary has: `total_kwh` and `avg_daily_kwh`, `peak_usage_time`, or all. */
  metrics?: ("kwh_used" | "peak_hour")[];
}

export interface MonthlyAnalyticsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** How many months, the current one included. */
  months?: number;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** What to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name. */
  include?: string | string[];
}

export interface ListRemarksQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
}

export interface GetForecastQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
}

export interface CreateAlertBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Only with types on usage, and required there. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Only with type `no_data`, and required there. */
  threshold_hours?: number;
  /** How the user is told. */
  delivery: "email" | "sms" | "webhook";
}

export interface CreateAlertAnswer {
  /** Id of the alert. */
  alert_id: string;
  /** `active`: the alert watches from now on. */
  status: string;
}

export interface ListAlertsQuery {
  /** Id of the user. Required. */
  user_id: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateAlertBody {
  /** Usage above which the alert fires, in kWh. Only with types on usage, and required there. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Only with type `no_data`, and required there. */
  threshold_hours?: number;
  /** How the user is told. */
  delivery?: "email" | "sms" | "webhook";
  /** A paused alert does not fire. */
  status?: "active" | "paused";
}

export interface PreviewAlertBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "daily_cost" | "monthly_cost" | "no_data";
  /** Usage above which the alert fires, in kWh. Only with types on usage, and required there. */
  threshold_kwh?: number;
  /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
  threshold?: string | number;
  /** Silence after which the alert fires, in hours. Only with type `no_data`, and required there. */
  threshold_hours?: number;
}

export interface CreateUserBody {
  /** E-mail address. No other account may have it, in whatever case. */
  email: string;
  /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
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
  /** `created`. */
  status: string;
}

export interface ListUsersQuery {
  /** Part of the e-mail address, in any case. Default: every account. */
  search?: string;
  /** Only accounts of this role. Default: of any. */
  role?: "homeowner" | "utility" | "admin";
  /** Only accounts on this plan. Default: on any. */
  plan?: "free" | "developer" | "enterprise";
  /** Only accounts with (`true`) or without (`false`) a device that wants its owner. Default: all. */
  has_attention?: "true" | "false";
  /** Only accounts with (`true`) or without (`false`) a device that was silent for 24 hours. Default: all. */
  silent?: "true" | "false";
  /** `devices`: adds how many devices each account has. Default: nothing. */
  include?: "devices";
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateUserBody {
  /** E-mail address. No other account may have it, in whatever case. */
  email?: string;
  /** Phone number in E.164 form. Null removes it. */
  phone?: string | null;
  /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
  role?: "homeowner" | "utility" | "admin";
  /** IANA time zone of the user, such as Europe/Berlin. Default: UTC. */
  timezone?: string;
  /** Plan that sets the rate limits of the account. */
  plan?: "free" | "developer" | "enterprise";
  /** Emission series of the user, of its utility or of an administrator, for `include=emissions`. Null removes it. */
  emission_series_id?: string | null;
  /** Whether the user gets a mail about each new remark on its home, in the language of `Accept-Language` (en, de, es, fr or nl) of the request that switches them on. */
  remarks_by_mail?: boolean;
}

export interface CreateWebhookBody {
  /** Event that is subscribed to. Not together with `events`. */
  event?: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Events that are subscribed to, each once, instead of `event`. */
  events?: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that events are sent to, without credentials. `https://catcher.example` is answered by the service itself: to see events without a server. */
  url: string;
  /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered. */
  auth_token: string;
}

export interface CreateWebhookAnswer {
  /** Id of the subscription. */
  webhook_id: string;
  /** `active`: events are sent from now on. */
  status: string;
}

export interface ListWebhooksQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateWebhookBody {
  /** Event that is subscribed to. Not together with `events`. */
  event?: "usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised";
  /** Events that are subscribed to, each once, instead of `event`. */
  events?: ("usage.updated" | "alert.triggered" | "device.connected" | "user.created" | "remark.raised")[];
  /** HTTPS address that events are sent to, without credentials. `https://catcher.example` is answered by the service itself: to see events without a server. */
  url?: string;
  /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered. */
  auth_token?: string;
  /** Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed. */
  status?: "active" | "paused";
}

export interface WebhookDeliveriesQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateDeviceBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** Highest plausible load, in kW. A register that rises faster is held until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register starts again at 0, in kWh. Default: it never does. */
  register_max_kwh?: number;
  /** Longest silence that power readings are integrated over, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Default: that of its owner. */
  timezone?: string;
  /** Where the device sits in its home. `excluded`: it does not count. Default: a guess from what it is. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Default: none. */
  upstream_device_id?: string;
  /** What quantities of the device count as. Those that are not named stay as they are. */
  channels?: {
    /** What the device calls the quantity. */
    native_name: string;
    /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said. */
    counts_as?: string | null;
    /** Where the quantity is measured. Null: where its device is. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** What a utility or an administrator calls the device: a serial or asset number. Once in an account. */
  external_id?: string;
  /** Pairs this discovered device, which keeps the credentials of its gateway. */
  discovery_id?: string;
}

export interface ListDevicesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface DiscoveredDevicesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateDeviceBody {
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type?: string;
  /** Where the device is, in the words of its owner. */
  location?: string;
  /** Highest plausible load, in kW. A register that rises faster is held until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register starts again at 0, in kWh. Null: it never does. */
  register_max_kwh?: number | null;
  /** Longest silence that power readings are integrated over, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Null: that of its owner. */
  timezone?: string | null;
  /** Settings for the decoders, for what devices do not report themselves. Unknown members are kept. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Where SenML is published. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Meters that count, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** How Zigbee2MQTT publishes. */
    zigbee2mqtt?: {
      /** How it publishes (its setting `output`). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of its devices, which may contain slashes. */
      devices?: string[];
    };
    /** How Z-Wave JS UI publishes. */
    zwavejs?: {
      /** Scale of its temperatures, where a message does not say. */
      temperature_unit?: "C" | "F";
    };
    /** Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names. */
    mapping?: {
      /** MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none. */
      device?: string;
      /** JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number. */
      path?: string;
      /** What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** How many of that unit 1 is. Below 0: a power whose sign is the other way round. */
      scale?: number;
      /** What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** A word that tells two quantities of one device apart that mean the same. */
      circuit?: string;
      /** JSONPath of the message’s own time. Left out, or no time there: that of its receipt. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id?: string | null;
  /** What quantities of the device count as. Those that are not named stay as they are. */
  channels?: {
    /** What the device calls the quantity. */
    native_name: string;
    /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said. */
    counts_as?: string | null;
    /** Where the quantity is measured. Null: where its device is. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** What a utility or an administrator calls the device: a serial or asset number. Once in an account. Null removes it. */
  external_id?: string | null;
  /** SHA-256 of the client certificate that the device logs in with, in hex. Null: a certificate that has its id as name, where the broker takes certificates. Registered by utilities and administrators alone (403). */
  certificate_sha256?: string | null;
  /** Who manages the device: its `owner`, or the `utility` that paired it for the account or whose batch it claimed. Of the latter its owner changes the `location` alone (403). A utility can hand a device over (`owner`), an administrator set either. */
  managed_by?: "owner" | "utility";
}

export interface DeviceUsageQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name. */
  include?: string | string[];
  /** How the energy of silences of a register of a day or longer lies in the rows. `line`: spread evenly, as it is counted everywhere. `like_days`: by the shape of like days of the four weeks before, where there are enough of them; each row then has `estimate`. Only `estimated` and `coverage` can be included with it, and the range has 36 months at most. */
  gaps?: "line" | "like_days";
}

export interface ListFleetDevicesQuery {
  /** Only devices of this user. Default: of all in reach. A homeowner can name only itself. */
  user_id?: string;
  /** Only devices in this state. Default: in any. */
  status?: "active" | "inactive" | "faulty";
  /** Only devices that were not heard for so many hours, or never since they were paired so long ago. A silence is known within a minute. Default: all. */
  silent_for_hours?: number;
  /** Only devices that sit there in their homes. Default: all. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Only devices that send these messages, such as `tasmota`, or `native`. Default: all. */
  family?: string;
  /** Only devices that want this of their owners. Default: all. */
  attention?: "unknown_quantity" | "faulty" | "silent" | "placement_guessed" | "swap_guessed";
  /** Only devices whose location has words that begin so, or whose id begins so; with `users:read` also those whose owner’s e-mail address does. In any case. Default: all. */
  text?: string;
  /** Order; with a minus the other way round. `last_seen_at`: the longest silent first, and those that were heard within the last hour after them, as equals. */
  sort?: "created_at" | "-created_at" | "location" | "-location" | "last_seen_at" | "-last_seen_at";
  /** Most items in the answer. */
  limit?: number;
}

export interface GetFleetSilenceQuery {
  /** First day of the range, in the time zone `tz`. */
  start: string;
  /** Last day of the range, inclusive; at most 31 days. */
  end: string;
  /** What a row counts. */
  group_by?: "hour" | "day";
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
  /** Most groups in the answer. */
  limit?: number;
}

export interface DeviceQualityQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** IANA time zone of the days and hours. `account`: the time zone of the user. */
  tz?: string;
}

export type SendReadingsBody = SentReading[] | SentReading;

export interface ListDeviceReadingsQuery {
  /** First instant of the range: a date (UTC), or an instant with its zone. */
  start: string | string;
  /** End of the range, exclusive, as `start`. At most 36 months after it. */
  end: string | string;
  /** Most readings in the answer. */
  limit?: number;
}

export interface CreateDeviceEditBody {
  /** `exclude`: readings of a time are passed over, whenever they come. `add`: a person read a register; it counts as any reading that comes late, and in the place of one that was sent for the same instant. */
  action: "exclude" | "add";
  /** What the device calls the quantity, as its `channels` do. Needed with `add`. Default with `exclude`: every quantity of the device. */
  native_name?: string;
  /** Of `exclude`: from this time on. Readings have the time at which they were taken; of intervals that is their end. */
  start?: string;
  /** Of `exclude`: up to this time, which is not excluded any more. */
  end?: string;
  /** Of `add`: when it was read. */
  at?: string;
  /** Of `add`: what the register showed, in kWh (m³ where it counts a volume). */
  kwh?: number;
  /** Why, in the words of who edits. */
  reason: string;
}

export interface ListDeviceEditsQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateGatewayBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What its owner calls the gateway. */
  name: string;
}

export interface ListGatewaysQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateGatewayBody {
  /** What its owner calls the gateway. */
  name?: string;
  /** Settings for the decoders, for what devices do not report themselves. Unknown members are kept. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Where SenML is published. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Meters that count, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** How Zigbee2MQTT publishes. */
    zigbee2mqtt?: {
      /** How it publishes (its setting `output`). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of its devices, which may contain slashes. */
      devices?: string[];
    };
    /** How Z-Wave JS UI publishes. */
    zwavejs?: {
      /** Scale of its temperatures, where a message does not say. */
      temperature_unit?: "C" | "F";
    };
    /** Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names. */
    mapping?: {
      /** MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none. */
      device?: string;
      /** JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number. */
      path?: string;
      /** What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** How many of that unit 1 is. Below 0: a power whose sign is the other way round. */
      scale?: number;
      /** What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** A word that tells two quantities of one device apart that mean the same. */
      circuit?: string;
      /** JSONPath of the message’s own time. Left out, or no time there: that of its receipt. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}

export interface DecodeMessageBody {
  /** MQTT topic, with or without the prefix of the gateway. */
  topic: string;
  /** The payload, where it is text, up to 128 KiB. One of this and `payload_b64`. */
  payload?: string;
  /** The payload in base64. */
  payload_b64?: string;
  /** The broker had kept it, and delivered it at subscription: what has no time of its own is left out. */
  retained?: boolean;
  /** Settings to read it with. Default: those of the gateway. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Where SenML is published. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Meters that count, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** How Zigbee2MQTT publishes. */
    zigbee2mqtt?: {
      /** How it publishes (its setting `output`). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of its devices, which may contain slashes. */
      devices?: string[];
    };
    /** How Z-Wave JS UI publishes. */
    zwavejs?: {
      /** Scale of its temperatures, where a message does not say. */
      temperature_unit?: "C" | "F";
    };
    /** Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names. */
    mapping?: {
      /** MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none. */
      device?: string;
      /** JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number. */
      path?: string;
      /** What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** How many of that unit 1 is. Below 0: a power whose sign is the other way round. */
      scale?: number;
      /** What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** A word that tells two quantities of one device apart that mean the same. */
      circuit?: string;
      /** JSONPath of the message’s own time. Left out, or no time there: that of its receipt. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}

export interface UnreadMessagesQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateGroupBody {
  /** Id of its owner, a utility or an administrator. Default: the owner of the key. */
  user_id?: string;
  /** What its owner calls the group. */
  name: string;
  /** What sort of group it is, such as `building` or `feeder`. Null: not said. */
  kind?: string | null;
  /** The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none. */
  parent_group_id?: string | null;
}

export interface ListGroupsQuery {
  /** Only groups of this owner. Default: all. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateGroupBody {
  /** What its owner calls the group. */
  name?: string;
  /** What sort of group it is, such as `building` or `feeder`. Null: not said. */
  kind?: string | null;
  /** The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none. */
  parent_group_id?: string | null;
}

export interface ListGroupUsersQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface ChangeGroupUsersBody {
  /** Ids of the homes to add. Those that are in the group already stay. */
  add?: string[];
  /** Ids of the homes to remove. Those that are not in it change nothing. */
  remove?: string[];
}

export interface GroupEnergyInsightsQuery {
  /** First day of the range, in the time zone `tz`. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
  /** What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone. */
  group_by?: "day" | "month" | "hour" | "half_hour" | "quarter_hour";
  /** IANA time zone of the days and hours. `account`: the time zone of the group’s owner. */
  tz?: string;
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name. */
  include?: string | string[];
}

export interface CreateImportQuery {
  /** Whether accounts (homeowners) are made for addresses that have none. Needs `users:write`, and a utility or an administrator. */
  create_users?: boolean;
}

export type CreateImportBody = {
  /** Id of the user that the device is of. Default, without `email` too: the owner of the key. */
  user_id?: string;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** Highest plausible load, in kW. A register that rises faster is held until later readings confirm it. */
  limit_kw?: number;
  /** Value at which the register starts again at 0, in kWh. Default: it never does. */
  register_max_kwh?: number;
  /** Longest silence that power readings are integrated over, in minutes. */
  max_gap_minutes?: number;
  /** IANA time zone of a device that reports local time. Default: that of its owner. */
  timezone?: string;
  /** Where the device sits in its home. `excluded`: it does not count. Default: a guess from what it is. */
  placement?: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Id of the device whose measurement includes this one. Default: none. */
  upstream_device_id?: string;
  /** What quantities of the device count as. Those that are not named stay as they are. */
  channels?: {
    /** What the device calls the quantity. */
    native_name: string;
    /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said. */
    counts_as?: string | null;
    /** Where the quantity is measured. Null: where its device is. */
    placement?: "grid" | "production" | "storage" | "consumption" | "excluded" | null;
  }[];
  /** What a utility or an administrator calls the device: a serial or asset number. Once in an account. */
  external_id?: string;
  /** Pairs this discovered device, which keeps the credentials of its gateway. */
  discovery_id?: string;
  /** E-mail address of the user that the device is of, in place of `user_id`. */
  email?: string;
  /** Settings for the decoders, for what devices do not report themselves. Unknown members are kept. */
  decoder_config?: {
    /** IANA time zone of devices that report local time without one. */
    tz?: string;
    /** Where SenML is published. */
    senml?: {
      /** MQTT topic filters on which SenML packs arrive. */
      topics: string[];
    };
    /** Meters that count, by the id of the meter. */
    meter?: Record<string, unknown>;
    /** Pulse counters of emon nodes, by `node/name`. */
    emon?: Record<string, unknown>;
    /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
    tasmota?: Record<string, unknown>;
    /** How Zigbee2MQTT publishes. */
    zigbee2mqtt?: {
      /** How it publishes (its setting `output`). */
      output?: "json" | "attribute" | "attribute_and_json";
      /** With `attribute`: the names of its devices, which may contain slashes. */
      devices?: string[];
    };
    /** How Z-Wave JS UI publishes. */
    zwavejs?: {
      /** Scale of its temperatures, where a message does not say. */
      temperature_unit?: "C" | "F";
    };
    /** Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names. */
    mapping?: {
      /** MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device. */
      topic: string;
      /** What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none. */
      device?: string;
      /** JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number. */
      path?: string;
      /** What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish. */
      where?: Record<string, unknown>;
      /** Unit of the number. */
      unit: "kWh" | "Wh" | "MWh" | "MJ" | "GJ" | "W" | "kW" | "m3" | "l" | "C" | "F";
      /** How many of that unit 1 is. Below 0: a power whose sign is the other way round. */
      scale?: number;
      /** What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces. */
      meaning: string;
      /** A word that tells two quantities of one device apart that mean the same. */
      circuit?: string;
      /** JSONPath of the message’s own time. Left out, or no time there: that of its receipt. */
      time_path?: string;
      /** Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size. */
      time_unit?: "s" | "ms" | "iso";
    }[];
  };
}[];

export interface CreateProvisioningBatchBody {
  /** What you call the batch. */
  name: string;
  /** Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused. Default: null. */
  owner_user_id?: string;
  /** Type of the devices that are made. */
  type?: string;
  /** Location of the devices that are made. */
  location?: string;
  /** The only serials that may claim. Null: any. Default: null. */
  serials?: string[];
  /** How many meters may claim a device. */
  max_devices: number;
  /** For how many days meters may claim. */
  valid_days?: number;
}

export interface ListProvisioningBatchesQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateBillPeriodBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Bills this device by itself. Default: the home of the user. */
  device_id?: string;
  /** First day of the period, in the time zone of the account. */
  start: string;
  /** Last day of the period, inclusive. */
  end: string;
}

export interface ListBillPeriodsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Only those of this device. Default: all of the user. */
  device_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateTariffBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What the owner calls it. */
  name: string;
  /** First day on which it holds, in the time zone of the user. It holds until the day before the next one’s. */
  valid_from: string;
  /** Currency of all its amounts (ISO 4217), such as `EUR`. */
  currency: string;
  /** What each day costs, whatever is used. Default: nothing. */
  standing_per_day?: string | number;
  /** What the highest quarter-hour of a month costs. Default: nothing. */
  capacity?: {
    /** Price of a kW of the peak, for a month. */
    per_kw_month: string | number;
    /** Over how many months the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** What a peak counts as at least, in kW. Default: 0. */
    minimum_kw?: string | number;
  };
  /** What energy from the grid costs. */
  import: {
    /** Price of a kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
    periods: {
      /** Price of a kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price holds, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price holds, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
    series_id: string;
    /** What is added to the price of a kWh after that. Default: 0. */
    add?: string | number;
    /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
  /** What is paid for energy into the grid. Default: nothing. */
  export?: {
    /** Price of a kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
    periods: {
      /** Price of a kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price holds, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price holds, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
    series_id: string;
    /** What is added to the price of a kWh after that. Default: 0. */
    add?: string | number;
    /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
}

export interface ListTariffsQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateTariffBody {
  /** What the owner calls it. */
  name?: string;
  /** First day on which it holds, in the time zone of the user. It holds until the day before the next one’s. */
  valid_from?: string;
  /** Currency of all its amounts (ISO 4217), such as `EUR`. */
  currency?: string;
  /** What each day costs, whatever is used. Null: nothing. */
  standing_per_day?: string | number | null;
  /** What the highest quarter-hour of a month costs. Null: nothing. */
  capacity?: {
    /** Price of a kW of the peak, for a month. */
    per_kw_month: string | number;
    /** Over how many months the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** What a peak counts as at least, in kW. Default: 0. */
    minimum_kw?: string | number;
  } | null;
  /** What energy from the grid costs. */
  import?: {
    /** Price of a kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
    periods: {
      /** Price of a kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price holds, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price holds, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
    series_id: string;
    /** What is added to the price of a kWh after that. Default: 0. */
    add?: string | number;
    /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  };
  /** What is paid for energy into the grid. Null: nothing. */
  export?: {
    /** Price of a kWh. */
    per_kwh: string | number;
  } | {
    /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
    periods: {
      /** Price of a kWh. */
      per_kwh: string | number;
      /** Weekdays on which the price holds, 1 is Monday. Default: all. */
      days?: number[];
      /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
      from?: string;
      /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
      to?: string;
      /** Months in which the price holds, 1 is January. Default: all. */
      months?: number[];
    }[];
  } | {
    /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
    series_id: string;
    /** What is added to the price of a kWh after that. Default: 0. */
    add?: string | number;
    /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
    multiply?: string | number;
  } | null;
}

export interface CompareTariffsBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. Within 36 months of `start`. */
  end: string;
  /** Tariffs to compare, all in one currency: that of the user’s tariffs in the range, if there is one. */
  tariffs: {
    /** What the owner calls it. */
    name: string;
    /** Currency of all its amounts (ISO 4217), such as `EUR`. */
    currency: string;
    /** What each day costs, whatever is used. Default: nothing. */
    standing_per_day?: string | number;
    /** What the highest quarter-hour of a month costs. Default: nothing. */
    capacity?: {
      /** Price of a kW of the peak, for a month. */
      per_kw_month: string | number;
      /** Over how many months the peaks are averaged. Default: 1. */
      months_averaged?: number;
      /** What a peak counts as at least, in kW. Default: 0. */
      minimum_kw?: string | number;
    };
    /** What energy from the grid costs. */
    import: {
      /** Price of a kWh. */
      per_kwh: string | number;
    } | {
      /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
      periods: {
        /** Price of a kWh. */
        per_kwh: string | number;
        /** Weekdays on which the price holds, 1 is Monday. Default: all. */
        days?: number[];
        /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
        from?: string;
        /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
        to?: string;
        /** Months in which the price holds, 1 is January. Default: all. */
        months?: number[];
      }[];
    } | {
      /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
      series_id: string;
      /** What is added to the price of a kWh after that. Default: 0. */
      add?: string | number;
      /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
      multiply?: string | number;
    };
    /** What is paid for energy into the grid. Default: nothing. */
    export?: {
      /** Price of a kWh. */
      per_kwh: string | number;
    } | {
      /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
      periods: {
        /** Price of a kWh. */
        per_kwh: string | number;
        /** Weekdays on which the price holds, 1 is Monday. Default: all. */
        days?: number[];
        /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
        from?: string;
        /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
        to?: string;
        /** Months in which the price holds, 1 is January. Default: all. */
        months?: number[];
      }[];
    } | {
      /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
      series_id: string;
      /** What is added to the price of a kWh after that. Default: 0. */
      add?: string | number;
      /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
      multiply?: string | number;
    };
  }[];
}

export interface CompareTariffsAnswer {
  /** Id of the user that it belongs to. */
  user_id: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. */
  end: string;
  /** Currency of all amounts (ISO 4217). */
  currency: string;
  /** What the range costs by the tariffs of the user. Null: none held. */
  current: Cost;
  /** The tariffs that were sent, in their order. */
  alternatives: {
    /** Name of the tariff, as it was sent. */
    name: string;
    /** What the range would have cost, had this tariff held in all of it. */
    cost: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Import, standing charge and capacity, less export. */
      total: string;
      /** What the imported energy costs. */
      import: string;
      /** What the exported energy earns. */
      export: string;
      /** Standing charge of the time that has begun. */
      standing: string;
      /** Price of the highest quarter-hour. Only of whole months, and of a capacity tariff. */
      capacity?: string;
      /** Part of `import` for energy that is estimated. */
      estimated: string;
      /** Energy whose price is not known, in kWh. It is in no amount. */
      missing_prices_kwh: number;
    };
    /** Its total less the `current` one: negative if it is cheaper. Null where `current` is. */
    difference: string | null;
  }[];
}

export interface WhatIfBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** First day, in the time zone of the user. */
  start: string;
  /** Last day, inclusive. Within 36 months of `start`. */
  end: string;
  /** A battery beside what the home has. */
  battery?: {
    /** What it can store, in kWh. */
    capacity_kwh: string | number;
    /** Most that it charges, in kW. */
    charge_kw: string | number;
    /** Most that it discharges, in kW. */
    discharge_kw: string | number;
    /** Part of the charged energy that comes out again, 0.5 to 1. */
    round_trip_efficiency: string | number;
    /** What it stores at the start, in kWh. Default: 0. */
    initial_kwh?: string | number;
  };
  /** Factor of the production, 0 to 10: 2 is twice as many panels. Default: 1. */
  production_scale?: string | number;
}

export interface WhatIfAnswer {
  /** The home as it was, in the quarter-hours that are known. */
  before: {
    /** Energy from the grid, in kWh. */
    grid_import_kwh: number;
    /** Energy to the grid, in kWh. */
    grid_export_kwh: number;
    /** Production that was not exported, in kWh. Null: the home has no production, or it is not known. */
    self_consumed_kwh: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: nothing was used. */
    autarky: number | null;
    /** What it costs by the tariffs of the user. Absent if none held. */
    cost?: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Import, standing charge and capacity, less export. */
      total: string;
      /** What the imported energy costs. */
      import: string;
      /** What the exported energy earns. */
      export: string;
      /** Standing charge of the time that has begun. */
      standing: string;
      /** Price of the highest quarter-hour. Only of whole months, and of a capacity tariff. */
      capacity?: string;
      /** Part of `import` for energy that is estimated. */
      estimated: string;
      /** Energy whose price is not known, in kWh. It is in no amount. */
      missing_prices_kwh: number;
    };
  };
  /** The home with the change, in the same quarter-hours. */
  after: {
    /** Energy from the grid, in kWh. */
    grid_import_kwh: number;
    /** Energy to the grid, in kWh. */
    grid_export_kwh: number;
    /** Production that was not exported, in kWh. Null: the home has no production, or it is not known. */
    self_consumed_kwh: number | null;
    /** Part of the usage that did not come from the grid, 0 to 1. Null: nothing was used. */
    autarky: number | null;
    /** What it costs by the tariffs of the user. Absent if none held. */
    cost?: {
      /** Currency of all amounts (ISO 4217). */
      currency: string;
      /** Import, standing charge and capacity, less export. */
      total: string;
      /** What the imported energy costs. */
      import: string;
      /** What the exported energy earns. */
      export: string;
      /** Standing charge of the time that has begun. */
      standing: string;
      /** Price of the highest quarter-hour. Only of whole months, and of a capacity tariff. */
      capacity?: string;
      /** Part of `import` for energy that is estimated. */
      estimated: string;
      /** Energy whose price is not known, in kWh. It is in no amount. */
      missing_prices_kwh: number;
    };
  };
  /** What the battery did. Absent if none was asked about. */
  battery?: {
    /** Energy into it, before the loss, in kWh. */
    charged_kwh: number;
    /** Energy out of it, in kWh. */
    discharged_kwh: number;
    /** Energy left in it at the end, in kWh. It is worth nothing. */
    stored_kwh: number;
    /** `discharged_kwh` ÷ `capacity_kwh`, with two decimals. */
    full_cycles: number;
  };
  /** Hours of the range so far that are passed over on both sides, because something of the home is not known. */
  unknown_hours: number;
}

export interface CreatePriceSeriesBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What the owner calls it, such as the market that the prices are of. */
  name: string;
  /** For how long each value holds, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. */
  source?: NewSeriesSource;
  /** True: nothing is stored. The source is fetched, and the answer (200) has the first values that it would store. */
  check?: boolean;
  /** Currency of the prices (ISO 4217), such as `EUR`. */
  currency: string;
}

export interface ListPriceSeriesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdatePriceSeriesBody {
  /** What the owner calls it. */
  name?: string;
  /** Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. A token or headers that are not sent stay. Null ends it; the values stay. */
  source?: NewSeriesSource | null;
}

export interface ListPricesQuery {
  /** First day of the range, UTC. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
}

export type PutPricesBody = {
  /** From when on the value holds: a multiple of the resolution in UTC. It holds for the resolution only. */
  starts_at: string;
  /** Price of a kWh. It may be negative. */
  per_kwh: string | number;
}[];

export interface PutPricesAnswer {
  /** Id of the price series. */
  series_id: string;
  /** How many values were stored: those of the request. */
  stored: number;
}

export interface DeletePricesQuery {
  /** Start of the first value that is removed: an instant (ISO 8601), or a date (UTC). */
  from: string | string;
  /** End of the times, exclusive: an instant (ISO 8601), or a date (UTC). */
  to: string | string;
}

export interface CreateEmissionSeriesBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What the owner calls it, such as the grid that the intensities are of. */
  name: string;
  /** For how long each value holds, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. */
  source?: NewSeriesSource;
  /** True: nothing is stored. The source is fetched, and the answer (200) has the first values that it would store. */
  check?: boolean;
}

export interface ListEmissionSeriesQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateEmissionSeriesBody {
  /** What the owner calls it. */
  name?: string;
  /** Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. A token or headers that are not sent stay. Null ends it; the values stay. */
  source?: NewSeriesSource | null;
}

export interface ListIntensitiesQuery {
  /** First day of the range, UTC. Needs `end`. */
  start?: string;
  /** Last day of the range, inclusive. Needs `start`. */
  end?: string;
}

export type PutIntensitiesBody = {
  /** From when on the value holds: a multiple of the resolution in UTC. It holds for the resolution only. */
  starts_at: string;
  /** Grams of CO2 equivalent of a kWh. The number may be negative. */
  grams_per_kwh: string | number;
}[];

export interface PutIntensitiesAnswer {
  /** Id of the emission series. */
  series_id: string;
  /** How many values were stored: those of the request. */
  stored: number;
}

export interface DeleteIntensitiesQuery {
  /** Start of the first value that is removed: an instant (ISO 8601), or a date (UTC). */
  from: string | string;
  /** End of the times, exclusive: an instant (ISO 8601), or a date (UTC). */
  to: string | string;
}

export interface CreateKeyBody {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** What its owner calls the key. */
  name?: string;
  /** What the key may do. Default: all but those of single readings (`readings:…`), or what a utility may give to its homeowners. */
  scopes?: ("insights:read" | "alerts:read" | "alerts:write" | "users:read" | "users:write" | "devices:read" | "devices:write" | "webhooks:read" | "webhooks:write" | "tariffs:read" | "tariffs:write" | "keys:write" | "readings:read" | "readings:write")[];
  /** A group of the user: the key reads only its homes, those of the groups below it, and their sums. Its scopes must then end in `:read`; `readings:read` is not among them. */
  group_id?: string;
  /** A device: the key writes its readings and does nothing else. Its scopes are then `readings:write`, the default. */
  device_id?: string;
  /** The home of another account, of which the caller’s account is a member: the key reaches that home alone, which is meant without `user_id`, and ends with the membership. Default scopes: all that the membership gives, but those of single readings. */
  home_user_id?: string;
  /** When the key ends. Default: never. */
  expires_at?: string;
  /** Addresses and networks that the key may be used from, IPv4 and IPv6. Default: those of the key that makes it; none: everywhere. */
  allowed_addresses?: string[];
}

export interface ListKeysQuery {
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateKeyBody {
  /** When the key ends. Null: never. */
  expires_at?: string | null;
  /** Addresses and networks that the key may be used from, IPv4 and IPv6. None: everywhere. */
  allowed_addresses?: string[];
}

export interface RotateKeyBody {
  /** How long the old key goes on, in hours. Default: 24. */
  overlap_hours?: number;
  /** When the new key ends. Default: never. */
  expires_at?: string;
}

export interface InviteMemberBody {
  /** Address to which the invitation is mailed. */
  email: string;
  /** `read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account. */
  access: "read" | "manage";
}

export interface ListMembersQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface AcceptMembershipBody {
  /** Token of the link in the mail. */
  token: string;
}

export interface ListMembershipsQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface CreateAppBody {
  /** Name that the page of consent shows. */
  name: string;
  /** HTTPS address of a page about the app. */
  website: string;
  /** Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address. */
  redirect_uris: string[];
  /** HTTPS address for notices that data changed. Null: none. */
  notification_url?: string | null;
  /** Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued. */
  scopes: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
  /** `confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one. */
  type: "confidential" | "public";
}

export interface ListAppsQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface UpdateAppBody {
  /** Name that the page of consent shows. */
  name?: string;
  /** HTTPS address of a page about the app. */
  website?: string;
  /** Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address. */
  redirect_uris?: string[];
  /** HTTPS address for notices that data changed. Null: none. */
  notification_url?: string | null;
  /** Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued. */
  scopes?: ("insights:read" | "devices:read" | "alerts:read" | "alerts:write" | "readings:read" | "readings:write" | "webhooks:read" | "webhooks:write")[];
}

export interface ListAuthorizationsQuery {
  /** Most items in the answer. */
  limit?: number;
}

export interface ListAuditQuery {
  /** Only what this user did, and what was done to it. Default: all. */
  user_id?: string;
  /** Most items in the answer. */
  limit?: number;
}

/** Every operation of the service, as a method. */
export class EnergyClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. */
  getEnergyInsights(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<EnergyInsights> {
    return this.#transport.json('GET', '/v1/energy-insights', { query, isSafe: true, options });
  }

  /** Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As CSV. */
  getEnergyInsightsCsv(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/energy-insights', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As a spreadsheet (XLSX). */
  getEnergyInsightsXlsx(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/energy-insights', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As a Green Button feed. */
  getEnergyInsightsGreenButton(query?: GetEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/energy-insights', { query, accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Summary of a user’s usage over the calendar interval of now, to date, or between two dates. */
  postEnergyInsights(body: PostEnergyInsightsBody, options?: CallOptions): Promise<Summary> {
    return this.#transport.json('POST', '/v1/energy-insights', { body, isSafe: true, options });
  }

  /** A user’s months, each beside the one before. */
  monthlyAnalytics(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<MonthlyAnalytics> {
    return this.#transport.json('GET', '/v1/analytics/monthly', { query, isSafe: true, options });
  }

  /** A user’s months, each beside the one before. As CSV. */
  monthlyAnalyticsCsv(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/analytics/monthly', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** A user’s months, each beside the one before. As a spreadsheet (XLSX). */
  monthlyAnalyticsXlsx(query?: MonthlyAnalyticsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/analytics/monthly', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Current remarks on a user’s home: what is unusual, stays on, is missing or would have cost less, with what it is compared with. */
  listRemarks(query?: ListRemarksQuery, options?: CallOptions): Promise<Remarks> {
    return this.#transport.json('GET', '/v1/remarks', { query, isSafe: true, options });
  }

  /** What a user’s home will have used, and paid, at the end of the month: a value, a range, and the errors of the same forecast in earlier months. */
  getForecast(query?: GetForecastQuery, options?: CallOptions): Promise<Forecast> {
    return this.#transport.json('GET', '/v1/forecast', { query, isSafe: true, options });
  }

  /** Sets a threshold on a user’s usage or costs. */
  createAlert(body: CreateAlertBody, options?: CallOptions): Promise<CreateAlertAnswer> {
    return this.#transport.json('POST', '/v1/alerts', { body, options });
  }

  /** Alerts of a user, page by page. */
  listAlerts(query: ListAlertsQuery, options?: CallOptions): Pages<Alert> {
    return this.#transport.pages('GET', '/v1/alerts', { query, isSafe: true, options });
  }

  /** One alert. */
  getAlert(alertId: string, options?: CallOptions): Promise<Alert> {
    return this.#transport.json('GET', `/v1/alerts/${encodeURIComponent(alertId)}`, { isSafe: true, options });
  }

  /** Changes an alert’s threshold, delivery or status. */
  updateAlert(alertId: string, body: UpdateAlertBody, options?: CallOptions): Promise<Alert> {
    return this.#transport.json('PATCH', `/v1/alerts/${encodeURIComponent(alertId)}`, { body, options });
  }

  /** Removes an alert. */
  deleteAlert(alertId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/alerts/${encodeURIComponent(alertId)}`, { isSafe: true, options });
  }

  /** Says on which periods of the last 90 days an alert would have fired; makes none. */
  previewAlert(body: PreviewAlertBody, options?: CallOptions): Promise<AlertPreview> {
    return this.#transport.json('POST', '/v1/alerts/preview', { body, isSafe: true, options });
  }

  /** Creates an account: a utility enrols homeowners, an administrator anyone. */
  createUser(body: CreateUserBody, options?: CallOptions): Promise<CreateUserAnswer> {
    return this.#transport.json('POST', '/v1/users', { body, options });
  }

  /** The accounts that the caller reaches, page by page. What is asked about their devices needs `devices:read`, too. */
  listUsers(query?: ListUsersQuery, options?: CallOptions): Pages<ListedUser> {
    return this.#transport.pages('GET', '/v1/users', { query, isSafe: true, options });
  }

  /** One account. */
  getUser(userId: string, options?: CallOptions): Promise<User> {
    return this.#transport.json('GET', `/v1/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Changes an account. Role and plan are an administrator’s to change. A changed `email` needs keys:write, too, and holds once a mail to it was used, within 7 days; until then it is the `pending_email`, which the present address as `email` withdraws. An administrator’s change holds at once. A changed address or role ends all keys and sessions of the account. */
  updateUser(userId: string, body: UpdateUserBody, options?: CallOptions): Promise<User> {
    return this.#transport.json('PATCH', `/v1/users/${encodeURIComponent(userId)}`, { body, options });
  }

  /** Removes an account with all that is known of it. */
  deleteUser(userId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Everything that is known of an account as a ZIP of JSON and CSV files; secrets are left out. */
  exportUser(userId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/users/${encodeURIComponent(userId)}/export`, { accept: 'application/zip', isSafe: true, options });
  }

  /** Subscribes the caller to one event or several. */
  createWebhook(body: CreateWebhookBody, options?: CallOptions): Promise<CreateWebhookAnswer> {
    return this.#transport.json('POST', '/v1/webhooks', { body, options });
  }

  /** The caller’s own subscriptions, page by page. */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook> {
    return this.#transport.pages('GET', '/v1/webhooks', { query, isSafe: true, options });
  }

  /** Pauses or resumes a subscription, or changes its events, address or secret (both secrets are valid for 24 h). */
  updateWebhook(webhookId: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook> {
    return this.#transport.json('PATCH', `/v1/webhooks/${encodeURIComponent(webhookId)}`, { body, options });
  }

  /** Ends a subscription. */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/webhooks/${encodeURIComponent(webhookId)}`, { isSafe: true, options });
  }

  /** Deliveries of a subscription with all their tries, the youngest first, of the last 30 days. */
  webhookDeliveries(webhookId: string, query?: WebhookDeliveriesQuery, options?: CallOptions): Pages<Delivery> {
    return this.#transport.pages('GET', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries`, { query, isSafe: true, options });
  }

  /** One delivery of a subscription, with what is sent. */
  getDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<SentDelivery> {
    return this.#transport.json('GET', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}`, { isSafe: true, options });
  }

  /** Tries a delivery again, at once and with all its retries; that of a paused subscription when it is resumed. */
  retryDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<Delivery> {
    return this.#transport.json('POST', `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/retry`, { options });
  }

  /** Queues an event webhook.test for a subscription; its delivery says how it went. */
  testWebhook(webhookId: string, options?: CallOptions): Promise<Delivery> {
    return this.#transport.json('POST', `/v1/webhooks/${encodeURIComponent(webhookId)}/test`, { options });
  }

  /** Pairs a device; its MQTT password is shown here and never again. One that was discovered through a gateway goes on with the gateway’s credentials. */
  createDevice(body: CreateDeviceBody, options?: CallOptions): Promise<PairedDevice> {
    return this.#transport.json('POST', '/v1/devices', { body, options });
  }

  /** The devices of a user, page by page. */
  listDevices(query?: ListDevicesQuery, options?: CallOptions): Pages<Device> {
    return this.#transport.pages('GET', '/v1/devices', { query, isSafe: true, options });
  }

  /** Devices heard through a user’s gateways that are not paired, page by page. */
  discoveredDevices(query?: DiscoveredDevicesQuery, options?: CallOptions): Pages<DiscoveredDevice> {
    return this.#transport.pages('GET', '/v1/devices/discovered', { query, isSafe: true, options });
  }

  /** One device with its settings. */
  getDevice(deviceId: string, options?: CallOptions): Promise<DeviceDetails> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}`, { isSafe: true, options });
  }

  /** Changes a device. Limits, and what its channels count as, hold for its past, too: it is computed anew within seconds. */
  updateDevice(deviceId: string, body: UpdateDeviceBody, options?: CallOptions): Promise<DeviceDetails> {
    return this.#transport.json('PATCH', `/v1/devices/${encodeURIComponent(deviceId)}`, { body, options });
  }

  /** Ends a device and its credentials; what it consumed stays in its owner’s history. */
  deleteDevice(deviceId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/devices/${encodeURIComponent(deviceId)}`, { isSafe: true, options });
  }

  /** Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. */
  deviceUsage(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<DeviceUsage> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, isSafe: true, options });
  }

  /** Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As CSV. */
  deviceUsageCsv(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As a spreadsheet (XLSX). */
  deviceUsageXlsx(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As a Green Button feed. */
  deviceUsageGreenButton(deviceId: string, query?: DeviceUsageQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/usage`, { query, accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Lets a meter claim the device anew, with a provisioning batch and the serial that the device has as `external_id`: the password of before ends. */
  releaseDevice(deviceId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/release`, { options });
  }

  /** The devices of every account that the caller reaches, page by page: filtered, and in an order. Owners’ e-mail addresses need `users:read`, too. */
  listFleetDevices(query?: ListFleetDevicesQuery, options?: CallOptions): Pages<FleetDevice> {
    return this.#transport.pages('GET', '/v1/fleet/devices', { query, isSafe: true, options });
  }

  /** Which devices fell silent when, among all that the caller reaches: counted by the hour or the day, and grouped by what stopped together. */
  getFleetSilence(query: GetFleetSilenceQuery, options?: CallOptions): Promise<FleetSilence> {
    return this.#transport.json('GET', '/v1/fleet/silence', { query, isSafe: true, options });
  }

  /** How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months. */
  deviceQuality(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<DeviceQuality> {
    return this.#transport.json('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, isSafe: true, options });
  }

  /** How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months. As CSV. */
  deviceQualityCsv(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months. As a spreadsheet (XLSX). */
  deviceQualityXlsx(deviceId: string, query?: DeviceQualityQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/devices/${encodeURIComponent(deviceId)}/quality`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Writes readings of a device that could as well send them by MQTT: one element or up to 10,000, as JSON, or a SenML pack. The answer comes when they are committed. Readings that are sent again, in either way, count once. */
  sendReadings(deviceId: string, body: SendReadingsBody, options?: CallOptions): Promise<SentReadings> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { body, options });
  }

  /** The readings of a device as they are stored, and what each was taken for, oldest first, page by page. */
  listDeviceReadings(deviceId: string, query: ListDeviceReadingsQuery, options?: CallOptions): Pages<DeviceReading> {
    return this.#transport.pages('GET', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { query, isSafe: true, options });
  }

  /** The readings of a device as they are stored, and what each was taken for, oldest first, page by page. As CSV. */
  listDeviceReadingsCsv(deviceId: string, query: ListDeviceReadingsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/devices/${encodeURIComponent(deviceId)}/readings`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** Edits readings of a device by hand, with a reason: excludes those of a time, or adds what a person read off a register. Its past is computed anew within seconds; what was sent stays stored. */
  createDeviceEdit(deviceId: string, body: CreateDeviceEditBody, options?: CallOptions): Promise<ReadingEdit> {
    return this.#transport.json('POST', `/v1/devices/${encodeURIComponent(deviceId)}/edits`, { body, options });
  }

  /** The edits of readings of a device, revoked ones, too, with who made them and why, page by page. */
  listDeviceEdits(deviceId: string, query?: ListDeviceEditsQuery, options?: CallOptions): Pages<ReadingEdit> {
    return this.#transport.pages('GET', `/v1/devices/${encodeURIComponent(deviceId)}/edits`, { query, isSafe: true, options });
  }

  /** Revokes an edit of readings: consumption is as if it had never been made, within seconds, and the edit stays to be seen. One that was revoked stays as it was. */
  revokeDeviceEdit(deviceId: string, editId: string, options?: CallOptions): Promise<ReadingEdit> {
    return this.#transport.json('DELETE', `/v1/devices/${encodeURIComponent(deviceId)}/edits/${encodeURIComponent(editId)}`, { isSafe: true, options });
  }

  /** Makes a gateway; its MQTT password is shown here and never again. */
  createGateway(body: CreateGatewayBody, options?: CallOptions): Promise<CreatedGateway> {
    return this.#transport.json('POST', '/v1/gateways', { body, options });
  }

  /** The gateways of a user, page by page. */
  listGateways(query?: ListGatewaysQuery, options?: CallOptions): Pages<Gateway> {
    return this.#transport.pages('GET', '/v1/gateways', { query, isSafe: true, options });
  }

  /** Renames a gateway, or changes what decoders must know of all that lies below it. */
  updateGateway(gatewayId: string, body: UpdateGatewayBody, options?: CallOptions): Promise<Gateway> {
    return this.#transport.json('PATCH', `/v1/gateways/${encodeURIComponent(gatewayId)}`, { body, options });
  }

  /** Ends a gateway and its credentials. Devices that were paired through it stay, with their past. */
  deleteGateway(gatewayId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/gateways/${encodeURIComponent(gatewayId)}`, { isSafe: true, options });
  }

  /** Says what the service would read out of a message of a gateway, why not, and which setting would help. Nothing is stored. */
  decodeMessage(gatewayId: string, body: DecodeMessageBody, options?: CallOptions): Promise<JudgedMessage> {
    return this.#transport.json('POST', `/v1/gateways/${encodeURIComponent(gatewayId)}/decode`, { body, isSafe: true, options });
  }

  /** Messages through a gateway that no family of devices knows, counted by the shape of their topic, page by page. */
  unreadMessages(gatewayId: string, query?: UnreadMessagesQuery, options?: CallOptions): Pages<UnreadMessages> {
    return this.#transport.pages('GET', `/v1/gateways/${encodeURIComponent(gatewayId)}/unread`, { query, isSafe: true, options });
  }

  /** Makes a group of homes (a building, a feeder, a district). For utilities and administrators. */
  createGroup(body: CreateGroupBody, options?: CallOptions): Promise<Group> {
    return this.#transport.json('POST', '/v1/groups', { body, options });
  }

  /** The groups of homes that the caller reaches, page by page. */
  listGroups(query?: ListGroupsQuery, options?: CallOptions): Pages<Group> {
    return this.#transport.pages('GET', '/v1/groups', { query, isSafe: true, options });
  }

  /** One group of homes. */
  getGroup(groupId: string, options?: CallOptions): Promise<Group> {
    return this.#transport.json('GET', `/v1/groups/${encodeURIComponent(groupId)}`, { isSafe: true, options });
  }

  /** Changes a group’s name or kind, or what it is a part of. */
  updateGroup(groupId: string, body: UpdateGroupBody, options?: CallOptions): Promise<Group> {
    return this.#transport.json('PATCH', `/v1/groups/${encodeURIComponent(groupId)}`, { body, options });
  }

  /** Removes a group, and the keys that are limited to it; its homes stay as they are. */
  deleteGroup(groupId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/groups/${encodeURIComponent(groupId)}`, { isSafe: true, options });
  }

  /** The homes of a group, page by page, without those of groups below it. */
  listGroupUsers(groupId: string, query?: ListGroupUsersQuery, options?: CallOptions): Pages<User> {
    return this.#transport.pages('GET', `/v1/groups/${encodeURIComponent(groupId)}/users`, { query, isSafe: true, options });
  }

  /** Adds homes to a group and removes others, up to 10,000 each; all of it or nothing. */
  changeGroupUsers(groupId: string, body: ChangeGroupUsersBody, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('POST', `/v1/groups/${encodeURIComponent(groupId)}/users`, { body, options });
  }

  /** Adds a home to a group; one that is in it already stays. */
  addGroupUser(groupId: string, userId: string, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('PUT', `/v1/groups/${encodeURIComponent(groupId)}/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** Removes a home from a group; the home itself stays as it is. */
  removeGroupUser(groupId: string, userId: string, options?: CallOptions): Promise<ChangedGroup> {
    return this.#transport.json('DELETE', `/v1/groups/${encodeURIComponent(groupId)}/users/${encodeURIComponent(userId)}`, { isSafe: true, options });
  }

  /** What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once. */
  groupEnergyInsights(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<GroupEnergyInsights> {
    return this.#transport.json('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, isSafe: true, options });
  }

  /** What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once. As CSV. */
  groupEnergyInsightsCsv(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, accept: 'text/csv', isSafe: true, options });
  }

  /** What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once. As a spreadsheet (XLSX). */
  groupEnergyInsightsXlsx(groupId: string, query?: GroupEnergyInsightsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/groups/${encodeURIComponent(groupId)}/energy-insights`, { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or, with the mistakes named row by row, none. The same again changes nothing: a row is the device of its owner with the same `external_id`, or without one of the same `type` and `location`. */
  createImport(body: CreateImportBody, query?: CreateImportQuery, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('POST', '/v1/imports', { query, body, options });
  }

  /** Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or, with the mistakes named row by row, none. The same again changes nothing: a row is the device of its owner with the same `external_id`, or without one of the same `type` and `location`. From CSV. */
  createImportCsv(csv: string, query?: CreateImportQuery, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('POST', '/v1/imports', { query, body: csv, type: 'text/csv', options });
  }

  /** Shows what came of an import of devices. */
  getImport(importId: string, options?: CallOptions): Promise<DeviceImport> {
    return this.#transport.json('GET', `/v1/imports/${encodeURIComponent(importId)}`, { isSafe: true, options });
  }

  /** Fetches the MQTT passwords of the devices that an import made: once, within a day. With an Idempotency-Key an answer that was lost can be had again. */
  fetchImportCredentials(importId: string, options?: CallOptions): Promise<ImportCredentials> {
    return this.#transport.json('POST', `/v1/imports/${encodeURIComponent(importId)}/credentials`, { options });
  }

  /** Makes a secret that meters are made with in the factory, and claim their devices and their own passwords with at first contact. A meter gets the device that has its serial as `external_id`. For utilities and administrators. */
  createProvisioningBatch(body: CreateProvisioningBatchBody, options?: CallOptions): Promise<CreatedProvisioningBatch> {
    return this.#transport.json('POST', '/v1/provisioning-batches', { body, options });
  }

  /** The provisioning batches that the caller made, those that ended too, page by page; an administrator’s list has all. */
  listProvisioningBatches(query?: ListProvisioningBatchesQuery, options?: CallOptions): Pages<ProvisioningBatch> {
    return this.#transport.pages('GET', '/v1/provisioning-batches', { query, isSafe: true, options });
  }

  /** Ends a provisioning batch: nothing claims with it any more. What was claimed goes on. */
  revokeProvisioningBatch(batchId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/provisioning-batches/${encodeURIComponent(batchId)}`, { isSafe: true, options });
  }

  /** Makes a bill period of a home or a device, and records what is known of it: energy, register readings at both ends, what is estimated, with a checksum. For utilities and administrators. */
  createBillPeriod(body: CreateBillPeriodBody, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', '/v1/bill-periods', { body, options });
  }

  /** The bill periods of a user with what was told of them last, page by page. */
  listBillPeriods(query?: ListBillPeriodsQuery, options?: CallOptions): Pages<BillPeriod> {
    return this.#transport.pages('GET', '/v1/bill-periods', { query, isSafe: true, options });
  }

  /** The bill periods of a user with what was told of them last, page by page. As CSV. */
  listBillPeriodsCsv(query?: ListBillPeriodsQuery, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', '/v1/bill-periods', { query, accept: 'text/csv', isSafe: true, options });
  }

  /** The bill periods of a user with what was told of them last, page by page. As a spreadsheet (XLSX). */
  listBillPeriodsXlsx(query?: ListBillPeriodsQuery, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', '/v1/bill-periods', { query, accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. */
  getBillPeriod(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { isSafe: true, options });
  }

  /** One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As CSV. */
  getBillPeriodCsv(billPeriodId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'text/csv', isSafe: true, options });
  }

  /** One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As a spreadsheet (XLSX). */
  getBillPeriodXlsx(billPeriodId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isSafe: true, options });
  }

  /** One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As a Green Button feed. */
  getBillPeriodGreenButton(billPeriodId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text('GET', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { accept: 'application/atom+xml', isSafe: true, options });
  }

  /** Removes an open bill period: a closed one stays. For utilities and administrators. */
  deleteBillPeriod(billPeriodId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}`, { isSafe: true, options });
  }

  /** Records what is known of an open bill period now as a further version. For utilities and administrators. */
  recordBillVersion(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}/versions`, { options });
  }

  /** Closes a bill period that is over: what changes of its days later is billed with the next open one, as an adjustment. For utilities and administrators. */
  closeBillPeriod(billPeriodId: string, options?: CallOptions): Promise<BillPeriodDetails> {
    return this.#transport.json('POST', `/v1/bill-periods/${encodeURIComponent(billPeriodId)}/close`, { options });
  }

  /** Says what a user pays for energy from a day on, and gets for what is fed in. */
  createTariff(body: CreateTariffBody, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('POST', '/v1/tariffs', { body, options });
  }

  /** The tariffs of a user in order of `valid_from`, page by page. */
  listTariffs(query?: ListTariffsQuery, options?: CallOptions): Pages<Tariff> {
    return this.#transport.pages('GET', '/v1/tariffs', { query, isSafe: true, options });
  }

  /** One tariff. */
  getTariff(tariffId: string, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('GET', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { isSafe: true, options });
  }

  /** Changes a tariff. What changes holds for the past that it covers, too. */
  updateTariff(tariffId: string, body: UpdateTariffBody, options?: CallOptions): Promise<Tariff> {
    return this.#transport.json('PATCH', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { body, options });
  }

  /** Removes a tariff. The one before it holds in its place. */
  deleteTariff(tariffId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/tariffs/${encodeURIComponent(tariffId)}`, { isSafe: true, options });
  }

  /** What a range would have cost by other tariffs, each as if it had held in all of it. Stores nothing. Counts as 10 requests, and runs one at a time by account. */
  compareTariffs(body: CompareTariffsBody, options?: CallOptions): Promise<CompareTariffsAnswer> {
    return this.#transport.json('POST', '/v1/tariffs/compare', { body, isSafe: true, options });
  }

  /** What a range would have been with a battery, or with more or fewer panels. Stores nothing. Counts as 10 requests, and runs one at a time by account. */
  whatIf(body: WhatIfBody, options?: CallOptions): Promise<WhatIfAnswer> {
    return this.#transport.json('POST', '/v1/what-if', { body, isSafe: true, options });
  }

  /** Creates a price series, for prices that are put as they become known, or that the service fetches from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody. */
  createPriceSeries(body: CreatePriceSeriesBody, options?: CallOptions): Promise<CreatedPriceSeries> {
    return this.#transport.json('POST', '/v1/price-series', { body, options });
  }

  /** The price series that a user can use, page by page: its own, its utility’s and those of administrators. */
  listPriceSeries(query?: ListPriceSeriesQuery, options?: CallOptions): Pages<PriceSeries> {
    return this.#transport.pages('GET', '/v1/price-series', { query, isSafe: true, options });
  }

  /** One price series, of those that the caller can use too. */
  getPriceSeries(seriesId: string, options?: CallOptions): Promise<PriceSeries> {
    return this.#transport.json('GET', `/v1/price-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Changes the name of a price series, or where it fetches its prices. */
  updatePriceSeries(seriesId: string, body: UpdatePriceSeriesBody, options?: CallOptions): Promise<PriceSeries> {
    return this.#transport.json('PATCH', `/v1/price-series/${encodeURIComponent(seriesId)}`, { body, options });
  }

  /** Removes a price series and its prices, unless a tariff uses it. */
  deletePriceSeries(seriesId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/price-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow. */
  listPrices(seriesId: string, query?: ListPricesQuery, options?: CallOptions): Promise<Price[]> {
    return this.#transport.json('GET', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { query, isSafe: true, options });
  }

  /** Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken. */
  putPrices(seriesId: string, body: PutPricesBody, options?: CallOptions): Promise<PutPricesAnswer> {
    return this.#transport.json('PUT', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { body, isSafe: true, options });
  }

  /** Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken. From CSV. */
  putPricesCsv(seriesId: string, csv: string, options?: CallOptions): Promise<PutPricesAnswer> {
    return this.#transport.json('PUT', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { body: csv, type: 'text/csv', isSafe: true, options });
  }

  /** Removes prices that were put for times from `from` until `to`. If the series has a source, its prices hold for these times at once. */
  deletePrices(seriesId: string, query: DeletePricesQuery, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/price-series/${encodeURIComponent(seriesId)}/prices`, { query, isSafe: true, options });
  }

  /** Creates an emission series: how many grams of CO2 equivalent a kWh of the grid causes, put by its owner or fetched from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody. */
  createEmissionSeries(body: CreateEmissionSeriesBody, options?: CallOptions): Promise<CreatedEmissionSeries> {
    return this.#transport.json('POST', '/v1/emission-series', { body, options });
  }

  /** The emission series that a user can use, page by page: its own, its utility’s and those of administrators. */
  listEmissionSeries(query?: ListEmissionSeriesQuery, options?: CallOptions): Pages<EmissionSeries> {
    return this.#transport.pages('GET', '/v1/emission-series', { query, isSafe: true, options });
  }

  /** One emission series, of those that the caller can use too. */
  getEmissionSeries(seriesId: string, options?: CallOptions): Promise<EmissionSeries> {
    return this.#transport.json('GET', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** Changes the name of an emission series, or where it fetches its intensities. */
  updateEmissionSeries(seriesId: string, body: UpdateEmissionSeriesBody, options?: CallOptions): Promise<EmissionSeries> {
    return this.#transport.json('PATCH', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { body, options });
  }

  /** Removes an emission series and its intensities, unless a user has it. */
  deleteEmissionSeries(seriesId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/emission-series/${encodeURIComponent(seriesId)}`, { isSafe: true, options });
  }

  /** The intensities of a series from `start` to `end`, UTC days; without them those of today and tomorrow. */
  listIntensities(seriesId: string, query?: ListIntensitiesQuery, options?: CallOptions): Promise<Intensity[]> {
    return this.#transport.json('GET', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { query, isSafe: true, options });
  }

  /** Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored. */
  putIntensities(seriesId: string, body: PutIntensitiesBody, options?: CallOptions): Promise<PutIntensitiesAnswer> {
    return this.#transport.json('PUT', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { body, isSafe: true, options });
  }

  /** Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored. From CSV. */
  putIntensitiesCsv(seriesId: string, csv: string, options?: CallOptions): Promise<PutIntensitiesAnswer> {
    return this.#transport.json('PUT', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { body: csv, type: 'text/csv', isSafe: true, options });
  }

  /** Removes intensities that were put for times from `from` until `to`. If the series has a source, its intensities hold for these times at once. */
  deleteIntensities(seriesId: string, query: DeleteIntensitiesQuery, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/emission-series/${encodeURIComponent(seriesId)}/intensities`, { query, isSafe: true, options });
  }

  /** Creates a key; it is shown here and never again. A key can create only what it may do itself; a utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most. A key of one device (`device_id`) writes its readings, and nothing else; it needs devices:write, too. A key for the home of another account (`home_user_id`) needs a membership of that home. */
  createKey(body: CreateKeyBody, options?: CallOptions): Promise<CreatedKey> {
    return this.#transport.json('POST', '/v1/keys', { body, options });
  }

  /** The keys of a user that are not revoked, page by page; never the keys themselves. */
  listKeys(query?: ListKeysQuery, options?: CallOptions): Pages<Key> {
    return this.#transport.pages('GET', '/v1/keys', { query, isSafe: true, options });
  }

  /** Changes from where and until when a key may be used. For what changes something it holds at once, for what reads after 10 seconds. */
  updateKey(keyId: string, body: UpdateKeyBody, options?: CallOptions): Promise<Key> {
    return this.#transport.json('PATCH', `/v1/keys/${encodeURIComponent(keyId)}`, { body, options });
  }

  /** Revokes a key: it changes nothing from now on, and reads nothing after 10 seconds. */
  revokeKey(keyId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/keys/${encodeURIComponent(keyId)}`, { isSafe: true, options });
  }

  /** Makes a new key like an old one, which goes on for 24 h, or as many hours as are named. The new one ends when it is said, or never. */
  rotateKey(keyId: string, body?: RotateKeyBody, options?: CallOptions): Promise<RotatedKey> {
    return this.#transport.json('POST', `/v1/keys/${encodeURIComponent(keyId)}/rotate`, { body, options });
  }

  /** Invites a person to the caller’s own home, by a mail whose link is valid for 7 days: 10 mails a day, and 20 members and invitations, at most. Only a homeowner invites, and only homeowners become members. */
  inviteMember(userId: string, body: InviteMemberBody, options?: CallOptions): Promise<Member> {
    return this.#transport.json('POST', `/v1/users/${encodeURIComponent(userId)}/members`, { body, options });
  }

  /** The members of a home and the invitations to it that are still valid, page by page. */
  listMembers(userId: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member> {
    return this.#transport.pages('GET', `/v1/users/${encodeURIComponent(userId)}/members`, { query, isSafe: true, options });
  }

  /** Ends a membership at once, with the keys and webhooks that the member made for the home, or withdraws an invitation. Both get a mail; the owner’s lists the passwords that the member saw. */
  removeMember(userId: string, memberId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/users/${encodeURIComponent(userId)}/members/${encodeURIComponent(memberId)}`, { isSafe: true, options });
  }

  /** Makes the caller’s account a member of a home, by the token of an invitation. A mail must have confirmed the address of the account: one that signed in with, or the invitation itself. */
  acceptMembership(body: AcceptMembershipBody, options?: CallOptions): Promise<Membership> {
    return this.#transport.json('POST', '/v1/memberships', { body, options });
  }

  /** The homes of other accounts of which the caller’s account is a member, page by page. */
  listMemberships(query?: ListMembershipsQuery, options?: CallOptions): Pages<Membership> {
    return this.#transport.pages('GET', '/v1/memberships', { query, isSafe: true, options });
  }

  /** Ends a membership of the caller’s account at once, with the keys and webhooks that it made for the home. Both get a mail. */
  leaveMembership(memberId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/memberships/${encodeURIComponent(memberId)}`, { isSafe: true, options });
  }

  /** Registers an app, which homes can then let in by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once. */
  createApp(body: CreateAppBody, options?: CallOptions): Promise<CreatedApp> {
    return this.#transport.json('POST', '/v1/apps', { body, options });
  }

  /** Apps that the caller’s account registered, page by page. */
  listApps(query?: ListAppsQuery, options?: CallOptions): Pages<App> {
    return this.#transport.pages('GET', '/v1/apps', { query, isSafe: true, options });
  }

  /** One app. */
  getApp(appId: string, options?: CallOptions): Promise<App> {
    return this.#transport.json('GET', `/v1/apps/${encodeURIComponent(appId)}`, { isSafe: true, options });
  }

  /** Changes an app. Fewer scopes hold at once, also for tokens that were issued. */
  updateApp(appId: string, body: UpdateAppBody, options?: CallOptions): Promise<App> {
    return this.#transport.json('PATCH', `/v1/apps/${encodeURIComponent(appId)}`, { body, options });
  }

  /** Deletes an app, and ends every authorization of it at once. Each home gets a mail. */
  deleteApp(appId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/apps/${encodeURIComponent(appId)}`, { isSafe: true, options });
  }

  /** Apps that the caller’s own home has let in, page by page. */
  listAuthorizations(query?: ListAuthorizationsQuery, options?: CallOptions): Pages<Authorization> {
    return this.#transport.pages('GET', '/v1/authorizations', { query, isSafe: true, options });
  }

  /** Ends the access of an app to the caller’s home at once, with the alerts and webhooks that the app made. */
  endAuthorization(authorizationId: string, options?: CallOptions): Promise<Message> {
    return this.#transport.json('DELETE', `/v1/authorizations/${encodeURIComponent(authorizationId)}`, { isSafe: true, options });
  }

  /** Who did what to whom in the last 24 months, the latest first, page by page; `user_id`: what this account did, and what was done to it. For administrators. */
  listAudit(query?: ListAuditQuery, options?: CallOptions): Pages<Act> {
    return this.#transport.pages('GET', '/v1/audit', { query, isSafe: true, options });
  }
}
