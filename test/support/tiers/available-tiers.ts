import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseTier } from '#src/database/capabilities.ts';

/**
 * Folder with Debian 13, PostgreSQL 17 with Apache-licensed TimescaleDB, and the cluster's programs. `npm run test:setup` creates it.
 * Increase the number in its name when its packages change.
 */
export const DEBIAN_13_FOLDER = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'energy-usage-service',
  'debian-13-3',
);
/** Folder of PostgreSQL's programs in Debian 13, as a path inside the chroot. */
export const DEBIAN_13_POSTGRESQL_BIN = '/usr/lib/postgresql/17/bin';
const INSTALLED = '/usr/lib/postgresql';

/** Returns instructions to install RabbitMQ on this machine; null if it is installed. */
export function explainMissingRabbitMq(): string | null {
  if (process.getuid?.() !== 0) return 'run the tests as root: its nodes run in a chroot';
  return existsSync(join(DEBIAN_13_FOLDER, 'usr/lib/rabbitmq')) ? null : 'npm run test:setup';
}

/** A tier (kind of database server) that this machine cannot run, with instructions for its installation. */
interface UnavailableTier {
  tier: DatabaseTier;
  how: string;
}

/** Returns the tiers that this machine can run, judging by its files. */
export function findAvailableTiers(): { reached: DatabaseTier[]; missing: UnavailableTier[] } {
  const answers: [DatabaseTier, string | null][] = [
    ['plain', null],
    ['apache', apacheIsMissing()],
    ['community', communityIsMissing()],
  ];
  return {
    reached: answers.filter(([, how]) => how === null).map(([tier]) => tier),
    missing: answers.flatMap(([tier, how]) => (how === null ? [] : [{ tier, how }])),
  };
}

function apacheIsMissing(): string | null {
  if (process.getuid?.() !== 0) return 'run the tests as root: its server runs in a chroot';
  if (!existsSync(join(DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN, 'postgres'))) return 'npm run test:setup';
  return null;
}

function communityIsMissing(): string | null {
  if (process.env.TIMESCALE_URL || findTimescaleCommunityPrograms() !== undefined) return null;
  return 'name a server with the community edition in TIMESCALE_URL (a superuser of it), or install the edition for the PostgreSQL of this machine';
}

/** Returns the program folder of the newest installed PostgreSQL with the community edition of TimescaleDB, or undefined. */
export function findTimescaleCommunityPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const newest = readdirSync(INSTALLED)
    .filter((version) => existsSync(join(INSTALLED, version, 'bin/initdb')))
    .filter((version) => existsSync(join(INSTALLED, version, 'lib')))
    .filter((version) =>
      readdirSync(join(INSTALLED, version, 'lib')).some((name) => name.startsWith('timescaledb-tsl')),
    )
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
  return newest === undefined ? undefined : join(INSTALLED, newest, 'bin');
}
