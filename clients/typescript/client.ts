/**
 * Typed client of the energy usage service, for copying into your own project: it needs nothing but fetch.
 * Generated from the OpenAPI document by `npm run client`; a test holds it to the document.
 */
/* eslint-disable */
// @ts-nocheck — what a generator writes for every environment at once fits none of them strictly; its types serve those who import it.
export interface Act {
  /** Such as `key.created`. */
  action: string;
  /** The API key or the session that it came with. */
  actor_key_id: string | null;
  /** Null: an operator at the command line, or somebody who was not signed in. `erased_…`: the account is gone. */
  actor_user_id: string | null;
  /** An IP address, or `cli`. */
  address: string | null;
  /** @format date-time */
  at: string;
  audit_id: string;
  details: Partial<Record<string, any>>;
  /** Id of what was changed. */
  target: string | null;
}

export interface Alert {
  alert_id: string;
  /** @format date-time */
  created_at: string;
  delivery: "email" | "sms" | "webhook";
  status: "active" | "paused";
  threshold_hours?: number;
  threshold_kwh?: number;
  type: "peak_usage" | "daily_usage" | "monthly_usage" | "no_data";
  user_id: string;
}

export interface AlertPreview {
  data: {
    device_id?: string;
    kwh_used?: number;
    period_end: string | null;
    /** @format date-time */
    period_start: string;
  }[];
  user_id: string;
}

export interface CommodityUsage {
  estimated_m3?: number;
  m3_used?: number;
  complete?: boolean | null;
  coverage?: number | null;
  /** @format date */
  date: string;
  estimated_kwh?: number;
  hour?: string;
  kwh_used?: number;
  peak_hour: string | null;
  /** @format date-time */
  starts_at?: string;
}

export interface CreatedGateway {
  /** @format date-time */
  created_at: string;
  decoder_config: Partial<Record<string, any>>;
  gateway_id: string;
  mqtt: {
    password: string;
    topic_prefix: string;
    username: string;
  };
  name: string;
  user_id: string;
}

export interface CreatedKey {
  expires_at: string | null;
  key: string;
  key_id: string;
  prefix: string;
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
    | "keys:write"
  )[];
}

export interface DeleteAlertParams {
  alertId: string;
}

export interface DeleteDeviceParams {
  deviceId: string;
}

export interface DeleteGatewayParams {
  gatewayId: string;
}

export interface DeleteUserParams {
  userId: string;
}

export interface DeleteWebhookParams {
  webhookId: string;
}

export interface Delivery {
  attempts: {
    /** @format date-time */
    at: string;
    duration_ms: number;
    error: string | null;
    response_status: number | null;
  }[];
  delivery_id: string;
  event: string;
  event_id: string;
  next_attempt_at: string | null;
  status: "pending" | "succeeded" | "failed";
}

export interface Device {
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  device_id: string;
  last_seen_at: string | null;
  location: string;
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  status: "active" | "inactive" | "faulty";
  type: string;
  upstream_device_id: string | null;
}

export interface DeviceDetails {
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  channels: {
    counts_as: string | null;
    last_at: string | null;
    last_value: number | null;
    native_name: string;
    placement:
      | "grid"
      | "production"
      | "storage"
      | "consumption"
      | "excluded"
      | null;
    unit: string | null;
  }[];
  /** @format date-time */
  created_at: string;
  decoder_config: Partial<Record<string, any>>;
  device_id: string;
  last_seen_at: string | null;
  limit_kw: number;
  location: string;
  max_gap_minutes: number;
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  register_max_kwh: number | null;
  status: "active" | "inactive" | "faulty";
  timezone: string | null;
  type: string;
  upstream_device_id: string | null;
  user_id: string;
}

export interface DeviceUsage {
  data: {
    autarky?: number | null;
    charged_kwh?: number | null;
    complete?: boolean | null;
    consumption_kwh?: number | null;
    coverage?: number | null;
    /** @format date */
    date: string;
    discharged_kwh?: number | null;
    estimated_kwh?: number | null;
    export_kwh?: number | null;
    grid_export_kwh?: number | null;
    grid_import_kwh?: number | null;
    heating_minutes?: number | null;
    hour?: string;
    kwh_used: number | null;
    peak_hour: string | null;
    production_kwh?: number | null;
    self_consumed_kwh?: number | null;
    setpoint_c?: number | null;
    /** @format date-time */
    starts_at?: string;
    temperature_c?: {
      max: number;
      mean: number;
      min: number;
    } | null;
    untracked_kwh?: number | null;
  }[];
  device_id: string;
}

export interface DeviceUsageParams {
  deviceId: string;
  end?: string;
  group_by?: "day" | "month" | "hour";
  include?: string;
  start?: string;
  /** @default "UTC" */
  tz?: string;
}

export interface DiscoveredDevice {
  channels: string[];
  discovery_id: string;
  family: string;
  /** @format date-time */
  first_seen_at: string;
  gateway_id: string;
  /** @format date-time */
  last_seen_at: string;
  native_id: string;
  quantities: {
    channel: string;
    counts: "import" | "export" | null;
    kind: string;
  }[];
}

export interface DiscoveredDevicesParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id?: string;
}

export type EnergyInsights =
  | {
      data: Usage[];
      user_id: string;
    }
  | {
      data: CommodityUsage[];
      user_id: string;
    }
  | {
      estimated_m3?: number;
      m3_used?: number;
      complete?: boolean | null;
      coverage?: number | null;
      date_range: {
        /** @format date */
        end: string;
        /** @format date */
        start: string;
      };
      estimated_kwh?: number;
      kwh_used?: number;
      peak_usage_time: string | null;
      user_id: string;
    }
  | {
      autarky?: number | null;
      charged_kwh?: number | null;
      complete?: boolean | null;
      consumption_kwh?: number | null;
      coverage?: number | null;
      date_range: {
        /** @format date */
        end: string;
        /** @format date */
        start: string;
      };
      discharged_kwh?: number | null;
      estimated_kwh?: number | null;
      grid_export_kwh?: number | null;
      grid_import_kwh?: number | null;
      kwh_used: number;
      peak_usage_time: string | null;
      production_kwh?: number | null;
      self_consumed_kwh?: number | null;
      untracked_kwh?: number | null;
      user_id: string;
    };

export interface ErrorBody {
  details?: {
    field: string;
    message: string;
  }[];
  error: string;
  incident?: string;
  retry_after?: number;
  status: number;
}

export interface ExportUserParams {
  userId: string;
}

export interface Gateway {
  /** @format date-time */
  created_at: string;
  decoder_config: Partial<Record<string, any>>;
  gateway_id: string;
  name: string;
  user_id: string;
}

export interface GetAlertParams {
  alertId: string;
}

export interface GetDeviceParams {
  deviceId: string;
}

export interface GetEnergyInsightsParams {
  /** @default "electricity" */
  commodity?: "electricity" | "gas" | "heat" | "water";
  end?: string;
  group_by?: "day" | "month" | "hour";
  include?: string;
  start?: string;
  /** @default "UTC" */
  tz?: string;
  user_id?: string;
}

export interface GetUserParams {
  userId: string;
}

export interface Key {
  /** @format date-time */
  created_at: string;
  expires_at: string | null;
  key_id: string;
  last_used_at: string | null;
  name: string | null;
  prefix: string;
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
    | "keys:write"
  )[];
}

export interface ListAlertsParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id: string;
}

export interface ListAuditParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id?: string;
}

export interface ListDevicesParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id?: string;
}

export interface ListGatewaysParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id?: string;
}

export interface ListKeysParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  user_id?: string;
}

export interface ListWebhooksParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
}

export interface Message {
  message: string;
}

export interface MonthlyAnalytics {
  data: {
    avg_daily_kwh: number;
    change_kwh: number | null;
    change_percent: number | null;
    kwh_used: number;
    /** @pattern ^\d{4}-\d\d$ */
    month: string;
    partial?: true;
    peak_hour: string | null;
  }[];
  user_id: string;
}

export interface MonthlyAnalyticsParams {
  /**
   * @min 1
   * @max 36
   * @default 12
   */
  months?: number;
  /** @default "UTC" */
  tz?: string;
  user_id?: string;
}

export interface PairedDevice {
  attention: ("unknown_quantity" | "faulty" | "silent" | "placement_guessed")[];
  device_id: string;
  last_seen_at: string | null;
  location: string;
  mqtt?: {
    password: string;
    topic: string;
    username: string;
  };
  placement: "grid" | "production" | "storage" | "consumption" | "excluded";
  status: "active" | "inactive" | "faulty";
  type: string;
  upstream_device_id: string | null;
}

export interface RetryDeliveryParams {
  deliveryId: string;
  webhookId: string;
}

export interface RevokeKeyParams {
  keyId: string;
}

export interface RotateKeyParams {
  keyId: string;
}

export interface RotatedKey {
  expires_at: string | null;
  key: string;
  key_id: string;
  /** @format date-time */
  old_expires_at: string;
  prefix: string;
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
    | "keys:write"
  )[];
}

export interface Summary {
  summary: {
    autarky?: number | null;
    avg_daily_kwh?: number;
    charged_kwh?: number | null;
    complete?: boolean | null;
    consumption_kwh?: number | null;
    coverage?: number | null;
    discharged_kwh?: number | null;
    estimated_kwh?: number | null;
    grid_export_kwh?: number | null;
    grid_import_kwh?: number | null;
    peak_usage_time?: string | null;
    production_kwh?: number | null;
    self_consumed_kwh?: number | null;
    total_kwh?: number;
    untracked_kwh?: number | null;
  };
}

export interface TestWebhookParams {
  webhookId: string;
}

export interface UpdateAlertParams {
  alertId: string;
}

export interface UpdateDeviceParams {
  deviceId: string;
}

export interface UpdateGatewayParams {
  gatewayId: string;
}

export interface UpdateUserParams {
  userId: string;
}

export interface UpdateWebhookParams {
  webhookId: string;
}

export interface Usage {
  autarky?: number | null;
  charged_kwh?: number | null;
  complete?: boolean | null;
  consumption_kwh?: number | null;
  coverage?: number | null;
  /** @format date */
  date: string;
  discharged_kwh?: number | null;
  estimated_kwh?: number | null;
  grid_export_kwh?: number | null;
  grid_import_kwh?: number | null;
  hour?: string;
  kwh_used: number | null;
  peak_hour: string | null;
  production_kwh?: number | null;
  self_consumed_kwh?: number | null;
  /** @format date-time */
  starts_at?: string;
  untracked_kwh?: number | null;
}

export interface User {
  /** @format date-time */
  created_at: string;
  email: string;
  phone: string | null;
  plan: "free" | "developer" | "enterprise";
  role: "homeowner" | "utility" | "admin";
  timezone: string;
  user_id: string;
}

export interface Webhook {
  /** @format date-time */
  created_at: string;
  event:
    | "usage.updated"
    | "alert.triggered"
    | "device.connected"
    | "user.created";
  status: "active" | "paused";
  url: string;
  webhook_id: string;
}

export interface WebhookDeliveriesParams {
  /**
   * @minLength 1
   * @maxLength 200
   */
  cursor?: string;
  /**
   * @min 1
   * @max 200
   * @default 50
   */
  limit?: number;
  webhookId: string;
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
        end?: string;
        include?: string;
        interval?: "day" | "week" | "month" | "year";
        /**
         * @minItems 1
         * @default ["kwh_used","peak_hour"]
         */
        metrics?: ("kwh_used" | "peak_hour")[];
        start?: string;
        /** @default "UTC" */
        tz?: string;
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
     * @description Needs the scope `alerts:write`.
     *
     * @tags alerts
     * @name CreateAlert
     * @summary Sets a threshold on a user’s usage.
     * @request POST:/v1/alerts
     * @secure
     */
    createAlert: (
      data: {
        delivery: "email" | "sms" | "webhook";
        /**
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
         * @min 0.000001
         * @max 1000000000
         */
        threshold_kwh?: number;
        type: "peak_usage" | "daily_usage" | "monthly_usage" | "no_data";
        user_id?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          alert_id: string;
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
        delivery?: "email" | "sms" | "webhook";
        status?: "active" | "paused";
        /**
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
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
        /**
         * @min 1
         * @max 720
         */
        threshold_hours?: number;
        /**
         * @min 0.000001
         * @max 1000000000
         */
        threshold_kwh?: number;
        type: "peak_usage" | "daily_usage" | "monthly_usage" | "no_data";
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
         * @format email
         * @maxLength 254
         */
        email: string;
        /** @pattern ^\+[1-9]\d{6,14}$ */
        phone?: string;
        plan?: "free" | "developer" | "enterprise";
        role: "homeowner" | "utility" | "admin";
        timezone?: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          status: string;
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
         * @format email
         * @maxLength 254
         */
        email?: string;
        phone?: string | null;
        plan?: "free" | "developer" | "enterprise";
        role?: "homeowner" | "utility" | "admin";
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
     * @description Needs the scopes `insights:read`, `alerts:read`, `users:read`, `devices:read`, `webhooks:read`.
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
        auth_token: string;
        event:
          | "usage.updated"
          | "alert.triggered"
          | "device.connected"
          | "user.created";
        /** @maxLength 2048 */
        url: string;
      },
      params: RequestParams = {},
    ) =>
      this.request<
        {
          status: string;
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
        auth_token?: string;
        status?: "active" | "paused";
        /** @maxLength 2048 */
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
        /** @maxItems 200 */
        channels?: {
          counts_as?: string | null;
          /**
           * @minLength 1
           * @maxLength 300
           */
          native_name: string;
          placement?:
            | "grid"
            | "production"
            | "storage"
            | "consumption"
            | "excluded"
            | null;
        }[];
        discovery_id?: string;
        /**
         * @exclusiveMin 0
         * @max 1000000
         */
        limit_kw?: number;
        /**
         * @minLength 1
         * @maxLength 200
         */
        location: string;
        /**
         * @exclusiveMin 0
         * @max 1440
         */
        max_gap_minutes?: number;
        placement?:
          | "grid"
          | "production"
          | "storage"
          | "consumption"
          | "excluded";
        /**
         * @exclusiveMin 0
         * @max 9000000000
         */
        register_max_kwh?: number;
        timezone?: string;
        /**
         * @minLength 1
         * @maxLength 64
         */
        type: string;
        upstream_device_id?: string;
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
        /** @maxItems 200 */
        channels?: {
          counts_as?: string | null;
          /**
           * @minLength 1
           * @maxLength 300
           */
          native_name: string;
          placement?:
            | "grid"
            | "production"
            | "storage"
            | "consumption"
            | "excluded"
            | null;
        }[];
        decoder_config?: {
          zigbee2mqtt?: {
            /** @maxItems 2000 */
            devices?: string[];
            output?: "json" | "attribute" | "attribute_and_json";
          };
          emon?: Partial<
            Record<
              string,
              {
                /**
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                pulses_per_kwh?: number;
              }
            >
          >;
          meter?: Partial<
            Record<
              string,
              {
                /**
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                multiplier?: number;
                /**
                 * @minLength 1
                 * @maxLength 200
                 */
                unit?: string;
              }
            >
          >;
          senml?: {
            /** @maxItems 100 */
            topics: string[];
          };
          tasmota?: Partial<
            Record<
              string,
              {
                /** @pattern ^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$ */
                counts_as: string;
                unit?: "Wh" | "kWh" | "MWh" | "W" | "kW" | "m3" | "l";
              }
            >
          >;
          tz?: string;
          [key: string]: any;
        };
        /**
         * @exclusiveMin 0
         * @max 1000000
         */
        limit_kw?: number;
        /**
         * @minLength 1
         * @maxLength 200
         */
        location?: string;
        /**
         * @exclusiveMin 0
         * @max 1440
         */
        max_gap_minutes?: number;
        placement?:
          | "grid"
          | "production"
          | "storage"
          | "consumption"
          | "excluded";
        register_max_kwh?: number | null;
        timezone?: string | null;
        /**
         * @minLength 1
         * @maxLength 64
         */
        type?: string;
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
         * @minLength 1
         * @maxLength 100
         */
        name: string;
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
        decoder_config?: {
          zigbee2mqtt?: {
            /** @maxItems 2000 */
            devices?: string[];
            output?: "json" | "attribute" | "attribute_and_json";
          };
          emon?: Partial<
            Record<
              string,
              {
                /**
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                pulses_per_kwh?: number;
              }
            >
          >;
          meter?: Partial<
            Record<
              string,
              {
                /**
                 * @exclusiveMin 0
                 * @max 1000000000
                 */
                multiplier?: number;
                /**
                 * @minLength 1
                 * @maxLength 200
                 */
                unit?: string;
              }
            >
          >;
          senml?: {
            /** @maxItems 100 */
            topics: string[];
          };
          tasmota?: Partial<
            Record<
              string,
              {
                /** @pattern ^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$ */
                counts_as: string;
                unit?: "Wh" | "kWh" | "MWh" | "W" | "kW" | "m3" | "l";
              }
            >
          >;
          tz?: string;
          [key: string]: any;
        };
        /**
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
        /** @format date-time */
        expires_at?: string;
        /**
         * @minLength 1
         * @maxLength 100
         */
        name?: string;
        /** @minItems 1 */
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
          | "keys:write"
        )[];
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
