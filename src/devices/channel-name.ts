import type { Placement } from '#src/database/enums.ts';
import { COMMODITIES, type Commodity, KNOWN_CHANNEL_PATTERN } from '#src/database/meter.ts';

/** This file determines the meaning of a channel (a measured quantity of a device) from its name and its owner's settings. */

export const CHANNEL_PART_KINDS = ['total', 'tariff', 'phase'] as const;
const OTHERS: ReadonlySet<string> = new Set(COMMODITIES);
const DIRECTIONS: ReadonlySet<string> = new Set(['import', 'export']);

export type EnergyDirection = 'import' | 'export';

export interface ParsedChannel {
  /** Part of the channel's name without its known words: `switch0` for `switch0/import/l1`. */
  circuit: string;
  direction: EnergyDirection;
  part: (typeof CHANNEL_PART_KINDS)[number];
  commodity: Commodity | 'electricity';
  /** Whether the unit is m³, as in `gas/m3`. Volumes are computed in the same way as kWh. */
  isVolume: boolean;
  /** Whether the name of the channel (`ignored`, `cooling`) or the owner's setting excludes the channel from the totals. */
  isIgnored: boolean;
  /** Whether the meaning of the channel is known. An unknown channel does not contribute to the totals until its owner sets its meaning. */
  known: boolean;
}

/** Word in the name of a channel that contains volumes. */
const VOLUME = 'm3';
/** Word in a channel name before a quantity that does not contribute to the totals: `ignored/heating`. */
const IGNORED = 'ignored';
/**
 * Word in a channel name for the energy that cooling removes from a house. It is stored but is no used heat, so it does not contribute to
 * the totals.
 */
const COOLING = 'cooling';

const KNOWN = new RegExp(KNOWN_CHANNEL_PATTERN);

/** Meanings that an owner can set for a quantity (`counts_as`). */
export const COUNTS_AS_PATTERN =
  /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|production|charged|discharged|ignored)$/;

/**
 * Values of `counts_as` for the energy that an inverter produces, and for the energy that charges or discharges a battery. Each value
 * implies the part of the home that is measured (`placement`).
 */
const PLACED_WORDS: Readonly<Record<string, { circuit: string; direction: EnergyDirection; placement: Placement }>> = {
  production: { circuit: 'pv', direction: 'export', placement: 'production' },
  charged: { circuit: 'battery', direction: 'import', placement: 'storage' },
  discharged: { circuit: 'battery', direction: 'export', placement: 'storage' },
};
const placedWord = (countsAs: string) => (Object.hasOwn(PLACED_WORDS, countsAs) ? PLACED_WORDS[countsAs] : undefined);

/** Returns the part of the home that a value of `counts_as` implies, such as production. */
export const findImpliedPlacement = (countsAs: string | undefined): Placement | undefined =>
  countsAs === undefined ? undefined : placedWord(countsAs)?.placement;

const NATIVE = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;
const MAX_NATIVE = 64;

/**
 * Normalises the `channel` of an import, or of a message in the service's own format, to its stored form in lower case. Null if the channel
 * is invalid, for example longer than 64 characters.
 */
export function normaliseNativeChannel(text: string): string | null {
  if (text.length > MAX_NATIVE) return null;
  const channel = NATIVE.test(text) ? text : text.toLowerCase();
  if (!NATIVE.test(channel)) return null;
  return channel.split('/').findIndex((word) => DIRECTIONS.has(word) || OTHERS.has(word)) > 1 ? null : channel;
}

/** Converts a name that a device gives to one of its parts into a word of a channel: lower case, with `_` for other characters. */
export const normaliseChannelWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, 32) || 'x';

/** Parses a channel name, which consists of words between slashes. Known words state a direction, tariff, phase or medium. */
export function parseChannel(name: string): ParsedChannel {
  const words = name.split('/');
  const rest: string[] = [];
  const channel: ParsedChannel = {
    circuit: '',
    direction: 'import',
    part: 'total',
    commodity: 'electricity',
    isVolume: false,
    isIgnored: false,
    known: KNOWN.test(name),
  };
  if (!channel.known) {
    // The words before `unknown` are the circuit.
    const at = words.indexOf('unknown');
    words.splice(at < 0 ? words.length - 1 : at);
  }
  for (const word of words) {
    // The words after `ignored` are the name of a channel that does not contribute to the totals.
    if (word === IGNORED) {
      channel.isIgnored = true;
      break;
    }
    if (word === 'export') channel.direction = 'export';
    else if (/^t\d+$/.test(word)) channel.part = 'tariff';
    else if (/^l\d+$/.test(word)) channel.part = 'phase';
    else if (OTHERS.has(word)) channel.commodity = word as Commodity;
    else if (word === VOLUME) channel.isVolume = true;
    else if (word === COOLING) channel.isIgnored = true;
    else if (word !== 'import') rest.push(word);
  }
  channel.circuit = rest.join('/');
  return channel;
}

/** A series whose meaning must be determined. */
interface Asked {
  channel: string;
  kind: string;
  /** The unit, as in `series.unit`. */
  unit?: string | null | undefined;
}

/**
 * Returns the meaning of a series. The owner's setting takes precedence over the name, but does not change the circuit (such as `switch0`
 * in `switch0/import`). The meaning is unknown if the owner's setting contradicts the sign of a power or the unit.
 */
export function resolveChannelMeaning({ channel: name, kind, unit }: Asked, word?: ChannelSetting): ParsedChannel {
  const guessed = parseChannel(name);
  const countsAs = word?.counts_as;
  if (countsAs === undefined) return guessed;
  if (countsAs === 'ignored') return { ...guessed, known: true, isIgnored: true };
  const placed = placedWord(countsAs);
  const { direction, part, commodity } = { ...parseChannel(placed ? 'import' : countsAs), ...placed };
  const isVolume = guessed.isVolume || /^m(?:3|³)$/i.test(unit ?? '');
  if (commodity === 'electricity' && (isVolume || (kind === 'power' && direction !== guessed.direction)))
    return { ...guessed, known: false };
  // Produced or stored energy is not part of the energy that a meter imported or exported. If the channel's name is unknown, the channel
  // therefore gets a separate circuit, such as `pv`.
  const own = placed && !guessed.known ? [guessed.circuit, placed.circuit].filter(Boolean).join('/') : guessed.circuit;
  const circuit = word?.circuit ?? own;
  return { ...guessed, circuit, known: true, isIgnored: false, commodity, isVolume, direction, part };
}

/** Returns the meaning of a series as a value of `counts_as`. Null if unknown. */
export function resolveCountsAs(name: string, word?: ChannelSetting): string | null {
  if (word?.counts_as !== undefined) return word.counts_as;
  if (!KNOWN.test(name)) return null;
  const words = name.split('/');
  if (words.includes(COOLING) || words.includes(IGNORED)) return 'ignored';
  const other = words.find((one) => OTHERS.has(one));
  if (other) return other;
  const direction = words.includes('export') ? 'export' : 'import';
  return [direction, ...words.filter((one) => /^[tl]\d+$/.test(one)).slice(0, 1)].join('/');
}

/** Whether the owner should set the meaning of a series, because it is unknown or only migration 0059 has set it. */
export const shouldOwnerSetMeaning = (name: string, word?: ChannelSetting): boolean =>
  !KNOWN.test(name) && (word?.counts_as === undefined || word.asked === true);

const MEMBERS: Readonly<Record<string, string>> = {
  register: 'energy_total_kwh',
  interval: 'energy_kwh',
  power: 'power_w',
  temperature: 'temperature_c',
  setpoint: 'setpoint_c',
  humidity: 'humidity_percent',
};

/**
 * Returns the name that the device itself gives to a quantity. If the device sends the service's own format, the name consists of the
 * channel and the member of the message.
 */
export const getNativeQuantityName = ({
  channel,
  kind,
  nativeName,
}: {
  channel: string;
  kind: string;
  nativeName?: string | null | undefined;
}): string => nativeName ?? `${channel} ${MEMBERS[kind] ?? kind}`;

/** The owner's settings for a quantity: its meaning, and the part of the home that it measures if this differs from the device's. */
export interface ChannelSetting {
  counts_as?: string;
  placement?: Placement;
  /**
   * Circuit of the channel before migration 0059. Only this migration sets it, for channels that contributed to the totals despite unknown
   * names.
   */
  circuit?: string;
  /** Whether migration 0059 has set `counts_as`. The owner should still set the meaning. */
  asked?: boolean;
}
/** The owner's settings for the quantities of a device, by the device's names for them. */
export type ChannelSettings = Record<string, ChannelSetting>;

const NO_WORD: ChannelSetting = {};

export const findChannelSetting = (
  words: ChannelSettings,
  series: Parameters<typeof getNativeQuantityName>[0],
): ChannelSetting => {
  const name = getNativeQuantityName(series);
  return (Object.hasOwn(words, name) && words[name]) || NO_WORD;
};
