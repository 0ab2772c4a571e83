import { FAMILIES } from './families.ts';
import type { DecoderSettings, DeviceMessage, Family, Heard } from './family.ts';

/** The families of a topic, as indexes into the list of families. */
interface Routes {
  /** Families whose message it can be, in the order of the list. */
  reads: readonly number[];
  /** Those of `reads` that only a message's body can confirm (`knows`). */
  byBody: ReadonlySet<number>;
  /** Families that learn from such a message. */
  learns: readonly number[];
}

/** Maximum number of topics in either half of the cache, and the longest topic in it: attackers choose topics. */
const MAX_TOPICS = 8_000;
const MAX_TOPIC_LENGTH = 256;
/**
 * No family gets a longer topic. MQTT allows 65,535 bytes, real topics have about 100, and matching takes up to the square of the length:
 * mbmd's pattern took 26 s of processor time for one message.
 */
const LONGEST_TOPIC = 1_024;
const NO_ROUTES: Routes = { reads: [], byBody: new Set(), learns: [] };

/** Returns the routes of a topic. A topic in the cache is not matched again. */
type TopicRouter = (topic: string) => Routes;

/**
 * The router of a list of families, one for all gateways. It can cache, because `takes` and `remembers` are pure functions of the topic.
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
 * A router with a cache of two halves. If the younger half is full, the older one is evicted; topics in use have moved into the younger half.
 * A flood of topics therefore costs other topics one match now and then, and no more.
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
    if (topic.length > LONGEST_TOPIC) return NO_ROUTES;
    const known = younger.get(topic);
    if (known) return known;
    const routes = older.get(topic) ?? match(topic);
    if (topic.length > MAX_TOPIC_LENGTH) return routes;
    if (younger.size >= maxTopics) [younger, older] = [new Map(), younger];
    younger.set(topic, routes);
    return routes;
  };
}

/** What a message said, and whose family it is of. */
export interface FamilyHeard extends Heard {
  family: string;
}

/** Decoders of one gateway with what they have learnt. */
export interface Decoders {
  /**
   * Whether the message teaches something: then it is to be kept for those who come after, and learnt. `isAnother`: whether
   * its payload is another one than the last on its topic.
   */
  isNews(message: DeviceMessage, isAnother: () => boolean): boolean;
  /** Learns from a message, and reads it; null: nobody's. */
  hear(message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null;
  /** Reads only. */
  read(message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null;
  /** Learns only. */
  recall(message: DeviceMessage): void;
  /** The devices, and their families, that announced a value on this topic. Left out: those of the family that reads it. */
  announcedOn(topic: string, readBy: string): { family: string; device: string }[];
}

/** Decoders that remember nothing yet. `families`: in the order in which they are asked. */
export function createDecoders(families: readonly Family[] = FAMILIES): Decoders {
  const routesOf = topicRouterOf(families);
  const memories = families.map((family) => family.newMemory());
  const recall = (message: DeviceMessage) => {
    for (const at of routesOf(message.topic).learns) families[at]?.learn(memories[at], message);
  };
  const read = (message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null => {
    const { reads, byBody } = routesOf(message.topic);
    for (const at of reads) {
      const family = families[at] as Family;
      if (byBody.has(at) && !family.knows?.(message.payload)) continue;
      const heard = family.decode(message, settings, memories[at]);
      if (heard) return { family: family.name, ...heard };
    }
    return null;
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
