import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';

/** The top topic can be changed; an id of the default form still tells whose it is. */
const TOPIC = /^(?:OTGW\/(value|set)\/([^/]+)|.+\/(value|set)\/(otgw-[0-9A-Fa-f]{12}))(?:\/(.+))?$/;

interface OtgwTopic {
  device: string;
  /** What is below the device; null: its root, where it is online or offline. */
  label: string | null;
  /** A wish of the owner's, not a value. */
  command: boolean;
}

/** Reads `OTGW/value/{id}/{label}` and `OTGW/set/{id}/…`; null for every other topic. */
function parseOtgwTopic(topic: string): OtgwTopic | null {
  const [, side, id, otherSide, otherId, label = null] = TOPIC.exec(topic) ?? [];
  const device = id ?? otherId;
  return device === undefined ? null : { device, label, command: (side ?? otherSide) === 'set' };
}

interface Label {
  channel: string;
  kind: SaidKind;
  times?: number;
}
const TEMPERATURE: Label = { channel: 'room', kind: 'temperature_c' };
const SETPOINT: Label = { channel: 'room', kind: 'setpoint_c' };
/** The boiler's central heating bit. The flame burns for hot water, too, so it is no sign that a room is heated. */
const HEATING: Label = { channel: 'room', kind: 'heating' };
const POWER: Label = { channel: 'import', kind: 'power_w', times: 1_000 };
const AVAILABILITY: Label = { channel: 'device', kind: 'availability' };

/** Labels that are read, in the spellings of the firmware and of its manual; a gateway publishes one of them. */
const LABELS = new Map<string, Label>([
  ['Tr', TEMPERATURE],
  ['roomtemperature', TEMPERATURE],
  ['TrSet', SETPOINT],
  ['roomsetpoint', SETPOINT],
  ['chmodus', HEATING],
  ['centralheating', HEATING],
  ['central_heating', HEATING],
  ['s0powerkw', POWER],
]);

/** OpenTherm gateways with OTGW-firmware: room climate, heating, and power by an S0 meter. */
export const otgw = withoutMemory({ name: 'otgw', takes: (topic) => parseOtgwTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseOtgwTopic(topic);
  if (!parsed) return null;
  const { device, label, command } = parsed;
  const meaning = label === null ? AVAILABILITY : LABELS.get(label);
  if (command || !meaning) return nothing();
  const name = label ?? 'availability';
  const text = readText(payload);
  if (text === null) return refusal(`${name} is not text`);
  const heard = hearing();
  const { channel, kind, times = 1 } = meaning;
  if (kind === 'heating' || kind === 'availability')
    heard.addState({ device, channel, kind, value: text.trim(), name });
  else heard.add({ device, channel, kind, value: text, times, name });
  return heard;
}
