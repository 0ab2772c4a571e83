/**
 * Typed client of the energy usage service, for copying into your own project: it needs nothing but fetch.
 * Generated from the OpenAPI document by `npm run client`; a test holds it to the document.
 */
/* eslint-disable */
// @ts-nocheck — what a generator writes for every environment at once fits none of them strictly; its types serve those who import it.
export interface Act {
  /** What was done, such as `key.created`. */
  action: string;
  /** Id of the API key or session that was used. Null: none was. */
  actor_key_id: string | null;
  /** Id of the user who did it. Null: an operator at the command line, or somebody who was not signed in. `erased_…`: the account is gone. */
  actor_user_id: string | null;
  /** Where it came from: an IP address, or `cli`. Null: not known. */
  address: string | null;
  /**
   * When it was done.
   * @format date-time
   */
  at: string;
  /** Id of the entry. */
  audit_id: string;
  /** Members of the request, and the values of some. */
  details: Partial<Record<string, any>>;
  /** Id of what was changed. Null: nothing that has one. */
  target: string | null;
}

export interface Alert {
  /** Id of the alert. */
  alert_id: string;
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** How the user is told. */
  delivery: "email" | "sms" | "webhook";
  /** A paused alert does not fire. */
  status: "active" | "paused";
  /** Total cost above which the alert fires, in the currency of the tariff that holds: a decimal with up to 9 places, as text. Only in alerts on costs. */
  threshold?: string;
  /** Silence after which the alert fires, in hours. Only in alerts of type `no_data`. */
  threshold_hours?: number;
  /** Usage above which the alert fires, in kWh. Only in alerts on usage. */
  threshold_kwh?: number;
  /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
  type:
    | "peak_usage"
    | "daily_usage"
    | "monthly_usage"
    | "daily_cost"
    | "monthly_cost"
    | "no_data";
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface AlertPreview {
  /** Periods of the last 90 days in which the alert would have fired. */
  data: {
    /** What the period cost in total. Only with types on costs. */
    cost?: string;
    /** Currency of the cost (ISO 4217). Only with types on costs. */
    currency?: string;
    /** Id of the silent device. Only with type `no_data`. */
    device_id?: string;
    /** What was used in the period, in kWh. Only with types on usage. */
    kwh_used?: number;
    /** End of the period, exclusive. Null for a silence that goes on. */
    period_end: string | null;
    /**
     * Start of the period. For `no_data`: when the device was last heard.
     * @format date-time
     */
    period_start: string;
  }[];
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface AlertTriggeredEvent {
  /**
   * When the event happened.
   * @format date-time
   */
  created_at: string;
  /** What the event is about. */
  data: {
    /** Id of the alert that fired. */
    alert_id: string;
    /** What the period cost in total by the time the alert fired. Only in alerts on costs. */
    cost?: string;
    /** Currency of the cost (ISO 4217). Only in alerts on costs. */
    currency?: string;
    /** Devices that took part, the largest share first. For `no_data`: the silent device. */
    devices: {
      /** Id of the device. */
      device_id: string;
      /** Its import in the period, in kWh. */
      kwh_used: number;
    }[];
    /** What the home used in the period by the time the alert fired, in kWh. Only in alerts on usage. */
    kwh_used?: number;
    /** End of the period, exclusive. Null for a silence that goes on. */
    period_end: string | null;
    /**
     * Start of the hour, day or month. For `no_data`: when the device was last heard.
     * @format date-time
     */
    period_start: string;
    /** Threshold of the alert, a decimal in the currency of the tariff that holds. Only in alerts on costs. */
    threshold?: string;
    /** Length of the silence that the alert waits for, in hours. Only in alerts of type `no_data`. */
    threshold_hours?: number | null;
    /** Threshold of the alert, in kWh. Only in alerts on usage. */
    threshold_kwh?: number;
    /** Type of the alert. */
    type:
      | "peak_usage"
      | "daily_usage"
      | "monthly_usage"
      | "daily_cost"
      | "monthly_cost"
      | "no_data";
    /** Id of the user that the event is about. */
    user_id: string;
  };
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "alert.triggered";
}

export interface CommodityUsage {
  /** Part of `m3_used` that is estimated, in m³. */
  estimated_m3?: number;
  /** What was used, in m³, where it is measured as volume. */
  m3_used?: number;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /**
   * First day of the row.
   * @format date
   */
  date: string;
  /** Part of `kwh_used` that is estimated, in kWh. */
  estimated_kwh?: number;
  /**
   * Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour.
   * @pattern ^\d\d:00$
   */
  hour?: string;
  /** What was used, in kWh, where it is measured as energy. */
  kwh_used?: number;
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
  peak_hour: string | null;
  /**
   * Start of the hour, with the offset of the time zone. Only in rows by hour.
   * @format date-time
   */
  starts_at?: string;
}

/** What it costs by the tariffs of the user. Null: no tariff held. */
export type Cost = {
  /**
   * Price of the highest quarter-hour. Only of whole months, and of a capacity tariff.
   * @pattern ^-?\d+(\.\d+)?$
   */
  capacity?: string;
  /** Currency of all amounts (ISO 4217). */
  currency: string;
  /**
   * Part of `import` for energy that is estimated.
   * @pattern ^-?\d+(\.\d+)?$
   */
  estimated: string;
  /**
   * What the exported energy earns.
   * @pattern ^-?\d+(\.\d+)?$
   */
  export: string;
  /**
   * What the imported energy costs.
   * @pattern ^-?\d+(\.\d+)?$
   */
  import: string;
  /** Energy whose price is not known, in kWh. It is in no amount. */
  missing_prices_kwh: number;
  /**
   * Standing charge of the time that has begun.
   * @pattern ^-?\d+(\.\d+)?$
   */
  standing: string;
  /**
   * Import, standing charge and capacity, less export.
   * @pattern ^-?\d+(\.\d+)?$
   */
  total: string;
} | null;

export interface CreatedGateway {
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** Settings for the decoders, as they were given. */
  decoder_config: Partial<Record<string, any>>;
  /** Id of the gateway. */
  gateway_id: string;
  /** How the gateway signs in to the broker. */
  mqtt: {
    /** MQTT password. It is not shown again. */
    password: string;
    /** What the topics of the gateway must begin with. */
    topic_prefix: string;
    /** MQTT user name. */
    username: string;
  };
  /** What its owner calls the gateway. */
  name: string;
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface CreatedKey {
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** The key itself. It is not shown again. */
  key: string;
  /** Id of the key. */
  key_id: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: (
    | "insights:read"
    | "alerts:read"
    | "alerts:write"
    | "users:read"
    | "users:write"
    | "devices:read"
    | "devices:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tariffs:read"
    | "tariffs:write"
    | "keys:write"
  )[];
}

export interface DeleteAlertParams {
  /** Id of the alert. */
  alertId: string;
}

export interface DeleteDeviceParams {
  /** Id of the device. */
  deviceId: string;
}

export interface DeleteGatewayParams {
  /** Id of the gateway. */
  gatewayId: string;
}

export interface DeletePriceSeriesParams {
  /** Id of the series. */
  seriesId: string;
}

export interface DeleteTariffParams {
  /** Id of the tariff. */
  tariffId: string;
}

export interface DeleteUserParams {
  /** Id of the user. */
  userId: string;
}

export interface DeleteWebhookParams {
  /** Id of the webhook. */
  webhookId: string;
}

export interface Delivery {
  /** The attempts so far, oldest first. */
  attempts: {
    /**
     * When it was tried.
     * @format date-time
     */
    at: string;
    /** How long the attempt took, in milliseconds. */
    duration_ms: number;
    /** Why the attempt failed. Null: it succeeded. */
    error: string | null;
    /** Status code of the receiver. Null: no answer. */
    response_status: number | null;
  }[];
  /** Id of the delivery. */
  delivery_id: string;
  /** Type of the event. */
  event: string;
  /** Id of the event: `id` of its body, the same in every attempt. */
  event_id: string;
  /** When it is tried next. Null: it is not, or the subscription is paused. */
  next_attempt_at: string | null;
  /** `failed` once all retries have failed. */
  status: "pending" | "succeeded" | "failed";
}

export interface Device {
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  /** Id of the device. */
  device_id: string;
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
}

export interface DeviceConnectedEvent {
  /**
   * When the event happened.
   * @format date-time
   */
  created_at: string;
  /** What the event is about. */
  data: {
    /** Id of the device. */
    device_id: string;
    /**
     * When its first valid message arrived.
     * @format date-time
     */
    last_seen_at: string;
    /** Where the device is, in the words of its owner. */
    location: string;
    /** Where the device sits in its home. */
    placement: "grid" | "production" | "storage" | "consumption" | "excluded";
    /** State of the device. */
    status: "active" | "inactive" | "faulty";
    /** What kind of device it is, in the words of its owner. */
    type: string;
    /** Id of the device whose measurement includes this one. Null: none. */
    upstream_device_id: string | null;
    /** Id of the user that the event is about. */
    user_id: string;
  };
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "device.connected";
}

export interface DeviceDetails {
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  /** The quantities that the device reports. */
  channels: {
    /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water` or `ignored`. Null: not known, and not counted. */
    counts_as: string | null;
    /** When that value was measured. Null: there is none. */
    last_at: string | null;
    /** The last value. Null: there is none. */
    last_value: number | null;
    /** What the device calls the quantity. */
    native_name: string;
    /** Where the quantity is measured. Null: where its device is. */
    placement:
      | "grid"
      | "production"
      | "storage"
      | "consumption"
      | "excluded"
      | null;
    /** Unit of `last_value`. Null: the device does not say. */
    unit: string | null;
  }[];
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** Settings for the decoders, as they were given. */
  decoder_config: Partial<Record<string, any>>;
  /** Id of the device. */
  device_id: string;
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Highest plausible load, in kW. A register that rises faster is held until later readings confirm it. */
  limit_kw: number;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** Longest silence that power readings are integrated over, in minutes. */
  max_gap_minutes: number;
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** Value at which the register starts again at 0, in kWh. Null: it never does. */
  register_max_kwh: number | null;
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** IANA time zone of a device that reports local time. Null: that of its owner. */
  timezone: string | null;
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface DeviceUsage {
  /** The rows, oldest first. */
  data: {
    /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
    autarky?: number | null;
    /** Energy into storage, in kWh. Null: not known. */
    charged_kwh?: number | null;
    /** Whether all of it is known. Null: nothing is expected yet. */
    complete?: boolean | null;
    /** What consumption devices used, in kWh. Null: not known. */
    consumption_kwh?: number | null;
    /** What it costs by the tariffs of the user. Null: no tariff held. */
    cost?: Cost;
    /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
    coverage?: number | null;
    /**
     * First day of the row.
     * @format date
     */
    date: string;
    /** Energy out of storage, in kWh. Null: not known. */
    discharged_kwh?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
    estimated_kwh?: number | null;
    /** Export of the device, in kWh. Null: not known. */
    export_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: not known. */
    grid_export_kwh?: number | null;
    /** Energy from the grid, in kWh. Null: not known. */
    grid_import_kwh?: number | null;
    /** How long a thermostat was heating, in minutes. Null: not known. */
    heating_minutes?: number | null;
    /**
     * Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour.
     * @pattern ^\d\d:00$
     */
    hour?: string;
    /** Import of the device, in kWh. Null: it reports no energy. */
    kwh_used: number | null;
    /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
    peak_hour: string | null;
    /** Energy that the home produced, in kWh. Null: not known. */
    production_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: not known. */
    self_consumed_kwh?: number | null;
    /** Mean of the set temperature, weighted by time, in °C. Null: not known. */
    setpoint_c?: number | null;
    /**
     * Start of the hour, with the offset of the time zone. Only in rows by hour.
     * @format date-time
     */
    starts_at?: string;
    /** Room temperature that a thermostat measured. Null: not known. */
    temperature_c?: {
      /** Highest, in °C. */
      max: number;
      /** Mean, weighted by time, in °C. */
      mean: number;
      /** Lowest, in °C. */
      min: number;
    } | null;
    /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
    untracked_kwh?: number | null;
  }[];
  /** Id of the device. */
  device_id: string;
}

export interface DeviceUsageParams {
  /** Id of the device. */
  deviceId: string;
  /**
   * Last day of the range, inclusive. Needs `start`.
   * @format date
   */
  end?: string;
  /** What each row covers. Default: `day`. A month covers those of its days that lie in the range. */
  group_by?: "day" | "month" | "hour";
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`. Each adds `…_kwh`; `autarky` adds `autarky`, `coverage` adds `coverage` and `complete`, and `cost` adds `cost`, by the tariffs of the user. */
  include?: string;
  /**
   * First day of the range, in the time zone `tz`. Needs `end`.
   * @format date
   */
  start?: string;
  /**
   * IANA time zone of the days and hours. `account`: the time zone of the user.
   * @default "UTC"
   */
  tz?: string;
}

export interface DiscoveredDevice {
  /** Names of its channels. */
  channels: string[];
  /** Id to pair the device with: `discovery_id` of `POST /v1/devices`. */
  discovery_id: string;
  /** Which messages it sends, such as `tasmota`. */
  family: string;
  /**
   * When it was first heard.
   * @format date-time
   */
  first_seen_at: string;
  /** Id of the gateway that it was heard through. */
  gateway_id: string;
  /**
   * When it was last heard.
   * @format date-time
   */
  last_seen_at: string;
  /** What the device calls itself. */
  native_id: string;
  /** The quantities on its channels. */
  quantities: {
    /** Name of the channel. */
    channel: string;
    /** What it will count as once the device is paired. Null: nothing. */
    counts: "import" | "export" | null;
    /** What is measured, with its unit, such as `power_w`. */
    kind: string;
  }[];
}

export interface DiscoveredDevicesParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export type EnergyInsights =
  | {
      /** The rows, oldest first. Rows about which nothing is known are left out. */
      data: Usage[];
      /** Id of the user that it belongs to. */
      user_id: string;
    }
  | {
      /** The rows, oldest first. Rows about which nothing is known are left out. */
      data: CommodityUsage[];
      /** Id of the user that it belongs to. */
      user_id: string;
    }
  | {
      /** Part of `m3_used` that is estimated, in m³. */
      estimated_m3?: number;
      /** What was used, in m³, where it is measured as volume. */
      m3_used?: number;
      /** Whether all of it is known. Null: nothing is expected yet. */
      complete?: boolean | null;
      /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
      coverage?: number | null;
      /** The days that the summary is about. */
      date_range: {
        /**
         * Last day, inclusive: today.
         * @format date
         */
        end: string;
        /**
         * First day.
         * @format date
         */
        start: string;
      };
      /** Part of `kwh_used` that is estimated, in kWh. */
      estimated_kwh?: number;
      /** What was used, in kWh, where it is measured as energy. */
      kwh_used?: number;
      /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
      peak_usage_time: string | null;
      /** Id of the user that it belongs to. */
      user_id: string;
    }
  | {
      /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
      autarky?: number | null;
      /** Energy into storage, in kWh. Null: not known. */
      charged_kwh?: number | null;
      /** Whether all of it is known. Null: nothing is expected yet. */
      complete?: boolean | null;
      /** What consumption devices used, in kWh. Null: not known. */
      consumption_kwh?: number | null;
      /** What it costs by the tariffs of the user. Null: no tariff held. */
      cost?: Cost;
      /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
      coverage?: number | null;
      /** The days that the summary is about. */
      date_range: {
        /**
         * Last day, inclusive: today.
         * @format date
         */
        end: string;
        /**
         * First day.
         * @format date
         */
        start: string;
      };
      /** Energy out of storage, in kWh. Null: not known. */
      discharged_kwh?: number | null;
      /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
      estimated_kwh?: number | null;
      /** Energy to the grid, in kWh. Null: not known. */
      grid_export_kwh?: number | null;
      /** Energy from the grid, in kWh. Null: not known. */
      grid_import_kwh?: number | null;
      /** What the home used, in kWh. */
      kwh_used: number;
      /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
      peak_usage_time: string | null;
      /** Energy that the home produced, in kWh. Null: not known. */
      production_kwh?: number | null;
      /** Production that was not exported, in kWh. Null: not known. */
      self_consumed_kwh?: number | null;
      /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
      untracked_kwh?: number | null;
      /** Id of the user that it belongs to. */
      user_id: string;
    };

export interface ErrorBody {
  /** Each mistake in the request. */
  details?: {
    /** Path of the member, parameter or header, such as `channels.0.counts_as`. */
    field: string;
    /** What is wrong with it. */
    message: string;
  }[];
  /** What went wrong, for a person to read. */
  error: string;
  /** With 500: id of the request in the log of the service. */
  incident?: string;
  /** With 429: seconds to wait before the next request. */
  retry_after?: number;
  /** Status code of the answer. */
  status: number;
}

export interface ExportUserParams {
  /** Id of the user. */
  userId: string;
}

export interface Gateway {
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** Settings for the decoders, as they were given. */
  decoder_config: Partial<Record<string, any>>;
  /** Id of the gateway. */
  gateway_id: string;
  /** What its owner calls the gateway. */
  name: string;
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface GetAlertParams {
  /** Id of the alert. */
  alertId: string;
}

export interface GetDeviceParams {
  /** Id of the device. */
  deviceId: string;
}

export interface GetEnergyInsightsParams {
  /**
   * What was used. Of `include`, all but electricity takes only estimated and coverage.
   * @default "electricity"
   */
  commodity?: "electricity" | "gas" | "heat" | "water";
  /**
   * Last day of the range, inclusive. Needs `start`.
   * @format date
   */
  end?: string;
  /** What each row covers. Default: `day`. A month covers those of its days that lie in the range. */
  group_by?: "day" | "month" | "hour";
  /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`. Each adds `…_kwh`; `autarky` adds `autarky`, `coverage` adds `coverage` and `complete`, and `cost` adds `cost`, by the tariffs of the user. */
  include?: string;
  /**
   * First day of the range, in the time zone `tz`. Needs `end`.
   * @format date
   */
  start?: string;
  /**
   * IANA time zone of the days and hours. `account`: the time zone of the user.
   * @default "UTC"
   */
  tz?: string;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface GetPriceSeriesParams {
  /** Id of the series. */
  seriesId: string;
}

export interface GetTariffParams {
  /** Id of the tariff. */
  tariffId: string;
}

export interface GetUserParams {
  /** Id of the user. */
  userId: string;
}

export interface Key {
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** Id of the key. */
  key_id: string;
  /** When the key was last used. Null: never. */
  last_used_at: string | null;
  /** What its owner calls the key. Null: it has no name. */
  name: string | null;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: (
    | "insights:read"
    | "alerts:read"
    | "alerts:write"
    | "users:read"
    | "users:write"
    | "devices:read"
    | "devices:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tariffs:read"
    | "tariffs:write"
    | "keys:write"
  )[];
}

export interface ListAlertsParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Required. */
  user_id: string;
}

export interface ListAuditParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Only what this user did, and what was done to it. Default: all. */
  user_id?: string;
}

export interface ListDevicesParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface ListGatewaysParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface ListKeysParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface ListPriceSeriesParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface ListPricesParams {
  /**
   * Last day of the range, inclusive. Needs `start`.
   * @format date
   */
  end?: string;
  /** Id of the series. */
  seriesId: string;
  /**
   * First day of the range, UTC. Needs `end`.
   * @format date
   */
  start?: string;
}

export interface ListTariffsParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface ListUsersParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /**
   * Part of the e-mail address, in any case. Default: every account.
   * @maxLength 254
   */
  search?: string;
}

export interface ListWebhooksParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
}

export interface Message {
  /** What was done, for a person to read. */
  message: string;
}

export interface MonthlyAnalytics {
  /** The months, oldest first. Months without data are left out. */
  data: {
    /** Mean of the days about which something is known, in kWh. */
    avg_daily_kwh: number;
    /** Change against the month before, in kWh. Null: nothing is known of that month. */
    change_kwh: number | null;
    /** Change against the month before, in percent. Null: nothing was used, or is known, in that month. */
    change_percent: number | null;
    /** What it costs by the tariffs of the user. Null: no tariff held. */
    cost?: Cost;
    /** What the home used in the month, in kWh. */
    kwh_used: number;
    /**
     * Month of the time zone `tz`, as `YYYY-MM`.
     * @pattern ^\d{4}-\d\d$
     */
    month: string;
    /** The month is not over, and is compared with the same days of the month before. */
    partial?: true;
    /** Hour of the day with the highest usage in the month. Null: none qualifies. */
    peak_hour: string | null;
  }[];
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface MonthlyAnalyticsParams {
  /** What to add, separated by commas: `cost`. Each adds `…_kwh`; `autarky` adds `autarky`, `coverage` adds `coverage` and `complete`, and `cost` adds `cost`, by the tariffs of the user. */
  include?: string;
  /**
   * How many months, the current one included.
   * @min 1
   * @max 36
   * @default 12
   */
  months?: number;
  /**
   * IANA time zone of the days and hours. `account`: the time zone of the user.
   * @default "UTC"
   */
  tz?: string;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface PairedDevice {
  /** What its owner should look at. Empty: nothing. */
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  /** Id of the device. */
  device_id: string;
  /** When its last valid reading was received. Null: never. */
  last_seen_at: string | null;
  /** Where the device is, in the words of its owner. */
  location: string;
  /** How the device signs in to the broker. Not with `discovery_id`: its gateway signs in. */
  mqtt?: {
    /** MQTT password. It is not shown again. */
    password: string;
    /** Topic that the device publishes its readings on. */
    topic: string;
    /** MQTT user name. */
    username: string;
  };
  /** Where the device sits in its home. `excluded`: it does not count. */
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  /** `inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected. */
  status: "active" | "inactive" | "faulty";
  /** What kind of device it is, in the words of its owner, such as `electricity_meter`. */
  type: string;
  /** Id of the device whose measurement includes this one. Null: none. */
  upstream_device_id: string | null;
}

export interface Price {
  /** Price of a kWh. A decimal with up to 9 places, as text. */
  per_kwh: string;
  /**
   * From when on the price holds. It holds for the resolution of the series.
   * @format date-time
   */
  starts_at: string;
}

export interface PriceSeries {
  /** Currency of the prices (ISO 4217), such as `EUR`. */
  currency: string;
  /** What the owner calls it, such as the market that the prices are of. */
  name: string;
  /** For how long each price holds, in minutes. */
  resolution_minutes: 15 | 30 | 60;
  /** Id of the price series. */
  series_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
}

export interface PutPricesParams {
  /** Id of the series. */
  seriesId: string;
}

export type Rates =
  | {
      /** Price of a kWh. A decimal with up to 9 places, as text. */
      per_kwh: string;
    }
  | {
      /** Prices by the clock, weekday and month. The first that fits holds; the last one has no condition. */
      periods: {
        /** Weekdays on which the price holds, 1 is Monday. Default: all. */
        days?: number[];
        /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
        from?: string;
        /** Months in which the price holds, 1 is January. Default: all. */
        months?: number[];
        /** Price of a kWh. A decimal with up to 9 places, as text. */
        per_kwh: string;
        /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
        to?: string;
      }[];
    }
  | {
      /** What is added to the price of a kWh after that. Default: 0. A decimal with up to 9 places, as text. */
      add?: string;
      /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. A decimal with up to 9 places, as text. */
      multiply?: string;
      /** Id of the price series. The price of a kWh is that of the series × `multiply` + `add`. */
      series_id: string;
    };

export interface RetryDeliveryParams {
  /** Id of the delivery. */
  deliveryId: string;
  /** Id of the webhook. */
  webhookId: string;
}

export interface RevokeKeyParams {
  /** Id of the key. */
  keyId: string;
}

export interface RotateKeyParams {
  /** Id of the key. */
  keyId: string;
}

export interface RotatedKey {
  /** When the key ends. Null: never. */
  expires_at: string | null;
  /** The key itself. It is not shown again. */
  key: string;
  /** Id of the key. */
  key_id: string;
  /**
   * When the old key ends.
   * @format date-time
   */
  old_expires_at: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** What the key may do. The role of its owner decides whose data it reaches. */
  scopes: (
    | "insights:read"
    | "alerts:read"
    | "alerts:write"
    | "users:read"
    | "users:write"
    | "devices:read"
    | "devices:write"
    | "webhooks:read"
    | "webhooks:write"
    | "tariffs:read"
    | "tariffs:write"
    | "keys:write"
  )[];
}

export interface StreamUsageParams {
  /** Id of a device: only its readings are told. Default: all devices of the home, and its usage. */
  device_id?: string;
  /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
  user_id?: string;
}

export interface Summary {
  /** The members that `metrics` and `include` ask for. */
  summary: {
    /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
    autarky?: number | null;
    /** Mean of the days with data, in kWh. */
    avg_daily_kwh?: number;
    /** Energy into storage, in kWh. Null: not known. */
    charged_kwh?: number | null;
    /** Whether all of it is known. Null: nothing is expected yet. */
    complete?: boolean | null;
    /** What consumption devices used, in kWh. Null: not known. */
    consumption_kwh?: number | null;
    /** What it costs by the tariffs of the user. Null: no tariff held. */
    cost?: Cost;
    /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
    coverage?: number | null;
    /** Energy out of storage, in kWh. Null: not known. */
    discharged_kwh?: number | null;
    /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
    estimated_kwh?: number | null;
    /** Energy to the grid, in kWh. Null: not known. */
    grid_export_kwh?: number | null;
    /** Energy from the grid, in kWh. Null: not known. */
    grid_import_kwh?: number | null;
    /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
    peak_usage_time?: string | null;
    /** Energy that the home produced, in kWh. Null: not known. */
    production_kwh?: number | null;
    /** Production that was not exported, in kWh. Null: not known. */
    self_consumed_kwh?: number | null;
    /** What the home used, in kWh. */
    total_kwh?: number;
    /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
    untracked_kwh?: number | null;
  };
}

export interface Tariff {
  /** What the highest quarter-hour of a month costs. Default: nothing. */
  capacity?: {
    /** What a peak counts as at least, in kW. Default: 0. */
    minimum_kw?: number;
    /** Over how many months the peaks are averaged. Default: 1. */
    months_averaged?: number;
    /** Price of a kW of the peak, for a month. A decimal with up to 9 places, as text. */
    per_kw_month: string;
  };
  /** Currency of all its amounts (ISO 4217), such as `EUR`. */
  currency: string;
  /** What is paid for energy into the grid. Default: nothing. */
  export?: Rates;
  /** What energy from the grid costs. */
  import: Rates;
  /** What the owner calls it. */
  name: string;
  /** What each day costs, whatever is used. A decimal with up to 9 places, as text. */
  standing_per_day?: string;
  /** Id of the tariff. */
  tariff_id: string;
  /** Id of the user that it belongs to. */
  user_id: string;
  /**
   * First day on which it holds, in the time zone of the user. It holds until the day before the next one’s.
   * @format date
   */
  valid_from: string;
}

export interface TestWebhookParams {
  /** Id of the webhook. */
  webhookId: string;
}

export interface UpdateAlertParams {
  /** Id of the alert. */
  alertId: string;
}

export interface UpdateDeviceParams {
  /** Id of the device. */
  deviceId: string;
}

export interface UpdateGatewayParams {
  /** Id of the gateway. */
  gatewayId: string;
}

export interface UpdateTariffParams {
  /** Id of the tariff. */
  tariffId: string;
}

export interface UpdateUserParams {
  /** Id of the user. */
  userId: string;
}

export interface UpdateWebhookParams {
  /** Id of the webhook. */
  webhookId: string;
}

export interface Usage {
  /** Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used. */
  autarky?: number | null;
  /** Energy into storage, in kWh. Null: not known. */
  charged_kwh?: number | null;
  /** Whether all of it is known. Null: nothing is expected yet. */
  complete?: boolean | null;
  /** What consumption devices used, in kWh. Null: not known. */
  consumption_kwh?: number | null;
  /** What it costs by the tariffs of the user. Null: no tariff held. */
  cost?: Cost;
  /** Part of the expected time that is known, 0 to 1. Null: nothing is expected yet. */
  coverage?: number | null;
  /**
   * First day of the row.
   * @format date
   */
  date: string;
  /** Energy out of storage, in kWh. Null: not known. */
  discharged_kwh?: number | null;
  /** Part of `kwh_used` that is estimated, in kWh. Null: not known. */
  estimated_kwh?: number | null;
  /** Energy to the grid, in kWh. Null: not known. */
  grid_export_kwh?: number | null;
  /** Energy from the grid, in kWh. Null: not known. */
  grid_import_kwh?: number | null;
  /**
   * Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour.
   * @pattern ^\d\d:00$
   */
  hour?: string;
  /** What the home used, in kWh. Null: not known, while something in `include` is. */
  kwh_used: number | null;
  /** Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies. */
  peak_hour: string | null;
  /** Energy that the home produced, in kWh. Null: not known. */
  production_kwh?: number | null;
  /** Production that was not exported, in kWh. Null: not known. */
  self_consumed_kwh?: number | null;
  /**
   * Start of the hour, with the offset of the time zone. Only in rows by hour.
   * @format date-time
   */
  starts_at?: string;
  /** `kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known. */
  untracked_kwh?: number | null;
}

export interface UsageUpdatedEvent {
  /**
   * When the event happened.
   * @format date-time
   */
  created_at: string;
  /** What the event is about. */
  data: {
    /** The hours that changed since the last event, at most 1,000. Further hours follow in the next event. */
    hours: {
      /**
       * Day of the hour, in UTC.
       * @format date
       */
      date: string;
      /**
       * Start of the hour, in UTC, as `HH:00`.
       * @pattern ^\d\d:00$
       */
      hour: string;
      /** What the home used in the hour, in kWh. Replaces what was reported before. */
      kwh_used: number;
    }[];
    /**
     * When these values were read.
     * @format date-time
     */
    updated_at: string;
    /** Id of the user that the event is about. */
    user_id: string;
  };
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "usage.updated";
}

export interface User {
  /**
   * When the account was created.
   * @format date-time
   */
  created_at: string;
  /**
   * E-mail address.
   * @format email
   */
  email: string;
  /** Phone number in E.164 form. Null: none was given. */
  phone: string | null;
  /** Plan that sets the rate limits of the account. */
  plan: "free" | "developer" | "enterprise";
  /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
  role: "homeowner" | "utility" | "admin";
  /** IANA time zone of the user. Alerts use its hours, days and months, as do requests with `tz=account`. */
  timezone: string;
  /** Id of the user. */
  user_id: string;
}

export interface UserCreatedEvent {
  /**
   * When the event happened.
   * @format date-time
   */
  created_at: string;
  /** What the event is about. */
  data: User;
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "user.created";
}

export interface Webhook {
  /**
   * When it was created.
   * @format date-time
   */
  created_at: string;
  /** Event that is subscribed to. */
  event:
    | "usage.updated"
    | "alert.triggered"
    | "device.connected"
    | "user.created";
  /** Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed. */
  status: "active" | "paused";
  /**
   * HTTPS address that events are sent to.
   * @format uri
   */
  url: string;
  /** Id of the subscription. */
  webhook_id: string;
}

export interface WebhookDeliveriesParams {
  /**
   * Where the page starts: taken from the `Link` header of the page before. Default: the first page.
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * Most items in the answer.
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  /** Id of the webhook. */
  webhookId: string;
}

export interface WebhookTestEvent {
  /**
   * When the event happened.
   * @format date-time
   */
  created_at: string;
  /** What the event is about. */
  data: {
    /** Id of the subscription that is tested. */
    webhook_id: string;
  };
  /** Which installation it happened in. */
  environment: "live" | "sandbox";
  /** Id of the event, the same in every attempt. */
  id: string;
  /** Type of the event. */
  type: "webhook.test";
}

export type QueryParamsType = Record<string | number, any>;
export type ResponseFormat = keyof Omit<Body, "body" | "bodyUsed">;

export interface FullRequestParams extends Omit<RequestInit, "body"> {
  /** set parameter to `true` for call `securityWorker` for this request */
  secure?: boolean;
  /** request path */
  path: string;
  /** content type of request body */
  type?: ContentType;
  /** query params */
  query?: QueryParamsType;
  /** format of response (i.e. response.json() -> format: "json") */
  format?: ResponseFormat;
  /** request body */
  body?: unknown;
  /** base url */
  baseUrl?: string;
  /** request cancellation token */
  cancelToken?: CancelToken;
}

export type RequestParams = Omit<
  FullRequestParams,
  "body" | "method" | "query" | "path"
>;

export interface ApiConfig<SecurityDataType = unknown> {
  baseUrl?: string;
  baseApiParams?: Omit<RequestParams, "baseUrl" | "cancelToken" | "signal">;
  securityWorker?: (
    securityData: SecurityDataType | null,
  ) => Promise<RequestParams | void> | RequestParams | void;
  customFetch?: typeof fetch;
}

export interface HttpResponse<D extends unknown, E extends unknown = unknown>
  extends Response {
  data: D;
  error: E;
}

type CancelToken = Symbol | string | number;

export type ContentType =
  | "application/json"
  | "application/vnd.api+json"
  | "multipart/form-data"
  | "application/x-www-form-urlencoded"
  | "text/plain";

export class HttpClient<SecurityDataType = unknown> {
  public baseUrl: string = "https://localhost:8443";
  private securityData: SecurityDataType | null = null;
  private securityWorker?: ApiConfig<SecurityDataType>["securityWorker"];
  private abortControllers = new Map<CancelToken, AbortController>();
  private customFetch = (...fetchParams: Parameters<typeof fetch>) =>
    fetch(...fetchParams);

  private baseApiParams: RequestParams = {
    credentials: "same-origin",
    headers: {},
    redirect: "follow",
    referrerPolicy: "no-referrer",
  };

  constructor(apiConfig: ApiConfig<SecurityDataType> = {}) {
    Object.assign(this, apiConfig);
  }

  public setSecurityData = (data: SecurityDataType | null) => {
    this.securityData = data;
  };

  protected encodeQueryParam(key: string, value: any) {
    const encodedKey = encodeURIComponent(key);
    return `${encodedKey}=${encodeURIComponent(typeof value === "number" ? value : `${value}`)}`;
  }

  protected addQueryParam(query: QueryParamsType, key: string) {
    return this.encodeQueryParam(key, query[key]);
  }

  protected addArrayQueryParam(query: QueryParamsType, key: string) {
    const value = query[key];
    return value.map((v: any) => this.encodeQueryParam(key, v)).join("&");
  }

  protected toQueryString(rawQuery?: QueryParamsType): string {
    const query = rawQuery || {};
    const keys = Object.keys(query).filter(
      (key) => "undefined" !== typeof query[key],
    );
    return keys
      .map((key) =>
        Array.isArray(query[key])
          ? this.addArrayQueryParam(query, key)
          : this.addQueryParam(query, key),
      )
      .join("&");
  }

  protected addQueryParams(rawQuery?: QueryParamsType): string {
    const queryString = this.toQueryString(rawQuery);
    return queryString ? `?${queryString}` : "";
  }

  private contentFormatters: Record<ContentType, (input: any) => any> = {
    ["application/json"]: (input: any) =>
      input !== null && (typeof input === "object" || typeof input === "string")
        ? JSON.stringify(input)
        : input,
    ["application/vnd.api+json"]: (input: any) =>
      input !== null && (typeof input === "object" || typeof input === "string")
        ? JSON.stringify(input)
        : input,
    ["text/plain"]: (input: any) =>
      input !== null && typeof input !== "string"
        ? JSON.stringify(input)
        : input,
    ["multipart/form-data"]: (input: any) => {
      if (input instanceof FormData) {
        return input;
      }

      return Object.keys(input || {}).reduce((formData, key) => {
        const property = input[key];
        formData.append(
          key,
          property instanceof Blob
            ? property
            : typeof property === "object" && property !== null
              ? JSON.stringify(property)
              : `${property}`,
        );
        return formData;
      }, new FormData());
    },
    ["application/x-www-form-urlencoded"]: (input: any) =>
      this.toQueryString(input),
  };

  protected mergeRequestParams(
    params1: RequestParams,
    params2?: RequestParams,
  ): RequestParams {
    return {
      ...this.baseApiParams,
      ...params1,
      ...(params2 || {}),
      headers: {
        ...(this.baseApiParams.headers || {}),
        ...(params1.headers || {}),
        ...((params2 && params2.headers) || {}),
      },
    };
  }

  protected createAbortSignal = (
    cancelToken: CancelToken,
  ): AbortSignal | undefined => {
    if (this.abortControllers.has(cancelToken)) {
      const abortController = this.abortControllers.get(cancelToken);
      if (abortController) {
        return abortController.signal;
      }
      return void 0;
    }

    const abortController = new AbortController();
    this.abortControllers.set(cancelToken, abortController);
    return abortController.signal;
  };

  public abortRequest = (cancelToken: CancelToken) => {
    const abortController = this.abortControllers.get(cancelToken);

    if (abortController) {
      abortController.abort();
      this.abortControllers.delete(cancelToken);
    }
  };

  public request = async <T = any, E = any>({
    body,
    secure,
    path,
    type,
    query,
    format,
    baseUrl,
    cancelToken,
    ...params
  }: FullRequestParams): Promise<HttpResponse<T, E>> => {
    const secureParams =
      ((typeof secure === "boolean" ? secure : this.baseApiParams.secure) &&
        this.securityWorker &&
        (await this.securityWorker(this.securityData))) ||
      {};
    const requestParams = this.mergeRequestParams(params, secureParams);
    const queryString = query && this.toQueryString(query);
    const payloadFormatter = this.contentFormatters[type || "application/json"];
    const responseFormat = format || requestParams.format;

    return this.customFetch(
      `${baseUrl || this.baseUrl || ""}${path}${queryString ? `?${queryString}` : ""}`,
      {
        ...requestParams,
        headers: {
          ...(requestParams.headers || {}),
          ...(type && type !== "multipart/form-data"
            ? { "Content-Type": type }
            : {}),
        },
        signal:
          (cancelToken
            ? this.createAbortSignal(cancelToken)
            : requestParams.signal) || null,
        body:
          typeof body === "undefined" || body === null
            ? null
            : payloadFormatter(body),
      },
    ).then(async (response) => {
      const r = response as HttpResponse<T, E>;
      r.data = null as unknown as T;
      r.error = null as unknown as E;

      const responseToParse = responseFormat ? response.clone() : response;
      const data = !responseFormat
        ? r
        : await responseToParse[responseFormat]()
            .then((data) => {
              if (r.ok) {
                r.data = data;
              } else {
                r.error = data;
              }
              return r;
            })
            .catch((e) => {
              r.error = e;
              return r;
            });

      if (cancelToken) {
        this.abortControllers.delete(cancelToken);
      }

      if (!response.ok) throw data;
      return data;
    });
  };
}

/**
 * @title Energy usage service
 * @version 1.6.0
 * @license Apache-2.0
 * @baseUrl https://localhost:8443
 *
 * Smart-meter readings in over MQTT, provably right kWh out over HTTPS.
 */
export class EnergyService<
  SecurityDataType extends unknown,
> extends HttpClient<SecurityDataType> {
  v1 = {
    /**
     * @description Needs the scope `insights:read`.
     *
     * @tags energy-insights
     * @name GetEnergyInsights
     * @summary Daily, monthly or hourly usage; without dates the last 30 days in one object.
     * @request GET:/v1/energy-insights
     * @secure
     */
    getEnergyInsights: (
      query: GetEnergyInsightsParams = {},
      params: RequestParams = {},
    ) =>
      this.request<EnergyInsights, ErrorBody>({
        path: `/v1/energy-insights`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `insights:read`.
     *
     * @tags energy-insights
     * @name PostEnergyInsights
     * @summary Summary of a user’s usage over the calendar interval of now, to date, or between two dates.
     * @request POST:/v1/energy-insights
     * @secure
     */
    postEnergyInsights: (
      data: {
        /**
         * Last day of the range, inclusive. Needs `start`.
         * @format date
         */
        end?: string;
        /** What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`. Each adds `…_kwh`; `autarky` adds `autarky`, `coverage` adds `coverage` and `complete`, and `cost` adds `cost`, by the tariffs of the user. */
        include?: string;
        /** The current calendar day, week, month or year, up to now. Required unless `start` and `end` are given. */
        interval?: "day" | "week" | "month" | "year";
        /**
         * Which members the summary has: `total_kwh` and `avg_daily_kwh`, `peak_usage_time`, or all.
         * @minItems 1
         * @default ["kwh_used","peak_hour"]
         */
        metrics?: ("kwh_used" | "peak_hour")[];
        /**
         * First day of the range, in the time zone `tz`. Needs `end`.
         * @format date
         */
        start?: string;
        /**
         * IANA time zone of the days and hours. `account`: the time zone of the user.
         * @default "UTC"
         */
        tz?: string;
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<Summary, ErrorBody>({
        path: `/v1/energy-insights`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `insights:read`.
     *
     * @tags analytics
     * @name MonthlyAnalytics
     * @summary A user’s months, each beside the one before.
     * @request GET:/v1/analytics/monthly
     * @secure
     */
    monthlyAnalytics: (
      query: MonthlyAnalyticsParams = {},
      params: RequestParams = {},
    ) =>
      this.request<MonthlyAnalytics, ErrorBody>({
        path: `/v1/analytics/monthly`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `insights:read`.
     *
     * @tags usage
     * @name StreamUsage
     * @summary Live readings of a home, and its hours as they change, as server-sent events.
     * @request GET:/v1/usage/stream
     * @secure
     */
    streamUsage: (query: StreamUsageParams = {}, params: RequestParams = {}) =>
      this.request<string, ErrorBody>({
        path: `/v1/usage/stream`,
        method: "GET",
        query: query,
        secure: true,
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:write`.
     *
     * @tags alerts
     * @name CreateAlert
     * @summary Sets a threshold on a user’s usage or costs.
     * @request POST:/v1/alerts
     * @secure
     */
    createAlert: (
      data: {
        /** How the user is told. */
        delivery: "email" | "sms" | "webhook";
        /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
        threshold?: string | number;
        /**
         * Silence after which the alert fires, in hours. Only with type `no_data`, and required there.
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
         * Usage above which the alert fires, in kWh. Only with types on usage, and required there.
         * @min 0.000001
         * @max 1000000000
         */
        threshold_kwh?: number;
        /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
        type:
          | "peak_usage"
          | "daily_usage"
          | "monthly_usage"
          | "daily_cost"
          | "monthly_cost"
          | "no_data";
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          /** Id of the alert. */
          alert_id: string;
          /** `active`: the alert watches from now on. */
          status: string;
        },
        ErrorBody
      >({
        path: `/v1/alerts`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:read`.
     *
     * @tags alerts
     * @name ListAlerts
     * @summary Alerts of a user, page by page.
     * @request GET:/v1/alerts
     * @secure
     */
    listAlerts: (query: ListAlertsParams, params: RequestParams = {}) =>
      this.request<Alert[], ErrorBody>({
        path: `/v1/alerts`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:read`.
     *
     * @tags alerts
     * @name GetAlert
     * @summary One alert.
     * @request GET:/v1/alerts/{alert_id}
     * @secure
     */
    getAlert: ({ alertId }: GetAlertParams, params: RequestParams = {}) =>
      this.request<Alert, ErrorBody>({
        path: `/v1/alerts/${alertId}`,
        method: "GET",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:write`.
     *
     * @tags alerts
     * @name UpdateAlert
     * @summary Changes an alert’s threshold, delivery or status.
     * @request PATCH:/v1/alerts/{alert_id}
     * @secure
     */
    updateAlert: (
      { alertId }: UpdateAlertParams,
      data: {
        /** How the user is told. */
        delivery?: "email" | "sms" | "webhook";
        /** A paused alert does not fire. */
        status?: "active" | "paused";
        /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
        threshold?: string | number;
        /**
         * Silence after which the alert fires, in hours. Only with type `no_data`, and required there.
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
         * Usage above which the alert fires, in kWh. Only with types on usage, and required there.
         * @min 0.000001
         * @max 1000000000
         */
        threshold_kwh?: number;
      },
      params: RequestParams = {},
    ) =>
      this.request<Alert, ErrorBody>({
        path: `/v1/alerts/${alertId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:write`.
     *
     * @tags alerts
     * @name DeleteAlert
     * @summary Removes an alert.
     * @request DELETE:/v1/alerts/{alert_id}
     * @secure
     */
    deleteAlert: ({ alertId }: DeleteAlertParams, params: RequestParams = {}) =>
      this.request<Message, ErrorBody>({
        path: `/v1/alerts/${alertId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `alerts:read`.
     *
     * @tags alerts
     * @name PreviewAlert
     * @summary Says on which periods of the last 90 days an alert would have fired; makes none.
     * @request POST:/v1/alerts/preview
     * @secure
     */
    previewAlert: (
      data: {
        /** Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there. */
        threshold?: string | number;
        /**
         * Silence after which the alert fires, in hours. Only with type `no_data`, and required there.
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
         * Usage above which the alert fires, in kWh. Only with types on usage, and required there.
         * @min 0.000001
         * @max 1000000000
         */
        threshold_kwh?: number;
        /** What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`). */
        type:
          | "peak_usage"
          | "daily_usage"
          | "monthly_usage"
          | "daily_cost"
          | "monthly_cost"
          | "no_data";
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<AlertPreview, ErrorBody>({
        path: `/v1/alerts/preview`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:write`.
     *
     * @tags users
     * @name CreateUser
     * @summary Creates an account: a utility enrols homeowners, an administrator anyone.
     * @request POST:/v1/users
     * @secure
     */
    createUser: (
      data: {
        /**
         * E-mail address. No other account may have it, in whatever case.
         * @format email
         * @maxLength 254
         */
        email: string;
        /**
         * Phone number in E.164 form, such as +4915112345678.
         * @pattern ^\+[1-9]\d{6,14}$
         */
        phone?: string;
        /** Plan that sets the rate limits of the account. */
        plan?: "free" | "developer" | "enterprise";
        /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
        role: "homeowner" | "utility" | "admin";
        /** IANA time zone of the user, such as Europe/Berlin. Default: UTC. */
        timezone?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          /** `created`. */
          status: string;
          /** Id of the new user. */
          user_id: string;
        },
        ErrorBody
      >({
        path: `/v1/users`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:read`.
     *
     * @tags users
     * @name ListUsers
     * @summary The accounts that the caller reaches, page by page.
     * @request GET:/v1/users
     * @secure
     */
    listUsers: (query: ListUsersParams = {}, params: RequestParams = {}) =>
      this.request<User[], ErrorBody>({
        path: `/v1/users`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:read`.
     *
     * @tags users
     * @name GetUser
     * @summary One account.
     * @request GET:/v1/users/{user_id}
     * @secure
     */
    getUser: ({ userId }: GetUserParams, params: RequestParams = {}) =>
      this.request<User, ErrorBody>({
        path: `/v1/users/${userId}`,
        method: "GET",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:write`.
     *
     * @tags users
     * @name UpdateUser
     * @summary Changes an account. Role and plan are an administrator’s to change. A changed `email` needs keys:write, too; it is told to the old address, and ends the account’s sessions.
     * @request PATCH:/v1/users/{user_id}
     * @secure
     */
    updateUser: (
      { userId }: UpdateUserParams,
      data: {
        /**
         * E-mail address. No other account may have it, in whatever case.
         * @format email
         * @maxLength 254
         */
        email?: string;
        /** Phone number in E.164 form. Null removes it. */
        phone?: string | null;
        /** Plan that sets the rate limits of the account. */
        plan?: "free" | "developer" | "enterprise";
        /** What the user may do: its own data, that of the homeowners it enrolled, or all. */
        role?: "homeowner" | "utility" | "admin";
        /** IANA time zone of the user, such as Europe/Berlin. Default: UTC. */
        timezone?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<User, ErrorBody>({
        path: `/v1/users/${userId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:write`.
     *
     * @tags users
     * @name DeleteUser
     * @summary Removes an account with all that is known of it.
     * @request DELETE:/v1/users/{user_id}
     * @secure
     */
    deleteUser: ({ userId }: DeleteUserParams, params: RequestParams = {}) =>
      this.request<Message, ErrorBody>({
        path: `/v1/users/${userId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scopes `insights:read`, `alerts:read`, `users:read`, `devices:read`, `webhooks:read`, `tariffs:read`.
     *
     * @tags users
     * @name ExportUser
     * @summary Everything that is known of an account as a ZIP of JSON and CSV files; secrets are left out.
     * @request GET:/v1/users/{user_id}/export
     * @secure
     */
    exportUser: ({ userId }: ExportUserParams, params: RequestParams = {}) =>
      this.request<Blob, ErrorBody>({
        path: `/v1/users/${userId}/export`,
        method: "GET",
        secure: true,
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:write`.
     *
     * @tags webhooks
     * @name CreateWebhook
     * @summary Subscribes the caller to an event.
     * @request POST:/v1/webhooks
     * @secure
     */
    createWebhook: (
      data: {
        /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered. */
        auth_token: string;
        /** Event that is subscribed to. */
        event:
          | "usage.updated"
          | "alert.triggered"
          | "device.connected"
          | "user.created";
        /**
         * HTTPS address that events are sent to, without credentials.
         * @format uri
         * @maxLength 2048
         */
        url: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          /** `active`: events are sent from now on. */
          status: string;
          /** Id of the subscription. */
          webhook_id: string;
        },
        ErrorBody
      >({
        path: `/v1/webhooks`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:read`.
     *
     * @tags webhooks
     * @name ListWebhooks
     * @summary The caller’s own subscriptions, page by page.
     * @request GET:/v1/webhooks
     * @secure
     */
    listWebhooks: (
      query: ListWebhooksParams = {},
      params: RequestParams = {},
    ) =>
      this.request<Webhook[], ErrorBody>({
        path: `/v1/webhooks`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:write`.
     *
     * @tags webhooks
     * @name UpdateWebhook
     * @summary Pauses or resumes a subscription, or changes its address or secret (both secrets are valid for 24 h).
     * @request PATCH:/v1/webhooks/{webhook_id}
     * @secure
     */
    updateWebhook: (
      { webhookId }: UpdateWebhookParams,
      data: {
        /** Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered. */
        auth_token?: string;
        /** Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed. */
        status?: "active" | "paused";
        /**
         * HTTPS address that events are sent to, without credentials.
         * @format uri
         * @maxLength 2048
         */
        url?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<Webhook, ErrorBody>({
        path: `/v1/webhooks/${webhookId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:write`.
     *
     * @tags webhooks
     * @name DeleteWebhook
     * @summary Ends a subscription.
     * @request DELETE:/v1/webhooks/{webhook_id}
     * @secure
     */
    deleteWebhook: (
      { webhookId }: DeleteWebhookParams,
      params: RequestParams = {},
    ) =>
      this.request<Message, ErrorBody>({
        path: `/v1/webhooks/${webhookId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:read`.
     *
     * @tags webhooks
     * @name WebhookDeliveries
     * @summary Deliveries of a subscription with all their tries, the youngest first, of the last 30 days.
     * @request GET:/v1/webhooks/{webhook_id}/deliveries
     * @secure
     */
    webhookDeliveries: (
      { webhookId, ...query }: WebhookDeliveriesParams,
      params: RequestParams = {},
    ) =>
      this.request<Delivery[], ErrorBody>({
        path: `/v1/webhooks/${webhookId}/deliveries`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:write`.
     *
     * @tags webhooks
     * @name RetryDelivery
     * @summary Tries a delivery again, at once and with all its retries; that of a paused subscription when it is resumed.
     * @request POST:/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry
     * @secure
     */
    retryDelivery: (
      { webhookId, deliveryId }: RetryDeliveryParams,
      params: RequestParams = {},
    ) =>
      this.request<Delivery, ErrorBody>({
        path: `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/retry`,
        method: "POST",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `webhooks:write`.
     *
     * @tags webhooks
     * @name TestWebhook
     * @summary Queues an event webhook.test for a subscription; its delivery says how it went.
     * @request POST:/v1/webhooks/{webhook_id}/test
     * @secure
     */
    testWebhook: (
      { webhookId }: TestWebhookParams,
      params: RequestParams = {},
    ) =>
      this.request<Delivery, ErrorBody>({
        path: `/v1/webhooks/${webhookId}/test`,
        method: "POST",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags devices
     * @name CreateDevice
     * @summary Pairs a device; its MQTT password is shown here and never again. One that was discovered through a gateway goes on with the gateway’s credentials.
     * @request POST:/v1/devices
     * @secure
     */
    createDevice: (
      data: {
        /**
         * What quantities of the device count as. Those that are not named stay as they are.
         * @maxItems 200
         */
        channels?: {
          /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water` or `ignored`. Null takes back what was said. */
          counts_as?: string | null;
          /**
           * What the device calls the quantity.
           * @minLength 1
           * @maxLength 300
           */
          native_name: string;
          /** Where the quantity is measured. Null: where its device is. */
          placement?:
            | "grid"
            | "production"
            | "storage"
            | "consumption"
            | "excluded"
            | null;
        }[];
        /** Pairs this discovered device, which keeps the credentials of its gateway. */
        discovery_id?: string;
        /**
         * Highest plausible load, in kW. A register that rises faster is held until later readings confirm it.
         * @exclusiveMin 0
         * @max 1000000
         */
        limit_kw?: number;
        /**
         * Where the device is, in the words of its owner.
         * @minLength 1
         * @maxLength 200
         */
        location: string;
        /**
         * Longest silence that power readings are integrated over, in minutes.
         * @exclusiveMin 0
         * @max 1440
         */
        max_gap_minutes?: number;
        /** Where the device sits in its home. `excluded`: it does not count. Default: a guess from what it is. */
        placement?:
          | "grid"
          | "production"
          | "storage"
          | "consumption"
          | "excluded";
        /**
         * Value at which the register starts again at 0, in kWh. Default: it never does.
         * @exclusiveMin 0
         * @max 9000000000
         */
        register_max_kwh?: number;
        /** IANA time zone of a device that reports local time. Default: that of its owner. */
        timezone?: string;
        /**
         * What kind of device it is, in the words of its owner, such as `electricity_meter`.
         * @minLength 1
         * @maxLength 64
         */
        type: string;
        /** Id of the device whose measurement includes this one. Default: none. */
        upstream_device_id?: string;
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<PairedDevice, ErrorBody>({
        path: `/v1/devices`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:read`.
     *
     * @tags devices
     * @name ListDevices
     * @summary The devices of a user, page by page.
     * @request GET:/v1/devices
     * @secure
     */
    listDevices: (query: ListDevicesParams = {}, params: RequestParams = {}) =>
      this.request<Device[], ErrorBody>({
        path: `/v1/devices`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:read`.
     *
     * @tags devices
     * @name DiscoveredDevices
     * @summary Devices heard through a user’s gateways that are not paired, page by page.
     * @request GET:/v1/devices/discovered
     * @secure
     */
    discoveredDevices: (
      query: DiscoveredDevicesParams = {},
      params: RequestParams = {},
    ) =>
      this.request<DiscoveredDevice[], ErrorBody>({
        path: `/v1/devices/discovered`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:read`.
     *
     * @tags devices
     * @name GetDevice
     * @summary One device with its settings.
     * @request GET:/v1/devices/{device_id}
     * @secure
     */
    getDevice: ({ deviceId }: GetDeviceParams, params: RequestParams = {}) =>
      this.request<DeviceDetails, ErrorBody>({
        path: `/v1/devices/${deviceId}`,
        method: "GET",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags devices
     * @name UpdateDevice
     * @summary Changes a device. Limits, and what its channels count as, hold for its past, too: it is computed anew within seconds.
     * @request PATCH:/v1/devices/{device_id}
     * @secure
     */
    updateDevice: (
      { deviceId }: UpdateDeviceParams,
      data: {
        /**
         * What quantities of the device count as. Those that are not named stay as they are.
         * @maxItems 200
         */
        channels?: {
          /** What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water` or `ignored`. Null takes back what was said. */
          counts_as?: string | null;
          /**
           * What the device calls the quantity.
           * @minLength 1
           * @maxLength 300
           */
          native_name: string;
          /** Where the quantity is measured. Null: where its device is. */
          placement?:
            | "grid"
            | "production"
            | "storage"
            | "consumption"
            | "excluded"
            | null;
        }[];
        /** Settings for the decoders, for what devices do not report themselves. Unknown members are kept. */
        decoder_config?: {
          /** How Zigbee2MQTT publishes. */
          zigbee2mqtt?: {
            /**
             * With `attribute`: the names of its devices, which may contain slashes.
             * @maxItems 2000
             */
            devices?: string[];
            /** How it publishes (its setting `output`). */
            output?: "json" | "attribute" | "attribute_and_json";
          };
          /** Pulse counters of emon nodes, by `node/name`. */
          emon?: Partial<
            Record<
              string,
              {
                /**
                 * How many pulses make a kWh.
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                pulses_per_kwh?: number;
              }
            >
          >;
          /** Meters that count, by the id of the meter. */
          meter?: Partial<
            Record<
              string,
              {
                /**
                 * How many of that unit one count is.
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                multiplier?: number;
                /**
                 * Unit of the counts.
                 * @minLength 1
                 * @maxLength 200
                 */
                unit?: string;
              }
            >
          >;
          /** Where SenML is published. */
          senml?: {
            /**
             * MQTT topic filters on which SenML packs arrive.
             * @maxItems 100
             */
            topics: string[];
          };
          /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
          tasmota?: Partial<
            Record<
              string,
              {
                /**
                 * What the quantity counts as.
                 * @pattern ^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$
                 */
                counts_as: string;
                /** Its unit. Default: kWh. m³ and litres are for gas, heat and water. */
                unit?: "Wh" | "kWh" | "MWh" | "W" | "kW" | "m3" | "l";
              }
            >
          >;
          /** IANA time zone of devices that report local time without one. */
          tz?: string;
          [key: string]: any;
        };
        /**
         * Highest plausible load, in kW. A register that rises faster is held until later readings confirm it.
         * @exclusiveMin 0
         * @max 1000000
         */
        limit_kw?: number;
        /**
         * Where the device is, in the words of its owner.
         * @minLength 1
         * @maxLength 200
         */
        location?: string;
        /**
         * Longest silence that power readings are integrated over, in minutes.
         * @exclusiveMin 0
         * @max 1440
         */
        max_gap_minutes?: number;
        /** Where the device sits in its home. `excluded`: it does not count. */
        placement?:
          | "grid"
          | "production"
          | "storage"
          | "consumption"
          | "excluded";
        /** Value at which the register starts again at 0, in kWh. Null: it never does. */
        register_max_kwh?: number | null;
        /** IANA time zone of a device that reports local time. Null: that of its owner. */
        timezone?: string | null;
        /**
         * What kind of device it is, in the words of its owner, such as `electricity_meter`.
         * @minLength 1
         * @maxLength 64
         */
        type?: string;
        /** Id of the device whose measurement includes this one. Null: none. */
        upstream_device_id?: string | null;
      },
      params: RequestParams = {},
    ) =>
      this.request<DeviceDetails, ErrorBody>({
        path: `/v1/devices/${deviceId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags devices
     * @name DeleteDevice
     * @summary Ends a device and its credentials; what it consumed stays in its owner’s history.
     * @request DELETE:/v1/devices/{device_id}
     * @secure
     */
    deleteDevice: (
      { deviceId }: DeleteDeviceParams,
      params: RequestParams = {},
    ) =>
      this.request<Message, ErrorBody>({
        path: `/v1/devices/${deviceId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `insights:read`.
     *
     * @tags devices
     * @name DeviceUsage
     * @summary Usage of one device, and the climate that a thermostat reports; without dates the last 30 days.
     * @request GET:/v1/devices/{device_id}/usage
     * @secure
     */
    deviceUsage: (
      { deviceId, ...query }: DeviceUsageParams,
      params: RequestParams = {},
    ) =>
      this.request<DeviceUsage, ErrorBody>({
        path: `/v1/devices/${deviceId}/usage`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags gateways
     * @name CreateGateway
     * @summary Makes a gateway; its MQTT password is shown here and never again.
     * @request POST:/v1/gateways
     * @secure
     */
    createGateway: (
      data: {
        /**
         * What its owner calls the gateway.
         * @minLength 1
         * @maxLength 100
         */
        name: string;
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<CreatedGateway, ErrorBody>({
        path: `/v1/gateways`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:read`.
     *
     * @tags gateways
     * @name ListGateways
     * @summary The gateways of a user, page by page.
     * @request GET:/v1/gateways
     * @secure
     */
    listGateways: (
      query: ListGatewaysParams = {},
      params: RequestParams = {},
    ) =>
      this.request<Gateway[], ErrorBody>({
        path: `/v1/gateways`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags gateways
     * @name UpdateGateway
     * @summary Renames a gateway, or changes what decoders must know of all that lies below it.
     * @request PATCH:/v1/gateways/{gateway_id}
     * @secure
     */
    updateGateway: (
      { gatewayId }: UpdateGatewayParams,
      data: {
        /** Settings for the decoders, for what devices do not report themselves. Unknown members are kept. */
        decoder_config?: {
          /** How Zigbee2MQTT publishes. */
          zigbee2mqtt?: {
            /**
             * With `attribute`: the names of its devices, which may contain slashes.
             * @maxItems 2000
             */
            devices?: string[];
            /** How it publishes (its setting `output`). */
            output?: "json" | "attribute" | "attribute_and_json";
          };
          /** Pulse counters of emon nodes, by `node/name`. */
          emon?: Partial<
            Record<
              string,
              {
                /**
                 * How many pulses make a kWh.
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                pulses_per_kwh?: number;
              }
            >
          >;
          /** Meters that count, by the id of the meter. */
          meter?: Partial<
            Record<
              string,
              {
                /**
                 * How many of that unit one count is.
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                multiplier?: number;
                /**
                 * Unit of the counts.
                 * @minLength 1
                 * @maxLength 200
                 */
                unit?: string;
              }
            >
          >;
          /** Where SenML is published. */
          senml?: {
            /**
             * MQTT topic filters on which SenML packs arrive.
             * @maxItems 100
             */
            topics: string[];
          };
          /** Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone. */
          tasmota?: Partial<
            Record<
              string,
              {
                /**
                 * What the quantity counts as.
                 * @pattern ^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$
                 */
                counts_as: string;
                /** Its unit. Default: kWh. m³ and litres are for gas, heat and water. */
                unit?: "Wh" | "kWh" | "MWh" | "W" | "kW" | "m3" | "l";
              }
            >
          >;
          /** IANA time zone of devices that report local time without one. */
          tz?: string;
          [key: string]: any;
        };
        /**
         * What its owner calls the gateway.
         * @minLength 1
         * @maxLength 100
         */
        name?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<Gateway, ErrorBody>({
        path: `/v1/gateways/${gatewayId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `devices:write`.
     *
     * @tags gateways
     * @name DeleteGateway
     * @summary Ends a gateway and its credentials. Devices that were paired through it stay, with their past.
     * @request DELETE:/v1/gateways/{gateway_id}
     * @secure
     */
    deleteGateway: (
      { gatewayId }: DeleteGatewayParams,
      params: RequestParams = {},
    ) =>
      this.request<Message, ErrorBody>({
        path: `/v1/gateways/${gatewayId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags tariffs
     * @name CreateTariff
     * @summary Says what a user pays for energy from a day on, and gets for what is fed in.
     * @request POST:/v1/tariffs
     * @secure
     */
    createTariff: (
      data: {
        /** What the highest quarter-hour of a month costs. Default: nothing. */
        capacity?: {
          /** What a peak counts as at least, in kW. Default: 0. */
          minimum_kw?: string | number;
          /**
           * Over how many months the peaks are averaged. Default: 1.
           * @min 1
           * @max 12
           */
          months_averaged?: number;
          /** Price of a kW of the peak, for a month. */
          per_kw_month: string | number;
        };
        /** Currency of all its amounts (ISO 4217), such as `EUR`. */
        currency: string;
        /** What is paid for energy into the grid. Default: nothing. */
        export?:
          | {
              /** Price of a kWh. */
              per_kwh: string | number;
            }
          | {
              /**
               * Prices by the clock, weekday and month. The first that fits holds; the last one has no condition.
               * @maxItems 500
               * @minItems 1
               */
              periods: {
                /**
                 * Weekdays on which the price holds, 1 is Monday. Default: all.
                 * @maxItems 7
                 * @minItems 1
                 */
                days?: number[];
                /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
                from?: string;
                /**
                 * Months in which the price holds, 1 is January. Default: all.
                 * @maxItems 12
                 * @minItems 1
                 */
                months?: number[];
                /** Price of a kWh. */
                per_kwh: string | number;
                /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
                to?: string;
              }[];
            }
          | {
              /** What is added to the price of a kWh after that. Default: 0. */
              add?: string | number;
              /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
              multiply?: string | number;
              /**
               * Id of the price series. The price of a kWh is that of the series × `multiply` + `add`.
               * @minLength 1
               * @maxLength 100
               */
              series_id: string;
            };
        /** What energy from the grid costs. */
        import:
          | {
              /** Price of a kWh. */
              per_kwh: string | number;
            }
          | {
              /**
               * Prices by the clock, weekday and month. The first that fits holds; the last one has no condition.
               * @maxItems 500
               * @minItems 1
               */
              periods: {
                /**
                 * Weekdays on which the price holds, 1 is Monday. Default: all.
                 * @maxItems 7
                 * @minItems 1
                 */
                days?: number[];
                /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
                from?: string;
                /**
                 * Months in which the price holds, 1 is January. Default: all.
                 * @maxItems 12
                 * @minItems 1
                 */
                months?: number[];
                /** Price of a kWh. */
                per_kwh: string | number;
                /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
                to?: string;
              }[];
            }
          | {
              /** What is added to the price of a kWh after that. Default: 0. */
              add?: string | number;
              /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
              multiply?: string | number;
              /**
               * Id of the price series. The price of a kWh is that of the series × `multiply` + `add`.
               * @minLength 1
               * @maxLength 100
               */
              series_id: string;
            };
        /**
         * What the owner calls it.
         * @minLength 1
         * @maxLength 200
         */
        name: string;
        /** What each day costs, whatever is used. Default: nothing. */
        standing_per_day?: string | number;
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
        /**
         * First day on which it holds, in the time zone of the user. It holds until the day before the next one’s.
         * @format date
         */
        valid_from: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<Tariff, ErrorBody>({
        path: `/v1/tariffs`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:read`.
     *
     * @tags tariffs
     * @name ListTariffs
     * @summary The tariffs of a user in order of `valid_from`, page by page.
     * @request GET:/v1/tariffs
     * @secure
     */
    listTariffs: (query: ListTariffsParams = {}, params: RequestParams = {}) =>
      this.request<Tariff[], ErrorBody>({
        path: `/v1/tariffs`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:read`.
     *
     * @tags tariffs
     * @name GetTariff
     * @summary One tariff.
     * @request GET:/v1/tariffs/{tariff_id}
     * @secure
     */
    getTariff: ({ tariffId }: GetTariffParams, params: RequestParams = {}) =>
      this.request<Tariff, ErrorBody>({
        path: `/v1/tariffs/${tariffId}`,
        method: "GET",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags tariffs
     * @name UpdateTariff
     * @summary Changes a tariff. What changes holds for the past that it covers, too.
     * @request PATCH:/v1/tariffs/{tariff_id}
     * @secure
     */
    updateTariff: (
      { tariffId }: UpdateTariffParams,
      data: {
        /** What the highest quarter-hour of a month costs. Null: nothing. */
        capacity?: {
          /** What a peak counts as at least, in kW. Default: 0. */
          minimum_kw?: string | number;
          /**
           * Over how many months the peaks are averaged. Default: 1.
           * @min 1
           * @max 12
           */
          months_averaged?: number;
          /** Price of a kW of the peak, for a month. */
          per_kw_month: string | number;
        } | null;
        /** Currency of all its amounts (ISO 4217), such as `EUR`. */
        currency?: string;
        /** What is paid for energy into the grid. Null: nothing. */
        export?:
          | (
              | {
                  /** Price of a kWh. */
                  per_kwh: string | number;
                }
              | {
                  /**
                   * Prices by the clock, weekday and month. The first that fits holds; the last one has no condition.
                   * @maxItems 500
                   * @minItems 1
                   */
                  periods: {
                    /**
                     * Weekdays on which the price holds, 1 is Monday. Default: all.
                     * @maxItems 7
                     * @minItems 1
                     */
                    days?: number[];
                    /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
                    from?: string;
                    /**
                     * Months in which the price holds, 1 is January. Default: all.
                     * @maxItems 12
                     * @minItems 1
                     */
                    months?: number[];
                    /** Price of a kWh. */
                    per_kwh: string | number;
                    /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
                    to?: string;
                  }[];
                }
              | {
                  /** What is added to the price of a kWh after that. Default: 0. */
                  add?: string | number;
                  /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
                  multiply?: string | number;
                  /**
                   * Id of the price series. The price of a kWh is that of the series × `multiply` + `add`.
                   * @minLength 1
                   * @maxLength 100
                   */
                  series_id: string;
                }
            )
          | null;
        /** What energy from the grid costs. */
        import?:
          | {
              /** Price of a kWh. */
              per_kwh: string | number;
            }
          | {
              /**
               * Prices by the clock, weekday and month. The first that fits holds; the last one has no condition.
               * @maxItems 500
               * @minItems 1
               */
              periods: {
                /**
                 * Weekdays on which the price holds, 1 is Monday. Default: all.
                 * @maxItems 7
                 * @minItems 1
                 */
                days?: number[];
                /** Time of day from which the price holds, a whole quarter-hour. Default: 00:00. */
                from?: string;
                /**
                 * Months in which the price holds, 1 is January. Default: all.
                 * @maxItems 12
                 * @minItems 1
                 */
                months?: number[];
                /** Price of a kWh. */
                per_kwh: string | number;
                /** Time of day until which the price holds, a whole quarter-hour. Before `from`: of the next day. Default: 24:00. */
                to?: string;
              }[];
            }
          | {
              /** What is added to the price of a kWh after that. Default: 0. */
              add?: string | number;
              /** Factor on the price of the series, such as 1.19 for a tax. Default: 1. */
              multiply?: string | number;
              /**
               * Id of the price series. The price of a kWh is that of the series × `multiply` + `add`.
               * @minLength 1
               * @maxLength 100
               */
              series_id: string;
            };
        /**
         * What the owner calls it.
         * @minLength 1
         * @maxLength 200
         */
        name?: string;
        /** What each day costs, whatever is used. Null: nothing. */
        standing_per_day?: string | number | null;
        /**
         * First day on which it holds, in the time zone of the user. It holds until the day before the next one’s.
         * @format date
         */
        valid_from?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<Tariff, ErrorBody>({
        path: `/v1/tariffs/${tariffId}`,
        method: "PATCH",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags tariffs
     * @name DeleteTariff
     * @summary Removes a tariff. The one before it holds in its place.
     * @request DELETE:/v1/tariffs/{tariff_id}
     * @secure
     */
    deleteTariff: (
      { tariffId }: DeleteTariffParams,
      params: RequestParams = {},
    ) =>
      this.request<Message, ErrorBody>({
        path: `/v1/tariffs/${tariffId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags price-series
     * @name CreatePriceSeries
     * @summary Makes a price series, for prices that are told as they become known. That of a utility can be used by its homeowners, that of an administrator by everybody.
     * @request POST:/v1/price-series
     * @secure
     */
    createPriceSeries: (
      data: {
        /** Currency of the prices (ISO 4217), such as `EUR`. */
        currency: string;
        /**
         * What the owner calls it, such as the market that the prices are of.
         * @minLength 1
         * @maxLength 200
         */
        name: string;
        /** For how long each price holds, in minutes. */
        resolution_minutes: 15 | 30 | 60;
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<PriceSeries, ErrorBody>({
        path: `/v1/price-series`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:read`.
     *
     * @tags price-series
     * @name ListPriceSeries
     * @summary The price series that a user can use, page by page: its own, its utility’s and those of administrators.
     * @request GET:/v1/price-series
     * @secure
     */
    listPriceSeries: (
      query: ListPriceSeriesParams = {},
      params: RequestParams = {},
    ) =>
      this.request<PriceSeries[], ErrorBody>({
        path: `/v1/price-series`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:read`.
     *
     * @tags price-series
     * @name GetPriceSeries
     * @summary One price series, of those that the caller can use too.
     * @request GET:/v1/price-series/{series_id}
     * @secure
     */
    getPriceSeries: (
      { seriesId }: GetPriceSeriesParams,
      params: RequestParams = {},
    ) =>
      this.request<PriceSeries, ErrorBody>({
        path: `/v1/price-series/${seriesId}`,
        method: "GET",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags price-series
     * @name DeletePriceSeries
     * @summary Removes a price series and its prices, unless a tariff uses it.
     * @request DELETE:/v1/price-series/{series_id}
     * @secure
     */
    deletePriceSeries: (
      { seriesId }: DeletePriceSeriesParams,
      params: RequestParams = {},
    ) =>
      this.request<Message, ErrorBody>({
        path: `/v1/price-series/${seriesId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:read`.
     *
     * @tags price-series
     * @name ListPrices
     * @summary The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.
     * @request GET:/v1/price-series/{series_id}/prices
     * @secure
     */
    listPrices: (
      { seriesId, ...query }: ListPricesParams,
      params: RequestParams = {},
    ) =>
      this.request<Price[], ErrorBody>({
        path: `/v1/price-series/${seriesId}/prices`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `tariffs:write`.
     *
     * @tags price-series
     * @name PutPrices
     * @summary Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken.
     * @request PUT:/v1/price-series/{series_id}/prices
     * @secure
     */
    putPrices: (
      { seriesId }: PutPricesParams,
      data: {
        /** Price of a kWh. It may be negative. */
        per_kwh: string | number;
        /**
         * From when on the price holds: a multiple of the resolution in UTC. It holds for the resolution only.
         * @format date-time
         */
        starts_at: string;
      }[],
      params: RequestParams = {},
    ) =>
      this.request<
        {
          /** Id of the price series. */
          series_id: string;
          /** How many prices were stored: those of the request. */
          stored: number;
        },
        ErrorBody
      >({
        path: `/v1/price-series/${seriesId}/prices`,
        method: "PUT",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `keys:write`.
     *
     * @tags keys
     * @name CreateKey
     * @summary Creates a key; it is shown here and never again. A key can create only what it may do itself; a utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most.
     * @request POST:/v1/keys
     * @secure
     */
    createKey: (
      data: {
        /**
         * When the key ends. Default: never.
         * @format date-time
         */
        expires_at?: string;
        /**
         * What its owner calls the key.
         * @minLength 1
         * @maxLength 100
         */
        name?: string;
        /**
         * What the key may do. Default: all, or what a utility may give to its homeowners.
         * @minItems 1
         */
        scopes?: (
          | "insights:read"
          | "alerts:read"
          | "alerts:write"
          | "users:read"
          | "users:write"
          | "devices:read"
          | "devices:write"
          | "webhooks:read"
          | "webhooks:write"
          | "tariffs:read"
          | "tariffs:write"
          | "keys:write"
        )[];
        /** Id of the user. Default: the owner of the key. A homeowner can name only itself. */
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<CreatedKey, ErrorBody>({
        path: `/v1/keys`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `keys:write`.
     *
     * @tags keys
     * @name ListKeys
     * @summary The keys of a user that are not revoked, page by page; never the keys themselves.
     * @request GET:/v1/keys
     * @secure
     */
    listKeys: (query: ListKeysParams = {}, params: RequestParams = {}) =>
      this.request<Key[], ErrorBody>({
        path: `/v1/keys`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `keys:write`.
     *
     * @tags keys
     * @name RevokeKey
     * @summary Revokes a key: it changes nothing from now on, and reads nothing after 10 seconds.
     * @request DELETE:/v1/keys/{key_id}
     * @secure
     */
    revokeKey: ({ keyId }: RevokeKeyParams, params: RequestParams = {}) =>
      this.request<Message, ErrorBody>({
        path: `/v1/keys/${keyId}`,
        method: "DELETE",
        secure: true,
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `keys:write`.
     *
     * @tags keys
     * @name RotateKey
     * @summary Makes a new key like an old one, which goes on for 24 h, or as many hours as are named.
     * @request POST:/v1/keys/{key_id}/rotate
     * @secure
     */
    rotateKey: (
      { keyId }: RotateKeyParams,
      data?: {
        /**
         * How long the old key goes on, in hours. Default: 24.
         * @min 0
         * @max 720
         */
        overlap_hours?: number;
      },
      params: RequestParams = {},
    ) =>
      this.request<RotatedKey, ErrorBody>({
        path: `/v1/keys/${keyId}/rotate`,
        method: "POST",
        body: data,
        secure: true,
        type: "application/json",
        format: "json",
        ...params,
      }),

    /**
     * @description Needs the scope `users:read`.
     *
     * @tags audit
     * @name ListAudit
     * @summary Who did what to whom in the last 24 months, the latest first, page by page; `user_id`: what this account did, and what was done to it. For administrators.
     * @request GET:/v1/audit
     * @secure
     */
    listAudit: (query: ListAuditParams = {}, params: RequestParams = {}) =>
      this.request<Act[], ErrorBody>({
        path: `/v1/audit`,
        method: "GET",
        query: query,
        secure: true,
        format: "json",
        ...params,
      }),
  };
}
