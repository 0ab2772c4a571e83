import { scaleDecimal } from '#src/core/units.ts';
import type { ValueKind } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import type { ValueCollector } from '../read/value-collector.ts';
import { parseComponent, type ShellyComponent } from './topic.ts';

/** Status of one component of a device: all members, or only the members that have changed. */
interface Part {
  device: string;
  /** Name of the component (`switch:0`) for refusals. */
  name: string;
  id: number;
  status: Json;
  atMs: number | null;
}

type ReadPart = (collector: ValueCollector, part: Part) => void;

/** Adds a member of a component's status. A missing member has not changed; a null member could not be measured. */
function addMember(
  collector: ValueCollector,
  { device, name, atMs }: Part,
  said: { channel: string; kind: ValueKind; value: unknown; member: string },
): void {
  // All registers are in Wh.
  const per = said.kind === 'energy_total_kwh' ? 1_000 : 1;
  const { channel, kind, value } = said;
  collector.add({ device, channel, kind, value, per, atMs, name: `${name} ${said.member}` });
}

/** Matches ids of energy meters (`shellypro3em-…`, `shellyemg3-…`), whose `temperature:0` is the temperature of the chip. */
const METER = /^shelly[a-z0-9]*em[a-z0-9]*-/;
/** Target temperature that means "valve off". It is not a set-point of 4 °C. */
const OFF_C = 4;

/** Decodes the component `temperature`: id 0 is the room, and ids from 100 are probes of an add-on. */
const readTemperature: ReadPart = (collector, part) => {
  if (part.id === 0 && METER.test(part.device)) return;
  const channel = part.id === 0 ? 'room' : `room/temperature${part.id}`;
  addMember(collector, part, { channel, kind: 'temperature_c', value: getMember(part.status, 'tC'), member: 'tC' });
};

/** Decodes the component `thermostat` of wall displays. The device may also have a `temperature:0` with a different value. */
const readThermostat: ReadPart = (collector, part) => {
  const channel = `room/thermostat${part.id}`;
  addCurrent(collector, part, channel);
  const target = getMember(part.status, 'target_C');
  addMember(collector, part, { channel, kind: 'setpoint_c', value: target, member: 'target_C' });
  const { device, atMs, status } = part;
  const value = getMember(status, 'output');
  collector.addState({ device, channel, kind: 'heating', value, atMs, name: `${part.name} output` });
};

/** Decodes the component `blutrv`: a radiator valve whose values a gateway receives by Bluetooth. */
const readValve: ReadPart = (collector, part) => {
  const channel = `room/blutrv${part.id}`;
  addCurrent(collector, part, channel);
  const target = getMember(part.status, 'target_C');
  if (readNumber(target) !== OFF_C) {
    addMember(collector, part, { channel, kind: 'setpoint_c', value: target, member: 'target_C' });
  }
  const position = readNumber(getMember(part.status, 'pos'));
  const { device, atMs } = part;
  if (position === undefined) collector.refuse(`${part.name} pos is not a number`);
  // A negative position means that the valve has never been calibrated.
  else if (position !== null && position >= 0) {
    collector.addState({ device, channel, kind: 'heating', value: position > 0, atMs, name: `${part.name} pos` });
  }
};

function addCurrent(collector: Parameters<ReadPart>[0], part: Part, channel: string): void {
  const value = getMember(part.status, 'current_C');
  addMember(collector, part, { channel, kind: 'temperature_c', value, member: 'current_C' });
}

/** Channels of the phases, with the letter at the beginning of their members' names (`a_act_power`). */
const PHASES = [
  ['a', '/l1'],
  ['b', '/l2'],
  ['c', '/l3'],
] as const;

/** Number of mWh in one Wh. Shelly's registers are in Wh with three decimals. */
const PER_WH = 1_000;
const PER_KWH = 1_000_000;

/**
 * Adds the registers of a component. `aenergy` is the energy of both directions and `ret_aenergy` the returned energy, so the import is
 * their difference. Devices without `ret_aenergy` do not measure a direction. If only `aenergy` is reset, the difference is negative. The
 * import is then ignored until the difference is positive again.
 */
function addRegisters(collector: ValueCollector, part: Part, channel: string): void {
  const { device, name, atMs, status } = part;
  const total = (member: string): unknown => {
    const register = getMember(status, member) ?? null;
    if (register === null) return null;
    if (!asObjectOrNull(register)) collector.refuse(`${name} ${member} is not an object`);
    return getMember(asObjectOrNull(register), 'total') ?? null;
  };
  const [value, returned] = [total('aenergy'), total('ret_aenergy')];
  const kind = 'energy_total_kwh';
  addMember(collector, part, { channel: `${channel}/export`, kind, value: returned, member: 'ret_aenergy.total' });
  const [both, back] = [value, returned].map(readNumber);
  const member = 'aenergy.total';
  if (typeof both !== 'number' || back === null) {
    addMember(collector, part, { channel: `${channel}/import`, kind, value, member });
  } else if (back !== undefined) {
    const imported = scaleDecimal(both, PER_WH, 1) - scaleDecimal(back, PER_WH, 1);
    const said = { device, channel: `${channel}/import`, kind, atMs, name: `${name} ${member}` } as const;
    if (imported >= 0) collector.add({ ...said, value: imported, per: PER_KWH });
  }
}

/**
 * Returns a decoder for `switch`, `pm1`, `cover`, `light` and similar components: power, and the registers of both directions. Ignores
 * `by_minute`, which contains the mWh of past minutes, because the register contains this energy, too. `circuit`: first part of the
 * channel, followed by the component's number.
 */
const readMetered =
  (circuit: string): ReadPart =>
  (collector, part) => {
    const channel = `${circuit}${part.id}`;
    addRegisters(collector, part, channel);
    const value = getMember(part.status, 'apower');
    addMember(collector, part, { channel: `${channel}/import`, kind: 'power_w', value, member: 'apower' });
  };

/** Decodes the component `em`: the power of three phases and their total. Negative power is export. */
const readThreePhasePower: ReadPart = (collector, part) => {
  const add = (name: string, channel: string) =>
    addMember(collector, part, { channel, kind: 'power_w', value: getMember(part.status, name), member: name });
  add('total_act_power', `em${part.id}/import`);
  for (const [letter, phase] of PHASES) add(`${letter}_act_power`, `em${part.id}/import${phase}`);
};

/** Decodes the component `emdata`: the registers of the `em` component with the same number, on the same channels as the powers. */
const readThreePhaseEnergy: ReadPart = (collector, part) => {
  const add = (name: string, channel: string) =>
    addMember(collector, part, {
      channel,
      kind: 'energy_total_kwh',
      value: getMember(part.status, name),
      member: name,
    });
  add('total_act', `em${part.id}/import`);
  add('total_act_ret', `em${part.id}/export`);
  for (const [letter, phase] of PHASES) {
    add(`${letter}_total_act_energy`, `em${part.id}/import${phase}`);
    add(`${letter}_total_act_ret_energy`, `em${part.id}/export${phase}`);
  }
};

const readChannelPower: ReadPart = (collector, part) => {
  const value = getMember(part.status, 'act_power');
  addMember(collector, part, { channel: `em1-${part.id}/import`, kind: 'power_w', value, member: 'act_power' });
};

/** Decodes the component `em1data`: the registers of the `em1` component with the same number. */
const readChannelEnergy: ReadPart = (collector, part) => {
  for (const [name, direction] of [
    ['total_act_energy', 'import'],
    ['total_act_ret_energy', 'export'],
  ] as const) {
    const said = { channel: `em1-${part.id}/${direction}`, kind: 'energy_total_kwh' } as const;
    addMember(collector, part, { ...said, value: getMember(part.status, name), member: name });
  }
};

/**
 * Decoders by type of component. If a type ends with a digit, its circuit gets a `-`, so that the circuits of `pm1:0` and `pm:10` differ.
 */
const READERS = new Map<string, ReadPart>([
  ...['switch', 'cover', 'light', 'rgb', 'rgbw', 'cct', 'rgbcct'].map((type) => [type, readMetered(type)] as const),
  ['pm1', readMetered('pm1-')],
  ['em', readThreePhasePower],
  ['emdata', readThreePhaseEnergy],
  ['em1', readChannelPower],
  ['em1data', readChannelEnergy],
  ['temperature', readTemperature],
  ['thermostat', readThermostat],
  ['blutrv', readValve],
]);

export const isReadableComponent = ({ type }: ShellyComponent): boolean => READERS.has(type);

/** Decodes the status of one component. A status of null means that the component was removed. */
export function readComponent(
  collector: ValueCollector,
  component: ShellyComponent,
  said: { device: string; value: unknown; atMs: number | null },
): void {
  const read = READERS.get(component.type);
  if (!read || said.value === null || said.value === undefined) return;
  const name = `${component.type}:${component.id}`;
  const status = asObjectOrNull(said.value);
  if (status) read(collector, { device: said.device, name, id: component.id, status, atMs: said.atMs });
  else collector.refuse(`${name} is not an object`);
}

/** Decodes the status of all components. Members without a number (`sys`, `wifi`) are ignored. */
export function readComponents(
  collector: ValueCollector,
  status: Json,
  { device, atMs }: { device: string; atMs: number | null },
): void {
  for (const [name, value] of Object.entries(status)) {
    const component = parseComponent(name);
    if (component) readComponent(collector, component, { device, value, atMs });
  }
}
