import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { type Capabilities, DATABASE_TIERS, type DatabaseTier } from '#src/database/capabilities.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { refreshUntilComplete } from '#src/rollups/refresh.ts';

/** A database of one test file, a copy of the migrated template of the tier (kind of database server) under test. */
export interface TestDatabase {
  tier: DatabaseTier;
  capabilities: Capabilities;
  pool: Pool;
  url: string;
  /** Waits until the aggregates include all writes. `now`: current time for the refresh that some tiers need. */
  settle(now?: Date): Promise<void>;
  drop(): Promise<void>;
}

/** Creates a database. `connections`: maximum number of concurrent connections. */
export async function createTestDatabase({ connections = 10 }: { connections?: number } = {}): Promise<TestDatabase> {
  const tier = inject('tier');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = createPool(inject('adminUrl'), { max: 1 });
  // The strategy FILE_COPY takes half as long as the default WAL_LOG.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${inject('template')} STRATEGY FILE_COPY`);
  const url = inject('databaseUrl').replace('NAME', name);
  const pool = createPool(url, { max: connections });
  // This time limit for a connection is longer than the service's, because other tests may run at the same time.
  pool.options.connectionTimeoutMillis = 60_000;
  const capabilities = DATABASE_TIERS[tier];
  return {
    tier,
    capabilities,
    pool,
    url,
    async settle(now = new Date()) {
      if (capabilities.continuousAggregates) await refreshUntilComplete(pool, now);
    },
    async drop() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
