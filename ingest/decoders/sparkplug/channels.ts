import { createHash } from 'node:crypto';
import type { Place } from '../family.ts';
import { judge } from '../registers-of-a-device/judge.ts';
import type { Meaning } from './meaning.ts';
import { joined } from './parts.ts';

export interface NamedMeaning extends Meaning {
  name: string;
}

/** Channel and unit of a metric, permanent across births. */
export interface Quantity extends Place {
  unit: Meaning['unit'];
}

/**
 * Assigns a channel to each metric of a device; null for the same register in a second unit. Only the names decide, because the order of
 * the metrics changes from birth to birth. Registers and powers are classified together. If temperatures or volumes would share a channel,
 * the metric with the plainest name gets it, and the channels of the others contain all words of their names.
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

/** Whether two metrics are the same register in different units (`energy_kwh` and `energy_wh`), which would count twice. */
const isSameRegister = (one: Omit<Meaning, 'described'>, other: Omit<Meaning, 'described'>): boolean =>
  one.unit.kind === other.unit.kind && scale(one) !== scale(other) && one.words.join(' ') === other.words.join(' ');

/** Orders metrics: fewer words first, then the finer unit, then by code units, so that the order is the same on every machine. */
function plainerFirst(one: NamedMeaning, other: NamedMeaning): number {
  const order = one.words.length - other.words.length || scale(one) - scale(other);
  return order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
