import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import { from as copyFrom } from 'pg-copy-streams';
import type { Pool } from '#src/database/connect.ts';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import type { BenchmarkResult } from './answer.ts';
import { readProcessCpuMs } from './cpu.ts';
import { computeMedian, type PairedDevice, pairDevices, startBenchmarkDatabase, waitUntilTrue } from './support.ts';

const DEVICES = 50;
/** Number of messages in a measured round, and in the unmeasured round before it, in which code is compiled. */
const MESSAGES = 60_000;
const ROUNDS = 3;
const HOUR_MS = 3_600_000;

/** Result of one way to ingest messages: readings/s, and CPU time per reading of its processes (without broker and database). */
interface Figure {
  perSecond: number;
  cpuUs: number;
}

/**
 * Measures readings/s (one per message) from publish to commit: over the embedded broker, and over mosquitto with one worker and with a
 * standby worker. For comparison, also measures a subscriber that only counts messages, COPY of the same rows into a table without index,
 * and a simple script.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  // Each measurement starts a new mosquitto: a stopped worker leaves a session at the broker, in which the broker would store the messages
  // of the next measurement.
  const onMosquitto = async <T>(run: (url: string) => Promise<T>): Promise<T> => {
    const mosquitto = await startMosquitto();
    try {
      return await run(mosquitto.url);
    } finally {
      await mosquitto.stop();
    }
  };
  try {
    const figures = new Map<string, Figure[]>();
    const add = (name: string, figure: Figure) => figures.set(name, [...(figures.get(name) ?? []), figure]);
    for (let round = 1; round <= ROUNDS; round++) {
      process.stderr.write(`round ${round} of ${ROUNDS} …\n`);
      const devices = await pairDevices(database.pool, DEVICES);
      add('embedded', await throughService(database));
      add('embedded ceiling', await measureMaxAedesRate(devices));
      add('mosquitto', await onMosquitto((url) => throughService(database, url)));
      add('with a standby', await onMosquitto((url) => throughService(database, url, 2)));
      add('mosquitto ceiling', await onMosquitto((url) => measureMaxBrokerRate(url, devices)));
      add('script', await onMosquitto((url) => throughScript(database, devices, url)));
      add('copy', { perSecond: await copy(database.pool), cpuUs: 0 });
    }
    const of = (name: string): Figure => {
      const all = figures.get(name) ?? [];
      return {
        perSecond: Math.round(computeMedian(all.map(({ perSecond }) => perSecond))),
        cpuUs: Math.round(computeMedian(all.map(({ cpuUs }) => cpuUs)) * 10) / 10,
      };
    };
    const rounded = (value: number) => Math.round(value * 100) / 100;
    const ratio = (one: string, other: string) => rounded(of(one).perSecond / of(other).perSecond);
    const ratios = {
      embedded_to_ceiling: ratio('embedded', 'embedded ceiling'),
      mosquitto_to_ceiling: ratio('mosquitto', 'mosquitto ceiling'),
      mosquitto_to_script: ratio('mosquitto', 'script'),
      standby_to_one: ratio('with a standby', 'mosquitto'),
      worker_cpu_to_script: rounded(of('mosquitto').cpuUs / of('script').cpuUs),
      embedded_cpu_to_script: rounded(of('embedded').cpuUs / of('script').cpuUs),
    };
    const line = (name: string) =>
      `${name.padEnd(18)} ${String(of(name).perSecond).padStart(7)} readings/s${of(name).cpuUs ? `  ${of(name).cpuUs} µs CPU each` : ''}`;
    return {
      json: {
        messages: MESSAGES,
        figures: Object.fromEntries([...figures.keys()].map((name) => [name, of(name)])),
        ratios,
      },
      lines: [
        ...[...figures.keys()].map(line),
        '',
        `embedded / its ceiling  ${ratios.embedded_to_ceiling}`,
        `mosquitto / its ceiling ${ratios.mosquitto_to_ceiling}`,
        `mosquitto / script      ${ratios.mosquitto_to_script}`,
        `with a standby / alone  ${ratios.standby_to_one}`,
        `CPU of a worker / of the script ${ratios.worker_cpu_to_script}, with the broker inside ${ratios.embedded_cpu_to_script}`,
      ],
      goals: [
        {
          what: 'Readings/s over the embedded broker ÷ its ceiling',
          measured: ratios.embedded_to_ceiling,
          goal: { atLeast: 0.9 },
        },
        {
          what: 'Readings/s over mosquitto ÷ its ceiling',
          measured: ratios.mosquitto_to_ceiling,
          goal: { atLeast: 0.85 },
        },
        {
          what: 'Readings/s over mosquitto ÷ the naive script',
          measured: ratios.mosquitto_to_script,
          goal: { atLeast: 1 },
        },
        { what: 'Readings/s with a standby ÷ without', measured: ratios.standby_to_one, goal: { atLeast: 0.95 } },
        {
          what: 'CPU of a worker ÷ of the naive script',
          measured: ratios.worker_cpu_to_script,
          goal: { atMost: 0.8 },
        },
        {
          what: 'CPU of a worker with the broker inside ÷ of the naive script without its broker',
          measured: ratios.embedded_cpu_to_script,
          goal: { atMost: 1.1 },
        },
      ],
    };
  } finally {
    await database.remove();
  }
}

/** Starts the publisher process, which connects to the broker and then waits. */
export async function startPublisher(
  url: string | readonly string[],
  devices: PairedDevice[],
  { messages = MESSAGES, maxUnderWay }: { messages?: number; maxUnderWay?: number | undefined } = {},
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'ingest-publisher.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send({ url, devices, messages, maxUnderWay, startMs: Date.now() - 12 * HOUR_MS });
  await once(child, 'message');
  return child;
}

async function throughService(
  database: { url: string; dataDir: string; pool: Pool },
  url?: string,
  workerCount = 1,
): Promise<Figure> {
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, ...(url ? { MQTT_URL: url } : {}) };
  const workers: Awaited<ReturnType<typeof startRole>>[] = [];
  for (let index = 0; index < workerCount; index++) workers.push(await startRole('ingest', env));
  const through = async <T>(run: (publish: () => Promise<void>) => Promise<T>): Promise<T> => {
    const devices = await pairDevices(database.pool, DEVICES);
    const child = await startPublisher(url ?? `mqtt://127.0.0.1:${workers[0]?.ready.port}`, devices);
    return run(async () => {
      child.send('go');
      if (url) await waitUntilLastReadingsStored(database.pool, devices);
      else await once(child, 'message');
    });
  };
  await through((publish) => publish());
  const pids = workers.map((worker) => worker.process.pid as number);
  const measured = await through((publish) => measure(pids, publish));
  for (const worker of workers) await worker.stop();
  return measured;
}

async function throughScript(
  database: { url: string; pool: Pool },
  devices: PairedDevice[],
  url: string,
): Promise<Figure> {
  await database.pool.query(
    'DROP TABLE IF EXISTS bench_bare; CREATE TABLE bench_bare (device text, ts timestamptz, kwh float8)',
  );
  const script = fork(join(import.meta.dirname, 'ingest-script.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  script.send({ url, databaseUrl: database.url });
  await once(script, 'message');
  const publish = async (until: number) => {
    const child = await startPublisher(url, devices);
    return async () => {
      child.send('go');
      for (;;) {
        const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM bench_bare');
        if (rows[0].n >= until) return;
        await pause(10);
      }
    };
  };
  await (await publish(MESSAGES))();
  const measured = await measure([script.pid as number], await publish(2 * MESSAGES));
  script.kill('SIGKILL');
  await database.pool.query('DROP TABLE bench_bare');
  return measured;
}

async function measure(pids: number[], run: () => Promise<void>): Promise<Figure> {
  const cpu = () => pids.reduce((sum, pid) => sum + readProcessCpuMs(pid), 0);
  const [from, cpuFrom] = [performance.now(), cpu()];
  await run();
  const [ms, cpuMs] = [performance.now() - from, cpu() - cpuFrom];
  return { perSecond: MESSAGES / (ms / 1_000), cpuUs: (cpuMs * 1_000) / MESSAGES };
}

/**
 * Waits until the last reading of every device is stored. Queries only one reading per device, because counting all readings would load the
 * server.
 */
export function waitUntilLastReadingsStored(pool: Pool, devices: PairedDevice[], messages = MESSAGES): Promise<void> {
  const last = Math.ceil(messages / devices.length) - 1;
  const what = `the last readings of ${devices.length} devices are not stored`;
  return waitUntilTrue(what, async () => {
    await pause(10);
    const { rows } = await pool.query(
      `SELECT count(*)::int AS stored FROM series s,
         LATERAL (SELECT value FROM readings r WHERE r.series_id = s.series_id ORDER BY read_at DESC LIMIT 1) newest
       WHERE s.device_id = ANY ($1) AND newest.value >= $2`,
      [devices.map(({ deviceId }) => deviceId), (1_000 + last / 1_000) * 1_000_000],
    );
    return rows[0].stored === devices.length;
  });
}

export async function measureMaxAedesRate(devices: PairedDevice[], messages = MESSAGES): Promise<Figure> {
  const broker = fork(join(import.meta.dirname, 'ceiling-broker.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(broker, 'message')) as [{ port: number }];
  const rate = await measureMaxBrokerRate(`mqtt://127.0.0.1:${port}`, devices, messages);
  broker.disconnect();
  return rate;
}

/** Measures the same publisher and broker with a subscriber that only counts messages, which gives the maximum rate of the broker. */
export async function measureMaxBrokerRate(url: string, devices: PairedDevice[], messages = MESSAGES): Promise<Figure> {
  const subscriber = await connectAsync(url);
  await subscriber.subscribeAsync('energy/v1/+/readings', { qos: 1 });
  let count = 0;
  let onAll = () => {};
  subscriber.on('message', () => {
    if (++count % messages === 0) onAll();
  });
  let perSecond = 0;
  // The first round is a warm-up and not measured.
  for (let round = 0; round < 2; round++) {
    const all = new Promise<void>((resolve) => {
      onAll = resolve;
    });
    const child = await startPublisher(url, devices, { messages });
    const startedAt = performance.now();
    child.send('go');
    await all;
    perSecond = messages / ((performance.now() - startedAt) / 1_000);
  }
  await subscriber.endAsync();
  return { perSecond, cpuUs: 0 };
}

/** Measures COPY of the rows that a round stores, into a table like `readings` without index. */
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
