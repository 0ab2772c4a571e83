import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { nothing } from '../read/heard.ts';
import { member, readObject } from '../read/payload.ts';
import { decodeEvent } from '../rtl433/decode.ts';
import { isRtl433Topic } from './topic.ts';

/** OpenMQTTGateway's rtl_433 module: the decoders of rtl_433 on an ESP32, and their keys. */
export const openmqttgateway = withoutMemory({ name: 'openmqttgateway', takes: isRtl433Topic, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  if (!isRtl433Topic(message.topic)) return null;
  // The receiver tells of itself as of a device.
  return member(readObject(message.payload), 'model') === 'status' ? nothing() : decodeEvent(message, settings);
}
