import type { Commodity } from '#src/database/meter.ts';
import type { ChannelAssignment } from '../family.ts';
import { createCircuitWord, RESERVED_CHANNEL_WORD_PATTERN } from '../read/circuit-word.ts';
import { getVolumeChannel } from '../read/volume.ts';
import { classifyRegisters } from '../registers-of-a-device/classify.ts';
import { getRegisterProperties, type RegisterDescription } from '../registers-of-a-device/register.ts';
import { foldAccents } from '../vocabulary/fold.ts';
import { findWordMeanings } from '../vocabulary/lexicon.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';

/** An entity that measures energy, power or a volume, and that needs a channel. */
export interface MeteredEntity {
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
  /** Description of an energy or power register, which is classified together with the device's other registers. */
  described?: RegisterDescription;
  /**
   * Commodity and circuit (measured part of the home) of a volume, and further words of its channel. If the commodity is null, the owner is
   * asked.
   */
  volume?: { commodity: Commodity | null; circuit: string; parts: readonly string[] };
  /** Labels that distinguish the entity from others with the same names, shortest first. The last label is always unique. */
  labels: readonly string[];
}

/**
 * Assigns a channel to each entity of a device. Entities of energy and power are classified together. The circuit in the channel of a
 * volume comes from the volume's names. `mayMeasureHeat`: true if the device also measures the temperatures of a flow and its return.
 */
export function assignEntityChannels<One extends MeteredEntity>(
  all: readonly One[],
  mayMeasureHeat: boolean,
): Map<One, ChannelAssignment> {
  const places = volumePlaces(all.filter(({ volume }) => volume));
  const labels = labelsOf(all);
  const judged = all.filter(isJudged).map((one) => ({
    one,
    described: mayMeasureHeat ? { ...one.described, mayMeasureHeat } : one.described,
    label: labels.get(one) as string,
  }));
  for (const [{ one, described, label }, channel] of classifyRegisters(judged)) {
    places.set(one, { channel, key: label, described, ...askedOf(channel, one) });
  }
  return places;
}

/**
 * Whether an entity is classified together with the other entities of its device. Excludes counters that reset periodically, and energy
 * other than active energy: the decoder ignores both.
 */
const isJudged = <One extends MeteredEntity>(one: One): one is One & { described: RegisterDescription } =>
  one.described !== undefined && getRegisterProperties(one.described).not === null;

/** Whether an entity gets a channel, independently of the other entities of its device. */
export const canEntityHaveChannel = (one: MeteredEntity): boolean => one.volume !== undefined || isJudged(one);

const askedOf = (channel: string, { kind }: MeteredEntity): Pick<ChannelAssignment, 'asks'> =>
  /(?:^|\/)unknown\//.test(channel) ? { asks: { unit: kind === 'power_w' ? 'W' : 'kWh' } } : {};

/** Returns the shortest unique label of each entity. */
function labelsOf(all: readonly MeteredEntity[]): Map<MeteredEntity, string> {
  const counts = new Map<string, number>();
  for (const { labels } of all) for (const label of new Set(labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return new Map(
    all.map((one) => [one, one.labels.find((label) => counts.get(label) === 1) ?? one.labels.at(-1) ?? '']),
  );
}

function volumePlaces<One extends MeteredEntity>(all: readonly One[]): Map<One, ChannelAssignment> {
  const named = ({ volume, labels }: One, circuit: string) =>
    volume?.commodity
      ? [getVolumeChannel(volume.commodity, circuit), ...volume.parts].join('/')
      : `m3/unknown/${circuit || createCircuitWord(labels[0] ?? '')}`;
  let open = all.map((one) => ({ one, name: named(one, one.volume?.circuit ?? '') }));
  const places = new Map<One, ChannelAssignment>();
  const taken = new Set<string>();
  const depth = Math.max(0, ...all.map(({ labels }) => labels.length));
  for (let level = 0; level <= depth && open.length > 0; level += 1) {
    const names = open.map(({ name }) => name);
    const clashing: typeof open = [];
    for (const { one, name } of open) {
      const label = one.labels[level];
      const isOnly = names.indexOf(name) === names.lastIndexOf(name) && !taken.has(name);
      if (!isOnly && label !== undefined) clashing.push({ one, name: named(one, createCircuitWord(label)) });
      else places.set(one, { channel: name, ...(one.volume?.commodity === null && { asks: { unit: 'm³' } }) });
    }
    for (const { channel } of places.values()) taken.add(channel);
    open = clashing;
  }
  return places;
}

const VOLUME_WORD = /^(?:count|index|volume|volumen|volym|m3|m|l|lit(?:er|re)s?|ft3|ft|cf|ccf|gal|gallons?)$/;

/** Splits a name (`EnergyToday`, `feed-in`, `tariff 1`) into its words, in lower case. */
export const splitNameIntoWords = (name: string): string[] =>
  name
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/**
 * Returns the circuit (measured part of the home) of a volume: the first name in `objects` that contains a recognised word, without its
 * recognised words. If no name contains one, returns the first name (an id such as `x17`). `idWords`: words of the device's id, which are
 * never part of a circuit.
 */
export function findVolumeCircuit(objects: readonly string[], idWords: ReadonlySet<string>): string {
  const rests = objects.map((object) => {
    const words = splitNameIntoWords(object).filter((word) => !idWords.has(word) && !VOLUME_WORD.test(word));
    return { words, rest: words.filter((word, at) => tellsApart(word, words[at - 1])) };
  });
  const { rest } = rests.find((one) => one.rest.length < one.words.length) ?? rests[0] ?? { rest: [] };
  return rest.length === 0 ? '' : createCircuitWord(rest.join('_'));
}

function tellsApart(word: string, before: string | undefined): boolean {
  if (RESERVED_CHANNEL_WORD_PATTERN.test(word) || getNameMeaning(`${before ?? ''} ${word}`).parts.length > 0)
    return false;
  const meanings = findWordMeanings(foldAccents(word));
  return meanings === null || meanings.has('place');
}

export const removeDeviceIdWords = (names: readonly string[], idWords: ReadonlySet<string>): string[] =>
  idWords.size === 0
    ? [...names]
    : names.map((name) =>
        name
          .split(/(?<=[^\p{L}\p{N}])|(?=[^\p{L}\p{N}])/u)
          .filter((word) => !idWords.has(word.toLowerCase()))
          .join(''),
      );
