import { isCommandTopic } from './mapping.ts';

/** What must not be stored of a `decoder_config`, and where it is. */
export interface Unstorable {
  path: PropertyKey[];
  message: string;
}

/**
 * Mistakes of a `decoder_config` that is well-formed: texts that the database cannot hold, and mappings that would never be read. Not asked of what is stored
 * already: one such entry would take the others of its member with it. Pure.
 */
export function unstorableIn(config: Readonly<Record<string, unknown>>): Unstorable[] {
  return [...unstorableTexts(config, []), ...unreadMappings(config.mapping)];
}

/** PostgreSQL's jsonb has neither NUL nor halves of characters (https://www.postgresql.org/docs/current/datatype-json.html). A name is told by what it is in. */
function unstorableTexts(value: unknown, path: PropertyKey[]): Unstorable[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ path, message: NOT_STORABLE }];
  if (Array.isArray(value)) return value.flatMap((one, index) => unstorableTexts(one, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    isStorable(name) ? unstorableTexts(one, [...path, name]) : [{ path, message: `a name in it ${NOT_STORABLE}` }],
  );
}

const NOT_STORABLE = 'must not contain NUL, or half of a character (a lone surrogate)';
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function unreadMappings(mapping: unknown): Unstorable[] {
  if (!Array.isArray(mapping)) return [];
  return mapping.flatMap((one, index) =>
    typeof one?.topic === 'string' && isCommandTopic(one.topic)
      ? [
          {
            path: ['mapping', index, 'topic'],
            message:
              'names wishes or questions to a device (…/set, …/get, …/command, cmnd/…), which are not measured: nothing on it is read. Name the topic on which the device tells its state',
          },
        ]
      : [],
  );
}
