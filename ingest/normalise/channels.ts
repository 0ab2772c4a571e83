import { type Channel, type Direction, meantChannel, PARTS } from '#src/devices/channel-name.ts';

/** Energy quantities, the better first: a circuit counts by the first that it has (law of consumption, "Channels"). */
const QUANTITIES = ['register', 'interval', 'power'] as const;

export interface Roles {
  import: boolean;
  export: boolean;
}

/**
 * Which series of a device count, and as what: for each circuit and direction the best quantity first, then its total
 * before its tariffs before its phases; parts of one kind together, a total never with its own parts.
 * Export falls back to the negative part of the circuit's import power. What is unknown does not count, nor does a power beside
 * an unknown register of its circuit.
 * `series`: all series that the device has ever had, as channel and kind, and what their owner says that they count as.
 * Returns their roles, in the same order.
 */
export function chooseRoles(series: readonly { channel: string; kind: string; countsAs?: string | null }[]): Roles[] {
  const roles: Roles[] = series.map(() => ({ import: false, export: false }));
  const best = new Map<string, { rank: number; members: number[]; direction: Direction }>();
  const channels = series.map(({ channel, kind, countsAs = null }) => meantChannel(channel, kind, countsAs));
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
