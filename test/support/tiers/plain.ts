import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, superuserUrl } from '#src/database/embedded-postgres.ts';
import type { TestServer } from './server.ts';

/** The embedded PostgreSQL: what the service runs on where nothing else is configured. */
export async function startPlain(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'energy-test-'));
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 256 });
  return {
    urlOf: (database) => superuserUrl(dataDir, database),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
