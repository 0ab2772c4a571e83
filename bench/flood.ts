import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMosquitto } from '../test/support/mosquitto.ts';
import { startRole } from '../test/support/service.ts';
import type { BenchmarkResult } from './answer.ts';
import { pairDevices, startBenchmarkDatabase } from './support.ts';

const DEVICES = 50;
const DAY_MS = 86_400_000;
const MiB = 2 ** 20;

interface Flood {
  minutes: number;
  readings_per_s: number;
  most_rss_mib: number;
  /** Resident memory of the worker in MiB at each quarter of the flood. The values show whether it grows. */
  rss_mib: number[];
}

/** Measures the memory of an ingest worker while devices publish as fast as they can for `--minutes=` (default 10), with each broker. */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const minutes = Number(process.argv.find((flag) => flag.startsWith('--minutes='))?.slice(10) ?? 10);
  const results: Record<string, Flood> = {};
  for (const broker of ['embedded', 'mosquitto']) {
    process.stderr.write(`${minutes} minutes over ${broker} …\n`);
    results[broker] = await flood(broker, minutes);
  }
  return {
    json: { results },
    lines: Object.entries(results).map(
      ([broker, { readings_per_s, most_rss_mib, rss_mib }]) =>
        `${broker.padEnd(10)} ${readings_per_s} readings/s for ${minutes} min, at most ${most_rss_mib} MiB resident (by quarter: ${rss_mib.join(', ')})`,
    ),
    goals: Object.entries(results).map(([broker, { most_rss_mib }]) => ({
      what: `Resident memory of a worker in a flood over ${broker}`,
      measured: most_rss_mib,
      unit: ' MiB',
      goal: { atMost: 300 },
    })),
  };
}

async function flood(broker: string, minutes: number): Promise<Flood> {
  const database = await startBenchmarkDatabase();
  const mosquitto = broker === 'mosquitto' ? await startMosquitto() : undefined;
  const devices = await pairDevices(database.pool, DEVICES);
  const env = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, LOG_LEVEL: 'error' };
  const ingest = await startRole('ingest', { ...env, ...(mosquitto ? { MQTT_URL: mosquitto.url } : {}) });
  const publisher = fork(join(import.meta.dirname, 'ingest-publisher.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const url = mosquitto?.url ?? `mqtt://127.0.0.1:${ingest.ready.port}`;
    publisher.send({ url, devices, messages: Number.MAX_SAFE_INTEGER, startMs: Date.now() - 100 * DAY_MS });
    await once(publisher, 'message');
    publisher.send('go');
    const samples: number[] = [];
    const startedAt = performance.now();
    while (performance.now() - startedAt < minutes * 60_000) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      samples.push(rssOf(ingest.process.pid as number));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const { rows } = await database.pool.query('SELECT count(*)::int AS stored FROM readings');
    const quarter = Math.ceil(samples.length / 4);
    return {
      minutes,
      readings_per_s: Math.round(rows[0].stored / seconds),
      most_rss_mib: Math.round(Math.max(...samples) / MiB),
      rss_mib: [1, 2, 3, 4].map((index) =>
        Math.round(Math.max(...samples.slice((index - 1) * quarter, index * quarter)) / MiB),
      ),
    };
  } finally {
    publisher.kill('SIGKILL');
    await ingest.kill();
    await mosquitto?.stop();
    await database.remove();
  }
}

/** Returns the resident memory of a process in bytes, from the second field of /proc/PID/statm (proc(5)), in pages of 4 KiB. */
const rssOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096;
