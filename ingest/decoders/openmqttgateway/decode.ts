import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { decodeEvent } from '../rtl433/decode.ts';

/** What OpenMQTTGateway heard by its rtl_433 module. */
const TOPIC = /^(?!.*\/commands\/)(?:.+\/)?RTL_433toMQTT(?:\/.*)?$/;

/** Whether a topic is `home/OpenMQTTGateway/RTL_433toMQTT`, with or without model and id behind it; owners choose the words before it. */
const isRtl433Topic = (topic: string): boolean => TOPIC.test(topic);

/** OpenMQTTGateway's rtl_433 module: the decoders of rtl_433 on an ESP32, and their keys. */
export const openmqttgateway = withoutMemory({ name: 'openmqttgateway', takes: isRtl433Topic, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  return isRtl433Topic(message.topic) ? decodeEvent(message, settings) : null;
}
