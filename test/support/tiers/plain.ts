import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { startEmbeddedPostgres, superuserUrl } from '#src/database/embedded-postgres.ts';
import type { TestServer } from './server.ts';

/** Starts the embedded PostgreSQL, the service's default database. */
export async function startPlain(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'energy-test-'));
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 256 });
  const urlOf = (database: string) => superuserUrl(dataDir, database);
  // PostgreSQL does not flush to disk, as on the other tiers' servers, because the databases are deleted after the run. Tests that kill a
  // server start a separate one.
  const admin = createPool(urlOf('postgres'), { max: 1 });
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`ALTER SYSTEM SET ${setting} = off`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
  return {
    urlOf,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
