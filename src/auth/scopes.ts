import type { MemberAccess } from '#src/database/enums.ts';

/** Scopes of keys. The accounts that a key can access depend on its owner's role. */
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

/** Scopes of a key that names none: all but those of single readings, which must be asked for. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.startsWith('readings:'));

/** Scopes of keys that a utility may create for a homeowner. */
export const SCOPES_FOR_HOMEOWNERS: readonly Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

/** Scopes that a key limited to a group may have, and that the export of an account needs. Single readings show when somebody showers, so they are not among them. */
export const READING_SCOPES: readonly Scope[] = DEFAULT_SCOPES.filter((scope) => scope.endsWith(':read'));

/** Scopes of a member in the home of another account. Members and keys of the home need `keys:write`, so they are its owner's alone. */
export const MEMBER_SCOPES: Readonly<Record<MemberAccess, readonly Scope[]>> = {
  read: SCOPES.filter((scope) => scope.endsWith(':read')),
  manage: SCOPES.filter((scope) => scope !== 'keys:write'),
};

/** Scopes that an app may have in a home, each in words for the home's owner. */
export const APP_SCOPES = {
  'insights:read': 'see what your home uses and produces, its costs and its forecasts',
  'devices:read': 'see your devices, and what each of them uses',
  'alerts:read': 'see your alerts',
  'alerts:write': 'create, change and delete alerts',
  'readings:read': 'see every single reading of your devices, which can show when somebody is at home',
  'readings:write': 'send readings of devices that you paired yourself',
  'webhooks:read': 'see where events of your home are sent, and the events themselves',
  'webhooks:write': 'have events of your home sent to addresses of its choice',
} as const satisfies Partial<Record<Scope, string>>;
export type AppScope = keyof typeof APP_SCOPES;
export const APP_SCOPE_NAMES = Object.keys(APP_SCOPES) as readonly AppScope[];
export const isAppScope = (text: string): text is AppScope => Object.hasOwn(APP_SCOPES, text);

/** Scopes of a key that is limited to a device. */
export const DEVICE_SCOPES: readonly Scope[] = ['readings:write'];

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
