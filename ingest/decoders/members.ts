import { MAX_PATH_CHARACTERS } from '#src/core/json-path.ts';
import { type Proposal, proposalFor } from './proposal.ts';
import { readNumber } from './read/number.ts';
import { readJson, readText } from './read/payload.ts';
import { fromIso } from './read/time.ts';

/** A place of a message that a mapping can name. */
export interface Member {
  /** JSONPath of it; null: the payload itself is a plain number. */
  path: string | null;
  value: number | string;
  /** Whether it can be a time, too: ISO 8601, or Unix time since 2020. */
  may_be_time: boolean;
  /** What it may be, by the unit in its name; null: nothing says so. */
  proposed: Proposal | null;
}

const MAX_MEMBERS = 200;
/** Places that are looked at, and how deep they may lie. */
const MAX_PLACES = 5_000;
const MAX_DEPTH = 16;
const EARLIEST_SECONDS = Date.UTC(2020, 0, 1) / 1_000;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * What of a payload a mapping can name: numbers, as JSON or as text, and times; the first 200. `topic` says more of what they are. Pure.
 */
export function membersOf(payload: Buffer, topic = ''): Member[] {
  const levels = topic.split('/').reverse();
  const text = readText(payload);
  const plain = text === null ? undefined : readNumber(text);
  if (typeof plain === 'number')
    return [{ path: null, value: plain, may_be_time: false, proposed: proposalFor(levels) }];
  const found: Member[] = [];
  const open: Place[] = [{ path: '$', names: levels, value: readJson(payload), depth: 0 }];
  // By place, and not taken off the front: that would move all others each time.
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

/** A place of a payload. `names`: of it and of all that it lies in, the innermost first. */
interface Place {
  path: string;
  names: readonly string[];
  value: unknown;
  depth: number;
}

function memberOf({ path, names, value }: Place): Member | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const number = readNumber(value);
  if (typeof number === 'number')
    return { path, value, may_be_time: number >= EARLIEST_SECONDS, proposed: proposalFor(names) };
  const isTime = fromIso(value, { tz: 'UTC', receivedAtMs: 0 }) !== null;
  return isTime ? { path, value, may_be_time: true, proposed: null } : null;
}

function below({ path, names, depth }: Place, value: object): Place[] {
  const entries: [name: string, step: string, unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_MEMBERS).map((one, index) => ['', `[${index}]`, one])
    : Object.entries(value)
        .slice(0, MAX_PLACES)
        // The library takes no path to such a name.
        .filter(([name]) => !/\p{Cc}/u.test(name))
        .map(([name, one]) => [name, stepTo(name), one]);
  return entries
    .filter(([, step]) => path.length + step.length <= MAX_PATH_CHARACTERS)
    .map(([name, step, one]) => ({ path: path + step, names: [name, ...names], value: one, depth: depth + 1 }));
}

/** A step to a member, as RFC 9535 writes it. */
const stepTo = (name: string): string =>
  // JSON escapes what may not stand in a string of a path, and a quote of the other kind needs none.
  PLAIN.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
