import type { MemberAccess } from '#src/database/enums.ts';

/**
 * Scopes of keys. The scopes of a key decide which operations the key permits; the role of its owner decides which accounts the key can
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

/** Scopes of a new key if the request names none: all except access to single readings, which must be requested explicitly. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.startsWith('readings:'));

/** Scopes of keys that a utility may create for a homeowner. */
export const SCOPES_FOR_HOMEOWNERS: readonly Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

/**
 * Scopes that a key limited to a group of homes may have, and that the export of an account requires. They exclude access to single
 * readings, because single readings show when somebody showers.
 */
export const READ_ONLY_SCOPES: readonly Scope[] = DEFAULT_SCOPES.filter((scope) => scope.endsWith(':read'));

/**
 * Scopes of a member in the home of another account. Only the home's owner can manage the members and keys of the home, because that
 * requires `keys:write`, which members do not have.
 */
export const MEMBER_SCOPES: Readonly<Record<MemberAccess, readonly Scope[]>> = {
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  manage: SCOPES.filter((scope) => scope !== 'keys:write'),
};

/** Scopes that a home can grant to an app. The folder src/delivery/words contains the texts that explain these scopes to the owner. */
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

/**
 * Scope that an app must have to receive an event of each type, so that events contain nothing that the app may not read. Apps receive no
 * events of types that are missing here.
 */
export const APP_EVENTS: Readonly<Record<string, AppScope | undefined>> = {
  'usage.updated': 'insights:read',
  'alert.triggered': 'alerts:read',
  'device.connected': 'devices:read',
};

/** Scopes that a key limited to a device may have. */
export const DEVICE_SCOPES: readonly Scope[] = ['readings:write'];

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
