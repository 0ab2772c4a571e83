import { connect } from 'mqtt';
import { isAmqp, parseAmqpUrl, splitCredentials } from '#src/config/addresses.ts';
import { testAmqpLogin } from './amqp/try-amqp.ts';

/** Connects to the broker of MQTT_URL with its login, and disconnects, without subscribing or touching a session. Throws the error. */
export async function testBrokerLogin(url: string, timeoutMs: number): Promise<void> {
  if (isAmqp(url)) {
    const cluster = parseAmqpUrl(url);
    if (!cluster) throw new Error('is not the URL of a broker cluster');
    return testAmqpLogin(cluster, timeoutMs);
  }
  // The broker assigns the client id (MQTT 5, 3.1.3.1) and there is no persistent session, so a worker's session is not
  // disturbed.
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
