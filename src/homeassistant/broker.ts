import { setTimeout } from 'node:timers/promises';
import { connect, type MqttClient } from 'mqtt';
import { splitCredentials } from '#src/config/addresses.ts';
import type { Logger } from '#src/core/log.ts';

export type HomeAssistantBroker = ReturnType<typeof connectBroker>;

interface BrokerOptions {
  url: string;
  clientId: string;
  /** Topic of `online` and `offline`. If this process dies, the broker publishes `offline`. */
  availabilityTopic: string;
  /** Topic filters to which the connection subscribes. */
  filters: readonly string[];
  /** Called after each new connection, because the broker may have lost the retained messages. */
  onConnected(): void;
  onMessage(topic: string, payload: Buffer): void;
  log: Logger;
}

const RECONNECT_MS = 5_000;
/** Maximum time to wait for the broker at shutdown, in ms. */
const MAX_CLOSE_MS = 1_000;

/** Connects to the broker, and reconnects after each lost connection. */
export function connectBroker(options: BrokerOptions) {
  const { url, clientId, availabilityTopic, filters, log } = options;
  const retained = { qos: 1, retain: true } as const;
  const { address, login } = splitCredentials(url);
  const client: MqttClient = connect(address, {
    ...login,
    protocolVersion: 4,
    clientId,
    reconnectPeriod: RECONNECT_MS,
    connectTimeout: 10_000,
    keepalive: 30,
    resubscribe: false,
    // While the connection is lost, messages are not queued, because all of them are computed again after a reconnect.
    queueQoSZero: false,
    will: { topic: availabilityTopic, payload: Buffer.from('offline'), ...retained },
    log: () => {},
  });
  const greet = async () => {
    await client.publishAsync(availabilityTopic, 'online', retained);
    const granted = await client.subscribeAsync([...filters], { qos: 1 });
    const refused = granted.filter(({ qos }) => (qos as number) >= 128).map(({ topic }) => topic);
    // If the broker refuses the subscription, publishing continues. Only the topics of deleted homes and devices are then not cleared.
    if (refused.length > 0) log.warn({ refused }, 'Home Assistant’s broker does not let this service listen');
  };
  client.on('connect', () => {
    log.info({ host: new URL(url).host }, 'connected with Home Assistant’s broker');
    options.onConnected();
    greet().catch((error: Error) => log.warn({ err: error }, 'Home Assistant’s broker'));
  });
  client.on('message', (topic, payload) => options.onMessage(topic, payload));
  client.on('error', (error) => log.warn({ err: error }, 'Home Assistant’s broker'));
  return {
    isConnected: (): boolean => client.connected,
    /**
     * Publishes a retained message and waits for the acknowledgement; an empty payload clears the topic. Throws if the connection ends
     * first.
     */
    async publish(topic: string, payload: string): Promise<void> {
      await client.publishAsync(topic, payload, retained);
    },
    /** Publishes `offline` and disconnects. */
    async close(): Promise<void> {
      const farewell = client.connected ? client.publishAsync(availabilityTopic, 'offline', retained) : undefined;
      await Promise.race([farewell?.catch(() => {}), setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
      await Promise.race([client.endAsync(), setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
      client.end(true);
    },
  };
}
