/**
 * Permitted values of enumerated columns. Each list is declared once. Types of rows, checks of requests, responses and the OpenAPI document
 * derive from it, in this order. The CHECK constraints in sql/schema contain the same values.
 */
export const ACCOUNT_ROLES = ['homeowner', 'utility', 'admin'] as const;
export const PLANS = ['free', 'developer', 'enterprise'] as const;
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
/** Channels by which the owner of an alert is notified. */
export const ALERT_DELIVERIES = ['email', 'sms', 'webhook'] as const;
/** Statuses of an alert, and of a webhook subscription. */
export const PAUSABLE_STATUSES = ['active', 'paused'] as const;
export const DEVICE_STATUSES = ['active', 'inactive', 'faulty'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];
/** Position of a device in the energy flows of its home. */
export const PLACEMENTS = ['grid', 'production', 'storage', 'consumption', 'excluded'] as const;
export type Placement = (typeof PLACEMENTS)[number];
/** The manager of a device: the account that owns the device, or the utility that paired it for that account. */
export const DEVICE_MANAGERS = ['owner', 'utility'] as const;
export type DeviceManager = (typeof DEVICE_MANAGERS)[number];
/** Access of a member to a home: read, or read and change. */
export const MEMBER_ACCESSES = ['read', 'manage'] as const;
export type MemberAccess = (typeof MEMBER_ACCESSES)[number];
/** Types of apps. A confidential app runs on a server and can keep a secret. A public app runs on a phone or a desktop and cannot. */
export const APP_TYPES = ['confidential', 'public'] as const;
export type AppType = (typeof APP_TYPES)[number];
/**
 * Kinds of objects that the authorization server stores (sql/schema/0089_apps.sql). `client`: a token that an app has obtained for itself,
 * without a user.
 */
export type OauthTokenKind = 'interaction' | 'code' | 'access' | 'refresh' | 'client';
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
/** Kinds of price series: prices of a kWh, or grams of CO2 equivalent for a kWh. */
export const SERIES_KINDS = ['price', 'emission'] as const;
/** Durations for which a value of a series is valid, in minutes. */
export const RESOLUTIONS_MINUTES = [15, 30, 60] as const;
/** Event types to which a client can subscribe: those of the specification, and additionally `remark.raised`. */
export const EVENT_TYPES = [
  'usage.updated',
  'alert.triggered',
  'device.connected',
  'user.created',
  'remark.raised',
] as const;
