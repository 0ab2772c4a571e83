import { DAY_MS } from '../../parts/format.ts';
import { words } from '../../words/words.ts';

/** A sample request for each scope that permits reading, most informative first. */
const QUESTIONS: [scope: string, path: string][] = [
  ['insights:read', '/v1/energy-insights'],
  ['devices:read', '/v1/devices'],
  ['alerts:read', '/v1/alerts'],
  ['webhooks:read', '/v1/webhooks'],
  ['tariffs:read', '/v1/tariffs'],
  ['users:read', '/v1/users'],
  ['keys:write', '/v1/keys'],
];

/** Whether a path needs the parameter `user_id`: `always`, or only for an account other than the key's own (`others`). */
const ABOUT: Record<string, 'always' | 'others'> = {
  '/v1/energy-insights': 'others',
  '/v1/devices': 'others',
  '/v1/alerts': 'always',
  '/v1/tariffs': 'others',
};

/**
 * Returns a terminal command that reads data of the account `userId` with an API key. Null if the key cannot read. `ownId`: the account of
 * the key.
 */
export function formatCurlCommand(
  { key, scopes }: { key: string; scopes: readonly string[] },
  { baseUrl, userId, ownId, nowMs = Date.now() }: { baseUrl: string; userId: string; ownId: string; nowMs?: number },
): string | null {
  const path = QUESTIONS.find(([scope]) => scopes.includes(scope))?.[1];
  if (path === undefined) return null;
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const isNamed = ABOUT[path] === 'always' || (ABOUT[path] === 'others' && userId !== ownId);
  const query = new URLSearchParams({
    ...(isNamed ? { user_id: userId } : {}),
    ...(path === '/v1/energy-insights' ? { start: date(nowMs - 6 * DAY_MS), end: date(nowMs), group_by: 'day' } : {}),
  });
  return `curl -sSk -H 'Authorization: Bearer ${key}' '${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}'`;
}

/** Returns the scopes that are preselected for a new API key: all except those for single readings. */
export const listDefaultScopes = (all: readonly string[]): string[] =>
  all.filter((scope) => !scope.startsWith('readings:'));

/** Formats the scopes of an API key for a table: "all", "all but keys:write", or the list of scopes. `all`: all scopes of keys. */
export function summariseScopes(scopes: readonly string[], all: readonly string[]): string {
  const defaults = listDefaultScopes(all);
  const missing = defaults.filter((scope) => !scopes.includes(scope));
  if (missing.length > 2) return scopes.join(', ');
  const common = missing.length === 0 ? words().keys.allScopes : words().keys.allBut({ scopes: missing.join(', ') });
  return [common, ...scopes.filter((scope) => !defaults.includes(scope))].join(', ');
}
