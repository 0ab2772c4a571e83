import type { DeviceMessage } from '../family.ts';
import { type BirthMetrics, MAX_METRICS_OF_NODE, readBirthMetrics } from './births.ts';
import { parseSparkplugPayload, type SparkplugMetric, type SparkplugPayload } from './payload.ts';
import { parseSparkplugTopic, type SparkplugTopic } from './topic.ts';

/** Bounds per gateway. Beyond them, the nodes with the oldest births are evicted; their data are refused until the next birth. */
const MAX_NODES = 1_000;
const MAX_METRICS = 100_000;
const MAX_DEVICES_OF_NODE = 1_000;

export interface SparkplugNode {
  group: string;
  edge: string;
  /** Number of the node's session; null if the birth stated none or was not received. */
  bdSeq: bigint | null;
  /** Valid births by device; the key null is the node itself. */
  births: Map<string | null, BirthMetrics>;
  /** All devices that were ever born: a node's death includes them, and they are needed to find duplicate names. */
  devices: Set<string>;
}

/** Nodes by group and edge, latest birth last. */
export type SparkplugMemory = Map<string, SparkplugNode>;

type Owner = Pick<SparkplugTopic, 'group' | 'edge' | 'device'>;
const keyOf = ({ group, edge }: Pick<Owner, 'group' | 'edge'>): string => `${group}/${edge}`;

export const findSparkplugNode = (memory: SparkplugMemory, owner: Owner): SparkplugNode | undefined =>
  memory.get(keyOf(owner));

/** Learns from a birth or death message. */
export function learnSparkplugMessage(memory: SparkplugMemory, { topic, payload }: DeviceMessage): void {
  const parsed = parseSparkplugTopic(topic);
  if (parsed === null || parsed === 'state') return;
  if (parsed.verb !== 'birth' && parsed.verb !== 'death') return;
  const opened = parseSparkplugPayload(payload);
  if (parsed.verb === 'birth') bear(memory, parsed, typeof opened === 'string' ? null : opened);
  else if (typeof opened !== 'string') bury(memory, parsed, opened);
}

/** Stores a birth. `opened` is null if the birth is unreadable; the previous birth is then invalid, too. */
function bear(memory: SparkplugMemory, owner: Owner, opened: SparkplugPayload | null): void {
  const known = findSparkplugNode(memory, owner);
  const { group, edge, device } = owner;
  const node = known ?? { group, edge, bdSeq: null, births: new Map(), devices: new Set<string>() };
  if (device === null) {
    // A birth of the node starts a new session, in which each device must be born again.
    node.births.clear();
    node.bdSeq = opened && sessionNumberOf(opened);
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
  else if (isDeathOfSession(node, sessionNumberOf(opened))) node.births.clear();
}

/** Whether a node's death belongs to its current session; an old last will can arrive after a new birth. */
export const isDeathOfSession = (node: SparkplugNode | undefined, bdSeq: bigint | null): boolean =>
  node === undefined || node.bdSeq === null || node.bdSeq === bdSeq;

/** Returns the session number that a node's birth and its death share; null if there is none. */
export function sessionNumberOf({ metrics }: SparkplugPayload): bigint | null {
  const metric: SparkplugMetric | undefined = metrics.find(({ name }) => name === 'bdSeq');
  if (!metric || metric.isNull) return null;
  return metric.longValue ?? (metric.intValue === undefined ? null : BigInt(metric.intValue));
}

/**
 * Returns the native id: the last word of the topic. If another node or device of the gateway uses the same word, the whole path is the id.
 */
export function nativeId(memory: SparkplugMemory, { group, edge, device }: Owner): string {
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
