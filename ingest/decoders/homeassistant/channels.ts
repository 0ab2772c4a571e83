import type { Place } from '../family.ts';
import { volumeChannel } from '../read/volume.ts';
import { circuitWord, type Meaning } from './words.ts';

/** An entity of energy, power or volume of a device, of which the channel is to be found. */
export interface Metered {
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
  meaning: Omit<Meaning, 'medium'> & { medium: 'gas' | 'heat' | 'water' | '' };
  /** What it is called where its names do not tell it from another, the shorter first; the last tells it from all. */
  labels: readonly string[];
}

/** Its commodity is all that must be known of a volume. */
export const KNOWN_VOLUME = { direction: 'import', ignored: false, own: false, unknown: false } as const;

type Named = (one: Metered, circuit: string) => string;
const nameOf: Named = ({ meaning: { medium, direction, parts } }, circuit) =>
  [medium, circuit, direction, ...parts].filter((word) => word !== '').join('/');
const askedName: Named = ({ meaning, labels }, circuit) =>
  [meaning.medium, circuit, 'unknown', circuitWord(labels[0] ?? '')].filter((word) => word !== '').join('/');

const volumeName: Named = ({ meaning: { medium, parts } }, circuit) =>
  [volumeChannel(medium || 'water', circuit), ...parts].join('/');

const isAsked = ({ meaning: { unknown, own } }: Metered) => unknown || own;
const isPower = ({ kind }: Metered) => kind === 'power_w';

/**
 * Where a device's entities are put. A register's circuit is what its names leave over, so that total, tariffs, export
 * and power of one meter meet in one circuit; two that would have the same channel get circuits of their own.
 * Power is put where a register is, or left out: on a circuit of its own it would count in addition to that register.
 * What nobody can tell is asked about; of a device with an unknown register all are told where they were before.
 */
export function channelsOf<One extends Metered>(all: readonly One[]): Map<One, Place> {
  const told = all.filter(({ meaning }) => !meaning.ignored);
  const entities = told.filter(({ kind }) => kind !== 'volume_total_m3');
  const registers = entities.filter((one) => !isPower(one));
  // Beside registers a power that nobody can tell says nothing new.
  const isOnlyPower = registers.length === 0;
  const known = entities.filter((one) => !isAsked(one));
  const asked = entities.filter((one) => isAsked(one) && (isOnlyPower || !isPower(one)));
  const places = new Map<One, Place>();
  const volumes = told.filter(({ kind }) => kind === 'volume_total_m3');
  for (const [one, channel] of placed(volumes, volumeName, circuitNow)) places.set(one, { channel });
  for (const [one, channel] of placed(asked, askedName, circuitNow)) {
    places.set(one, { channel, asks: { unit: isPower(one) ? 'W' : 'kWh' } });
  }
  const channels = channelsIn(known, registers.filter(isAsked), circuitNow);
  for (const [one, channel] of channels) places.set(one, { channel });
  if (!asked.some(({ meaning }) => meaning.unknown)) return places;
  const before = channelsIn(
    entities.filter(({ meaning }) => !meaning.own),
    registers.filter(({ meaning }) => meaning.own),
    circuitBefore,
  );
  for (const [one, place] of places) {
    const was = before.get(one);
    if (was !== undefined && was !== place.channel) places.set(one, { ...place, was });
  }
  return places;
}

type CircuitOf = (one: Metered) => string;
const circuitNow: CircuitOf = ({ meaning }) => meaning.circuit;
const circuitBefore: CircuitOf = ({ meaning }) => meaning.oldCircuit;

/** Channels of entities whose names are understood. `asked`: registers beside them of which nobody can tell what they are. */
function channelsIn<One extends Metered>(
  entities: readonly One[],
  asked: readonly One[],
  circuitOf: CircuitOf,
): Map<One, string> {
  const registers = entities.filter((one) => !isPower(one));
  const readable = entities.filter(isPower);
  const channels = placed(registers, nameOf, circuitOf);
  const inverter = asked.some(({ meaning }) => meaning.own) && channels.size === 0;
  const circuits = new Map<string, Set<string | null>>();
  const note = (key: string, circuit: string | null) =>
    circuits.set(key, (circuits.get(key) ?? new Set()).add(circuit));
  for (const [register, name] of channels) {
    const { medium, direction } = register.meaning;
    const circuit = circuitOf(register);
    // A register that had to be given a circuit of its own is nobody's neighbour.
    note(`${medium}/${direction}`, name === nameOf(register, circuit) ? circuit : null);
  }
  for (const register of asked) {
    const { medium, unknown } = register.meaning;
    if (unknown) for (const direction of ['import', 'export']) note(`${medium}/${direction}`, circuitOf(register));
  }
  const alike = new Map<string, number>();
  for (const one of readable) alike.set(nameOf(one, ''), (alike.get(nameOf(one, '')) ?? 0) + 1);
  for (const [one, channel] of placed(readable, nameOf, circuitOf)) {
    const { medium, direction } = one.meaning;
    const circuit = circuitOf(one);
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

function placed<One extends Metered>(entities: readonly One[], named: Named, circuitOf: CircuitOf): Map<One, string> {
  let open = entities.map((one) => ({ one, name: named(one, circuitOf(one)) }));
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
      else clashing.push({ one, name: named(one, circuitWord(label)) });
    }
    open = clashing;
  }
  return channels;
}
