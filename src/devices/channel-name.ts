import type { Placement } from '#src/database/enums.ts';
import { COMMODITIES, type Commodity, KNOWN_CHANNEL_PATTERN } from '#src/database/meter.ts';

/** This file determines the meaning of a channel from its name and its owner's settings (counting rules, "Channels"). */

export const CHANNEL_PART_KINDS = ['total', 'tariff', 'phase'] as const;
const OTHERS: ReadonlySet<string> = new Set(COMMODITIES);
const DIRECTIONS: ReadonlySet<string> = new Set(['import', 'export']);

export type EnergyDirection = 'import' | 'export';

export interface ParsedChannel {
  /** The words of the channel's name that remain when its known words are removed: `switch0` for `switch0/import/l1`. */
  circuit: string;
  direction: EnergyDirection;
  part: (typeof CHANNEL_PART_KINDS)[number];
  /** Gas, heat and water are counted by the same rules as electricity, but never as electricity. */
  commodity: Commodity | 'electricity';
  /** Whether the unit is m³, as in `gas/m3`. Volumes are computed in the same way as kWh. */
  isVolume: boolean;
  /** Whether the name of the channel (`ignored`, `cooling`) or the owner's setting excludes it from the totals. */
  isIgnored: boolean;
  /**
   * Whether the meaning of the channel is known. An unknown channel, such as `meter/unknown/wert_a`, does not contribute to the totals
   * until its owner sets its meaning.
   */
  known: boolean;
}

/** Word in the name of a channel that contains volumes. */
const VOLUME = 'm3';
/**
 * Word in a channel name before a quantity that does not contribute to the totals, or that another quantity already contains:
 * `ignored/heating`.
 */
const IGNORED = 'ignored';
/**
 * Word in a channel name for the energy that cooling removes from a house in summer, as a heat meter measures it. It is stored but does not
 * contribute to the totals, because it is not used heat.
 */
const COOLING = 'cooling';

const KNOWN = new RegExp(KNOWN_CHANNEL_PATTERN);

/** Meanings that an owner can set for a quantity (`counts_as`). */
export const COUNTS_AS_PATTERN =
  /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|production|charged|discharged|ignored)$/;

/**
 * Values of `counts_as` for the energy that an inverter produces, and for the energy that charges and discharges a battery. Each has a
 * channel and a placement in the home (counting rules, "Registers of one device", rule 5).
 */
const PLACED_WORDS: Readonly<Record<string, { circuit: string; direction: EnergyDirection; placement: Placement }>> = {
  production: { circuit: 'pv', direction: 'export', placement: 'production' },
  charged: { circuit: 'battery', direction: 'import', placement: 'storage' },
  discharged: { circuit: 'battery', direction: 'export', placement: 'storage' },
};
const placedWord = (countsAs: string) => (Object.hasOwn(PLACED_WORDS, countsAs) ? PLACED_WORDS[countsAs] : undefined);

/** Returns the placement that a value of `counts_as` implies. For example, `production` implies that the device is placed as production. */
export const findImpliedPlacement = (countsAs: string | undefined): Placement | undefined =>
  countsAs === undefined ? undefined : placedWord(countsAs)?.placement;

const NATIVE = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;
const MAX_NATIVE = 64;

/**
 * Normalises the `channel` of a native message or an import to its stored form, in lower case. Null if the channel is invalid: a word
 * between its slashes is not in `[a-z0-9_-]`, it has more than 64 characters, or more than one `/` precedes a direction or a commodity.
 */
export function normaliseNativeChannel(text: string): string | null {
  if (text.length > MAX_NATIVE) return null;
  const channel = NATIVE.test(text) ? text : text.toLowerCase();
  if (!NATIVE.test(channel)) return null;
  return channel.split('/').findIndex((word) => DIRECTIONS.has(word) || OTHERS.has(word)) > 1 ? null : channel;
}

/**
 * Converts any name that a device gives to one of its parts into a word of a channel: in lower case, with `_` instead of other characters.
 */
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
    // The word `unknown` states that the meaning is unknown. The words before it are the circuit.
    const at = words.indexOf('unknown');
    words.splice(at < 0 ? words.length - 1 : at);
  }
  for (const word of words) {
    // The word `ignored` marks a channel that does not contribute to the totals, or that another quantity already contains. The words after
    // it are the name of the channel.
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
 * Returns the meaning of a series. The owner's setting takes precedence over the meaning that the name suggests, but does not change the
 * circuit. The sign of a power determines its direction: if the owner sets the opposite direction, the meaning is unknown. The meaning is
 * also unknown if a volume is set to electricity.
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
  // The production of an inverter is not part of the energy that a meter exported to the grid. If the name of the channel is unknown,
  // production therefore gets a circuit of its own.
  const own = placed && !guessed.known ? [guessed.circuit, placed.circuit].filter(Boolean).join('/') : guessed.circuit;
  const circuit = word?.circuit ?? own;
  return { ...guessed, circuit, known: true, isIgnored: false, commodity, isVolume, direction, part };
}

/** Returns the meaning of a series as a value of `counts_as`. The owner has set it, or the name suggests it. Null if unknown. */
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

/**
 * Whether the owner should set the meaning of a series. This is so if the meaning is unknown, or if only migration 0059 has set it: before
 * this migration, unknown names contributed to the totals.
 */
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
 * Returns the name that the device itself gives to a quantity. For native devices, and for series that are older than such names, it
 * consists of the channel and the member of the message.
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

/** The owner's settings for a quantity: its meaning, and its placement in the home if it differs from that of the device. */
export interface ChannelSetting {
  counts_as?: string;
  placement?: Placement;
  /**
   * Circuit of a channel with an unknown name that contributed to the totals before migration 0059. Since then, unknown names do not
   * contribute. Only migration 0059 writes this member.
   */
  circuit?: string;
  /**
   * Whether migration 0059 has set `counts_as`, to the meaning that the channel had in the totals before. The owner should still set the
   * meaning.
   */
  asked?: boolean;
}
/** The owner's settings for the quantities of a device (`devices.channels`), by the names that the device gives to them. */
export type ChannelSettings = Record<string, ChannelSetting>;

const NO_WORD: ChannelSetting = {};

export const findChannelSetting = (
  words: ChannelSettings,
  series: Parameters<typeof getNativeQuantityName>[0],
): ChannelSetting => {
  const name = getNativeQuantityName(series);
  return (Object.hasOwn(words, name) && words[name]) || NO_WORD;
};
