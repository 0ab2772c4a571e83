import type { TestProject } from 'vitest/node';
import type { Tier } from '#src/database/capabilities.ts';
import { createPool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import type { TestServer } from './tiers/server.ts';
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

interface Shared {
  server: TestServer;
  template: string;
  /** Projects of this run that use it. */
  users: number;
  stop(): Promise<void>;
}

/** Servers of this run, by tier. Each project loads this module anew; what they share lies with the process. */
const shared = globalThis as { energyTestServers?: Map<Tier, Promise<Shared>> };
shared.energyTestServers ??= new Map();
const servers = shared.energyTestServers;

/** One server for each tier; its template database is migrated once, and cloned by every test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { tier } = project.config.provide as { tier: Tier };
  if (!servers.has(tier)) servers.set(tier, start(tier));
  const one = await (servers.get(tier) as Promise<Shared>);
  one.users++;
  project.provide('adminUrl', one.server.urlOf('postgres'));
  project.provide('databaseUrl', one.server.urlOf('NAME'));
  project.provide('template', one.template);
  return async () => {
    if (--one.users > 0) return;
    servers.delete(tier);
    await one.stop();
  };
}

async function start(tier: Tier): Promise<Shared> {
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
  return {
    server,
    template,
    users: 0,
    async stop() {
      await admin.query(`DROP DATABASE ${template}`);
      await admin.end();
      await server.stop();
    },
  };
}
