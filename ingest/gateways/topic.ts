/** `gw/{gateway_id}/…`: below it are the native topics of a household's own broker. */
const TOPIC = /^gw\/([A-Za-z0-9_-]{1,64})\/(.+)$/s;

/** The topic filter that a client of an external broker subscribes to. */
export const GATEWAY_FILTER = 'gw/#';

export interface GatewayTopic {
  gatewayId: string;
  /** The topic on the household's broker. */
  topic: string;
}

/** Reads a topic below a gateway's prefix; null for every other one. */
export function parseGatewayTopic(topic: string): GatewayTopic | null {
  const [, gatewayId, rest] = TOPIC.exec(topic) ?? [];
  return gatewayId && rest ? { gatewayId, topic: rest } : null;
}
