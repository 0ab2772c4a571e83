import type { MemberAccessLevel } from '#src/database/enums.ts';

/**
 * Scopes of keys. The scopes of a key decide which operations it permits. The role of its owner decides which accounts it can
 * access.
 */
export const SCOPES = [
  'insights:read',
  'alerts:read',
  'alerts:write',
  'users:read',
  'users:write',
  'devices:read',
  'devices:write',
  'webhooks:read',
  'webhooks:write',
  'tariffs:read',
  'tariffs:write',
  'keys:write',
  'readings:read',
  'readings:write',
] as const;

/** Scopes of a new key if the request names none. Access to single readings must be requested explicitly. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.startsWith('readings:'));

/** Scopes of keys that a utility may create for a homeowner. */
export const SCOPES_FOR_HOMEOWNERS: readonly Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

/**
 * Scopes that a key limited to a group of homes may have, and that the export of an account requires. They exclude single
 * readings, which show, for example, when somebody showers.
 */
export const READ_ONLY_SCOPES: readonly Scope[] = DEFAULT_SCOPES.filter((scope) => scope.endsWith(':read'));

/**
 * Scopes of a member in the home of another account. Members lack `keys:write`, so that only the home's owner can manage members
 * and keys.
 */
export const MEMBER_SCOPES: Readonly<Record<MemberAccessLevel, readonly Scope[]>> = {
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  manage: SCOPES.filter((scope) => scope !== 'keys:write'),
};

/** Scopes that a home can grant to an app. */
export const APP_SCOPE_NAMES = [
  'insights:read',
  'devices:read',
  'alerts:read',
  'alerts:write',
  'readings:read',
  'readings:write',
  'webhooks:read',
  'webhooks:write',
] as const satisfies readonly Scope[];
export type AppScope = (typeof APP_SCOPE_NAMES)[number];
export const isAppScope = (text: string): text is AppScope => APP_SCOPE_NAMES.some((one) => one === text);

/** Scope that an app needs to receive each type of event. Apps receive no events of other types. */
export const SCOPE_BY_APP_EVENT: Readonly<Record<string, AppScope | undefined>> = {
  'usage.updated': 'insights:read',
  'alert.triggered': 'alerts:read',
  'device.connected': 'devices:read',
};

/** Scopes that a key limited to a device may have. */
export const DEVICE_SCOPES: readonly Scope[] = ['readings:write'];

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
