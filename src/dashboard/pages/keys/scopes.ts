import { words } from '../../words/words.ts';

/** What a key can be allowed to do; a test holds the names to src/auth/scopes.ts. What each is: `words/`. */
export const SCOPES: readonly string[] = [
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
];

/** Short, for a table: "all", "all but keys:write", or the list. */
export function scopesInShort(scopes: readonly string[]): string {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return words().keys.allScopes;
  return missing.length <= 2 ? words().keys.allBut({ scopes: missing.join(', ') }) : scopes.join(', ');
}
