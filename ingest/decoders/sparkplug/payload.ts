import type { Type } from 'protobufjs/light.js';
import protobuf from 'protobufjs/light.js';
import { replaceUnstorableCharacters } from '#src/core/storable-text.ts';
import { asObjectOrNull, getMember, type Json, MAX_DECODED_PAYLOAD_BYTES } from '../read/payload.ts';
import { findUnitProperty } from './units.ts';

const optional = (type: string, id: number) => ({ type, id });
const repeated = (type: string, id: number) => ({ rule: 'repeated', type, id });

/**
 * Fields of a Sparkplug B payload that the decoder needs, with their numbers in the specification. Data sets, templates and files are
 * omitted, so the parser skips them and the depth of nesting is limited. Metrics are declared as bytes and parsed one by one, so that a
 * broken metric does not affect the others.
 */
const root = protobuf.Root.fromJSON({
  nested: {
    Payload: {
      edition: 'proto2',
      fields: {
        timestamp: optional('uint64', 1),
        metrics: repeated('bytes', 2),
        seq: optional('uint64', 3),
        uuid: optional('string', 4),
        body: optional('bytes', 5),
      },
    },
    Metric: {
      edition: 'proto2',
      fields: {
        name: optional('string', 1),
        alias: optional('uint64', 2),
        timestamp: optional('uint64', 3),
        datatype: optional('uint32', 4),
        isHistorical: optional('bool', 5),
        isTransient: optional('bool', 6),
        isNull: optional('bool', 7),
        properties: optional('Properties', 9),
        intValue: optional('uint32', 10),
        longValue: optional('uint64', 11),
        floatValue: optional('float', 12),
        doubleValue: optional('double', 13),
        booleanValue: optional('bool', 14),
        stringValue: optional('string', 15),
      },
    },
    Properties: {
      edition: 'proto2',
      fields: { keys: repeated('string', 1), values: repeated('Property', 2) },
    },
    Property: {
      edition: 'proto2',
      fields: { isNull: optional('bool', 2), stringValue: optional('string', 8) },
    },
  },
});

const PAYLOAD = root.lookupType('Payload');
const METRIC = root.lookupType('Metric');

/** Maximum number of metrics that are examined in a message. A message of one MiB could contain half a million empty metrics. */
const MAX_METRICS = 20_000;
const MAX_NAME = 256;

/** A metric as received. Missing members are undefined. */
export interface SparkplugMetric {
  /** Name of the metric; undefined if the name is missing or empty. */
  name: string | undefined;
  alias: bigint | undefined;
  /** Time of the metric in Unix ms as sent, not yet checked for plausibility. */
  timestampMs: number | undefined;
  datatype: number | undefined;
  isHistorical: boolean;
  isTransient: boolean;
  isNull: boolean;
  unit: string | undefined;
  intValue: number | undefined;
  longValue: bigint | undefined;
  /** Value that needs no conversion: float, double, boolean or text. */
  plainValue: number | boolean | string | undefined;
}

export interface SparkplugPayload {
  /** Time of sending in Unix ms as sent, not yet checked for plausibility. */
  timestampMs: number | undefined;
  metrics: SparkplugMetric[];
  /** Refusals of metrics that could not be parsed, one sentence each. */
  refused: string[];
}

/** Parses a payload. Returns an error sentence if the payload is not Sparkplug B. */
export function parseSparkplugPayload(payload: Buffer): SparkplugPayload | string {
  if (payload.length > MAX_DECODED_PAYLOAD_BYTES) return 'payload is too long';
  const body = decoded(PAYLOAD, payload);
  // Random bytes can be valid protobuf with unknown fields only. An empty payload is not Sparkplug B, either.
  if (!body || Object.keys(body).length === 0) return 'payload is not a Sparkplug B protobuf';
  if (String(getMember(body, 'uuid')).endsWith('_COMPRESSED')) return 'payload is compressed, which is not supported';
  const parts = getMember(body, 'metrics');
  const all = Array.isArray(parts) ? (parts as Uint8Array[]) : [];
  const opened: SparkplugPayload = { timestampMs: numberIn(body, 'timestamp'), metrics: [], refused: [] };
  if (all.length > MAX_METRICS) opened.refused.push(`payload has more than ${MAX_METRICS} metrics`);
  all.slice(0, MAX_METRICS).forEach((bytes, index) => {
    const metric = openMetric(bytes);
    if (typeof metric === 'string') opened.refused.push(`metric ${index} ${metric}`);
    else opened.metrics.push(metric);
  });
  return opened;
}

function openMetric(bytes: Uint8Array): SparkplugMetric | string {
  const body = decoded(METRIC, bytes);
  if (!body) return 'is no protobuf';
  const name = getMember(body, 'name');
  if (typeof name === 'string' && name.length > MAX_NAME) return 'has too long a name';
  const plain = ['floatValue', 'doubleValue', 'booleanValue', 'stringValue'].find((key) => Object.hasOwn(body, key));
  return {
    name: typeof name === 'string' && name !== '' ? replaceUnstorableCharacters(name) : undefined,
    alias: bigIn(body, 'alias'),
    timestampMs: numberIn(body, 'timestamp'),
    datatype: getMember(body, 'datatype') as number | undefined,
    isHistorical: getMember(body, 'isHistorical') === true,
    isTransient: getMember(body, 'isTransient') === true,
    isNull: getMember(body, 'isNull') === true,
    unit: findUnitProperty(asObjectOrNull(getMember(body, 'properties'))),
    intValue: getMember(body, 'intValue') as number | undefined,
    longValue: bigIn(body, 'longValue'),
    plainValue: plain === undefined ? undefined : (body[plain] as SparkplugMetric['plainValue']),
  };
}

/**
 * Decodes protobuf bytes into an object with the fields of the message as its own members. Returns null if the bytes do not match the type.
 */
function decoded(type: Type, bytes: Uint8Array): Json | null {
  try {
    return type.decode(bytes) as unknown as Json;
  } catch {
    return null;
  }
}

/** Returns a 64-bit number. The protobuf parser has split it into two unsigned halves. */
function bigIn(body: Json, name: string): bigint | undefined {
  const halves = asObjectOrNull(getMember(body, name));
  return halves ? (BigInt(Number(halves.high) >>> 0) << 32n) | BigInt(Number(halves.low) >>> 0) : undefined;
}

function numberIn(body: Json, name: string): number | undefined {
  const big = bigIn(body, name);
  return big === undefined ? undefined : Number(big);
}
