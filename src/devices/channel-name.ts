import type { Placement } from '#src/database/enums.ts';
import { COMMODITIES, type Commodity, KNOWN_CHANNEL } from '#src/database/meter.ts';

/** What a channel's name says, and what its owner says of it (law of consumption, "Channels"). */

export const PARTS = ['total', 'tariff', 'phase'] as const;
const OTHERS: ReadonlySet<string> = new Set(COMMODITIES);
const DIRECTIONS: ReadonlySet<string> = new Set(['import', 'export']);

export type Direction = 'import' | 'export';

export interface Channel {
  /** What remains of the name: `switch0` of `switch0/import/l1`. */
  circuit: string;
  direction: Direction;
  part: (typeof PARTS)[number];
  /** Gas, heat and water have the same law, and are never counted as electricity. */
  commodity: Commodity | 'electricity';
  /** In m³, which is read for kWh everywhere: `gas/m3`. */
  isVolume: boolean;
  /** Its owner says that it counts for nothing. */
  isIgnored: boolean;
  /** False for what nobody can tell, which counts for nothing until its owner says what it is: `meter/unknown/wert_a`. */
  known: boolean;
}

/** The word of a volume. */
const VOLUME = 'm3';
/** The word before what is known not to count, or is a part of another quantity: `ignored/heating`. */
const IGNORED = 'ignored';
/** What a heat meter takes out of a house in summer is no heat that was used: it is stored, and counts for nothing. */
const COOLING = 'cooling';

const KNOWN = new RegExp(KNOWN_CHANNEL);

/** What an owner can say of a quantity. */
export const COUNTS_AS =
  /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|production|charged|discharged|ignored)$/;

/**
 * Words of `counts_as` for what an inverter made and for what went into and out of a battery: the channel that each stands for, and its
 * place in the home (law of consumption, "Registers of one device", rule 5).
 */
const PLACED_WORDS: Readonly<Record<string, { circuit: string; direction: Direction; placement: Placement }>> = {
  production: { circuit: 'pv', direction: 'export', placement: 'production' },
  charged: { circuit: 'battery', direction: 'import', placement: 'storage' },
  discharged: { circuit: 'battery', direction: 'export', placement: 'storage' },
};
const placedWord = (countsAs: string) => (Object.hasOwn(PLACED_WORDS, countsAs) ? PLACED_WORDS[countsAs] : undefined);

/** The place in the home that a word of `counts_as` implies: `production` is a production device's. */
export const placementOf = (countsAs: string | undefined): Placement | undefined =>
  countsAs === undefined ? undefined : placedWord(countsAs)?.placement;

const NATIVE = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;
const MAX_NATIVE = 64;

/**
 * The `channel` of a native message or an import as it is stored, capitals as small letters; null if it is none: no parts of `[a-z0-9_-]`
 * between slashes, over 64 characters, or more than one `/` before a direction or a commodity.
 */
export function nativeChannel(text: string): string | null {
  if (text.length > MAX_NATIVE) return null;
  const channel = NATIVE.test(text) ? text : text.toLowerCase();
  if (!NATIVE.test(channel)) return null;
  return channel.split('/').findIndex((word) => DIRECTIONS.has(word) || OTHERS.has(word)) > 1 ? null : channel;
}

/** A word for a channel out of whatever a device calls its parts: lower case, other characters as `_`. */
export const channelWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 32) || 'x';

/** Reads a channel name: words between slashes, of which some say direction, tariff, phase or medium. */
export function parseChannel(name: string): Channel {
  const words = name.split('/');
  const rest: string[] = [];
  const channel: Channel = {
    circuit: '',
    direction: 'import',
    part: 'total',
    commodity: 'electricity',
    isVolume: false,
    isIgnored: false,
    known: KNOWN.test(name),
  };
  if (!channel.known) {
    // The name itself says nothing; what stands before it is where it lies.
    const at = words.indexOf('unknown');
    words.splice(at < 0 ? words.length - 1 : at);
  }
  for (const word of words) {
    // Known not to count, or a part of another quantity: what follows is what it is called.
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

/** A series of which it is asked what it counts as. */
interface Asked {
  channel: string;
  kind: string;
  /** As `series.unit`. */
  unit?: string | null | undefined;
}

/**
 * What a series counts as, by its owner's word where there is one, above every guess: it stays in its circuit. A power counts by its
 * sign: a word of the other direction cannot be followed, and it counts for nothing. Neither does a volume that is said to be electricity.
 */
export function meantChannel({ channel: name, kind, unit }: Asked, word?: OwnersWord): Channel {
  const guessed = parseChannel(name);
  const countsAs = word?.counts_as;
  if (countsAs === undefined) return guessed;
  if (countsAs === 'ignored') return { ...guessed, known: true, isIgnored: true };
  const placed = placedWord(countsAs);
  const { direction, part, commodity } = { ...parseChannel(placed ? 'import' : countsAs), ...placed };
  const isVolume = guessed.isVolume || /^m(?:3|³)$/i.test(unit ?? '');
  if (commodity === 'electricity' && (isVolume || (kind === 'power' && direction !== guessed.direction)))
    return { ...guessed, known: false };
  // What an inverter made is no part of what its meter returned to the grid: it has a circuit of its own, unless its name says one.
  const own = placed && !guessed.known ? [guessed.circuit, placed.circuit].filter(Boolean).join('/') : guessed.circuit;
  const circuit = word?.circuit ?? own;
  return { ...guessed, circuit, known: true, isIgnored: false, commodity, isVolume, direction, part };
}

/** What a series is said or guessed to be, in the words of `counts_as`; null: nobody knows. */
export function countsAsOf(name: string, word?: OwnersWord): string | null {
  if (word?.counts_as !== undefined) return word.counts_as;
  if (!KNOWN.test(name)) return null;
  const words = name.split('/');
  if (words.includes(COOLING) || words.includes(IGNORED)) return 'ignored';
  const other = words.find((one) => OTHERS.has(one));
  if (other) return other;
  const direction = words.includes('export') ? 'export' : 'import';
  return [direction, ...words.filter((one) => /^[tl]\d+$/.test(one)).slice(0, 1)].join('/');
}

/** Whether its owner is to say what a series is: nobody knows, or it counts because it did before unknown names stopped to. */
export const isAskedOf = (name: string, word?: OwnersWord): boolean =>
  !KNOWN.test(name) && (word?.counts_as === undefined || word.asked === true);

const MEMBERS: Readonly<Record<string, string>> = {
  register: 'energy_total_kwh',
  interval: 'energy_kwh',
  power: 'power_w',
};

/** How a device calls a quantity; of a native one, and of those from before names were kept, its channel and member. */
export const nativeNameOf = ({
  channel,
  kind,
  nativeName,
}: {
  channel: string;
  kind: string;
  nativeName?: string | null | undefined;
}): string => nativeName ?? `${channel} ${MEMBERS[kind] ?? kind}`;

/** What owners say of a quantity: what it counts as, and where in the home it is, if not where its device is. */
export interface OwnersWord {
  counts_as?: string;
  placement?: Placement;
  /** The circuit of a channel of unknown name that had counted before such names stopped to: only migration 0059 wrote it. */
  circuit?: string;
  /** `counts_as` is not the owner's, but what the channel had counted as, by migration 0059: its owner is asked. */
  asked?: boolean;
}
/** What owners have said of a device's quantities (`devices.channels`), by their native names. */
export type OwnersWords = Record<string, OwnersWord>;

const NO_WORD: OwnersWord = {};

/** An owner's word for a series. */
export const wordFor = (words: OwnersWords, series: Parameters<typeof nativeNameOf>[0]): OwnersWord => {
  const name = nativeNameOf(series);
  return (Object.hasOwn(words, name) && words[name]) || NO_WORD;
};
