import { createHash } from 'node:crypto';
import type { Place } from '../family.ts';
import { judge } from '../registers-of-a-device/judge.ts';
import type { Meaning } from './meaning.ts';
import { joined } from './parts.ts';

export interface NamedMeaning extends Meaning {
  name: string;
}

/** What a metric's value is, for good. */
export interface Quantity extends Place {
  unit: Meaning['unit'];
}

/**
 * Gives each metric of a device its channel; null: the same once more in another unit. Names decide and not their order, which changes from birth
 * to birth: registers and powers are judged together; of temperatures and volumes that would share a channel the plainest name has it, and the
 * others are told apart by all their words.
 */
export function assignChannels(meanings: readonly NamedMeaning[]): Map<string, Quantity | null> {
  const assigned = new Map<string, Quantity | null>();
  const sorted = meanings.toSorted(plainerFirst);
  const judged = sorted.flatMap(({ described, ...one }, at) => {
    if (!described) return [];
    const isAgain = sorted.slice(0, at).some((other) => other.described && isSameRegister(other, one));
    if (isAgain) assigned.set(one.name, null);
    return isAgain ? [] : [{ one, described, label: one.name }];
  });
  for (const [{ one, described }, channel] of judge(judged)) {
    const asks = /(?:^|\/)unknown\//.test(channel) ? { asks: { unit: one.unit.kind === 'power_w' ? 'W' : 'kWh' } } : {};
    assigned.set(one.name, { unit: one.unit, channel, key: one.name, described, ...asks });
  }
  const taken = new Map<string, NamedMeaning>();
  for (const meaning of sorted) {
    if (meaning.described) continue;
    const { unit, channel, words, name } = meaning;
    const longer = joined(words);
    const options = [channel, `${longer}/${channel}`, `${longer.slice(0, 24)}_${shortHash(name)}/${channel}`];
    const rival = taken.get(`${unit.kind} ${channel}`);
    const free =
      rival && isSameRegister(rival, meaning) ? undefined : options.find((one) => !taken.has(`${unit.kind} ${one}`));
    if (free !== undefined) taken.set(`${unit.kind} ${free}`, meaning);
    assigned.set(name, free === undefined ? null : { unit, channel: free });
  }
  return assigned;
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
const scale = ({ unit }: Pick<Meaning, 'unit'>): number => unit.times / unit.per;

/** `energy_kwh` and `energy_wh`: one register, which would be counted twice. */
const isSameRegister = (one: Omit<Meaning, 'described'>, other: Omit<Meaning, 'described'>): boolean =>
  one.unit.kind === other.unit.kind && scale(one) !== scale(other) && one.words.join(' ') === other.words.join(' ');

/** Fewer words first, then the finer unit, then by the alphabet, as code units: the same everywhere. */
function plainerFirst(one: NamedMeaning, other: NamedMeaning): number {
  const order = one.words.length - other.words.length || scale(one) - scale(other);
  return order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
