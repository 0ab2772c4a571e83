import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import mqtt, { type MqttClient } from 'mqtt';
import type { PairedDevice } from '../support.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import type { TwoCellInstallation } from './rig.ts';

/**
 * Number of connection attempts that are in progress at once when the benchmark starts. After the router is killed, all devices connect at
 * once.
 */
const AT_ONCE = 50;
const RETRY_MS = 200;
const MAX_MS = 120_000;

/** A device that is connected to one of the two routers. If the connection ends, it connects to the other router. */
interface Roamer {
  client: MqttClient | undefined;
  isConnected(): boolean;
}

/** Result of killing one of two routers. */
interface ReconnectResult {
  /** Time until all devices are connected to the router that still runs, in seconds. */
  seconds: number;
  /** Growth of resident memory per connection, in kB: in the ingest processes, and in one router. */
  ingestKb: number;
  routerKb: number;
}

/** Connects devices of both cells, half of them to each router, and kills the first router. Starts this router again at the end. */
export async function measureReconnectAfterRouterKill(
  { routers, cells }: TwoCellInstallation,
  count: number,
): Promise<ReconnectResult> {
  const devices: PairedDevice[] = [];
  for (const cell of cells) devices.push(...(await cell.pair(count / cells.length)));
  const [first, second = first] = routers.all;
  const kilobytes = () => ({
    ingest: cells.reduce((sum, cell) => sum + residentKb(cell.of('ingest').pid()), 0),
    router: residentKb(first.pid()),
  });
  const before = kilobytes();
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
    const after = kilobytes();
    const fromMs = performance.now();
    await first.kill();
    // mqtt.js notices only in a later turn of the event loop that a connection has ended, so the benchmark waits.
    await pause(100);
    await untilConnected(roamers);
    return {
      seconds: (performance.now() - fromMs) / 1_000,
      ingestKb: (after.ingest - before.ingest) / count,
      routerKb: (after.router - before.router) / (count / 2),
    };
  } finally {
    isOver = true;
    for (const { client } of roamers) client?.end(true);
    await Promise.all(roaming);
    await first.start();
  }
}

/** Returns the resident memory of a process in kB, from the second field of /proc/PID/statm (proc(5)), in pages of 4 KiB. */
const residentKb = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4;

async function untilConnected(roamers: readonly Roamer[]): Promise<void> {
  const untilMs = performance.now() + scaleTimeLimitMs(MAX_MS);
  while (!roamers.every((one) => one.isConnected())) {
    if (performance.now() > untilMs) throw new Error(describeTimeout('not every device is connected', MAX_MS));
    await pause(20);
  }
}
