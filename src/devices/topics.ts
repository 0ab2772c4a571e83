/**
 * The MQTT topics that the service is sent on: those of a device (`energy/v1/{device_id}/readings` and `…/status`), and what
 * a household's own broker is bridged to (`gw/{gateway_id}/…`). Makers, parsers and filters, each once.
 */

const ID = '[A-Za-z0-9_-]{1,64}';
const WHOLE_ID = new RegExp(`^${ID}$`);
const NATIVE = 'energy/v1/';
const HOME = new RegExp(`^energy/v1/homes/(${ID})/usage$`);
const GATEWAY = new RegExp(`^gw/(${ID})/(.+)$`, 's');

/** Topic that a device publishes its readings under. */
export const readingsTopic = (deviceId: string): string => `energy/v1/${deviceId}/readings`;

/** What topics of a gateway begin with. */
export const gatewayPrefix = (gatewayId: string): string => `gw/${gatewayId}/`;

/** Topic on which a home is told what it uses: the service publishes there, its gateways read. */
export const homeUsageTopic = (userId: string): string => `energy/v1/homes/${userId}/usage`;

/** Reads such a topic; null for every other one, and for every filter with wildcards. */
export const parseHomeUsageTopic = (topic: string): string | null => HOME.exec(topic)?.[1] ?? null;

/** What a cluster's queues are bound to: RabbitMQ writes a topic's slashes as dots. */
export const ROUTING_KEYS = ['energy.v1.*.readings', 'energy.v1.*.status'] as const;

/**
 * Topic that a routing key of RabbitMQ stands for, where there is only one of ours: that of a device. Null for every other key. A dot may
 * have been a slash or a dot, so what comes through a gateway, whose names have dots, cannot be told.
 */
export function topicOfRoutingKey(key: string): string | null {
  const topic = key.replaceAll('.', '/');
  return !key.includes('/') && parseNativeTopic(topic) ? topic : null;
}

/** Topic filters that a client of an external broker subscribes to. */
export const TOPIC_FILTERS = ['energy/v1/+/readings', 'energy/v1/+/status', 'gw/#'] as const;

interface NativeTopic {
  deviceId: string;
  leaf: 'readings' | 'status';
}

/** Reads a topic of a device; null for every other one. By its parts: this is done for every message. */
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
  /** The topic on the household's broker. */
  topic: string;
}

/** Reads a topic below a gateway's prefix; null for every other one. */
export function parseGatewayTopic(topic: string): GatewayTopic | null {
  const [, gatewayId, rest] = GATEWAY.exec(topic) ?? [];
  return gatewayId && rest ? { gatewayId, topic: rest } : null;
}
