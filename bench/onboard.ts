import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import type { BenchmarkResult } from './answer.ts';
import { findFreePorts, startService } from './service.ts';
import { startBenchmarkDatabase } from './support.ts';

const DEVICES = Number(process.argv.find((flag) => flag.startsWith('--devices='))?.slice(10) ?? 10_000);
const GOAL_SECONDS = 180;
/** Maximum duration in seconds, after which the benchmark ends and reports that the machine is too small. */
const MAX_SECONDS = 600;
const EVERY_MS = 60_000;
const ENERGY = resolve(import.meta.dirname, '../bin/energy.js');

/**
 * Measures how long it takes to import a table of `--devices=` (default 10,000) meters of new accounts, until the first reading of each
 * meter is stored.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  const ports = await findFreePorts();
  const path = process.env.PATH ?? '';
  const env = {
    PATH: path,
    HOME: database.dataDir,
    DATABASE_URL: database.url,
    DATA_DIR: database.dataDir,
    LOG_LEVEL: 'error',
    ...ports,
  };
  const service = await startService(env, { log: join(database.dataDir, 'service.log') });
  const meters = fork(join(import.meta.dirname, 'onboard-meters.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const table = join(database.dataDir, 'meters.csv');
    const rows = Array.from(
      { length: DEVICES },
      (_, index) => `home-${index}@example.com,smart_meter,cellar,SN-${index},99999.999`,
    );
    await writeFile(table, ['email,type,location,external_id,register_max_kwh', ...rows].join('\n'));
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
    const args = [ENERGY, 'devices', 'import', table, '--create-users'];
    await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1e8 });
    const importedS = seconds();
    process.stderr.write(`${DEVICES} imported after ${importedS} s …\n`);
    const text = await readFile(join(database.dataDir, 'meters.credentials.csv'));
    const devices = (parse(text, { columns: true }) as Record<string, string>[]).map(({ device_id, password }) => ({
      deviceId: device_id,
      secret: password,
    }));
    const connected = once(meters, 'message').then(seconds);
    meters.send({ url: `mqtt://127.0.0.1:${ports.MQTT_PORT}`, devices, everyMs: EVERY_MS });
    let reported = 0;
    while (reported < DEVICES && seconds() < MAX_SECONDS) {
      await new Promise((done) => setTimeout(done, 500));
      const { rows } = await database.pool.query('SELECT count(seen_at)::int AS n FROM device_heads');
      reported = rows[0].n;
    }
    const reportedS = seconds();
    const again = performance.now();
    await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1e8 });
    const againS = Math.round((performance.now() - again) / 100) / 10;
    const figures = {
      devices: DEVICES,
      reported,
      imported_s: importedS,
      connected_s: reported === DEVICES ? await connected : null,
      reported_s: reportedS,
      again_s: againS,
    };
    return {
      json: figures,
      lines: [
        `${DEVICES} meters with as many new accounts, from a table to their first readings stored: ${reportedS} s`,
        `imported after ${importedS} s, all connected after ${figures.connected_s ?? '–'} s, ${reported} reported`,
        `the same table again, which changes nothing: ${againS} s`,
      ],
      goals: [
        {
          what: `From a table of ${DEVICES} meters to their first readings`,
          measured: reportedS,
          unit: ' s',
          goal: { atMost: GOAL_SECONDS },
        },
      ],
    };
  } finally {
    meters.kill('SIGKILL');
    await service.stop();
    await database.remove();
  }
}
