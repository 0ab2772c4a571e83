/** What a channel's name says, and what its owner says of it (law of consumption, "Channels"). */

export const PARTS = ['total', 'tariff', 'phase'] as const;
const OTHERS = new Set(['gas', 'heat', 'water']);

export type Direction = 'import' | 'export';

export interface Channel {
  /** What remains of the name: `switch0` of `switch0/import/l1`. */
  circuit: string;
  direction: Direction;
  part: (typeof PARTS)[number];
  /** False for gas, heat and water, which are stored and never counted, and for what its owner ignores. */
  electric: boolean;
  /** False for what nobody can tell, which counts for nothing until its owner says what it is: `meter/unknown/wert_a`. */
  known: boolean;
}

/** The word before what an unknown quantity is called. */
const UNKNOWN = 'unknown';

/** What an owner can say of a quantity. */
export const COUNTS_AS = /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$/;

/** Reads a channel name: words between slashes, of which some say direction, tariff, phase or medium. */
export function parseChannel(name: string): Channel {
  const words = name.split('/');
  const rest: string[] = [];
  const channel: Channel = { circuit: '', direction: 'import', part: 'total', electric: true, known: true };
  for (const word of words) {
    if (word === UNKNOWN) {
      channel.known = false;
      break;
    }
    if (word === 'export') channel.direction = 'export';
    else if (/^t\d+$/.test(word)) channel.part = 'tariff';
    else if (/^l\d+$/.test(word)) channel.part = 'phase';
    else if (OTHERS.has(word)) channel.electric = false;
    else if (word !== 'import') rest.push(word);
  }
  channel.circuit = rest.join('/');
  return channel;
}

/**
 * What a series counts as, by its owner's word where there is one, above every guess: it stays in its circuit. A power counts by its
 * sign: a word of the other direction cannot be followed, and it counts for nothing.
 */
export function meantChannel(name: string, kind: string, countsAs: string | null): Channel {
  const guessed = parseChannel(name);
  if (countsAs === null) return guessed;
  const { direction, part, electric } = parseChannel(countsAs);
  const said = { ...guessed, known: true };
  if (countsAs === 'ignored' || !electric) return { ...said, electric: false };
  if (kind === 'power' && direction !== guessed.direction) return { ...guessed, known: false };
  return { ...said, electric: true, direction, part };
}

/** What a series is said or guessed to be, in the words of `counts_as`; null: nobody knows. */
export function countsAsOf(name: string, countsAs: string | null): string | null {
  if (countsAs !== null) return countsAs;
  const words = name.split('/');
  if (words.includes(UNKNOWN)) return null;
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

/** What owners have said of a device's quantities (`devices.channels`), by their native names. */
export type OwnersWords = Readonly<Record<string, { counts_as: string }>>;

/** An owner's word for a series; null: none. */
export const wordFor = (words: OwnersWords, series: Parameters<typeof nativeNameOf>[0]): string | null => {
  const name = nativeNameOf(series);
  return Object.hasOwn(words, name) ? (words[name]?.counts_as ?? null) : null;
};
