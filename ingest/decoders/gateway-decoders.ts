import { FAMILIES } from './families.ts';
import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from './family.ts';

/** Families that handle messages on a topic, as indexes into the list of families. */
interface Routes {
  /** Families that may decode a message on the topic, in order of precedence. */
  reads: readonly number[];
  /** Indexes of the families in `reads` that recognise their messages on this topic only by the payload (`knows`). */
  byBody: ReadonlySet<number>;
  /** Families that learn from messages on the topic. */
  learns: readonly number[];
}

/** Maximum number of topics in each half of the cache, because attackers can choose topics. */
const MAX_TOPICS = 8_000;
/** Maximum length of a cached topic. */
const MAX_TOPIC_LENGTH = 256;
/**
 * Maximum length of a topic that families examine. MQTT allows 65,535 bytes, and real topics have about 100. The matching time of some
 * patterns grows with the square of the length: mbmd's pattern took 26 s of processor time for one message.
 */
const MAX_TOPIC_CHARACTERS = 1_024;
const NO_ROUTES: Routes = { reads: [], byBody: new Set(), learns: [] };

/** Returns the routes of a topic. A topic in the cache is not matched again. */
type TopicRouter = (topic: string) => Routes;

/**
 * Returns the topic router of a list of families. All gateways share it. The router can cache its results, because `takes` and `remembers`
 * are pure functions of the topic.
 */
function topicRouterOf(families: readonly Family[]): TopicRouter {
  const known = ROUTERS.get(families);
  if (known) return known;
  const router = createTopicRouter(families);
  ROUTERS.set(families, router);
  return router;
}

const ROUTERS = new WeakMap<readonly Family[], TopicRouter>();

/**
 * Creates a router with a cache of two halves. When the younger half is full, the older half is evicted; each topic that is used moves to
 * the younger half. A flood of new topics therefore rarely evicts a topic in use.
 */
export function createTopicRouter(families: readonly Family[], maxTopics = MAX_TOPICS): TopicRouter {
  const match = (topic: string): Routes => {
    const places = (is: (family: Family) => boolean) =>
      families.flatMap((family, index) => (is(family) ? [index] : []));
    const takes = new Set(places((family) => family.takes?.(topic) ?? true));
    const byBody = new Set(places((family) => family.knows !== undefined).filter((index) => !takes.has(index)));
    return {
      reads: families.flatMap((_, index) => (takes.has(index) || byBody.has(index) ? [index] : [])),
      byBody,
      learns: places((family) => family.remembers(topic)),
    };
  };
  let younger = new Map<string, Routes>();
  let older = new Map<string, Routes>();
  return (topic) => {
    if (topic.length > MAX_TOPIC_CHARACTERS) return NO_ROUTES;
    const known = younger.get(topic);
    if (known) return known;
    const routes = older.get(topic) ?? match(topic);
    if (topic.length > MAX_TOPIC_LENGTH) return routes;
    if (younger.size >= maxTopics) [younger, older] = [new Map(), younger];
    younger.set(topic, routes);
    return routes;
  };
}

/** Decoded message, with the name of its family. */
export interface DecodeResultWithFamilyName extends FamilyDecodeResult {
  family: string;
}

/** Decoders of one gateway, with the information that they have learnt from earlier messages. */
export interface GatewayDecoders {
  /**
   * Whether the message contains anything new for the decoders. Such a message must be learnt, and stored for other workers. `isAnother`
   * returns whether the payload differs from the previous one on its topic.
   */
  isNews(message: DeviceMessage, isAnother: () => boolean): boolean;
  /** Learns from a message and decodes it; returns null if no family recognises it. */
  hear(message: DeviceMessage, settings: DecoderSettings): DecodeResultWithFamilyName | null;
  /** Decodes a message without learning from it; returns null if no family recognises it. */
  read(message: DeviceMessage, settings: DecoderSettings): DecodeResultWithFamilyName | null;
  /** Learns from a message without decoding it. */
  recall(message: DeviceMessage): void;
  /**
   * Returns the devices that have announced a value on this topic, with their families. Excludes announcements by the family `readBy`,
   * which decodes the topic.
   */
  announcedOn(topic: string, readBy: string): { family: string; device: string }[];
}

/** Creates decoders that have not learnt from any message yet. `families`: families in order of precedence. */
export function createGatewayDecoders(families: readonly Family[] = FAMILIES): GatewayDecoders {
  const routesOf = topicRouterOf(families);
  const memories = families.map((family) => family.newMemory());
  const recall = (message: DeviceMessage) => {
    for (const at of routesOf(message.topic).learns) families[at]?.learn(memories[at], message);
  };
  const read = (message: DeviceMessage, settings: DecoderSettings): DecodeResultWithFamilyName | null => {
    const { reads, byBody } = routesOf(message.topic);
    let unread: DecodeResultWithFamilyName | null = null;
    for (const at of reads) {
      const family = families[at] as Family;
      if (byBody.has(at) && !family.knows?.(message.payload)) continue;
      const decoded = family.decode(message, settings, memories[at]);
      if (!decoded) continue;
      const hasContent = decoded.said.length + decoded.refused.length > 0;
      if (unread ? hasContent : !decoded.isUnread) return { family: family.name, ...decoded };
      unread ??= { family: family.name, ...decoded };
    }
    return unread;
  };
  return {
    isNews: (message, isAnother) =>
      routesOf(message.topic).learns.some((at) => {
        const family = families[at] as Family;
        return family.isNews ? family.isNews(memories[at], message) : isAnother();
      }),
    recall,
    read,
    announcedOn: (topic, readBy) =>
      families.flatMap(({ name: family, announcedOn }, at) =>
        announcedOn && family !== readBy ? announcedOn(memories[at], topic).map((device) => ({ family, device })) : [],
      ),
    hear(message, settings) {
      recall(message);
      return read(message, settings);
    },
  };
}
