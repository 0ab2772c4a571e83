import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DetectedDatabase } from '#src/database/capabilities.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { describeTimeout, scaleTimeLimitMs } from './time-limits.ts';

export const computeMedian = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] as number;

/** Returns a quantile: the value below which the given share of the values lies. */
export const computeQuantile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] as number;

/** Starts an embedded database for the benchmark, with the settings that it has in production. */
export async function startBenchmarkDatabase(): Promise<{
  pool: Pool;
  found: DetectedDatabase;
  url: string;
  dataDir: string;
  remove(): Promise<void>;
}> {
  const dataDir = await mkdtemp(join(tmpdir(), 'energy-bench-'));
  const server = await startEmbeddedPostgres({ dataDir });
  const pool = createPool(server.url);
  const { database: found } = await migrate(pool);
  return {
    pool,
    found,
    url: server.url,
    dataDir,
    async remove() {
      await pool.end();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A paired device and its login. */
export interface PairedDevice {
  deviceId: string;
  secret: string;
}

/** Pairs devices, each in its own home. */
export async function pairDevices(pool: Pool, count: number): Promise<PairedDevice[]> {
  const db = createDatabase(pool);
  const paired: PairedDevice[] = [];
  for (let index = 0; index < count; index++) {
    const email = `${Math.random().toString(36).slice(2)}@example.com`;
    const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
    const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'bench' });
    paired.push({ deviceId: device.device_id, secret });
  }
  return paired;
}

/** Time within which published readings must be stored, in ms. */
const MAX_STORE_MS = 120_000;

/**
 * Repeats a check until it returns true. Throws after `withinMs`, or later on a slow machine. `what`: what is missing, for the error.
 */
export async function waitUntilTrue(
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs = MAX_STORE_MS,
): Promise<void> {
  const fromMs = performance.now();
  while (!(await isTrue()))
    if (performance.now() - fromMs > scaleTimeLimitMs(withinMs)) throw new Error(describeTimeout(what, withinMs));
}
