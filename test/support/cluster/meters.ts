import { connectAsync, type MqttClient } from 'mqtt';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';

/** A meter that may log in. */
export interface Login {
  deviceId: string;
  secret: string;
}

/** Meters that publish registers with QoS 1, and each reading again until it is acknowledged, as devices do. */
export interface Meters {
  /** What was acknowledged, and when (ms). */
  acknowledged: { reading: DecodedReading; atMs: number }[];
  /** Publishes no more; resolves when everything is acknowledged. */
  finish(): Promise<void>;
}

const UNDER_WAY = 20;
const EVERY_MS = 100;
/** Of a reading every minute: 0.6 to 1.8 kW. */
const STEP_MS = 60_000;
const stepMilliwattHours = (index: number) => 10_000 + ((index * 7_919) % 20_001);

/** `startMs`: the time of the first reading of each; a reading a minute follows, ten of them a second. */
export function startMeters(url: string, logins: readonly Login[], startMs: number): Meters {
  const acknowledged: Meters['acknowledged'] = [];
  let isOver = false;
  const play = async ({ deviceId, secret }: Login) => {
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

/** Again until it is acknowledged: mqtt.js gives up what was under way when a connection is lost. */
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

/** The longest time without one of these moments (ms) between two others, in seconds. */
export function longestGapSeconds(times: readonly number[], fromMs: number, toMs: number): number {
  const within = times.filter((atMs) => atMs >= fromMs && atMs <= toMs);
  const all = [fromMs, ...within.sort((a, b) => a - b), toMs];
  return Math.max(...all.slice(1).map((atMs, index) => atMs - (all[index] ?? atMs))) / 1_000;
}
