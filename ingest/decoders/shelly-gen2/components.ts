import type { SaidKind } from '../family.ts';
import type { Hearing } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member } from '../read/payload.ts';
import { type Component, parseComponent } from './topic.ts';

/** The status of one component of a device: all of it, or those members that have changed. */
interface Part {
  device: string;
  /** `switch:0`, for reasons of refusal. */
  name: string;
  id: number;
  status: Json;
  atMs: number | null;
}

/** Reads what a component of its type says. */
type ReadPart = (heard: Hearing, part: Part) => void;

/** Adds a member of a component's status; one that is missing has not changed, one that is null could not be measured. */
function addMember(
  heard: Hearing,
  { device, name, atMs }: Part,
  said: { channel: string; kind: SaidKind; value: unknown; member: string },
): void {
  // All registers are in Wh.
  const per = said.kind === 'energy_total_kwh' ? 1_000 : 1;
  const { channel, kind, value } = said;
  heard.add({ device, channel, kind, value, per, atMs, name: `${name} ${said.member}` });
}

/** Energy meters (`shellypro3em-…`, `shellyemg3-…`): their own `temperature:0` is that of the chip. */
const METER = /^shelly[a-z0-9]*em[a-z0-9]*-/;
/** The target by which a radiator's valve is told to be off. */
const OFF_C = 4;

/** Reads `temperature`: the room on `0`, probes of an add-on on `100` and after. */
const readTemperature: ReadPart = (heard, part) => {
  if (part.id === 0 && METER.test(part.device)) return;
  const channel = part.id === 0 ? 'room' : `room/temperature${part.id}`;
  addMember(heard, part, { channel, kind: 'temperature_c', value: member(part.status, 'tC'), member: 'tC' });
};

/** Reads `thermostat`, of wall displays. It may stand beside `temperature:0`, which need not say the same. */
const readThermostat: ReadPart = (heard, part) => {
  const channel = `room/thermostat${part.id}`;
  addCurrent(heard, part, channel);
  const target = member(part.status, 'target_C');
  addMember(heard, part, { channel, kind: 'setpoint_c', value: target, member: 'target_C' });
  const { device, atMs, status } = part;
  const value = member(status, 'output');
  heard.addState({ device, channel, kind: 'heating', value, atMs, name: `${part.name} output` });
};

/** Reads `blutrv`, a radiator's valve that a gateway has heard by Bluetooth. */
const readValve: ReadPart = (heard, part) => {
  const channel = `room/blutrv${part.id}`;
  addCurrent(heard, part, channel);
  const target = member(part.status, 'target_C');
  if (readNumber(target) !== OFF_C) {
    addMember(heard, part, { channel, kind: 'setpoint_c', value: target, member: 'target_C' });
  }
  const position = readNumber(member(part.status, 'pos'));
  const { device, atMs } = part;
  if (position === undefined) heard.refuse(`${part.name} pos is not a number`);
  // Below 0: a valve that was never calibrated does not know where it is.
  else if (position !== null && position >= 0) {
    heard.addState({ device, channel, kind: 'heating', value: position > 0, atMs, name: `${part.name} pos` });
  }
};

function addCurrent(heard: Parameters<ReadPart>[0], part: Part, channel: string): void {
  const value = member(part.status, 'current_C');
  addMember(heard, part, { channel, kind: 'temperature_c', value, member: 'current_C' });
}

/** Phases by the letter before their members. */
const PHASES = [
  ['a', '/l1'],
  ['b', '/l2'],
  ['c', '/l3'],
] as const;

/**
 * Reads `switch`, `pm1`, `cover`, `light` and their like: power, and the registers of either direction. `by_minute` is
 * not read: it is mWh of minutes gone by, which are in the register, too.
 * `circuit`: the beginning of the channel, to which the component's number is added.
 */
const readMetered =
  (circuit: string): ReadPart =>
  (heard, part) => {
    const channel = `${circuit}${part.id}`;
    for (const [name, direction] of [
      ['aenergy', 'import'],
      ['ret_aenergy', 'export'],
    ] as const) {
      const register = member(part.status, name);
      if (register === undefined || register === null) continue;
      const value = member(asObject(register), 'total');
      if (!asObject(register)) heard.refuse(`${part.name} ${name} is not an object`);
      const said = { channel: `${channel}/${direction}`, kind: 'energy_total_kwh', value } as const;
      addMember(heard, part, { ...said, member: `${name}.total` });
    }
    const value = member(part.status, 'apower');
    addMember(heard, part, { channel: `${channel}/import`, kind: 'power_w', value, member: 'apower' });
  };

/** Reads `em`, the power of three phases and of all together, negative for export. */
const readThreePhasePower: ReadPart = (heard, part) => {
  const add = (name: string, channel: string) =>
    addMember(heard, part, { channel, kind: 'power_w', value: member(part.status, name), member: name });
  add('total_act_power', `em${part.id}/import`);
  for (const [letter, phase] of PHASES) add(`${letter}_act_power`, `em${part.id}/import${phase}`);
};

/** Reads `emdata`, the registers of `em` with the same number: channels are the same as of its power. */
const readThreePhaseEnergy: ReadPart = (heard, part) => {
  const add = (name: string, channel: string) =>
    addMember(heard, part, { channel, kind: 'energy_total_kwh', value: member(part.status, name), member: name });
  add('total_act', `em${part.id}/import`);
  add('total_act_ret', `em${part.id}/export`);
  for (const [letter, phase] of PHASES) {
    add(`${letter}_total_act_energy`, `em${part.id}/import${phase}`);
    add(`${letter}_total_act_ret_energy`, `em${part.id}/export${phase}`);
  }
};

/** Reads `em1`, the power of one channel of a meter. */
const readChannelPower: ReadPart = (heard, part) => {
  const value = member(part.status, 'act_power');
  addMember(heard, part, { channel: `em1-${part.id}/import`, kind: 'power_w', value, member: 'act_power' });
};

/** Reads `em1data`, the registers of `em1` with the same number. */
const readChannelEnergy: ReadPart = (heard, part) => {
  for (const [name, direction] of [
    ['total_act_energy', 'import'],
    ['total_act_ret_energy', 'export'],
  ] as const) {
    const said = { channel: `em1-${part.id}/${direction}`, kind: 'energy_total_kwh' } as const;
    addMember(heard, part, { ...said, value: member(part.status, name), member: name });
  }
};

/** Types of components that say something. `-` where a type ends with a digit: `pm1:0` must not be `pm:10`. */
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

/** Whether anything is read out of components of a type. */
export const isRead = ({ type }: Component): boolean => READERS.has(type);

/** Reads one component; one that is null is gone. */
export function readComponent(
  heard: Hearing,
  component: Component,
  said: { device: string; value: unknown; atMs: number | null },
): void {
  const read = READERS.get(component.type);
  if (!read || said.value === null || said.value === undefined) return;
  const name = `${component.type}:${component.id}`;
  const status = asObject(said.value);
  if (status) read(heard, { device: said.device, name, id: component.id, status, atMs: said.atMs });
  else heard.refuse(`${name} is not an object`);
}

/** Reads all components of a status; what is no component with a number (`sys`, `wifi`) says nothing. */
export function readComponents(
  heard: Hearing,
  status: Json,
  { device, atMs }: { device: string; atMs: number | null },
): void {
  for (const [name, value] of Object.entries(status)) {
    const component = parseComponent(name);
    if (component) readComponent(heard, component, { device, value, atMs });
  }
}
