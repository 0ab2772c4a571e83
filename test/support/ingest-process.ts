import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from './service.ts';

/** An ingest process with the embedded broker, and its database. */
export interface IngestProcess {
  database: TestDatabase;
  ingest: RoleProcess;
}

/** Registers hooks that start and remove an ingest process. `begin` receives it before the first test. */
export function setUpIngestProcess(begin: (made: IngestProcess) => void): void {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let made: IngestProcess;
  beforeAll(async () => {
    const database = await createTestDatabase();
    folder = await createTemporaryFolder();
    made = { database, ingest: await startRole('ingest', { DATABASE_URL: database.url, DATA_DIR: folder.path }) };
    begin(made);
  });
  afterAll(async () => {
    await made.ingest.stop();
    await made.database.drop();
    await folder.remove();
  });
}
