import type { DeviceMessage } from '../family.ts';
import { type BirthMetrics, MAX_METRICS_OF_NODE, readBirthMetrics } from './births.ts';
import { parseSparkplugPayload, type SparkplugMetric, type SparkplugPayload } from './payload.ts';
import { parseSparkplugTopic, type SparkplugTopic } from './topic.ts';

/** Maximum number of nodes per gateway. Beyond it, the node with the oldest birth is evicted. Its data are refused until its next birth. */
const MAX_NODES = 1_000;
/** Maximum number of metrics per gateway. Beyond this number, too, the node with the oldest birth is evicted. */
const MAX_METRICS = 100_000;
/** Maximum number of devices per node. Births of further devices are ignored. */
const MAX_DEVICES_OF_NODE = 1_000;

interface SparkplugNode {
  group: string;
  edge: string;
  /** Number of the node's session (`bdSeq`); null if the birth did not state the number or was not received. */
  bdSeq: bigint | null;
  /** Valid birth messages by device. The birth message of the node itself has the key null. */
  births: Map<string | null, BirthMetrics>;
  /**
   * Devices that have sent a birth message at any time. They are needed when a node dies, because its devices are then unreachable, too,
   * and to detect that two devices have the same last topic level.
   */
  devices: Set<string>;
}

/** Nodes by group and edge node, in the order of their latest birth messages. */
export type SparkplugMemory = Map<string, SparkplugNode>;

type Owner = Pick<SparkplugTopic, 'group' | 'edge' | 'device'>;
const keyOf = ({ group, edge }: Pick<Owner, 'group' | 'edge'>): string => `${group}/${edge}`;

export const findSparkplugNode = (memory: SparkplugMemory, owner: Owner): SparkplugNode | undefined =>
  memory.get(keyOf(owner));

export function cacheSparkplugState(memory: SparkplugMemory, { topic, payload }: DeviceMessage): void {
  const parsed = parseSparkplugTopic(topic);
  if (parsed === null || parsed === 'state') return;
  if (parsed.verb !== 'birth' && parsed.verb !== 'death') return;
  const opened = parseSparkplugPayload(payload);
  if (parsed.verb === 'birth') bear(memory, parsed, typeof opened === 'string' ? null : opened);
  else if (typeof opened !== 'string') bury(memory, parsed, opened);
}

/** Stores a birth message. If it is unreadable (`opened` is null), the previous birth becomes invalid, too. */
function bear(memory: SparkplugMemory, owner: Owner, opened: SparkplugPayload | null): void {
  const known = findSparkplugNode(memory, owner);
  const { group, edge, device } = owner;
  const node = known ?? { group, edge, bdSeq: null, births: new Map(), devices: new Set<string>() };
  if (device === null) {
    // A birth of the node starts a new session, so the births of its devices are no longer valid.
    node.births.clear();
    node.bdSeq = opened && findSessionNumber(opened);
  } else node.births.delete(device);
  if (opened && (device === null || node.devices.has(device) || node.devices.size < MAX_DEVICES_OF_NODE)) {
    if (device !== null) node.devices.add(device);
    node.births.set(device, readBirthMetrics(opened, MAX_METRICS_OF_NODE - sizeOf(node)));
  }
  memory.delete(keyOf(owner));
  memory.set(keyOf(owner), node);
  forget(memory);
}

function bury(memory: SparkplugMemory, owner: Owner, opened: SparkplugPayload): void {
  const node = findSparkplugNode(memory, owner);
  if (!node) return;
  if (owner.device !== null) node.births.delete(owner.device);
  else if (isDeathOfCurrentSession(node, findSessionNumber(opened))) node.births.clear();
}

/** Whether a node's death belongs to the node's current session. The last will of an earlier session can arrive after a new birth. */
export const isDeathOfCurrentSession = (node: SparkplugNode | undefined, bdSeq: bigint | null): boolean =>
  node === undefined || node.bdSeq === null || node.bdSeq === bdSeq;

/** Returns the number of the node's session from a birth or death message; null if the message contains none. */
export function findSessionNumber({ metrics }: SparkplugPayload): bigint | null {
  const metric: SparkplugMetric | undefined = metrics.find(({ name }) => name === 'bdSeq');
  if (!metric || metric.isNull) return null;
  return metric.longValue ?? (metric.intValue === undefined ? null : BigInt(metric.intValue));
}

/**
 * Returns the native id of a node or device: the last level of its topic, or all levels if another node or device of the gateway has the
 * same last level.
 */
export function createNativeDeviceId(memory: SparkplugMemory, { group, edge, device }: Owner): string {
  const word = device ?? edge;
  for (const [key, node] of memory) {
    const isOwn = key === keyOf({ group, edge });
    const isTaken =
      (node.edge === word && !(isOwn && device === null)) || (node.devices.has(word) && !(isOwn && device));
    if (isTaken) return device === null ? `${group}/${edge}` : `${group}/${edge}/${device}`;
  }
  return word;
}

function sizeOf(node: SparkplugNode): number {
  let metrics = 0;
  for (const { byName } of node.births.values()) metrics += byName.size;
  return metrics;
}

function forget(memory: SparkplugMemory): void {
  let metrics = 0;
  for (const node of memory.values()) metrics += sizeOf(node);
  for (const [key, node] of memory) {
    if (memory.size <= MAX_NODES && metrics <= MAX_METRICS) return;
    metrics -= sizeOf(node);
    memory.delete(key);
  }
}
