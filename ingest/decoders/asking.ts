import type { Family } from './family.ts';

/** Which families are asked about messages on a topic, by their place in the list. */
interface Asked {
  /** Whose such a message can be, in the order of asking. */
  reads: readonly number[];
  /** Those of them whose message it can be by its body alone (`knows`). */
  byBody: ReadonlySet<number>;
  /** Who learns from it. */
  learns: readonly number[];
}

/** Most topics in either half of the memory, and the longest that is kept: enemies choose topics. */
const MAX_TOPICS = 8_000;
const MAX_TOPIC_LENGTH = 256;
/**
 * A topic longer than that is nobody's: MQTT allows 65,535 bytes, real ones have some 100, and what families match topics by takes up to the
 * square of their length (of mbmd's it was 26 s of the processor for one message).
 */
const LONGEST_TOPIC = 1_024;
const NOBODYS: Asked = { reads: [], byBody: new Set(), learns: [] };

/** Answers what is asked about a topic; the families themselves are asked once, while the topic is remembered. */
type Asking = (topic: string) => Asked;

/**
 * What families say of topics, remembered: both `takes` and `remembers` are pure in the topic. Of a list of families there is one memory,
 * for all gateways.
 */
export function askingOf(families: readonly Family[]): Asking {
  const known = ASKINGS.get(families);
  if (known) return known;
  const asking = createAsking(families);
  ASKINGS.set(families, asking);
  return asking;
}

const ASKINGS = new WeakMap<readonly Family[], Asking>();

/**
 * A memory of topics. When it is full the older half is dropped, and who is still heard of has moved into the younger one: a flood of
 * topics costs its neighbours an asking now and then, and no more.
 */
export function createAsking(families: readonly Family[], maxTopics = MAX_TOPICS): Asking {
  const ask = (topic: string): Asked => {
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
  let younger = new Map<string, Asked>();
  let older = new Map<string, Asked>();
  return (topic) => {
    if (topic.length > LONGEST_TOPIC) return NOBODYS;
    const known = younger.get(topic);
    if (known) return known;
    const asked = older.get(topic) ?? ask(topic);
    if (topic.length > MAX_TOPIC_LENGTH) return asked;
    if (younger.size >= maxTopics) [younger, older] = [new Map(), younger];
    younger.set(topic, asked);
    return asked;
  };
}
