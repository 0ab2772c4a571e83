import { createHash } from 'node:crypto';
import type { Place } from '../family.ts';
import type { Meaning } from './meaning.ts';
import { joined, type Parts } from './parts.ts';

export interface NamedMeaning extends Meaning {
  name: string;
}

/** What a metric's value is, for good. */
export interface Quantity extends Place {
  unit: Meaning['unit'];
}

/**
 * Gives each metric of a device its channel; null: the same once more in another unit. Names decide and not their
 * order, which changes from birth to birth: of those that would share a channel the plainest name has it, and the others are
 * circuits by all their words.
 */
export function assignChannels(meanings: readonly NamedMeaning[]): Map<string, Quantity | null> {
  const taken = new Map<string, NamedMeaning>();
  const assigned = new Map<string, Quantity | null>();
  for (const meaning of meanings.toSorted(plainerFirst)) {
    const { unit, parts, words, name } = meaning;
    const longer = joined(words);
    const options = [parts.circuit, longer, `${longer.slice(0, 24)}_${shortHash(name)}`];
    const channels = options.map((circuit) => channelOf({ ...parts, circuit }));
    const rival = taken.get(`${unit.kind} ${channels[0]}`);
    if (rival && (isSameRegister(rival, meaning) || isSamePower(meaning))) {
      assigned.set(name, null);
      continue;
    }
    const channel = channels.find((one) => !taken.has(`${unit.kind} ${one}`));
    // All three are taken where hashes are equal: then nothing is said rather than something wrong.
    if (channel !== undefined) taken.set(`${unit.kind} ${channel}`, meaning);
    assigned.set(name, channel === undefined ? null : { unit, ...placeAt(channel, meaning) });
  }
  return assigned;
}

function placeAt(channel: string, { asks, unit }: Meaning): Place {
  if (!asks) return { channel };
  const place = { channel, asks: { unit: unit.kind === 'power_w' ? 'W' : 'kWh' } };
  return asks.was ? { ...place, was: channelOf(asks.was) } : place;
}

const channelOf = ({ circuit, suffix }: Parts): string => (circuit === '' ? suffix : `${circuit}/${suffix}`);
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
const scale = ({ unit }: Meaning): number => unit.times / unit.per;

/** `energy_kwh` and `energy_wh`: one register, which would be counted twice. */
const isSameRegister = (one: Meaning, other: Meaning): boolean =>
  scale(one) !== scale(other) && one.words.join(' ') === other.words.join(' ');

/** `power_w` and `active_power_w`: no circuit is named that would tell them apart, and two circuits would be added. */
const isSamePower = ({ unit, parts }: Meaning): boolean => unit.kind === 'power_w' && parts.circuit === '';

/** Fewer words first, then the finer unit, then by the alphabet, as code units: the same everywhere. */
function plainerFirst(one: NamedMeaning, other: NamedMeaning): number {
  const order = one.words.length - other.words.length || scale(one) - scale(other);
  return order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
