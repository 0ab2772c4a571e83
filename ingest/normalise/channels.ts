/** Energy quantities, the better first: a circuit counts by the first that it has (law of consumption, "Channels"). */
const QUANTITIES = ['register', 'interval', 'power'] as const;
const PARTS = ['total', 'tariff', 'phase'] as const;
const NEVER_COUNTED = new Set(['gas', 'heat', 'water']);

type Direction = 'import' | 'export';

export interface Channel {
  /** What remains of the name: `switch0` of `switch0/import/l1`. */
  circuit: string;
  direction: Direction;
  part: (typeof PARTS)[number];
  /** False for gas, heat and water, which are stored and never counted. */
  electric: boolean;
  /** False for what nobody can tell, which counts for nothing until its owner says what it is: `meter/unknown/wert_a`. */
  known: boolean;
}

/** The word before what an unknown quantity is called. */
export const UNKNOWN = 'unknown';

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
    else if (NEVER_COUNTED.has(word)) channel.electric = false;
    else if (word !== 'import') rest.push(word);
  }
  channel.circuit = rest.join('/');
  return channel;
}

export interface Roles {
  import: boolean;
  export: boolean;
}

/**
 * Which series of a device count, and as what: for each circuit and direction the best quantity first, then its total
 * before its tariffs before its phases; parts of one kind together, a total never with its own parts.
 * Export falls back to the negative part of the circuit's import power. What is unknown does not count, nor does a power beside
 * an unknown register of its circuit.
 * `series`: all series that the device has ever had, as channel and kind. Returns their roles, in the same order.
 */
export function chooseRoles(series: readonly { channel: string; kind: string }[]): Roles[] {
  const roles: Roles[] = series.map(() => ({ import: false, export: false }));
  const best = new Map<string, { rank: number; members: number[]; direction: Direction }>();
  const channels = series.map(({ channel }) => parseChannel(channel));
  // Beside a register of which nobody knows what it counts, power could be the same energy once more.
  const asked = new Set(
    channels.flatMap(({ known, circuit }, index) => (!known && series[index]?.kind === 'register' ? [circuit] : [])),
  );
  const offer = (index: number, circuit: string, direction: Direction, rank: number) => {
    const key = `${direction} ${circuit}`;
    const current = best.get(key);
    if (!current || rank < current.rank) best.set(key, { rank, members: [index], direction });
    else if (rank === current.rank) current.members.push(index);
  };
  series.forEach(({ kind }, index) => {
    const quantity = QUANTITIES.indexOf(kind as (typeof QUANTITIES)[number]);
    const channel = channels[index] as Channel;
    if (quantity < 0 || !channel.electric || !channel.known) return;
    if (kind === 'power' && asked.has(channel.circuit)) return;
    const rank = quantity * PARTS.length + PARTS.indexOf(channel.part);
    offer(index, channel.circuit, channel.direction, rank);
    if (kind === 'power' && channel.direction === 'import') {
      offer(index, channel.circuit, 'export', rank + PARTS.length);
    }
  });
  for (const { members, direction } of best.values()) {
    for (const index of members) (roles[index] as Roles)[direction] = true;
  }
  return roles;
}
