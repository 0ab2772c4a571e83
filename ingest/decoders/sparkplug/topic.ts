/** What happens to a node or device: its births and deaths are remembered, its data are read by the birth before them. */
type SparkplugVerb = 'birth' | 'data' | 'death' | 'command';

export interface SparkplugTopic {
  verb: SparkplugVerb;
  group: string;
  edge: string;
  /** Null: the edge node itself. */
  device: string | null;
}

const VERBS: Record<string, SparkplugVerb> = { BIRTH: 'birth', DATA: 'data', DEATH: 'death', CMD: 'command' };
/** N: the node, which has no device word; D: one of its devices, which has one. */
const TOPIC = /^spBv1\.0\/([^/]+)\/(?:N(BIRTH|DATA|DEATH|CMD)\/([^/]+)|D(BIRTH|DATA|DEATH|CMD)\/([^/]+)\/([^/]+))$/;
/** Whether a host application runs: JSON, and of no device. */
const STATE = /^spBv1\.0\/STATE\/[^/]+$/;

/** Reads a Sparkplug B topic; 'state' for what host applications say of themselves, null for every other topic. */
export function parseSparkplugTopic(topic: string): SparkplugTopic | 'state' | null {
  const [, group, nodeVerb, node, deviceVerb, edge, device] = TOPIC.exec(topic) ?? [];
  const verb = VERBS[nodeVerb ?? deviceVerb ?? ''];
  const owner = node ?? edge;
  if (group && verb && owner) return { verb, group, edge: owner, device: device ?? null };
  return STATE.test(topic) ? 'state' : null;
}
