import { connect as connectAmqp } from 'amqplib';
import { connect } from 'mqtt';
import { type AmqpUrl, isAmqpUrl, parseAmqpUrl, splitCredentials } from '#src/config/addresses.ts';

/**
 * Checks the login of MQTT_URL: connects to the broker and disconnects, without subscribing or using a stored session. Throws the error of
 * the broker or of the connection.
 */
export async function tryBrokerLogin(url: string, timeoutMs: number): Promise<void> {
  if (isAmqpUrl(url)) {
    const cluster = parseAmqpUrl(url);
    if (!cluster) throw new Error('is not the URL of a broker cluster');
    return testAmqpLogin(cluster, timeoutMs);
  }
  // The broker assigns the client id (MQTT 5, 3.1.3.1) and the session is not persistent, so this check does not disturb the session of a
  // worker.
  const settings = {
    protocolVersion: 5,
    clean: true,
    clientId: '',
    reconnectPeriod: 0,
    connectTimeout: timeoutMs,
  } as const;
  const { address, login } = splitCredentials(url);
  const client = connect(address, { ...settings, ...login, log: () => {} });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.on('error', reject);
      client.once('close', () => reject(new Error('the broker closed the connection, or did not answer')));
    });
  } finally {
    client.end(true);
  }
}

/**
 * Connects to the hosts of a cluster in turn until one accepts the login, and disconnects. Throws the error of the last host if none does.
 */
async function testAmqpLogin(
  { hosts, isSecure, username, password, vhost }: AmqpUrl,
  timeoutMs: number,
): Promise<void> {
  const protocol = isSecure ? 'amqps' : 'amqp';
  let lastError: unknown;
  for (const { host, port } of hosts) {
    try {
      const address = { protocol, hostname: host, port, username, password, vhost };
      const connection = await connectAmqp(address, { timeout: timeoutMs / hosts.length });
      // Later errors of this connection are irrelevant. Without a listener, Node would throw them.
      connection.on('error', () => {});
      await connection.close();
      return;
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}
