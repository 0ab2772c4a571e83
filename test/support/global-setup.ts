import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createPool } from '#src/database/connect.ts';
import { embeddedUrl, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Data directory whose embedded server holds the migrated template database. */
    databaseDir: string;
  }
}

/** One server for the whole run; its database `energy` is the template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'energy-test-'));
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 256 });
  const pool = createPool(embeddedUrl(dataDir));
  await migrate(pool);
  await pool.end();
  project.provide('databaseDir', dataDir);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
