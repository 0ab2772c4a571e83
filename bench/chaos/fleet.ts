import { connectAsync, type MqttClient } from 'mqtt';
import type { PairedDevice } from '../support.ts';

/** Devices that send register readings in order. Each reading is repeated until it is acknowledged, as real devices do. */
export interface RetryingFleet {
  sent: number;
  acknowledged: number;
  /** Stops sending, and resolves when all messages are acknowledged. */
  finish(): Promise<void>;
}

/** Maximum number of unacknowledged messages per device. */
const MAX_IN_FLIGHT = 20;
/** Time and energy between two readings. Both are so small that the service's plausibility rules accept every reading. */
const STEP_MS = 40;
const STEP_KWH = 0.000_001;
const START_MS = 18 * 3_600_000;

/** The way in which one device's readings are sent to the service (MQTT or HTTPS). */
interface ReadingTransport {
  /** Sends a reading repeatedly until it is acknowledged. */
  deliver(reading: object): Promise<void>;
  close(): Promise<void>;
}

/** Starts devices that send readings over MQTT. */
export const startFleet = (url: string, players: readonly PairedDevice[], perSecond: number): RetryingFleet =>
  deliverReadings(players, perSecond, async ({ deviceId, secret }) => {
    const client = await reach(url, deviceId, secret);
    const topic = `energy/v1/${deviceId}/readings`;
    return {
      deliver: (reading) => deliver(client, topic, JSON.stringify(reading)),
      close: () => client.endAsync(true),
    };
  });

/** Makes the devices together send `perSecond` readings per second. `open` returns the transport of each device. */
export function deliverReadings(
  players: readonly PairedDevice[],
  perSecond: number,
  open: (player: PairedDevice) => Promise<ReadingTransport>,
): RetryingFleet {
  let isOver = false;
  const fleet = { sent: 0, acknowledged: 0, finish: async () => {} };
  const startMs = Date.now() - START_MS;
  const play = async (player: PairedDevice) => {
    const way = await open(player);
    const underWay = new Set<Promise<void>>();
    const pauseMs = (1_000 * players.length) / perSecond;
    for (let index = 0; !isOver; index++) {
      // The time is a text, because some programs that `bench -- peers` compares do not accept a number as a time.
      const ts = new Date(startMs + index * STEP_MS).toISOString();
      const reading = { ts, energy_total_kwh: 1_000 + index * STEP_KWH };
      const one = way.deliver(reading).then(() => {
        fleet.acknowledged++;
        underWay.delete(one);
      });
      underWay.add(one);
      fleet.sent++;
      if (underWay.size >= MAX_IN_FLIGHT) await Promise.race(underWay);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await Promise.all(underWay);
    await way.close();
  };
  const playing = players.map(play);
  fleet.finish = async () => {
    isOver = true;
    await Promise.all(playing);
  };
  return fleet;
}

async function reach(url: string, deviceId: string, secret: string): Promise<MqttClient> {
  for (;;) {
    try {
      const client = await connectAsync(url, {
        username: deviceId,
        password: secret,
        reconnectPeriod: 100,
        connectTimeout: 2_000,
      });
      client.on('error', () => {});
      return client;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Publishes a message repeatedly until it is acknowledged: mqtt.js gives up unacknowledged messages when a connection is lost. */
async function deliver(client: MqttClient, topic: string, payload: string): Promise<void> {
  for (;;) {
    try {
      await client.publishAsync(topic, payload, { qos: 1 });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
