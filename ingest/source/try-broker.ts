import { connect as connectAmqp } from 'amqplib';
import { connect } from 'mqtt';
import { type AmqpUrl, isAmqp, parseAmqpUrl, splitCredentials } from '#src/config/addresses.ts';

/**
 * Connects to the broker of MQTT_URL with its login, and disconnects, without subscribing or using a stored session. Throws the broker's or
 * connection's error.
 */
export async function tryBrokerLogin(url: string, timeoutMs: number): Promise<void> {
  if (isAmqp(url)) {
    const cluster = parseAmqpUrl(url);
    if (!cluster) throw new Error('is not the URL of a broker cluster');
    return testAmqpLogin(cluster, timeoutMs);
  }
  // The broker assigns the client id (MQTT 5, 3.1.3.1) and there is no persistent session, so a worker's session is not disturbed.
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

/** Connects to the first host of a cluster that accepts the login, and disconnects. Throws the last host's error. */
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
      // Later errors of this connection are ignored.
      connection.on('error', () => {});
      await connection.close();
      return;
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}
