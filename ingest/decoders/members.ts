import { MAX_JSON_PATH_CHARACTERS } from '#src/core/json-path.ts';
import { type MappingProposal, proposeMapping } from './proposal.ts';
import { readNumber } from './read/number.ts';
import { readJson, readText } from './read/payload.ts';
import { parseIsoTime } from './read/time.ts';

/** A member of a message that the owner can map (`decoder_config.mapping`). */
export interface PayloadMember {
  /** JSONPath of the member; null if the payload itself is a plain number. */
  path: string | null;
  value: number | string;
  /** Whether the member can be a time: ISO 8601, or Unix time since 2020. */
  may_be_time: boolean;
  /** Quantity that the service proposes, by the unit in the member's name; null if the name contains no unit. */
  proposed: MappingProposal | null;
}

const MAX_MEMBERS = 200;
/** Maximum number of members that the search examines. */
const MAX_PLACES = 5_000;
/** Maximum depth of the members that the search examines. */
const MAX_DEPTH = 16;
const EARLIEST_SECONDS = Date.UTC(2020, 0, 1) / 1_000;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns the first 200 members of a payload that the owner can map: times, and numbers in JSON or in text. The words of `topic` help to
 * propose the meanings. Pure.
 */
export function getPayloadMembers(payload: Buffer, topic = ''): PayloadMember[] {
  const levels = topic.split('/').reverse();
  const text = readText(payload);
  const plain = text === null ? undefined : readNumber(text);
  if (typeof plain === 'number')
    return [{ path: null, value: plain, may_be_time: false, proposed: proposeMapping(levels) }];
  const found: PayloadMember[] = [];
  const open: Place[] = [{ path: '$', names: levels, value: readJson(payload), depth: 0 }];
  // The queue is read by index, because removing its first element would move all the others.
  for (let looked = 0; looked < Math.min(open.length, MAX_PLACES) && found.length < MAX_MEMBERS; looked++) {
    const place = open[looked] as Place;
    const { value, depth } = place;
    if (typeof value === 'object' && value !== null) {
      if (depth < MAX_DEPTH && open.length < MAX_PLACES) open.push(...below(place, value));
    } else {
      const member = memberOf(place);
      if (member) found.push(member);
    }
  }
  return found;
}

/** A node of the JSON payload. `names` contains its own name and then the names of its ancestors, innermost first. */
interface Place {
  path: string;
  names: readonly string[];
  value: unknown;
  depth: number;
}

function memberOf({ path, names, value }: Place): PayloadMember | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const number = readNumber(value);
  if (typeof number === 'number')
    return { path, value, may_be_time: number >= EARLIEST_SECONDS, proposed: proposeMapping(names) };
  const isTime = parseIsoTime(value, { tz: 'UTC', receivedAtMs: 0 }) !== null;
  return isTime ? { path, value, may_be_time: true, proposed: null } : null;
}

function below({ path, names, depth }: Place, value: object): Place[] {
  const entries: [name: string, step: string, unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_MEMBERS).map((one, index) => ['', `[${index}]`, one])
    : Object.entries(value)
        .slice(0, MAX_PLACES)
        // The JSONPath library rejects paths with control characters.
        .filter(([name]) => !/\p{Cc}/u.test(name))
        .map(([name, one]) => [name, stepTo(name), one]);
  return entries
    .filter(([, step]) => path.length + step.length <= MAX_JSON_PATH_CHARACTERS)
    .map(([name, step, one]) => ({ path: path + step, names: [name, ...names], value: one, depth: depth + 1 }));
}

const stepTo = (name: string): string =>
  // JSON encoding escapes every character that a double-quoted name in a JSONPath must not contain.
  PLAIN.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
