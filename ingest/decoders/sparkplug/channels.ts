import { createHash } from 'node:crypto';
import type { ChannelAssignment } from '../family.ts';
import { classifyRegisters } from '../registers-of-a-device/classify.ts';
import { isFlowAndReturnTemperaturePair } from '../vocabulary/thermal.ts';
import type { MetricMeaning } from './meaning.ts';
import { joinWordsToChannelWord } from './parts.ts';

export interface MetricMeaningWithName extends MetricMeaning {
  name: string;
}

/** Channel and unit of a metric. They are the same for each birth message. */
export interface MetricQuantity extends ChannelAssignment {
  unit: MetricMeaning['unit'];
}

/**
 * Assigns a channel to each metric of a device; null for a register that another metric repeats in another unit. Only the names decide,
 * because the order of the metrics differs between birth messages. Registers and powers are classified together. If several temperatures or
 * volumes would get the same channel, the metric with the plainest name gets it. The channels of the others contain all words of their
 * names.
 */
export function assignChannels(meanings: readonly MetricMeaningWithName[]): Map<string, MetricQuantity | null> {
  const assigned = new Map<string, MetricQuantity | null>();
  const sorted = meanings.toSorted(plainerFirst);
  const temperatures = meanings.flatMap(({ unit, name }) => (unit.kind === 'temperature_c' ? [name] : []));
  const heat = isFlowAndReturnTemperaturePair(temperatures) && { mayMeasureHeat: true as const };
  const judged = sorted.flatMap(({ described: stated, ...one }, at) => {
    if (!stated) return [];
    const described = { ...stated, ...heat };
    const isAgain = sorted.slice(0, at).some((other) => other.described && isSameRegister(other, one));
    if (isAgain) assigned.set(one.name, null);
    return isAgain ? [] : [{ one, described, label: one.name }];
  });
  for (const [{ one, described }, channel] of classifyRegisters(judged)) {
    const asks = /(?:^|\/)unknown\//.test(channel) ? { asks: { unit: one.unit.kind === 'power_w' ? 'W' : 'kWh' } } : {};
    assigned.set(one.name, { unit: one.unit, channel, key: one.name, described, ...asks });
  }
  const taken = new Map<string, MetricMeaningWithName>();
  for (const meaning of sorted) {
    if (meaning.described) continue;
    const { unit, channel, words, name } = meaning;
    const longer = joinWordsToChannelWord(words);
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
const scale = ({ unit }: Pick<MetricMeaning, 'unit'>): number => unit.times / unit.per;

/**
 * Whether two metrics are the same register in different units (`energy_kwh` and `energy_wh`). Without this check, the energy would count
 * twice.
 */
const isSameRegister = (one: Omit<MetricMeaning, 'described'>, other: Omit<MetricMeaning, 'described'>): boolean =>
  one.unit.kind === other.unit.kind && scale(one) !== scale(other) && one.words.join(' ') === other.words.join(' ');

/**
 * Compares metrics for sorting: by the number of words, then by the scale of the unit, finest first, then by name. Names are compared by
 * code units, so that the order is the same on every machine.
 */
function plainerFirst(one: MetricMeaningWithName, other: MetricMeaningWithName): number {
  const order = one.words.length - other.words.length || scale(one) - scale(other);
  return order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
