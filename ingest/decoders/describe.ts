import { type DecodedValue, type DecoderSettings, type DeviceMessage, selectCurrentValues } from './family.ts';
import { createGatewayDecoders } from './gateway-decoders.ts';
import { decodeNativeMessageForDisplay } from './native/describe.ts';

/** Earlier message from which the decoders learn announcements and units. Its readings are not shown. */
export interface PriorMessage {
  topic: string;
  payload: Buffer;
}

/** A reading as `energy decode` prints it. */
export interface ReadingForDisplay {
  device: string;
  channel: string;
  kind: DecodedValue['kind'];
  value: number | boolean;
  /** Time as ISO 8601 in UTC; null if the message has no time of its own (the time of receipt applies). */
  ts: string | null;
}

/** Open question to the owner: a quantity with unknown meaning, which contributes to no total until the owner answers. */
export interface OwnerQuestionForDisplay {
  device: string;
  native_name: string;
  /** Unit of the value; null if the message does not state one. */
  unit: string | null;
  value: number | boolean;
}

/**
 * Returns the readings, open questions and refusals of one message. Uses new decoders, which have learnt only from `prior`. Returns null if
 * no family recognises the message.
 */
export function describeMessage(
  message: DeviceMessage & { replayed: boolean },
  settings: DecoderSettings,
  prior: readonly PriorMessage[],
): { family: string; readings: ReadingForDisplay[]; asks: OwnerQuestionForDisplay[]; refused: string[] } | null {
  const native = decodeNativeMessageForDisplay(message);
  if (native) {
    const readings = native.said.filter(({ asks }) => !asks).map(formatReadingForDisplay);
    return { family: 'native', readings, asks: native.said.flatMap(listQuestionsForDisplay), refused: native.refused };
  }
  const decoders = createGatewayDecoders();
  for (const one of prior) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
  const decoded = decoders.hear(message, settings);
  if (!decoded) return null;
  const said = selectCurrentValues(decoded, message.replayed);
  return {
    family: decoded.family,
    readings: said.filter(({ asks }) => !asks).map(formatReadingForDisplay),
    asks: said.flatMap(listQuestionsForDisplay),
    refused: decoded.refused,
  };
}

/** Returns a list with the question to the owner about this quantity. The list is empty if the meaning of the quantity is known. */
export const listQuestionsForDisplay = ({ device, native, value, asks }: DecodedValue): OwnerQuestionForDisplay[] =>
  asks ? [{ device, native_name: native, unit: asks.unit, value }] : [];

/** Returns a quantity in the form that `energy decode` prints. */
export const formatReadingForDisplay = ({ device, channel, kind, value, atMs }: DecodedValue): ReadingForDisplay => ({
  device,
  channel,
  kind,
  value,
  ts: atMs === null ? null : new Date(atMs).toISOString(),
});
