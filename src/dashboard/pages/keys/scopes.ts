/** What a key can be allowed to do, with what that is; a test holds the names to src/auth/scopes.ts. */
export const SCOPES: Record<string, string> = {
  'insights:read': 'ask for usage',
  'alerts:read': 'see alerts',
  'alerts:write': 'make and change alerts',
  'users:read': 'see accounts',
  'users:write': 'make and change accounts',
  'devices:read': 'see devices and gateways',
  'devices:write': 'pair and change devices',
  'webhooks:read': 'see webhooks and deliveries',
  'webhooks:write': 'make and change webhooks',
  'tariffs:read': 'see tariffs and prices',
  'tariffs:write': 'make and change tariffs and prices',
  'keys:write': 'make and revoke keys',
};

/** Short, for a table: "all", "all but keys:write", or the list. */
export function scopesInShort(scopes: readonly string[]): string {
  const missing = Object.keys(SCOPES).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return 'all';
  return missing.length <= 2 ? `all but ${missing.join(', ')}` : scopes.join(', ');
}
