import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { getSuperuserUrl, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import type { TestPostgresServer } from './server.ts';

/** Starts the embedded PostgreSQL, the service's default database. */
export async function startPlainPostgres(): Promise<TestPostgresServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'energy-test-'));
  const start = () => startEmbeddedPostgres({ dataDir, sharedBuffersMb: 256 });
  const urlOf = (database: string) => getSuperuserUrl(dataDir, database);
  const first = await start();
  const admin = createPool(urlOf('postgres'), { max: 1 });
  // The same settings as on the other tiers: no flushing to disk, and enough connections for several test files.
  for (const setting of ['fsync = off', 'full_page_writes = off', 'max_connections = 200'])
    await admin.query(`ALTER SYSTEM SET ${setting}`);
  await admin.end();
  await first.stop();
  const server = await start();
  return {
    urlOf,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
