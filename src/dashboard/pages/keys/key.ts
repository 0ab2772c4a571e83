import type { Key } from '#clients/typescript/client.ts';

/** What a person calls it. */
export const nameOf = ({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string => name ?? `${prefix}…`;

export const isOver = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;

/** Within a week: time to give another one to whatever uses it. */
export const endsSoon = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) - nowMs < 7 * 86_400_000;
