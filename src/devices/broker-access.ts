import { timingSafeEqual } from 'node:crypto';
import { parseCredentials } from '#src/config/addresses.ts';
import { ID_PATTERN } from '#src/core/cell.ts';
import type { Database } from '#src/database/connect.ts';
import { checkDeviceLogin, findDeviceLoginOwner, hashSecret } from './credentials.ts';
import { parseGatewayTopic, parseHomeUsageTopic, parseNativeTopic } from './topics.ts';

const GATEWAY_LOGIN = new RegExp(`^gwy_${ID_PATTERN}$`);
const DEVICE_LOGIN = new RegExp(`^dev_${ID_PATTERN}$`);
const STARTS_WITH_LOGIN = new RegExp(`^(?:dev|gwy)_${ID_PATTERN}`);

/**
 * Whether a login may publish on an MQTT topic: a device below `energy/v1/{device_id}/`, a gateway below `gw/{gateway_id}/`. Pure. Read
 * access is checked by `canReadHomeUsage`.
 */
export function canPublish(username: string, topic: string): boolean {
  if (username === '' || /[+#\0]/.test(topic)) return false;
  if (username.startsWith('gwy_')) return parseGatewayTopic(topic)?.gatewayId === username;
  return parseNativeTopic(topic)?.deviceId === username;
}

/**
 * Whether a login may subscribe to a topic or receive its messages. Only the usage topic of a home is readable: for the gateways of the
 * home's owner (`userId`), and without wildcards. Pure.
 */
export const canReadHomeUsage = (username: string, userId: string, topic: string): boolean =>
  GATEWAY_LOGIN.test(username) && parseHomeUsageTopic(topic) === userId;

/** Whether a login may read a topic. Looks up the owner of the login, and then decides by `canReadHomeUsage`. */
async function mayRead(db: Database, username: string, topic: string): Promise<boolean> {
  if (parseHomeUsageTopic(topic) === null || !GATEWAY_LOGIN.test(username)) return false;
  const owner = await findDeviceLoginOwner(db, username);
  return owner !== null && canReadHomeUsage(username, owner.userId, topic);
}

/**
 * Whether a client id begins with the name of another login. A broker that identifies sessions only by client id would connect this client
 * to the session of that login. Pure.
 */
export function isClientIdOfAnotherLogin(username: string, clientId: string): boolean {
  const named = STARTS_WITH_LOGIN.exec(clientId)?.[0];
  return named !== undefined && named !== username;
}

/**
 * Whether a login can connect to RabbitMQ over MQTT with this client id. Pure. Gateways cannot: RabbitMQ replaces the slashes of a topic
 * with dots and drops the retain flag, so the household topics `plug.1/state` and `plug/1/state` could not be distinguished. RabbitMQ
 * identifies a session only by its client id, so the client id must begin with the login; otherwise a client could take over another
 * device's session.
 */
export function canUseRabbitMq(username: string, clientId: string): boolean {
  return DEVICE_LOGIN.test(username) && clientId.startsWith(username);
}

/**
 * Creates the access decisions for brokers that request these decisions over HTTP. Devices and gateways have the same rights as at the
 * embedded broker. The service itself logs in with the credentials of `MQTT_URL` and has all rights.
 */
export function createBrokerAccess(db: Database, mqttUrl: string | undefined) {
  const own = mqttUrl === undefined ? undefined : parseCredentials(mqttUrl);
  const ownName = own?.username || undefined;
  const ownSecret = hashSecret(own?.password ?? '');
  return {
    /** Whether the username exists and the password is the correct password of that user. */
    async mayLogIn(username: string, password: string): Promise<boolean> {
      if (username === ownName) return timingSafeEqual(ownSecret, hashSecret(password));
      return checkDeviceLogin(db, username, password);
    },
    /** Whether this login may connect to RabbitMQ with this client id. */
    mayUseCluster: (username: string, clientId: string): boolean =>
      username === ownName || canUseRabbitMq(username, clientId),
    /**
     * Returns the client id under which a broker must store the session of a login. It contains the login, so that no client can take over
     * another login's session. Client ids of the service itself are unchanged.
     */
    clientIdOf: (username: string, clientId: string): string =>
      username === ownName ? clientId : `${username}/${clientId}`,
    /** Whether the username is that of the service itself. */
    isOwn: (username: string): boolean => username === ownName,
    /** Whether a login may publish on, or subscribe to, an MQTT topic. */
    async may(username: string, action: 'publish' | 'subscribe', topic: string): Promise<boolean> {
      if (username === ownName) return true;
      return action === 'publish' ? canPublish(username, topic) : mayRead(db, username, topic);
    },
  };
}

export type BrokerAccess = ReturnType<typeof createBrokerAccess>;
