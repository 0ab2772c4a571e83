import { startIngest } from '#ingest/start.ts';
import type { Config } from '#src/config/load.ts';
import { createLog } from '#src/core/log.ts';
import { createPool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { tlsPair } from './certificate.ts';
import { runRole } from './role.ts';

/** The ingest role: messages in, rows and acknowledgements out. */
export async function runIngest(config: Config): Promise<void> {
  const log = createLog('ingest', config.logLevel);
  await runRole('ingest', log, async () => {
    const pool = createPool(await databaseUrl(config), { max: 6, applicationName: 'energy ingest' });
    const { database } = await migrate(pool, config.database);
    const ingest = await startIngest(config, { pool, tls: await tlsPair(config), log });
    return {
      ready: { broker: config.mqtt.url ? 'external' : 'embedded', ...ingest.ports, database: database.line },
      async stop() {
        await ingest.stop();
        await pool.end();
      },
    };
  });
}
