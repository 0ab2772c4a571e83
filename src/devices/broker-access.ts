import { timingSafeEqual } from 'node:crypto';
import { credentialsIn } from '#src/config/addresses.ts';
import type { Database } from '#src/database/connect.ts';
import { accountOfLogin, checkDeviceLogin, secretDigest } from './credentials.ts';
import { parseGatewayTopic, parseHomeUsageTopic, parseNativeTopic } from './topics.ts';

const GATEWAY_LOGIN = /^gwy_[0-9a-z]{26}$/;

/**
 * Whether a login may publish on a topic: a device below `energy/v1/{device_id}/`, a gateway below `gw/{gateway_id}/`. Pure.
 * Who may read what: `mayReadOf`.
 */
export function mayPublish(username: string, topic: string): boolean {
  if (username === '' || /[+#\0]/.test(topic)) return false;
  if (username.startsWith('gwy_')) return parseGatewayTopic(topic)?.gatewayId === username;
  return parseNativeTopic(topic)?.deviceId === username;
}

/**
 * Whether a login may subscribe to a topic, or be sent what is on it: a gateway to what the home of its owner (`userId`) uses, by its name alone. There is
 * nothing else to read. Pure.
 */
export const mayReadOf = (username: string, userId: string, topic: string): boolean =>
  GATEWAY_LOGIN.test(username) && parseHomeUsageTopic(topic) === userId;

/** `mayReadOf`, where the owner is not known yet. */
async function mayRead(db: Database, username: string, topic: string): Promise<boolean> {
  if (parseHomeUsageTopic(topic) === null || !GATEWAY_LOGIN.test(username)) return false;
  const owner = await accountOfLogin(db, username);
  return owner !== null && mayReadOf(username, owner.userId, topic);
}

/**
 * Whether a client id is the name of another login: a broker that keeps sessions by their client ids alone would give whoever comes with it
 * the session of that one. Pure.
 */
export function namesAnother(username: string, clientId: string): boolean {
  const named = /^(dev|gwy)_[0-9a-z]{26}/.exec(clientId)?.[0];
  return named !== undefined && named !== username;
}

/**
 * Whether a login may come to RabbitMQ by MQTT, with this client id. Pure. Not a gateway's: RabbitMQ writes slashes of a topic as dots and
 * drops the retain flag, so that what a household's broker calls `plug.1/state` cannot be told from `plug/1/state`. And a session there
 * belongs to whoever has its client id: it is the login, or the login and more, so that nobody takes over a stranger's.
 */
export function mayUseRabbitMq(username: string, clientId: string): boolean {
  return /^dev_[0-9a-z]{26}$/.test(username) && clientId.startsWith(username);
}

/** What a broker asks of who connects to it. */
export interface BrokerAccess {
  /** Whether the name and the password belong together. */
  mayLogIn(username: string, password: string): Promise<boolean>;
  /**
   * The client id by which a broker is to keep the session of a login: with the login in it, so that nobody takes over a stranger's.
   * The service's own stay as they are.
   */
  clientIdOf(username: string, clientId: string): string;
  /** Whether this login may come to RabbitMQ, with that client id. */
  mayUseCluster(username: string, clientId: string): boolean;
  /** Whether this login may do that on the topic. */
  may(username: string, action: 'publish' | 'subscribe', topic: string): Promise<boolean>;
  /** Whether it is the service itself. */
  isOwn(username: string): boolean;
}

/**
 * Decides for brokers that ask over HTTP: devices and gateways as at the embedded broker, and the service itself, which has
 * the credentials of `MQTT_URL` and may do everything.
 */
export function brokerAccess(db: Database, mqttUrl: string | undefined): BrokerAccess {
  const own = mqttUrl === undefined ? undefined : credentialsIn(mqttUrl);
  const ownName = own?.username || undefined;
  const ownSecret = secretDigest(own?.password ?? '');
  return {
    async mayLogIn(username, password) {
      if (username === ownName) return timingSafeEqual(ownSecret, secretDigest(password));
      return checkDeviceLogin(db, username, password);
    },
    mayUseCluster: (username, clientId) => username === ownName || mayUseRabbitMq(username, clientId),
    clientIdOf: (username, clientId) => (username === ownName ? clientId : `${username}/${clientId}`),
    isOwn: (username) => username === ownName,
    async may(username, action, topic) {
      if (username === ownName) return true;
      return action === 'publish' ? mayPublish(username, topic) : mayRead(db, username, topic);
    },
  };
}
