/**
 * The words of columns that hold one of a few, each list once: the types of rows, the checks of requests, the answers and the
 * OpenAPI document (where they stand in this order) are made of them. The checks in sql/schema say the same to the database.
 */
export const ROLES = ['homeowner', 'utility', 'admin'] as const;
export const PLANS = ['free', 'developer', 'enterprise'] as const;
export const ALERT_TYPES = [
  'peak_usage',
  'daily_usage',
  'monthly_usage',
  'daily_cost',
  'monthly_cost',
  'no_data',
] as const;
/** How the owner of an alert is told. */
export const ALERT_DELIVERIES = ['email', 'sms', 'webhook'] as const;
/** Of an alert, and of a subscription. */
export const PAUSABLE_STATUSES = ['active', 'paused'] as const;
export const DEVICE_STATUSES = ['active', 'inactive', 'faulty'] as const;
/** Where a device sits in its home. */
export const PLACEMENTS = ['grid', 'production', 'storage', 'consumption', 'excluded'] as const;
export type Placement = (typeof PLACEMENTS)[number];
/** Who manages a device: the account that it is of, or whoever paired it for that account. */
export const MANAGERS = ['owner', 'utility'] as const;
export type ManagedBy = (typeof MANAGERS)[number];
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
/** For how long a price of a series holds. */
export const RESOLUTIONS_MINUTES = [15, 30, 60] as const;
/** What can be subscribed to (specification, Events). */
export const EVENT_TYPES = ['usage.updated', 'alert.triggered', 'device.connected', 'user.created'] as const;
