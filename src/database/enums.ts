/**
 * Permitted values of columns. Types, checks of requests and the OpenAPI document derive from these lists. CHECK constraints in sql/schema
 * contain the same values.
 */
export const ACCOUNT_ROLES = ['homeowner', 'utility', 'admin'] as const;
export const ACCOUNT_PLANS = ['free', 'developer', 'enterprise'] as const;
export const ALERT_TYPES = [
  'peak_usage',
  'daily_usage',
  'monthly_usage',
  'daily_cost',
  'monthly_cost',
  'no_data',
] as const;
/** Languages of the dashboard, mails, SMS and plain pages (ISO 639-1). */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'nl'] as const;
export const ALERT_DELIVERY_CHANNELS = ['email', 'sms', 'webhook'] as const;
/** Statuses of an alert or a webhook subscription. */
export const ACTIVE_OR_PAUSED = ['active', 'paused'] as const;
export const DEVICE_STATUSES = ['active', 'inactive', 'faulty'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];
/** Position of a device in the energy flows of its home. */
export const PLACEMENTS = ['grid', 'production', 'storage', 'consumption', 'excluded'] as const;
export type Placement = (typeof PLACEMENTS)[number];
/** Who manages a device: its owner, or the utility that paired it. */
export const DEVICE_MANAGERS = ['owner', 'utility'] as const;
export type DeviceManager = (typeof DEVICE_MANAGERS)[number];
export const MEMBER_ACCESS_LEVELS = ['read', 'manage'] as const;
export type MemberAccessLevel = (typeof MEMBER_ACCESS_LEVELS)[number];
/** A confidential app runs on a server and can keep a secret; a public app runs on a phone or computer. */
export const APP_TYPES = ['confidential', 'public'] as const;
export type AppType = (typeof APP_TYPES)[number];
/** Kinds of records that the authorization server stores. `client`: a token for an app itself, without a user. */
export type OauthTokenKind = 'interaction' | 'code' | 'access' | 'refresh' | 'client';
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
/** Kinds of time series: prices per kWh, or emissions in grams of CO2 equivalent per kWh. */
export const SERIES_KINDS = ['price', 'emission'] as const;
export const RESOLUTIONS_MINUTES = [15, 30, 60] as const;
/** Event types to which a client can subscribe. */
export const EVENT_TYPES = [
  'usage.updated',
  'alert.triggered',
  'device.connected',
  'user.created',
  'remark.raised',
] as const;
