import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createPool, type Pool } from '#src/database/connect.ts';
import { embeddedUrl } from '#src/database/embedded-postgres.ts';

/** A database of the test's own, cloned from the migrated template. */
export interface TestDatabase {
  pool: Pool;
  url: string;
  drop(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const dataDir = inject('databaseDir');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = createPool(embeddedUrl(dataDir, 'postgres'), { max: 1 });
  await admin.query(`CREATE DATABASE ${name} TEMPLATE energy`);
  const url = embeddedUrl(dataDir, name);
  const pool = createPool(url);
  return {
    pool,
    url,
    async drop() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
