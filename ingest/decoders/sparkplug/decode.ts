import type { DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { discardImplausibleTime } from '../read/time.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type ValueCollector,
} from '../read/value-collector.ts';
import {
  type BirthMetric,
  type BirthMetrics,
  findBirthMetric,
  readBirthMetrics,
  sanitiseMetricName,
} from './births.ts';
import {
  cacheSparkplugState,
  createNativeDeviceId,
  findSessionNumber,
  findSparkplugNode,
  isDeathOfCurrentSession,
  type SparkplugMemory,
} from './memory.ts';
import { parseSparkplugPayload, type SparkplugMetric, type SparkplugPayload } from './payload.ts';
import { parseSparkplugTopic, type SparkplugTopic } from './topic.ts';

/** Number of bits by datatype, for signed integers (Int8 to Int64). */
const SIGNED = new Map([
  [1, 8],
  [2, 16],
  [3, 32],
  [4, 64],
]);
/** Number of bits by datatype, for unsigned integers (UInt8 to UInt64). */
const UNSIGNED = new Map([
  [5, 8],
  [6, 16],
  [7, 32],
  [8, 64],
]);

/**
 * Returns the value of a metric as a number or text; null if the metric states that it has no value; false if the value does not fit its
 * datatype. `datatype`: the datatype in the metric or, if there is none, in the birth message.
 */
function readValue(metric: SparkplugMetric, datatype: number): number | string | boolean | null {
  const { intValue, longValue, plainValue } = metric;
  if (metric.isNull) return null;
  if (plainValue !== undefined) {
    // NaN and infinity mean "no reading".
    return typeof plainValue === 'number' && !Number.isFinite(plainValue) ? null : plainValue;
  }
  if (longValue !== undefined) return fitted(longValue, 64, datatype);
  return intValue === undefined ? null : fitted(BigInt(intValue), 32, datatype);
}

/**
 * Converts an integer field to a number by the metric's datatype. `raw`: the unsigned integer as sent, in a field of `width` bits. Returns
 * false if the integer does not fit the datatype.
 */
function fitted(raw: bigint, width: 32 | 64, datatype: number): number | false {
  const unsigned = UNSIGNED.get(datatype);
  if (unsigned !== undefined) return raw < 1n << BigInt(unsigned) ? Number(raw) : false;
  const bits = SIGNED.get(datatype);
  // Without a datatype, or in a field that is too narrow for the datatype, a value in the upper half of the range may also mean a negative
  // number, so it is refused.
  if (bits === undefined || bits > width) {
    const numeric = bits !== undefined || datatype === 0;
    return numeric && raw < 1n << BigInt(width - 1) ? Number(raw) : false;
  }
  // Accepts two's complement in the whole field, as specified, or only in the bits of the datatype.
  const half = 1n << BigInt(bits - 1);
  const extended = BigInt.asIntN(width, raw);
  if (extended >= -half && extended < half) return Number(extended);
  return raw < half * 2n ? Number(BigInt.asIntN(bits, raw)) : false;
}

/**
 * Decoder of Eclipse Sparkplug B: nodes and devices of industrial gateways, whose birth messages name the metrics of later data messages.
 */
export const sparkplugFamily: Family<SparkplugMemory> = {
  name: 'sparkplug',
  takes: (topic) => parseSparkplugTopic(topic) !== null,
  remembers,
  newMemory: () => new Map(),
  // A repeated birth or death is new information, too, because the order of the messages on several topics matters.
  isNews: () => true,
  learn: cacheSparkplugState,
  decode,
};

function remembers(topic: string): boolean {
  const parsed = parseSparkplugTopic(topic);
  return parsed !== null && parsed !== 'state' && (parsed.verb === 'birth' || parsed.verb === 'death');
}

function decode(
  { topic, payload, receivedAtMs }: DeviceMessage,
  _: unknown,
  memory: SparkplugMemory,
): FamilyDecodeResult | null {
  const parsed = parseSparkplugTopic(topic);
  if (!parsed) return null;
  if (parsed === 'state' || parsed.verb === 'command') return createEmptyResult();
  const opened = parseSparkplugPayload(payload);
  if (typeof opened === 'string') return createRefusedResult(opened);
  const collector = createValueCollector();
  for (const reason of opened.refused) collector.refuse(reason);
  const message: Message = {
    topic: parsed,
    opened,
    receivedAtMs,
    device: createNativeDeviceId(memory, parsed),
    collector,
  };
  if (parsed.verb === 'birth') hearBirth(message);
  else if (parsed.verb === 'death') hearDeath(message, memory);
  else hearData(message, findSparkplugNode(memory, parsed)?.births.get(parsed.device));
  return collector;
}

interface Message {
  topic: SparkplugTopic;
  opened: SparkplugPayload;
  receivedAtMs: number;
  device: string;
  collector: ValueCollector;
}

function hearBirth(message: Message): void {
  const { opened, device, collector } = message;
  const birth = readBirthMetrics(opened);
  for (const reason of birth.refused) collector.refuse(reason);
  collector.addState({
    device,
    channel: 'device',
    kind: 'availability',
    value: true,
    atMs: sentAt(message),
    name: 'birth',
  });
  const once = new Set<BirthMetric>();
  for (const metric of opened.metrics) {
    const born = metric.name === undefined ? undefined : birth.byName.get(metric.name);
    // If the message contains a metric twice, the metric has already been refused.
    if (born && !once.has(born)) hearMetric(message, metric, born);
    if (born) once.add(born);
  }
}

function hearDeath(message: Message, memory: SparkplugMemory): void {
  const { topic, opened, collector, device } = message;
  const dead = { channel: 'device', kind: 'availability', value: false, name: 'death' } as const;
  if (topic.device !== null) {
    collector.addState({ ...dead, device, atMs: sentAt(message) });
    return;
  }
  const node = findSparkplugNode(memory, topic);
  const bdSeq = findSessionNumber(opened);
  if (bdSeq === null && node?.bdSeq !== null) {
    collector.refuse('bdSeq is missing: it is unknown which session ended');
  } else if (isDeathOfCurrentSession(node, bdSeq)) {
    // The last will was written when the session began, so its time is not the time of the death.
    collector.addState({ ...dead, device });
    const devices = node?.devices ?? [];
    for (const one of devices)
      collector.addState({ ...dead, device: createNativeDeviceId(memory, { ...topic, device: one }) });
  }
}

function hearData(message: Message, birth: BirthMetrics | undefined): void {
  const { opened, collector } = message;
  if (!birth) {
    collector.refuse('no birth yet: request a rebirth');
    return;
  }
  for (const metric of opened.metrics) {
    const born = findBirthMetric(birth, metric);
    if (born) hearMetric(message, metric, born);
    else collector.refuse(`${calledBy(metric)} is not in a birth: request a rebirth`);
  }
}

function hearMetric(
  { opened, receivedAtMs, device, collector }: Message,
  metric: SparkplugMetric,
  born: BirthMetric,
): void {
  // The sender has marked a transient metric as a value that must not be stored.
  if (!born.quantity || metric.isTransient) return;
  const { unit, ...place } = born.quantity;
  const name = sanitiseMetricName(born.name);
  const atMs = discardImplausibleTime(
    metric.timestampMs ?? (metric.isHistorical ? null : (opened.timestampMs ?? null)),
    receivedAtMs,
  );
  if (metric.isHistorical && atMs === null && !metric.isNull) {
    collector.refuse(`${name} is historical, and has no time that can be trusted`);
    return;
  }
  const { kind, times, per, fahrenheit } = unit;
  const read = readValue(metric, metric.datatype || born.datatype);
  const value = fahrenheit ? convertToCelsius(read, 'F') : read;
  collector.add({ ...place, device, kind, value, times, per, atMs, name });
}

const sentAt = ({ opened, receivedAtMs }: Message): number | null =>
  discardImplausibleTime(opened.timestampMs ?? null, receivedAtMs);

function calledBy({ name, alias }: SparkplugMetric): string {
  if (name !== undefined) return sanitiseMetricName(name);
  return alias === undefined ? 'a metric without name and alias' : `alias ${alias}`;
}
