import { connect as connectAmqp } from 'amqplib';
import { connect } from 'mqtt';
import { type AmqpUrl, isAmqpUrl, parseAmqpUrl, splitCredentials } from '#src/config/addresses.ts';

/** Checks the login of MQTT_URL: connects to the broker and disconnects. Throws the error of the broker or connection. */
export async function tryBrokerLogin(url: string, timeoutMs: number): Promise<void> {
  if (isAmqpUrl(url)) {
    const cluster = parseAmqpUrl(url);
    if (!cluster) throw new Error('is not the URL of a broker cluster');
    return testAmqpLogin(cluster, timeoutMs);
  }
  // A client id chosen by the broker does not disturb the session of a worker (MQTT 5, 3.1.3.1).
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

/** Tries the hosts of a cluster in turn until one accepts the login. Throws the error of the last host if none does. */
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
      // Without a listener, Node would throw later errors of this connection.
      connection.on('error', () => {});
      await connection.close();
      return;
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}
