import type { TestProject } from 'vitest/node';
import type { Tier } from '#src/database/capabilities.ts';
import { createPool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import type { TestServer } from './tiers/server.ts';
import { START_TIER_SERVER } from './tiers/tiers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Tier that this project's tests run on. */
    tier: Tier;
    /** Id of this run, the same for all its tiers. */
    run: string;
    /** URLs on the tier's server: of the database `postgres`, and a pattern with NAME for a database's name. */
    adminUrl: string;
    databaseUrl: string;
    /** The migrated database that every test file clones. */
    template: string;
  }
}

interface Shared {
  server: TestServer;
  template: string;
  /** Number of projects in this run that use the server. */
  users: number;
  stop(): Promise<void>;
}

/** Servers of this run, by tier. Each project loads this module again, so they are stored on the process. */
const shared = globalThis as { energyTestServers?: Map<Tier, Promise<Shared>> };
shared.energyTestServers ??= new Map();
const servers = shared.energyTestServers;

/** Starts one server for each tier. Its template database is migrated once, and cloned by every test file. */
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
  const server = await START_TIER_SERVER[tier]();
  const template = `energy_template_${process.pid}`;
  const admin = createPool(server.urlOf('postgres'), { max: 1 });
  await admin.query(`CREATE DATABASE ${template}`);
  const pool = createPool(server.urlOf(template));
  const { database } = await migrate(pool);
  await pool.end();
  if (database.tier !== tier) throw new Error(`a server for the ${tier} tier was found to be: ${database.line}`);
  // A database can only be cloned while nothing is connected to it; TimescaleDB's scheduler would connect.
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
