/** Type of a Sparkplug message. Births and deaths are stored, because data can only be decoded after the birth. */
type SparkplugVerb = 'birth' | 'data' | 'death' | 'command';

export interface SparkplugTopic {
  verb: SparkplugVerb;
  group: string;
  edge: string;
  /** Device id; null for the edge node itself. */
  device: string | null;
}

const VERBS: Record<string, SparkplugVerb> = { BIRTH: 'birth', DATA: 'data', DEATH: 'death', CMD: 'command' };
/** Matches the topic of a node (N…, without a device level) or of one of its devices (D…, with a device level). */
const TOPIC = /^spBv1\.0\/([^/]+)\/(?:N(BIRTH|DATA|DEATH|CMD)\/([^/]+)|D(BIRTH|DATA|DEATH|CMD)\/([^/]+)\/([^/]+))$/;
/** Matches the topic on which a host application reports its state in JSON. It belongs to no device. */
const STATE = /^spBv1\.0\/STATE\/[^/]+$/;

/** Parses a Sparkplug B topic. Returns 'state' for the state of a host application, null for every other topic. */
export function parseSparkplugTopic(topic: string): SparkplugTopic | 'state' | null {
  const [, group, nodeVerb, node, deviceVerb, edge, device] = TOPIC.exec(topic) ?? [];
  const verb = VERBS[nodeVerb ?? deviceVerb ?? ''];
  const owner = node ?? edge;
  if (group && verb && owner) return { verb, group, edge: owner, device: device ?? null };
  return STATE.test(topic) ? 'state' : null;
}
