import { connectAsync, type MqttClient } from 'mqtt';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';

export interface MeterLogin {
  deviceId: string;
  secret: string;
}

/** Meters that publish register readings with QoS 1, and repeat each reading until it is acknowledged. */
export interface MeterFleet {
  /** Acknowledged readings, with the time (ms) of their acknowledgement. */
  acknowledged: { reading: DecodedReading; atMs: number }[];
  /** Stops publishing. Resolves when all published readings are acknowledged. */
  finish(): Promise<void>;
}

const UNDER_WAY = 20;
const EVERY_MS = 100;
/** Time between the timestamps of two consecutive readings. In this time, the register rises by the energy of 0.6 to 1.8 kW. */
const STEP_MS = 60_000;
const stepMilliwattHours = (index: number) => 10_000 + ((index * 7_919) % 20_001);

/** Starts the meters. Each publishes ten readings a second, with timestamps one minute apart. `startMs`: first timestamp of each meter. */
export function startMeters(url: string, logins: readonly MeterLogin[], startMs: number): MeterFleet {
  const acknowledged: MeterFleet['acknowledged'] = [];
  let isOver = false;
  const play = async ({ deviceId, secret }: MeterLogin) => {
    const client = await connectAsync(url, { username: deviceId, password: secret, reconnectPeriod: 200 });
    client.on('error', () => {});
    const underWay = new Set<Promise<void>>();
    let value = 1_000_000_000;
    for (let index = 0; !isOver; index++) {
      value += stepMilliwattHours(index);
      const readAtMs = startMs + index * STEP_MS;
      const reading: DecodedReading = {
        deviceId,
        channel: 'import',
        kind: 'register',
        readAtMs,
        intervalMs: 0,
        value,
        element: 0,
      };
      const one = deliver(client, reading).then(() => {
        acknowledged.push({ reading, atMs: Date.now() });
        underWay.delete(one);
      });
      underWay.add(one);
      if (underWay.size >= UNDER_WAY) await Promise.race(underWay);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    await Promise.all(underWay);
    await client.endAsync(true);
  };
  const playing = logins.map(play);
  return {
    acknowledged,
    async finish() {
      isOver = true;
      await Promise.all(playing);
    },
  };
}

/** Publishes a message until it is acknowledged. mqtt.js itself would stop when it loses the connection. */
async function deliver(client: MqttClient, { deviceId, readAtMs, value }: DecodedReading): Promise<void> {
  const payload = JSON.stringify({ ts: readAtMs, energy_total_kwh: value / 1e6 });
  for (;;) {
    try {
      await client.publishAsync(`energy/v1/${deviceId}/readings`, payload, { qos: 1 });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Returns the start and the end (ms) of the longest gap between consecutive times within a range. */
export function findLongestGap(
  times: readonly number[],
  fromMs: number,
  toMs: number,
): { fromMs: number; toMs: number } {
  const within = times.filter((atMs) => atMs >= fromMs && atMs <= toMs);
  const all = [fromMs, ...within.sort((a, b) => a - b), toMs];
  const gaps = all.slice(1).map((atMs, index) => ({ fromMs: all[index] ?? atMs, toMs: atMs }));
  return gaps.reduce((longest, gap) => (gap.toMs - gap.fromMs > longest.toMs - longest.fromMs ? gap : longest));
}

/** Returns the length, in seconds, of the longest gap between consecutive times (ms) within a range. */
export function getLongestGapSeconds(times: readonly number[], fromMs: number, toMs: number): number {
  const gap = findLongestGap(times, fromMs, toMs);
  return (gap.toMs - gap.fromMs) / 1_000;
}
