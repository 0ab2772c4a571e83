import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { createWriter } from '#ingest/write/writer.ts';
import type { Pool } from '#src/database/connect.ts';
import { startRole } from '../test/support/service.ts';
import type { Answer } from './answer.ts';
import { HOGS, type Hog } from './fairness-hogs.ts';
import { benchDatabase, type Paired, pairDevices, quantile } from './support.ts';

const NEIGHBOURS = 8;
const EVERY_MS = 50;
const PHASE_MS = 3_000;
const ROUNDS = 4;
const OLD_CHANNELS = 20_000;

/**
 * PUBACK of neighbours while one device takes what it can get, and while none does, in turn; over the embedded broker. As a ratio of
 * the slowest hundredths of the same run.
 */
export async function bench(): Promise<Answer> {
  const database = await benchDatabase();
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, LOG_LEVEL: 'error' };
  const names = Object.keys(HOGS) as Hog[];
  const [hogs, neighbours] = [
    await pairDevices(database.pool, names.length),
    await pairDevices(database.pool, NEIGHBOURS),
  ];
  await giveChannels(database.pool, hogs[names.indexOf('old channels')] as Paired);
  const ingest = await startRole('ingest', env);
  const url = `mqtt://127.0.0.1:${ingest.ready.port}`;
  const children: ChildProcess[] = [];
  try {
    const clients = await Promise.all(
      neighbours.map(async ({ deviceId, secret }) => ({
        deviceId,
        client: await connectAsync(url, { username: deviceId, password: secret }),
      })),
    );
    const results: Record<string, object> = {};
    const lines: string[] = [];
    for (const [index, hog] of names.entries()) {
      process.stderr.write(`${hog} …\n`);
      const child = fork(join(import.meta.dirname, 'fairness-hog.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      children.push(child);
      child.send({ url, device: hogs[index], hog });
      await once(child, 'message');
      const [alone, beside]: [number[], number[]] = [[], []];
      await pubacks(clients, 1_000);
      let taken = 0;
      for (let round = 0; round < ROUNDS; round++) {
        alone.push(...(await pubacks(clients, PHASE_MS)));
        child.send('go');
        beside.push(...(await pubacks(clients, PHASE_MS)));
        child.send('stop');
        const [{ acknowledged }] = await once(child, 'message');
        taken += acknowledged;
      }
      child.kill('SIGKILL');
      const figure = {
        alone_ms: { p50: ms(alone, 0.5), p99: ms(alone, 0.99) },
        beside_ms: { p50: ms(beside, 0.5), p99: ms(beside, 0.99) },
        ratio_p99: Math.round((10 * quantile(beside, 0.99)) / quantile(alone, 0.99)) / 10,
        hog_messages_per_s: Math.round(taken / ((ROUNDS * PHASE_MS) / 1_000)),
      };
      results[hog] = figure;
      lines.push(
        `${hog.padEnd(13)} p99 ${figure.alone_ms.p99} ms alone, ${figure.beside_ms.p99} ms beside it: ${figure.ratio_p99} (p50 ${figure.alone_ms.p50}, ${figure.beside_ms.p50}); ${figure.hog_messages_per_s} messages/s of it`,
      );
    }
    return { json: { results }, lines };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await ingest.kill();
    await database.remove();
  }
}

const ms = (values: number[], share: number): number => Math.round(10 * quantile(values, share)) / 10;

/** Has neighbours publish a reading each every so often; answers how long their acknowledgements took, ms. */
async function pubacks(clients: readonly { deviceId: string; client: MqttClient }[], forMs: number): Promise<number[]> {
  const took: number[] = [];
  const untilMs = performance.now() + forMs;
  await Promise.all(
    clients.map(async ({ deviceId, client }, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index * EVERY_MS) / clients.length));
      while (performance.now() < untilMs) {
        const fromMs = performance.now();
        await client.publishAsync(`energy/v1/${deviceId}/readings`, '{"power_w":100}', { qos: 1 });
        took.push(performance.now() - fromMs);
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
    }),
  );
  return took;
}

/** Lets a device have as many channels as it could before there was a limit. */
async function giveChannels(pool: Pool, { deviceId }: Paired): Promise<void> {
  const writer = createWriter(pool, { maxChannels: OLD_CHANNELS });
  const receivedAtMs = Date.now();
  for (let at = 0; at < OLD_CHANNELS; at += 5_000) {
    const readings = Array.from({ length: 5_000 }, (_, index) => ({
      deviceId,
      channel: `c${at + index}`,
      kind: 'power' as const,
      readAtMs: receivedAtMs - 1_000,
      intervalMs: 0,
      value: 1_000,
      element: index,
    }));
    await writer.write([
      { topic: '', payload: Buffer.alloc(0), receivedAtMs, decoded: { deviceId, readings, rejections: [] } },
    ]);
  }
}
