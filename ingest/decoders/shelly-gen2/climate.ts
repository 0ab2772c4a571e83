import { readNumber } from '../read/number.ts';
import { member } from '../read/payload.ts';
import { addMember, type Part, type ReadPart } from './part.ts';

/** Energy meters (`shellypro3em-…`, `shellyemg3-…`): their own `temperature:0` is that of the chip. */
const METER = /^shelly[a-z0-9]*em[a-z0-9]*-/;
/** The target by which a radiator's valve is told to be off. */
const OFF_C = 4;

/** Reads `temperature`: the room on `0`, probes of an add-on on `100` and after. */
export const readTemperature: ReadPart = (heard, part) => {
  if (part.id === 0 && METER.test(part.device)) return;
  const channel = part.id === 0 ? 'room' : `room/temperature${part.id}`;
  addMember(heard, part, { channel, kind: 'temperature_c', value: member(part.status, 'tC'), member: 'tC' });
};

/** Reads `thermostat`, of wall displays. It may stand beside `temperature:0`, which need not say the same. */
export const readThermostat: ReadPart = (heard, part) => {
  const channel = `room/thermostat${part.id}`;
  addCurrent(heard, part, channel);
  const target = member(part.status, 'target_C');
  addMember(heard, part, { channel, kind: 'setpoint_c', value: target, member: 'target_C' });
  const { device, atMs, status } = part;
  const value = member(status, 'output');
  heard.addState({ device, channel, kind: 'heating', value, atMs, name: `${part.name} output` });
};

/** Reads `blutrv`, a radiator's valve that a gateway has heard by Bluetooth. */
export const readValve: ReadPart = (heard, part) => {
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
