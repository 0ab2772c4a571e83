import { timingSafeEqual } from 'node:crypto';
import { parseCredentials } from '#src/config/addresses.ts';
import { ID_PATTERN } from '#src/core/cell.ts';
import type { Database } from '#src/database/connect.ts';
import { findDeviceLoginOwner, hashSecret, isDeviceLoginValid } from './credentials.ts';
import { parseGatewayTopic, parseHomeUsageTopic, parseNativeTopic } from './topics.ts';

const GATEWAY_LOGIN = new RegExp(`^gwy_${ID_PATTERN}$`);
const DEVICE_LOGIN = new RegExp(`^dev_${ID_PATTERN}$`);
const STARTS_WITH_LOGIN = new RegExp(`^(?:dev|gwy)_${ID_PATTERN}`);

/**
 * Whether a login may publish on an MQTT topic. A device may publish below `energy/v1/{device_id}/`, a gateway below `gw/{gateway_id}/`.
 */
export function canPublishOnTopic(username: string, topic: string): boolean {
  if (username === '' || /[+#\0]/.test(topic)) return false;
  if (username.startsWith('gwy_')) return parseGatewayTopic(topic)?.gatewayId === username;
  return parseNativeTopic(topic)?.deviceId === username;
}

/**
 * Whether a login may subscribe to a topic. The only readable topics are those with the usage of a home, which only the gateways of the
 * home's owner may read. `userId`: owner of the login.
 */
export const canReadHomeUsage = (username: string, userId: string, topic: string): boolean =>
  GATEWAY_LOGIN.test(username) && parseHomeUsageTopic(topic) === userId;

/** Whether a login may read a topic. Looks up the owner of the login. */
async function mayRead(db: Database, username: string, topic: string): Promise<boolean> {
  if (parseHomeUsageTopic(topic) === null || !GATEWAY_LOGIN.test(username)) return false;
  const owner = await findDeviceLoginOwner(db, username);
  return owner !== null && canReadHomeUsage(username, owner.userId, topic);
}

/**
 * Whether a client id begins with the name of another login. Brokers that identify sessions only by client id would give this client the
 * session of the other login.
 */
export function isClientIdOfAnotherLogin(username: string, clientId: string): boolean {
  const named = STARTS_WITH_LOGIN.exec(clientId)?.[0];
  return named !== undefined && named !== username;
}

/**
 * Whether a login can connect to RabbitMQ over MQTT with this client id. The client id must begin with the login, because RabbitMQ
 * identifies a session only by its client id. A gateway cannot connect, because RabbitMQ's routing keys do not distinguish the dots and
 * slashes in its topics.
 */
export function canConnectToRabbitMq(username: string, clientId: string): boolean {
  return DEVICE_LOGIN.test(username) && clientId.startsWith(username);
}

/**
 * Creates the access checks for brokers that request them over HTTP. The service itself logs in with the credentials of `MQTT_URL` and has
 * all rights.
 */
export function createBrokerAccess(db: Database, mqttUrl: string | undefined) {
  const own = mqttUrl === undefined ? undefined : parseCredentials(mqttUrl);
  const ownName = own?.username || undefined;
  const ownSecret = hashSecret(own?.password ?? '');
  return {
    /** Whether a login with this username exists, and this is its password. */
    async mayLogIn(username: string, password: string): Promise<boolean> {
      if (username === ownName) return timingSafeEqual(ownSecret, hashSecret(password));
      return isDeviceLoginValid(db, username, password);
    },
    /** Whether this login may connect to RabbitMQ with this client id. */
    mayUseCluster: (username: string, clientId: string): boolean =>
      username === ownName || canConnectToRabbitMq(username, clientId),
    /**
     * Returns the client id under which a broker must store the session of a login. It contains the login, so that no client can take over
     * another session. Client ids of the service itself are not changed.
     */
    clientIdOf: (username: string, clientId: string): string =>
      username === ownName ? clientId : `${username}/${clientId}`,
    /** Whether the username is that of the service itself. */
    isOwn: (username: string): boolean => username === ownName,
    /** Whether a login may publish on, or subscribe to, an MQTT topic. */
    async may(username: string, action: 'publish' | 'subscribe', topic: string): Promise<boolean> {
      if (username === ownName) return true;
      return action === 'publish' ? canPublishOnTopic(username, topic) : mayRead(db, username, topic);
    },
  };
}

export type BrokerAccess = ReturnType<typeof createBrokerAccess>;
