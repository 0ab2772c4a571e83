import { connectAsync, type MqttClient } from 'mqtt';
import { hasLittleMemory } from '#src/core/memory.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

interface PublisherOptions {
  url: string;
  /** User name of the connection. Without a user name, the broker must accept anonymous clients, as the brokers of many households do. */
  deviceId?: string;
  secret?: string;
  /** Maximum number of messages that wait for their PUBACK (default 20). */
  inFlight?: number;
  /** Certificate authority of the broker, if no public authority has signed its certificate. */
  ca?: Buffer;
  /** Called with the number of messages when messages have been acknowledged. */
  onAcknowledged?: (messages: number) => void;
}

/**
 * The connection of a device. `publish` resolves when the next message can be published; `flush` resolves when all messages are
 * acknowledged.
 */
export interface DevicePublisher {
  publish(topic: string, payload: string, retain?: boolean): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Connects as a device and publishes at QoS 1. The number of unacknowledged messages is limited. */
export async function createPublisher(options: PublisherOptions): Promise<DevicePublisher> {
  const limit = options.inFlight ?? 20;
  const client: MqttClient = await connectAsync(options.url, {
    clientId: `${options.deviceId ?? 'household'}-${process.pid.toString(36)}${Date.now().toString(36)}`,
    clean: true,
    reconnectPeriod: 500,
    connectTimeout: 10_000,
    // mqtt-packet's write cache takes 10 MB, because it holds a buffer for each of the 65,536 packet ids. It is not used if memory is
    // limited.
    writeCache: !hasLittleMemory(),
    ...omitUndefined({ username: options.deviceId, password: options.secret, ca: options.ca }),
  });
  // mqtt.js reconnects by itself and resends messages without a PUBACK. Without a listener, an error would end the
  // process.
  client.on('error', () => {});
  let waiting = 0;
  let acknowledged = 0;
  let failure: Error | undefined;
  let wakeUps: (() => void)[] = [];
  const changed = () => new Promise<void>((resolve) => wakeUps.push(resolve));
  const wake = () => {
    const sleepers = wakeUps;
    wakeUps = [];
    for (const wakeUp of sleepers) wakeUp();
  };
  // mqtt.js rejects queued messages if a connection breaks while it resends earlier messages. The rejected messages are published again
  // here.
  const publishUntilAcknowledged = async (topic: string, payload: string, retain: boolean): Promise<void> => {
    try {
      await client.publishAsync(topic, payload, { qos: 1, retain });
    } catch (error) {
      if (failure || (error as Error).message !== 'Connection closed') throw error;
      await publishUntilAcknowledged(topic, payload, retain);
    }
  };
  const send = async (topic: string, payload: string, retain: boolean) => {
    waiting++;
    try {
      await publishUntilAcknowledged(topic, payload, retain);
      acknowledged++;
      options.onAcknowledged?.(acknowledged);
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
    } finally {
      waiting--;
      wake();
    }
  };
  return {
    async publish(topic, payload, retain = false) {
      while (!failure && waiting >= limit) await changed();
      if (failure) throw failure;
      void send(topic, payload, retain);
    },
    async flush() {
      while (!failure && waiting > 0) await changed();
      if (failure) throw failure;
    },
    async close() {
      // When the client ends, mqtt.js never settles publishes without a PUBACK. They are therefore rejected here.
      failure ??= new Error('The connection was closed before the broker had acknowledged everything');
      wake();
      await client.endAsync(true);
    },
  };
}
