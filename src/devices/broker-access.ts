import { timingSafeEqual } from 'node:crypto';
import type { Database } from '#src/database/connect.ts';
import { checkDeviceLogin, secretDigest } from './credentials.ts';
import { parseGatewayTopic, parseNativeTopic } from './topics.ts';

/**
 * Whether a login may publish on a topic: a device below `energy/v1/{device_id}/`, a gateway below `gw/{gateway_id}/`. Pure.
 * Nobody may subscribe: there is nothing to read here.
 */
export function mayPublish(username: string, topic: string): boolean {
  if (username === '' || /[+#\0]/.test(topic)) return false;
  if (username.startsWith('gwy_')) return parseGatewayTopic(topic)?.gatewayId === username;
  return parseNativeTopic(topic)?.deviceId === username;
}

/** What a broker asks of who connects to it. */
export interface BrokerAccess {
  /** Whether the name and the password belong together. */
  mayLogIn(username: string, password: string): Promise<boolean>;
  /** Whether this login may do that on the topic. */
  may(username: string, action: 'publish' | 'subscribe', topic: string): boolean;
}

/**
 * Decides for brokers that ask over HTTP: devices and gateways as at the embedded broker, and the service itself, which has
 * the credentials of `MQTT_URL` and may subscribe.
 */
export function brokerAccess(db: Database, mqttUrl: string | undefined): BrokerAccess {
  const own = mqttUrl === undefined ? undefined : new URL(mqttUrl);
  const ownName = own?.username ? decodeURIComponent(own.username) : undefined;
  const ownSecret = secretDigest(decodeURIComponent(own?.password ?? ''));
  return {
    async mayLogIn(username, password) {
      if (username === ownName) return timingSafeEqual(ownSecret, secretDigest(password));
      return checkDeviceLogin(db, username, password);
    },
    may(username, action, topic) {
      if (username === ownName) return true;
      return action === 'publish' && mayPublish(username, topic);
    },
  };
}
