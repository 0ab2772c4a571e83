import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { DatabaseTier } from '#src/database/capabilities.ts';
import { createPool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import { writeProgramBundle } from '../../deploy/release/package.ts';
import { BUNDLE_FOLDER, REPOSITORY_ROOT } from './program.ts';
import type { TestPostgresServer } from './tiers/server.ts';
import { TIER_SERVER_STARTERS } from './tiers/tiers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Tier (kind of database server) of this vitest project. */
    tier: DatabaseTier;
    /** Id of this test run. It is the same for all tiers. */
    run: string;
    /** URLs of the tier's server. `databaseUrl`: URL pattern, in which NAME stands for the name of a database. */
    adminUrl: string;
    databaseUrl: string;
    /** Name of the migrated template database. Every test file uses a copy of it. */
    template: string;
  }
}

interface Shared {
  server: TestPostgresServer;
  template: string;
  /** Number of vitest projects in this run that use the server. */
  users: number;
  stop(): Promise<void>;
}

/**
 * Database servers of this run by tier, and a promise that resolves when the program has been bundled. They are stored on `globalThis`,
 * because each project loads this module again.
 */
const shared = globalThis as {
  energyTestServers?: Map<DatabaseTier, Promise<Shared>>;
  energyTestProgram?: Promise<void>;
};
shared.energyTestServers ??= new Map();
const servers = shared.energyTestServers;

/** Age after which files of an earlier bundle are deleted. */
const OUTDATED_MS = 24 * 3_600_000;

/** Starts the tier's server if it is not running yet, and migrates its template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { tier } = project.config.provide as { tier: DatabaseTier };
  shared.energyTestProgram ??= bundleProgram();
  if (!servers.has(tier)) servers.set(tier, start(tier));
  const one = await (servers.get(tier) as Promise<Shared>);
  one.users++;
  await shared.energyTestProgram;
  project.provide('adminUrl', one.server.urlOf('postgres'));
  project.provide('databaseUrl', one.server.urlOf('NAME'));
  project.provide('template', one.template);
  return async () => {
    if (--one.users > 0) return;
    servers.delete(tier);
    await one.stop();
  };
}

/** Bundles the program with its libraries. Each file is replaced atomically, because another run may be starting the program. */
async function bundleProgram(): Promise<void> {
  const folder = join(REPOSITORY_ROOT, BUNDLE_FOLDER);
  const built = `${BUNDLE_FOLDER}-${process.pid}`;
  await writeProgramBundle(REPOSITORY_ROOT, built);
  // Without this package.json, Node parses each file twice to detect that it is a module.
  await writeFile(join(REPOSITORY_ROOT, built, 'package.json'), '{"type":"module"}');
  await mkdir(folder, { recursive: true });
  const names = await readdir(join(REPOSITORY_ROOT, built));
  for (const name of names.toSorted((a, b) => Number(a === 'main.js') - Number(b === 'main.js')))
    await rename(join(REPOSITORY_ROOT, built, name), join(folder, name));
  await rm(join(REPOSITORY_ROOT, built), { recursive: true });
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs < Date.now() - OUTDATED_MS) await rm(file, { force: true });
  }
}

async function start(tier: DatabaseTier): Promise<Shared> {
  const server = await TIER_SERVER_STARTERS[tier]();
  const template = `energy_template_${process.pid}`;
  const admin = createPool(server.urlOf('postgres'), { max: 1 });
  await admin.query(`CREATE DATABASE ${template}`);
  const pool = createPool(server.urlOf(template));
  const { database } = await migrate(pool);
  await pool.end();
  if (database.tier !== tier) throw new Error(`a server for the ${tier} tier was found to be: ${database.line}`);
  // Forbids connections to the template, because PostgreSQL copies a database only while nobody is connected.
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
