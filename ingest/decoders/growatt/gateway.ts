import type { DeviceMessage, FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { getMember, hasJsonObjectWithWords, type Json, parseJsonObject } from '../read/payload.ts';
import { createValueCollector } from '../read/value-collector.ts';
import { decodeInverter, type InverterMemberNames } from './inverter.ts';

const NAMES: InverterMemberNames = {
  made: ['TotalGenerateEnergy', 'EnergyTotal'],
  output: ['OutputPower', 'AcPower'],
  panels: ['PVEnergyTotal'],
  input: ['PVTotalPower', 'InputPower'],
  battery: ['ChargeEnergyTotal', 'DischargeEnergyTotal'],
  grid: ['EnergyToUserTotal', 'EnergyToGridTotal', 'TotalEnergyToUser', 'TotalEnergyToGrid'],
};
const MAC = /^[0-9a-f]{2}(?::?[0-9a-f]{2}){5}$/i;

/**
 * MAC addresses of data-logger sticks by topic, from the last message on each topic. Needed because the last will of a stick contains no
 * address.
 */
export type MacAddressByTopic = Map<string, string>;

/** Returns the MAC address in a body of OpenInverterGateway; null if the body is not from OpenInverterGateway. */
export function parseStickMacAddress(body: Json | null): string | null {
  const mac = getMember(body, 'Mac');
  const isTheirs = typeof mac === 'string' && MAC.test(mac) && getMember(body, 'Cnt') !== undefined;
  return isTheirs && getMember(body, 'Uptime') !== undefined ? mac : null;
}

/** Whether a body is a stick's last will: `{"InverterStatus": -1 }` and nothing else. */
export const isStickLastWill = (body: Json): boolean =>
  Object.keys(body).length === 1 && readNumber(getMember(body, 'InverterStatus')) === -1;

/** Returns the MAC address in a payload. Payloads without `"Mac"`, which other devices send on such topics, are not parsed. */
const stickOf = (payload: Buffer): string | null =>
  hasJsonObjectWithWords(payload, '"Mac"') ? parseStickMacAddress(parseJsonObject(payload)) : null;

export function storeStickMacAddress(sticks: MacAddressByTopic, { topic, payload }: DeviceMessage): void {
  const mac = stickOf(payload);
  if (mac !== null) sticks.set(topic, mac);
}

export function isNewStick(sticks: MacAddressByTopic, { topic, payload }: DeviceMessage): boolean {
  const mac = stickOf(payload);
  return mac !== null && sticks.get(topic) !== mac;
}

/** Decodes the values that a stick publishes. */
export function decodeGatewayMessage(body: Json, mac: string): FamilyDecodeResult {
  const collector = createValueCollector();
  collector.addState({ device: mac, channel: 'device', kind: 'availability', value: true, name: 'InverterStatus' });
  decodeInverter({ collector, device: mac, atMs: null, per: 1 }, body, NAMES);
  return collector;
}

/** Decodes a stick's last will: the stick is offline. The result is empty if no stick is known for the topic. */
export function decodeStickLastWill(mac: string | undefined): FamilyDecodeResult {
  const collector = createValueCollector();
  const said = { channel: 'device', kind: 'availability', value: false, name: 'InverterStatus' } as const;
  if (mac !== undefined) collector.addState({ ...said, device: mac });
  return collector;
}
