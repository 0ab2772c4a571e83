import type { TestProject } from 'vitest/node';
import type { Tier } from '#src/database/capabilities.ts';
import { createPool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import { START } from './tiers/tiers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The tier that this project's tests run on. */
    tier: Tier;
    /** The same for all tiers of a run, and only for it. */
    run: string;
    /** URLs on its server: of the database `postgres`, and with NAME for the name of a database. */
    adminUrl: string;
    databaseUrl: string;
    /** The migrated database that every test file clones. */
    template: string;
  }
}

/** One server for each tier; its template database is migrated once, and cloned by every test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { tier } = project.config.provide as { tier: Tier };
  const server = await START[tier]();
  const template = `energy_template_${process.pid}`;
  const admin = createPool(server.urlOf('postgres'), { max: 1 });
  await admin.query(`CREATE DATABASE ${template}`);
  const pool = createPool(server.urlOf(template));
  const { database } = await migrate(pool);
  await pool.end();
  if (database.tier !== tier) throw new Error(`a server for the ${tier} tier was found to be: ${database.line}`);
  // A database is cloned while nobody is in it: TimescaleDB's scheduler would be.
  await admin.query(`ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [template]);
  project.provide('adminUrl', server.urlOf('postgres'));
  project.provide('databaseUrl', server.urlOf('NAME'));
  project.provide('template', template);
  return async () => {
    await admin.query(`DROP DATABASE ${template}`);
    await admin.end();
    await server.stop();
  };
}
