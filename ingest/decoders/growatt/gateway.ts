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

/** MAC addresses of sticks by topic, from the last message on each topic. The last will of a stick contains no address. */
export type Sticks = Map<string, string>;

/** Returns the MAC address in a body of OpenInverterGateway; null if the body is not from OpenInverterGateway. */
export function stickIn(body: Json | null): string | null {
  const mac = member(body, 'Mac');
  const isTheirs = typeof mac === 'string' && MAC.test(mac) && member(body, 'Cnt') !== undefined;
  return isTheirs && member(body, 'Uptime') !== undefined ? mac : null;
}

/** Whether a body is the last will: `{"InverterStatus": -1 }` and nothing else. */
export const isLastWill = (body: Json): boolean =>
  Object.keys(body).length === 1 && readNumber(member(body, 'InverterStatus')) === -1;

/** Returns the MAC address in a payload. Payloads without `"Mac"`, which other devices send on such topics, are not parsed. */
const stickOf = (payload: Buffer): string | null => (mentions(payload, '"Mac"') ? stickIn(readObject(payload)) : null);

export function learnStick(sticks: Sticks, { topic, payload }: DeviceMessage): void {
  const mac = stickOf(payload);
  if (mac !== null) sticks.set(topic, mac);
}

export function isNewStick(sticks: Sticks, { topic, payload }: DeviceMessage): boolean {
  const mac = stickOf(payload);
  return mac !== null && sticks.get(topic) !== mac;
}

/** Decodes the values that a stick publishes. */
export function readGateway(body: Json, mac: string): Heard {
  const heard = hearing();
  heard.addState({ device: mac, channel: 'device', kind: 'availability', value: true, name: 'InverterStatus' });
  readInverter({ heard, device: mac, atMs: null, per: 1 }, body, NAMES);
  return heard;
}

/** Decodes a last will: marks the stick as offline. The result is empty if the stick behind the topic is unknown. */
export function readLastWill(mac: string | undefined): Heard {
  const heard = hearing();
  const said = { channel: 'device', kind: 'availability', value: false, name: 'InverterStatus' } as const;
  if (mac !== undefined) heard.addState({ ...said, device: mac });
  return heard;
}
