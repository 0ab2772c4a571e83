/** What a key can be allowed to do; how far it reaches is for its owner's role to say. */
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
] as const;

/** What of a homeowner its utility may make keys for. */
export const SCOPES_FOR_HOMEOWNERS: readonly Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

/** What a key that is limited to a group may have. */
export const READING_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(':read'));

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
