import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { parseJsonObject, readText } from '../read/payload.ts';
import { createRefusedResult } from '../read/value-collector.ts';
import {
  decodeGatewayMessage,
  decodeStickLastWill,
  isNewStick,
  isStickLastWill,
  type MacAddressByTopic,
  parseStickMacAddress,
  storeStickMacAddress,
} from './gateway.ts';
import { decodeGrottRecord, isGrottRecord } from './grott.ts';

/** Matches the words that the usual topics of Growatt bridges contain. The payload then identifies the bridge. */
const WORD = /growatt|grott|solar|inverter|shine/i;
const METER = /(?:^|\/)energy\/meter$/;

/** Whether a Growatt bridge may publish on a topic: `energy/growatt`, `energy/growatt/{serial}`, `energy/meter`, `energy/solar`. */
const isGrowattTopic = (topic: string): boolean => WORD.test(topic) || METER.test(topic);

/** Decoder of Growatt inverters behind Grott or OpenInverterGateway. */
export const growattFamily: Family<MacAddressByTopic> = {
  name: 'growatt',
  takes: isGrowattTopic,
  remembers: isGrowattTopic,
  newMemory: () => new Map(),
  isNews: isNewStick,
  learn: storeStickMacAddress,
  decode,
};

function decode(message: DeviceMessage, { tz }: DecoderSettings, sticks: MacAddressByTopic): FamilyDecodeResult | null {
  if (!isGrowattTopic(message.topic)) return null;
  const body = parseJsonObject(message.payload);
  if (!body) return /^\s*\{\s*"device"[\s\S]*"buffered"/.test(readText(message.payload) ?? '') ? half() : null;
  if (isGrottRecord(body)) return decodeGrottRecord(body, message, tz);
  const mac = parseStickMacAddress(body);
  if (mac !== null) return decodeGatewayMessage(body, mac);
  return isStickLastWill(body) ? decodeStickLastWill(sticks.get(message.topic)) : null;
}

const half = (): FamilyDecodeResult => createRefusedResult('the record is not a JSON object');
