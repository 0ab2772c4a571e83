import type { DeviceMessage, Heard } from '../family.ts';
import { hearing } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { type Json, member, mentions, readObject } from '../read/payload.ts';
import { type Names, readInverter } from './inverter.ts';

const NAMES: Names = {
  made: ['TotalGenerateEnergy', 'EnergyTotal'],
  output: ['OutputPower', 'AcPower'],
  panels: ['PVEnergyTotal'],
  input: ['PVTotalPower', 'InputPower'],
  battery: ['ChargeEnergyTotal', 'DischargeEnergyTotal'],
  grid: ['EnergyToUserTotal', 'EnergyToGridTotal', 'TotalEnergyToUser', 'TotalEnergyToGrid'],
};
const MAC = /^[0-9a-f]{2}(?::?[0-9a-f]{2}){5}$/i;

/** The stick behind a topic: by its last message, as its last will has no address. */
export type Sticks = Map<string, string>;

/** The address in a body of OpenInverterGateway; null where it is somebody else's. */
export function stickIn(body: Json | null): string | null {
  const mac = member(body, 'Mac');
  const isTheirs = typeof mac === 'string' && MAC.test(mac) && member(body, 'Cnt') !== undefined;
  return isTheirs && member(body, 'Uptime') !== undefined ? mac : null;
}

/** Whether a body is the last will: `{"InverterStatus": -1 }` and nothing else. */
export const isLastWill = (body: Json): boolean =>
  Object.keys(body).length === 1 && readNumber(member(body, 'InverterStatus')) === -1;

/** The address in a payload; those of others, which come on such topics, too, are not parsed for it. */
const stickOf = (payload: Buffer): string | null => (mentions(payload, '"Mac"') ? stickIn(readObject(payload)) : null);

export function learnStick(sticks: Sticks, { topic, payload }: DeviceMessage): void {
  const mac = stickOf(payload);
  if (mac !== null) sticks.set(topic, mac);
}

export function isNewStick(sticks: Sticks, { topic, payload }: DeviceMessage): boolean {
  const mac = stickOf(payload);
  return mac !== null && sticks.get(topic) !== mac;
}

/** Reads what a stick tells. */
export function readGateway(body: Json, mac: string): Heard {
  const heard = hearing();
  heard.addState({ device: mac, channel: 'device', kind: 'availability', value: true, name: 'InverterStatus' });
  readInverter({ heard, device: mac, atMs: null, per: 1 }, body, NAMES);
  return heard;
}

/** Reads a last will; nothing where the stick behind the topic is not known. */
export function readLastWill(mac: string | undefined): Heard {
  const heard = hearing();
  const said = { channel: 'device', kind: 'availability', value: false, name: 'InverterStatus' } as const;
  if (mac !== undefined) heard.addState({ ...said, device: mac });
  return heard;
}
