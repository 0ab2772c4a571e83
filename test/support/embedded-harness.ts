import { createPool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';

/** Child process that a test kills. It starts the embedded server, stores a row, and waits. */
const [dataDir = ''] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
const pool = createPool(server.url);
await pool.query('CREATE TABLE kept AS SELECT 42 AS n');
process.send?.('stored');
setInterval(() => {}, 60_000);
