import { connect } from 'mqtt';
import { isAmqp, parseAmqpUrl } from '#src/config/addresses.ts';
import { tryAmqp } from './amqp/try-amqp.ts';

/** Connects to the broker of MQTT_URL with its login, and leaves: nothing is subscribed, and no session is touched. Throws what is wrong. */
export async function tryBroker(url: string, timeoutMs: number): Promise<void> {
  if (isAmqp(url)) {
    const cluster = parseAmqpUrl(url);
    if (!cluster) throw new Error('is not the URL of a broker cluster');
    return tryAmqp(cluster, timeoutMs);
  }
  // An id of its own choice (MQTT 5, 3.1.3.1), and no session: that of a worker goes on.
  const settings = {
    protocolVersion: 5,
    clean: true,
    clientId: '',
    reconnectPeriod: 0,
    connectTimeout: timeoutMs,
  } as const;
  const client = connect(url, { ...settings, log: () => {} });
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
