import {
  formatReadingForDisplay,
  listQuestionsForDisplay,
  type OwnerQuestionForDisplay,
  type ReadingForDisplay,
} from './describe.ts';
import { type DecoderSettings, type DeviceMessage, type FamilyDecodeResult, selectCurrentValues } from './family.ts';
import { createGatewayDecoders, type DecodeResultWithFamilyName, type GatewayDecoders } from './gateway-decoders.ts';
import { getPayloadMembers, type PayloadMember } from './members.ts';
import { decodeNativeMessageForDisplay } from './native/describe.ts';
import { proposeDecoderSettings } from './settings-proposals.ts';

/**
 * Diagnosis of one message: how the service decodes the message, and which settings would help. Shown to owners who miss a device's
 * readings.
 */
export interface MessageDiagnosis {
  /**
   * `read`: at least one value has a known meaning. `asked`: the owner must state the meaning of every value. `refused`: a family
   * recognises the message, but the message is unusable. `nothing`: a family recognises the message, which contains no readings. `nobody`:
   * no family recognises the message.
   */
  outcome: 'read' | 'asked' | 'refused' | 'nothing' | 'nobody';
  /** Topic of the message, without the prefix `gw/{gateway_id}/` if it has one. */
  topic: string;
  family: string | null;
  readings: ReadingForDisplay[];
  asks: OwnerQuestionForDisplay[];
  refused: string[];
  /** Number of readings that are skipped because the broker had retained the message and the message contains no time. */
  left_out: number;
  /**
   * Settings with which the service would decode the message, or more of its values, each with the family that would then decode it. Each
   * proposal contains one setting. If only the owner knows the right value of a setting, the proposal contains an example.
   */
  would: { family: string; decoder_config: Record<string, unknown> }[];
  /** Members of the message that the owner can map (`decoder_config.mapping`). */
  members: PayloadMember[];
}

/** Diagnoses one message with the settings of a gateway. `decoders` have learnt from earlier messages, and also learn from this one. */
export function diagnoseMessage(
  message: DeviceMessage & { replayed: boolean },
  settings: DecoderSettings,
  decoders: GatewayDecoders = createGatewayDecoders(),
): MessageDiagnosis {
  const topic = message.topic.replace(/^gw\/[^/]+\//, '');
  const own = { ...message, topic };
  const members = getPayloadMembers(message.payload, topic);
  // Only a device without a gateway sends native messages (in the service's own format), so a message with a gateway's prefix is never
  // native.
  const native = topic === message.topic ? decodeNativeMessageForDisplay(own) : null;
  if (native) return { ...judged('native', native, own), topic, would: [], members };
  const decoded = decoders.hear(own, settings);
  const now = decoded ? judged(decoded.family, decoded, own) : NOBODY;
  const reads = (tried: DecoderSettings) => {
    const then = decoders.read(own, { ...settings, ...tried });
    return then && tellsMore(then, decoded) ? then.family : null;
  };
  const would = proposeDecoderSettings({
    topic,
    settings,
    seen: decoded?.seen ?? [],
    asked: now.asks.map(({ native_name }) => native_name),
  }).flatMap((decoder_config) => {
    const family = reads(decoder_config);
    return family === null ? [] : [{ family, decoder_config: { ...decoder_config } }];
  });
  if (settings.tz === undefined) {
    const family = reads({ tz: FAR_EAST });
    if (family !== null) would.push({ family, decoder_config: { tz: 'Europe/Berlin' } });
  }
  return { ...now, topic, would, members };
}

/** Time zone with the largest offset (UTC+14). A local time that is read in this zone is never in the future. */
const FAR_EAST = 'Pacific/Kiritimati';

const NOBODY = {
  outcome: 'nobody',
  family: null,
  readings: [],
  asks: [],
  refused: [],
  left_out: 0,
} as const satisfies Omit<MessageDiagnosis, 'topic' | 'would' | 'members'>;

function judged(
  family: string,
  decoded: FamilyDecodeResult,
  { replayed }: { replayed: boolean },
): Omit<MessageDiagnosis, 'topic' | 'would' | 'members'> {
  const said = selectCurrentValues(decoded, replayed);
  const readings = said.filter((one) => !one.asks).map(formatReadingForDisplay);
  const asks = said.flatMap(listQuestionsForDisplay);
  const { refused } = decoded;
  const rest = asks.length > 0 ? 'asked' : refused.length > 0 ? 'refused' : 'nothing';
  const outcome = readings.length > 0 ? 'read' : rest;
  return { outcome, family, readings, asks, refused, left_out: decoded.said.length - said.length };
}

/**
 * Whether more values have a known meaning with the tried setting than with the current settings. If the numbers are equal: whether more of
 * the values have a time of their own.
 */
function tellsMore(then: DecodeResultWithFamilyName, now: DecodeResultWithFamilyName | null): boolean {
  const counted = ({ said }: FamilyDecodeResult) => said.filter(({ asks }) => !asks);
  const [after, before] = [counted(then), now ? counted(now) : []];
  if (after.length !== before.length) return after.length > before.length;
  const timed = (all: FamilyDecodeResult['said']) => all.filter(({ atMs }) => atMs !== null).length;
  return timed(after) > timed(before);
}
