import type { Meter } from '#src/database/meter.ts';
import { type Channel, type Direction, meantChannel, type OwnersWord, PARTS } from '#src/devices/channel-name.ts';

/** Energy quantities, the better first: a circuit counts by the first that it has (law of consumption, "Channels"). */
const QUANTITIES = ['register', 'interval', 'power'] as const;

export interface Roles {
  import: boolean;
  export: boolean;
  /** What it is told apart as; null: it is of its device's electricity, and of nothing else. */
  meter: Meter | null;
  /** It is the register of a tariff, and counts: of those of its circuit and direction one runs at a time (tariffs.ts). */
  isTariff?: boolean;
}

export const NO_ROLES: Roles = { import: false, export: false, meter: null };

export const haveSameRoles = (one: Roles, other: Roles): boolean =>
  one.import === other.import &&
  one.export === other.export &&
  one.meter === other.meter &&
  !one.isTariff === !other.isTariff;

/** A series that the device has had, and what its owner says of it. */
interface Series {
  channel: string;
  kind: string;
  unit?: string | null | undefined;
  word?: OwnersWord;
}

/**
 * Which series of a device count, and as what: for each circuit and direction the best quantity first, then its total
 * before its tariffs before its phases; parts of one kind together, a total never with its own parts.
 * Export falls back to the negative part of the circuit's import power. What is unknown does not count, nor does a power beside
 * an unknown register of its circuit. Gas, heat and water do the same by themselves, in kWh and by volume; they have no export.
 * `series`: all series that the device has ever had. Returns their roles, in the same order.
 */
export function chooseRoles(series: readonly Series[]): Roles[] {
  const best = new Map<string, { rank: number; members: number[]; direction: Direction }>();
  const channels = series.map((one) => meantChannel(one, one.word));
  // Beside a register of which nobody knows what it counts, power could be the same energy once more.
  const asked = new Set(
    channels.flatMap(({ known, circuit }, index) => (!known && series[index]?.kind === 'register' ? [circuit] : [])),
  );
  const offer = (index: number, whose: string, direction: Direction, rank: number) => {
    const key = `${direction} ${whose}`;
    const current = best.get(key);
    if (!current || rank < current.rank) best.set(key, { rank, members: [index], direction });
    else if (rank === current.rank) current.members.push(index);
  };
  const roles = series.map(({ word }, index): Roles => {
    const { commodity, isVolume } = channels[index] as Channel;
    if (commodity === 'electricity') return { ...NO_ROLES, meter: word?.placement ?? null };
    return { ...NO_ROLES, meter: isVolume ? `${commodity}_m3` : commodity };
  });
  series.forEach(({ kind, word }, index) => {
    const quantity = QUANTITIES.indexOf(kind as (typeof QUANTITIES)[number]);
    const { commodity, isVolume, isIgnored, known, circuit, direction, part } = channels[index] as Channel;
    const isElectric = commodity === 'electricity';
    if (quantity < 0 || isIgnored || !known || (isElectric && isVolume)) return;
    if (!isElectric && (direction === 'export' || word?.placement === 'excluded')) return;
    if (kind === 'power' && asked.has(circuit)) return;
    const whose = `${commodity}${isVolume ? ' m3' : ''} ${circuit}`;
    const rank = quantity * PARTS.length + PARTS.indexOf(part);
    offer(index, whose, direction, rank);
    if (kind === 'power' && direction === 'import' && isElectric) offer(index, whose, 'export', rank + PARTS.length);
  });
  for (const { members, direction } of best.values()) {
    for (const index of members) {
      const of = roles[index] as Roles;
      of[direction] = true;
      if (series[index]?.kind === 'register' && channels[index]?.part === 'tariff') of.isTariff = true;
    }
  }
  return roles.map((one) => (one.import || one.export ? one : NO_ROLES));
}
