import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { refusal } from '../read/heard.ts';
import { readObject, readText } from '../read/payload.ts';
import { isLastWill, isNewStick, learnStick, readGateway, readLastWill, type Sticks, stickIn } from './gateway.ts';
import { isGrott, readGrott } from './grott.ts';

/** Words of a bridge's usual topics, each of which contains one of them. The body then identifies the bridge. */
const WORD = /growatt|grott|solar|inverter|shine/i;
const METER = /(?:^|\/)energy\/meter$/;

/** Whether a bridge may publish on a topic: `energy/growatt`, `energy/growatt/{serial}`, `energy/meter`, `energy/solar`. */
const isGrowattTopic = (topic: string): boolean => WORD.test(topic) || METER.test(topic);

/** Decoder of Growatt inverters behind Grott or OpenInverterGateway. */
export const growatt: Family<Sticks> = {
  name: 'growatt',
  takes: isGrowattTopic,
  remembers: isGrowattTopic,
  newMemory: () => new Map(),
  isNews: isNewStick,
  learn: learnStick,
  decode,
};

function decode(message: DeviceMessage, { tz }: DecoderSettings, sticks: Sticks): Heard | null {
  if (!isGrowattTopic(message.topic)) return null;
  const body = readObject(message.payload);
  if (!body) return /^\s*\{\s*"device"[\s\S]*"buffered"/.test(readText(message.payload) ?? '') ? half() : null;
  if (isGrott(body)) return readGrott(body, message, tz);
  const mac = stickIn(body);
  if (mac !== null) return readGateway(body, mac);
  return isLastWill(body) ? readLastWill(sticks.get(message.topic)) : null;
}

const half = (): Heard => refusal('the record is not a JSON object');
