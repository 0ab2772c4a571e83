import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { connectAsync } from 'mqtt';
import { from as copyFrom } from 'pg-copy-streams';
import { createDb, type Pool } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import type { Answer } from './run.ts';
import { benchDatabase, median } from './support.ts';

const DEVICES = 50;
const MESSAGES = 60_000;
const ROUNDS = 3;
const HOUR_MS = 3_600_000;

type Device = { deviceId: string; secret: string };

/**
 * Readings/s (one a message) from publish to committed, over the embedded broker and over mosquitto, next to the ceilings of the same
 * run: the same publisher and broker with a subscriber that only counts, and COPY of the same rows into a bare table.
 */
export async function bench(): Promise<Answer> {
  const database = await benchDatabase();
  const mosquitto = await startMosquitto();
  try {
    const figures: Record<string, number[]> = {};
    const add = (name: string, value: number) => {
      figures[name] = [...(figures[name] ?? []), Math.round(value)];
    };
    for (let round = 0; round < ROUNDS; round++) {
      const devices = await pair(database.pool);
      add('embedded', await throughService(database, devices));
      add('embedded ceiling', await ceilingOfAedes(devices));
      add('mosquitto', await throughService(database, await pair(database.pool), mosquitto.url));
      add('mosquitto ceiling', await ceilingOf(mosquitto.url, devices));
      add('copy', await copy(database.pool));
    }
    const of = (name: string) => median(figures[name] ?? []);
    const ratio = (name: string) => Math.round((of(name) / of(`${name} ceiling`)) * 100) / 100;
    const json = {
      messages: MESSAGES,
      per_second: Object.fromEntries(Object.keys(figures).map((name) => [name, of(name)])),
      ratio_to_transport_ceiling: { embedded: ratio('embedded'), mosquitto: ratio('mosquitto') },
    };
    const line = (name: string) =>
      `${name.padEnd(10)} ${of(name)} readings/s publish to committed; a subscriber that only counts: ` +
      `${of(`${name} ceiling`)}; ratio ${ratio(name)}`;
    return { json, lines: [line('embedded'), line('mosquitto'), `COPY       ${of('copy')} rows/s into a bare table`] };
  } finally {
    await mosquitto.stop();
    await database.remove();
  }
}

async function pair(pool: Pool): Promise<Device[]> {
  const db = createDb(pool);
  const devices: Device[] = [];
  for (let index = 0; index < DEVICES; index++) {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
    const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'bench' });
    devices.push({ deviceId: device.device_id, secret });
  }
  return devices;
}

/** Starts the publisher, connected and waiting. */
async function publisher(url: string, devices: Device[]): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'ingest-publisher.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send({ url, devices, messages: MESSAGES, startMs: Date.now() - 12 * HOUR_MS });
  await once(child, 'message');
  return child;
}

async function throughService(database: { url: string; dataDir: string; pool: Pool }, devices: Device[], url?: string) {
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, ...(url ? { MQTT_URL: url } : {}) };
  const ingest = await startRole('ingest', env);
  const child = await publisher(url ?? `mqtt://127.0.0.1:${ingest.ready.port}`, devices);
  const startedAt = performance.now();
  child.send('go');
  if (url) await untilStored(database.pool, devices);
  else await once(child, 'message');
  const seconds = (performance.now() - startedAt) / 1_000;
  await ingest.stop();
  return MESSAGES / seconds;
}

/** Waits until the last message of every device is committed, without reading what was stored. */
async function untilStored(pool: Pool, devices: Device[]): Promise<void> {
  const last = Math.ceil(MESSAGES / DEVICES) - 1;
  for (;;) {
    const { rows } = await pool.query(
      `SELECT count(*) AS n FROM series WHERE device_id = ANY ($1) AND kind = 'register' AND (tail->'good'->>'valueMwh')::bigint >= $2`,
      [devices.map(({ deviceId }) => deviceId), (1_000 + last / 1_000) * 1_000_000],
    );
    if (rows[0].n === DEVICES) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function ceilingOfAedes(devices: Device[]): Promise<number> {
  const broker = fork(join(import.meta.dirname, 'ceiling-broker.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(broker, 'message')) as [{ port: number }];
  const rate = await ceilingOf(`mqtt://127.0.0.1:${port}`, devices);
  broker.disconnect();
  return rate;
}

/** The same publisher and broker, and a subscriber that only counts. */
async function ceilingOf(url: string, devices: Device[]): Promise<number> {
  const subscriber = await connectAsync(url);
  await subscriber.subscribeAsync('energy/v1/+/readings', { qos: 1 });
  let count = 0;
  const all = new Promise<void>((resolve) => {
    subscriber.on('message', () => {
      if (++count === MESSAGES) resolve();
    });
  });
  const child = await publisher(url, devices);
  const startedAt = performance.now();
  child.send('go');
  await all;
  const rate = MESSAGES / ((performance.now() - startedAt) / 1_000);
  await subscriber.endAsync();
  return rate;
}

/** COPY of as many rows as a round stores, into a table like `readings` without index. */
async function copy(pool: Pool): Promise<number> {
  const rows = MESSAGES;
  await pool.query('DROP TABLE IF EXISTS bench_copy; CREATE TABLE bench_copy (LIKE readings)');
  const client = await pool.connect();
  const startedAt = performance.now();
  await pipeline(
    function* () {
      const read = new Date().toISOString();
      for (let index = 0; index < rows; index += 1_000) {
        let text = '';
        for (let row = index; row < index + 1_000; row++) text += `${row % 100}\t${read}\t0\t${row}\n`;
        yield text;
      }
    },
    client.query(copyFrom('COPY bench_copy FROM STDIN')),
  );
  const rate = rows / ((performance.now() - startedAt) / 1_000);
  client.release();
  await pool.query('DROP TABLE bench_copy');
  return rate;
}
