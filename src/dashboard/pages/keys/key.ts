/** A key as the list of them shows it. */
export interface Key {
  key_id: string;
  name: string | null;
  prefix: string;
  scopes: string[];
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
}

/** A key at its creation: the only time that it is shown. */
export interface NewKey {
  key_id: string;
  key: string;
  prefix: string;
  scopes: string[];
  expires_at: string | null;
}

/** One that took another's place, which goes on for a while. */
export interface RotatedKey extends NewKey {
  old_expires_at: string;
}

/** What a person calls it. */
export const nameOf = ({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string => name ?? `${prefix}…`;

export const isOver = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;
