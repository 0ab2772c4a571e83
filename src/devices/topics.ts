/**
 * All MQTT topics on which the service receives messages: those of a device (`energy/v1/{device_id}/…`), and those of a household's own
 * broker (`gw/{gateway_id}/…`).
 */

const ID = '[A-Za-z0-9_-]{1,64}';
const WHOLE_ID = new RegExp(`^${ID}$`);
const NATIVE = 'energy/v1/';
const HOME = new RegExp(`^energy/v1/homes/(${ID})/usage$`);
const GATEWAY = new RegExp(`^gw/(${ID})/(.+)$`, 's');

export const getReadingsTopic = (deviceId: string): string => `energy/v1/${deviceId}/readings`;

/** Format of readings that are sent over HTTPS: the service's native format, or SenML. */
export type HttpsReadingsFormat = 'native' | 'senml';

const SENT = new RegExp(`^POST /v1/devices/(${ID})/readings( SenML)?$`);

/** Returns the topic under which rejected readings that were sent over HTTPS are stored. No device can publish on it. */
export const getHttpsReadingsTopic = (deviceId: string, format: HttpsReadingsFormat): string =>
  `POST /v1/devices/${deviceId}/readings${format === 'senml' ? ' SenML' : ''}`;

/** Parses the result of `getHttpsReadingsTopic`. Null for every MQTT topic. */
export function parseHttpsReadingsTopic(topic: string): { deviceId: string; format: HttpsReadingsFormat } | null {
  const [, deviceId, senml] = SENT.exec(topic) ?? [];
  return deviceId === undefined ? null : { deviceId, format: senml === undefined ? 'native' : 'senml' };
}

export const getGatewayTopicPrefix = (gatewayId: string): string => `gw/${gatewayId}/`;

/** Returns the topic on which the service publishes the usage of a home for the gateways of this home. */
export const getHomeUsageTopic = (userId: string): string => `energy/v1/homes/${userId}/usage`;

/** Parses the topic of a home's usage. Returns the user id, or null for every other topic. */
export const parseHomeUsageTopic = (topic: string): string | null => HOME.exec(topic)?.[1] ?? null;

/** Routing keys to which the queues of a RabbitMQ cluster are bound. */
export const ROUTING_KEYS = ['energy.v1.*.readings', 'energy.v1.*.status'] as const;

/**
 * Converts a routing key of RabbitMQ into the topic of a device; null for every other key. The topic of a gateway cannot be derived,
 * because a dot in the key may stand for a slash or a dot.
 */
export function findTopicOfRoutingKey(key: string): string | null {
  const topic = key.replaceAll('.', '/');
  return !key.includes('/') && parseNativeTopic(topic) ? topic : null;
}

/** Topic filters to which a client of an external broker subscribes. */
export const TOPIC_FILTERS = ['energy/v1/+/readings', 'energy/v1/+/status', 'gw/#'] as const;

interface NativeTopic {
  deviceId: string;
  leaf: 'readings' | 'status';
}

/** Parses the topic of a device; null for every other topic. Fast string operations, because every message is parsed. */
export function parseNativeTopic(topic: string): NativeTopic | null {
  if (!topic.startsWith(NATIVE)) return null;
  const end = topic.indexOf('/', NATIVE.length);
  const leaf = leafFrom(topic, end + 1);
  if (leaf === null) return null;
  const deviceId = topic.slice(NATIVE.length, end);
  return WHOLE_ID.test(deviceId) ? { deviceId, leaf } : null;
}

function leafFrom(topic: string, place: number): NativeTopic['leaf'] | null {
  if (topic.length === place + 'readings'.length && topic.endsWith('readings')) return 'readings';
  return topic.length === place + 'status'.length && topic.endsWith('status') ? 'status' : null;
}

interface GatewayTopic {
  gatewayId: string;
  /** Topic at the household's own broker, without the prefix of the gateway. */
  topic: string;
}

/** Parses a topic below the prefix of a gateway. Null for every other topic. */
export function parseGatewayTopic(topic: string): GatewayTopic | null {
  const [, gatewayId, rest] = GATEWAY.exec(topic) ?? [];
  return gatewayId && rest ? { gatewayId, topic: rest } : null;
}
