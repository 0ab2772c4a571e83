import { expect, test } from 'vitest';
import { createTestDatabase } from '#test/support/database.ts';
import { startRole } from '#test/support/service.ts';
import { measureIngestOfMessages } from '../../../bench/cluster.ts';
import { pairDevices } from '../../../bench/support.ts';

/**
 * The benchmark queries stored rows to detect the last reading. If the format of these rows changes and the query does not, the benchmark
 * waits forever.
 */
test('benchmarks of ingest notice when the last reading of each device is stored', async () => {
  const database = await createTestDatabase();
  const ingest = await startRole('ingest', { DATABASE_URL: database.url });
  try {
    const devices = await pairDevices(database.pool, 3);
    const { perSecond } = await measureIngestOfMessages({ pool: database.pool, dataDir: '' }, devices, {
      to: [`mqtt://127.0.0.1:${ingest.ready.port}`],
      ...{ brokers: [], workers: [], servers: [], messages: 30 },
    });
    expect(perSecond).toBeGreaterThan(0);
    expect((await database.pool.query('SELECT count(*)::int AS stored FROM readings')).rows).toEqual([{ stored: 30 }]);
  } finally {
    await ingest.stop();
    await database.drop();
  }
});
