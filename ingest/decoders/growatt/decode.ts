import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { parseJsonObject, readText } from '../read/payload.ts';
import { refusedResult } from '../read/value-collector.ts';
import {
  decodeGatewayMessage,
  decodeLastWill,
  isLastWill,
  isNewStick,
  readStickAddress,
  type StickAddressByTopic,
  storeStickAddress,
} from './gateway.ts';
import { decodeGrottRecord, isGrottRecord } from './grott.ts';

/** Words in the usual topics of Growatt bridges. Each topic contains one of the words; the body then identifies the bridge. */
const WORD = /growatt|grott|solar|inverter|shine/i;
const METER = /(?:^|\/)energy\/meter$/;

/** Whether a Growatt bridge may publish on a topic: `energy/growatt`, `energy/growatt/{serial}`, `energy/meter`, `energy/solar`. */
const isGrowattTopic = (topic: string): boolean => WORD.test(topic) || METER.test(topic);

/** Decoder of Growatt inverters behind Grott or OpenInverterGateway. */
export const growattFamily: Family<StickAddressByTopic> = {
  name: 'growatt',
  takes: isGrowattTopic,
  remembers: isGrowattTopic,
  newMemory: () => new Map(),
  isNews: isNewStick,
  learn: storeStickAddress,
  decode,
};

function decode(
  message: DeviceMessage,
  { tz }: DecoderSettings,
  sticks: StickAddressByTopic,
): FamilyDecodeResult | null {
  if (!isGrowattTopic(message.topic)) return null;
  const body = parseJsonObject(message.payload);
  if (!body) return /^\s*\{\s*"device"[\s\S]*"buffered"/.test(readText(message.payload) ?? '') ? half() : null;
  if (isGrottRecord(body)) return decodeGrottRecord(body, message, tz);
  const mac = readStickAddress(body);
  if (mac !== null) return decodeGatewayMessage(body, mac);
  return isLastWill(body) ? decodeLastWill(sticks.get(message.topic)) : null;
}

const half = (): FamilyDecodeResult => refusedResult('the record is not a JSON object');
