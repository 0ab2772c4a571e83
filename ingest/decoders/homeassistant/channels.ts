import { circuitWord, type Meaning } from './words.ts';

/** An energy or power entity of a device, of which the channel is to be found. */
export interface Metered {
  kind: 'energy_total_kwh' | 'power_w';
  meaning: Omit<Meaning, 'medium'> & { medium: 'gas' | 'heat' | 'water' | '' };
  /** What it is called where its names do not tell it from another, the shorter first; the last tells it from all. */
  labels: readonly string[];
}

const nameOf = ({ meaning: { medium, direction, parts } }: Metered, circuit: string): string =>
  [medium, circuit, direction, ...parts].filter((word) => word !== '').join('/');

/**
 * The channels of a device's entities. A register's circuit is what its names leave over, so that total, tariffs, export
 * and power of one meter meet in one circuit; two that would have the same channel get circuits of their own.
 * Power is put where a register is, or left out: on a circuit of its own it would count in addition to that register.
 */
export function channelsOf<One extends Metered>(entities: readonly One[]): Map<One, string> {
  const registers = entities.filter(({ kind }) => kind === 'energy_total_kwh');
  const powers = entities.filter(({ kind }) => kind === 'power_w');
  const channels = placed(registers.filter(({ meaning }) => !meaning.own && !meaning.ignored));
  const inverter = registers.some(({ meaning }) => meaning.own) && channels.size === 0;
  const readable = powers.filter(({ meaning }) => !meaning.own && !meaning.ignored);
  const circuits = new Map<string, Set<string | null>>();
  for (const [register, name] of channels) {
    const { medium, direction, circuit } = register.meaning;
    const key = `${medium}/${direction}`;
    // A register that had to be given a circuit of its own is nobody's neighbour.
    const own = name === nameOf(register, circuit) ? circuit : null;
    circuits.set(key, (circuits.get(key) ?? new Set()).add(own));
  }
  const alike = new Map<string, number>();
  for (const one of readable) alike.set(nameOf(one, ''), (alike.get(nameOf(one, '')) ?? 0) + 1);
  for (const [one, channel] of placed(readable)) {
    const { medium, direction, circuit } = one.meaning;
    // An inverter's output is no consumption.
    if (inverter && direction === 'import' && medium === '') continue;
    const near = circuits.get(`${medium}/${direction}`) ?? new Set();
    const [only] = near;
    if (near.size === 0) channels.set(one, channel);
    else if (near.has(circuit)) {
      if (channel === nameOf(one, circuit)) channels.set(one, channel);
    } else if (near.size === 1 && typeof only === 'string' && alike.get(nameOf(one, '')) === 1) {
      channels.set(one, nameOf(one, only));
    }
  }
  return channels;
}

function placed<One extends Metered>(entities: readonly One[]): Map<One, string> {
  let open = entities.map((one) => ({ one, name: nameOf(one, one.meaning.circuit) }));
  const channels = new Map<One, string>();
  const depth = Math.max(0, ...entities.map(({ labels }) => labels.length));
  for (let level = 0; level <= depth && open.length > 0; level += 1) {
    const counts = new Map<string, number>();
    for (const name of [...open.map(({ name }) => name), ...channels.values()])
      counts.set(name, (counts.get(name) ?? 0) + 1);
    const clashing: typeof open = [];
    for (const { one, name } of open) {
      const label = one.labels[level];
      if (counts.get(name) === 1 || label === undefined) channels.set(one, name);
      else clashing.push({ one, name: nameOf(one, circuitWord(label)) });
    }
    open = clashing;
  }
  return channels;
}
