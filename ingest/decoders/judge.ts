import { type Asked, asked, type Described, described } from './describe.ts';
import { current, type DecoderSettings, type DeviceMessage, type Heard } from './family.ts';
import { type Member, membersOf } from './members.ts';
import { hearNative } from './native/describe.ts';
import { createDecoders, type Decoders, type FamilyHeard } from './remembering.ts';
import { trialsFor } from './trials.ts';

/** What a message is to the service, for whoever wonders why his device does not count. */
export interface Judgement {
  /**
   * `read`: something counts; `asked`: nothing counts until the owner says what it is; `refused`: a family's, and unusable; `nothing`: a
   * family's, and of no interest; `nobody`: no family knows it.
   */
  outcome: 'read' | 'asked' | 'refused' | 'nothing' | 'nobody';
  /** The topic that was judged: without any `gw/{gateway_id}/`. */
  topic: string;
  family: string | null;
  readings: Described[];
  asks: Asked[];
  refused: string[];
  /** How many readings are left out, since the broker had kept the message and it has no time of its own. */
  left_out: number;
  /** Families that would read it, or more of it, with a setting each. Values that only the owner knows are examples. */
  would: { family: string; decoder_config: Record<string, unknown> }[];
  /** What a mapping could name in it. */
  members: Member[];
}

/** Judges one message, by what a gateway's owner has set. `decoders`: what came before it they have learnt; they learn from it, too. */
export function judge(
  message: DeviceMessage & { replayed: boolean },
  settings: DecoderSettings,
  decoders: Decoders = createDecoders(),
): Judgement {
  const topic = message.topic.replace(/^gw\/[^/]+\//, '');
  const own = { ...message, topic };
  const members = membersOf(message.payload, topic);
  // A native device signs in itself: below a gateway its topics are nobody's.
  const native = topic === message.topic ? hearNative(own) : null;
  if (native) return { ...judged('native', native, own), topic, would: [], members };
  const heard = decoders.hear(own, settings);
  const now = heard ? judged(heard.family, heard, own) : NOBODY;
  const reads = (tried: DecoderSettings) => {
    const then = decoders.read(own, { ...settings, ...tried });
    return then && tellsMore(then, heard) ? then.family : null;
  };
  const would = trialsFor({
    topic,
    settings,
    seen: heard?.seen ?? [],
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

/** Whose clocks are ahead of all others: what is local time there is in the future nowhere. */
const FAR_EAST = 'Pacific/Kiritimati';

const NOBODY = {
  outcome: 'nobody',
  family: null,
  readings: [],
  asks: [],
  refused: [],
  left_out: 0,
} as const satisfies Omit<Judgement, 'topic' | 'would' | 'members'>;

function judged(
  family: string,
  heard: Heard,
  { replayed }: { replayed: boolean },
): Omit<Judgement, 'topic' | 'would' | 'members'> {
  const said = current(heard, replayed);
  const readings = said.filter((one) => !one.asks).map(described);
  const asks = said.flatMap(asked);
  const { refused } = heard;
  const rest = asks.length > 0 ? 'asked' : refused.length > 0 ? 'refused' : 'nothing';
  const outcome = readings.length > 0 ? 'read' : rest;
  return { outcome, family, readings, asks, refused, left_out: heard.said.length - said.length };
}

/** Whether more of a message counts, or as much at its own time. */
function tellsMore(then: FamilyHeard, now: FamilyHeard | null): boolean {
  const counted = ({ said }: Heard) => said.filter(({ asks }) => !asks);
  const [after, before] = [counted(then), now ? counted(now) : []];
  if (after.length !== before.length) return after.length > before.length;
  const timed = (all: Heard['said']) => all.filter(({ atMs }) => atMs !== null).length;
  return timed(after) > timed(before);
}
