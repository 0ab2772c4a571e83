import type { Placement } from '#src/database/enums.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';

/** What a channel's name says, and what its owner says of it (law of consumption, "Channels"). */

export const PARTS = ['total', 'tariff', 'phase'] as const;
const OTHERS: ReadonlySet<string> = new Set(COMMODITIES);

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

/** The word before what an unknown quantity is called. */
const UNKNOWN = 'unknown';
/** The word of a volume. */
const VOLUME = 'm3';
/** What a heat meter takes out of a house in summer is no heat that was used: it is stored, and counts for nothing. */
const COOLING = 'cooling';

/** What an owner can say of a quantity. */
export const COUNTS_AS = /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$/;

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
    known: true,
  };
  for (const word of words) {
    if (word === UNKNOWN) {
      channel.known = false;
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
export function meantChannel({ channel: name, kind, unit }: Asked, countsAs: string | null): Channel {
  const guessed = parseChannel(name);
  if (countsAs === null) return guessed;
  if (countsAs === 'ignored') return { ...guessed, known: true, isIgnored: true };
  const { direction, part, commodity } = parseChannel(countsAs);
  const isVolume = guessed.isVolume || /^m(?:3|³)$/i.test(unit ?? '');
  if (commodity === 'electricity' && (isVolume || (kind === 'power' && direction !== guessed.direction)))
    return { ...guessed, known: false };
  return { ...guessed, known: true, isIgnored: false, commodity, isVolume, direction, part };
}

/** What a series is said or guessed to be, in the words of `counts_as`; null: nobody knows. */
export function countsAsOf(name: string, countsAs: string | null): string | null {
  if (countsAs !== null) return countsAs;
  const words = name.split('/');
  if (words.includes(UNKNOWN)) return null;
  if (words.includes(COOLING)) return 'ignored';
  const other = words.find((word) => OTHERS.has(word));
  if (other) return other;
  const direction = words.includes('export') ? 'export' : 'import';
  return [direction, ...words.filter((word) => /^[tl]\d+$/.test(word)).slice(0, 1)].join('/');
}

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
}
/** What owners have said of a device's quantities (`devices.channels`), by their native names. */
export type OwnersWords = Record<string, OwnersWord>;

const NO_WORD: OwnersWord = {};

/** An owner's word for a series. */
export const wordFor = (words: OwnersWords, series: Parameters<typeof nativeNameOf>[0]): OwnersWord => {
  const name = nativeNameOf(series);
  return (Object.hasOwn(words, name) && words[name]) || NO_WORD;
};
