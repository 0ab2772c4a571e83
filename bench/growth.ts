import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Pool } from '#src/database/connect.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import type { Answer } from './answer.ts';
import { addHistory, READINGS_A_HOME } from './history.ts';
import { benchDatabase, median } from './support.ts';

const SIZES = (process.argv.find((flag) => flag.startsWith('--sizes='))?.slice(8) ?? '1,10,50').split(',').map(Number);
const DEVICES = { few: 1_000, many: 100_000 };
const MESSAGES = 200_000;
const ROUNDS = 3;
const DAY_MS = 86_400_000;
/** Homes of the past are numbered from here; the devices that publish come before. */
const FIRST_HOME = 1_000_000;

/** What the devices' clocks advance in a round. */
const ROUND_MS = 300_000;
const startMs = Date.now() - 12 * 3_600_000;
let rounds = 0;

/** One round of one number of devices. */
type Round = (devices: number) => Promise<number>;

/**
 * Readings/s over mosquitto, from publish to committed, with so many readings stored already (`--sizes=1,10,50`, in millions),
 * of 1,000 devices and of 100,000 in turn: does the rate stay?
 */
export async function bench(): Promise<Answer> {
  const database = await benchDatabase();
  try {
    await addDevices(database.pool, DEVICES.many);
    const year = { start: dateOf(Date.now() - 364 * DAY_MS), end: dateOf(Date.now()) };
    const rates: { million: number; few: number; many: number }[] = [];
    let homes = 0;
    for (const million of SIZES) {
      process.stderr.write(`filling up to ${million} million readings …\n`);
      const wanted = Math.ceil((million * 1e6) / READINGS_A_HOME);
      await addHistory(database, year, FIRST_HOME + homes + 1, FIRST_HOME + wanted);
      homes = wanted;
      const rate = await withWorker(database, async (round) => {
        // The first message of a device makes its series.
        await round(DEVICES.many);
        const few: number[] = [];
        const many: number[] = [];
        for (let turn = 0; turn < ROUNDS; turn++) {
          few.push(await round(DEVICES.few));
          many.push(await round(DEVICES.many));
        }
        return { few: Math.round(median(few)), many: Math.round(median(many)) };
      });
      rates.push({ million, ...rate });
      process.stderr.write(`  ${JSON.stringify(rates.at(-1))}\n`);
    }
    // The first size is measured by a worker and a database that are cold: the rest may be faster, never slower.
    const kept = (values: number[]) => Math.round((100 * Math.min(...values)) / (values[0] as number)) / 100;
    const ratios = {
      sizes_few: kept(rates.map(({ few }) => few)),
      sizes_many: kept(rates.map(({ many }) => many)),
      devices: Math.min(...rates.map(({ few, many }) => Math.round((100 * many) / few) / 100)),
    };
    return {
      json: { devices: DEVICES, rates, ratios },
      lines: [
        ...rates.map(
          ({ million, few, many }) =>
            `${String(million).padStart(3)} million stored   ${few} readings/s of 1,000 devices, ${many} of 100,000`,
        ),
        '',
        `slowest / smallest size: ${ratios.sizes_few} with 1,000 devices, ${ratios.sizes_many} with 100,000 (target: 0.8)`,
        `100,000 devices / 1,000: ${ratios.devices} at worst (target: 0.8)`,
      ],
    };
  } finally {
    await database.remove();
  }
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const deviceId = (index: number) => `dev_grown${String(index).padStart(7, '0')}`;

/** Devices, each of a home of its own. */
async function addDevices(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `WITH n AS (SELECT lpad(i::text, 7, '0') AS i FROM generate_series(0, $1::int - 1) i),
     made AS (INSERT INTO users (user_id, email, role) SELECT 'usr_grown' || i, i || '@grown.example', 'homeowner' FROM n)
     INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256)
     SELECT 'dev_grown' || i, 'usr_grown' || i, 'smart_meter', 'bench', '' FROM n`,
    [count],
  );
  await pool.query('VACUUM ANALYZE users, devices');
}

/** Starts a broker and a worker, and lets them be used round by round. */
async function withWorker<T>(
  database: { url: string; dataDir: string },
  use: (round: Round) => Promise<T>,
): Promise<T> {
  const mosquitto = await startMosquitto();
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, MQTT_URL: mosquitto.url, LOG_LEVEL: 'error' };
  const worker = await startRole('ingest', env);
  const committed = async () => {
    const answer = await fetch(`http://127.0.0.1:${worker.ready.operator_port}/metrics`);
    return Number(/^energy_messages_committed_total\D*(\d+)$/m.exec(await answer.text())?.[1]);
  };
  try {
    return await use(async (devices) => {
      const publisher = fork(join(import.meta.dirname, 'ingest-publisher.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      publisher.send({
        url: mosquitto.url,
        devices: Array.from({ length: devices }, (_, index) => ({ deviceId: deviceId(index), secret: '' })),
        messages: MESSAGES,
        // A device's messages are a second apart, and each round comes after the one before.
        startMs: startMs + ++rounds * ROUND_MS,
        startKwh: 1_000 + rounds,
        connections: 20,
      });
      const exited = once(publisher, 'exit');
      await once(publisher, 'message');
      const before = await committed();
      const from = performance.now();
      publisher.send('go');
      while ((await committed()) < before + MESSAGES) await new Promise((resolve) => setTimeout(resolve, 20));
      const seconds = (performance.now() - from) / 1_000;
      await exited;
      return MESSAGES / seconds;
    });
  } finally {
    await worker.kill();
    await mosquitto.stop();
  }
}
