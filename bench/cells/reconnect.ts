import { setTimeout as pause } from 'node:timers/promises';
import mqtt, { type MqttClient } from 'mqtt';
import type { PairedDevice } from '../support.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import type { Rig } from './rig.ts';

/** Connections that begin at the same time at the start; after the fault all begin at once. */
const AT_ONCE = 50;
const RETRY_MS = 200;
const MAX_MS = 120_000;

/** A device that connects to its router and, if the connection ends, to the other one. */
interface Roamer {
  client: MqttClient | undefined;
  isConnected(): boolean;
}

/**
 * Connects devices of both cells, half of them to each router, and kills the first router. Returns the time in seconds until all devices are
 * connected to the second. Starts the first again.
 */
export async function measureReconnect({ routers, cells }: Rig, count: number): Promise<number> {
  const devices: PairedDevice[] = [];
  for (const cell of cells) devices.push(...(await cell.pair(count / cells.length)));
  const [first, second = first] = routers.all;
  let isOver = false;
  const roam = async (roamer: Roamer, { deviceId, secret }: PairedDevice, from: number) => {
    for (let turn = from; !isOver; turn++) {
      const { ports } = turn % 2 === 0 ? first : second;
      const login = { username: deviceId, password: secret, clientId: deviceId };
      const client = mqtt.connect(`mqtt://127.0.0.1:${ports.mqtt}`, {
        ...login,
        reconnectPeriod: 0,
        connectTimeout: 5_000,
      });
      client.on('error', () => {});
      roamer.client = client;
      await new Promise<void>((resolve) => client.once('close', () => resolve()));
      client.end(true);
      await pause(RETRY_MS);
    }
  };
  const roamers: Roamer[] = [];
  const roaming: Promise<void>[] = [];
  try {
    for (const [index, device] of devices.entries()) {
      const roamer: Roamer = { client: undefined, isConnected: () => roamer.client?.connected === true };
      roamers.push(roamer);
      roaming.push(roam(roamer, device, index));
      if (index % AT_ONCE === AT_ONCE - 1) await untilConnected(roamers);
    }
    await untilConnected(roamers);
    const fromMs = performance.now();
    await first.kill();
    // mqtt.js notices the end of its connections in the next turn of the event loop.
    await pause(100);
    await untilConnected(roamers);
    return (performance.now() - fromMs) / 1_000;
  } finally {
    isOver = true;
    for (const { client } of roamers) client?.end(true);
    await Promise.all(roaming);
    await first.start();
  }
}

async function untilConnected(roamers: readonly Roamer[]): Promise<void> {
  const untilMs = performance.now() + scaleTimeLimitMs(MAX_MS);
  while (!roamers.every((one) => one.isConnected())) {
    if (performance.now() > untilMs) throw new Error(describeTimeout('not every device is connected', MAX_MS));
    await pause(20);
  }
}
