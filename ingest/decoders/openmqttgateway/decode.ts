import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { decodeRtl433Event } from '../rtl433/decode.ts';

/** Matches the topics on which the rtl_433 module of OpenMQTTGateway publishes received radio messages. */
const TOPIC = /^(?!.*\/commands\/)(?:.+\/)?RTL_433toMQTT(?:\/.*)?$/;

/**
 * Whether a topic ends in `RTL_433toMQTT`, possibly followed by model and id: `home/OpenMQTTGateway/RTL_433toMQTT`. Owners choose the
 * levels before it.
 */
const isRtl433Topic = (topic: string): boolean => TOPIC.test(topic);

/** Decoder of OpenMQTTGateway's rtl_433 module, which runs the decoders of rtl_433 on an ESP32 and uses the same keys. */
export const openmqttgatewayFamily = createStatelessFamily({ name: 'openmqttgateway', takes: isRtl433Topic, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  return isRtl433Topic(message.topic) ? decodeRtl433Event(message, settings) : null;
}
