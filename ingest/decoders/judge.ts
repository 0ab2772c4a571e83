import {
  formatReadingForDisplay,
  listQuestionsForDisplay,
  type OwnerQuestionForDisplay,
  type ReadingForDisplay,
} from './describe.ts';
import { type DecoderSettings, type DeviceMessage, type FamilyDecodeResult, selectCurrentValues } from './family.ts';
import { createDecoders, type DecodeResultWithFamilyName, type Decoders } from './gateway-decoders.ts';
import { getPayloadMembers, type PayloadMember } from './members.ts';
import { decodeNativeMessageForDisplay } from './native/describe.ts';
import { proposeDecoderSettings } from './trials.ts';

/** Diagnosis of one message: how the service decodes it, and which settings would help. Shown to owners whose devices do not count. */
export interface MessageDiagnosis {
  /**
   * `read`: at least one value counts. `asked`: no value counts until the owner states its meaning. `refused`: a family recognises the
   * message, but it is unusable. `nothing`: a family recognises the message, and it contains no readings. `nobody`: no family recognises
   * it.
   */
  outcome: 'read' | 'asked' | 'refused' | 'nothing' | 'nobody';
  /** Topic of the message, without the prefix `gw/{gateway_id}/` if it has one. */
  topic: string;
  family: string | null;
  readings: ReadingForDisplay[];
  asks: OwnerQuestionForDisplay[];
  refused: string[];
  /** Number of readings that are skipped because the message was retained by the broker and contains no time. */
  left_out: number;
  /**
   * Settings that would make the message readable, or more of its values, each with the family that would then decode the message. Each
   * proposal adds one setting. If only the owner knows the right value, the proposal contains an example.
   */
  would: { family: string; decoder_config: Record<string, unknown> }[];
  /** Members of the message that the owner can map (`decoder_config.mapping`). */
  members: PayloadMember[];
}

/**
 * Diagnoses one message under the settings of a gateway's owner. `decoders` have learnt from earlier messages, and learn from this one,
 * too.
 */
export function diagnoseMessage(
  message: DeviceMessage & { replayed: boolean },
  settings: DecoderSettings,
  decoders: Decoders = createDecoders(),
): MessageDiagnosis {
  const topic = message.topic.replace(/^gw\/[^/]+\//, '');
  const own = { ...message, topic };
  const members = getPayloadMembers(message.payload, topic);
  // A native device has its own account at the broker. Native topics below a gateway's prefix belong to no family.
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

/** Time zone with the largest offset (UTC+14). In this zone, a device's local time never becomes a time in the future. */
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
 * Whether the tried setting makes more values count than the current settings do. If equally many count: whether more of these values have
 * a time of their own.
 */
function tellsMore(then: DecodeResultWithFamilyName, now: DecodeResultWithFamilyName | null): boolean {
  const counted = ({ said }: FamilyDecodeResult) => said.filter(({ asks }) => !asks);
  const [after, before] = [counted(then), now ? counted(now) : []];
  if (after.length !== before.length) return after.length > before.length;
  const timed = (all: FamilyDecodeResult['said']) => all.filter(({ atMs }) => atMs !== null).length;
  return timed(after) > timed(before);
}
