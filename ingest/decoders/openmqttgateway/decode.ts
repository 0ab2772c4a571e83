import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { decodeEvent } from '../rtl433/decode.ts';
import { isRtl433Topic } from './topic.ts';

/** OpenMQTTGateway's rtl_433 module: the decoders of rtl_433 on an ESP32, and their keys. */
export const openmqttgateway = withoutMemory({ name: 'openmqttgateway', takes: isRtl433Topic, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  return isRtl433Topic(message.topic) ? decodeEvent(message, settings) : null;
}
