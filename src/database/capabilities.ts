import { explainDatabaseClosing } from './closing.ts';
import type { Pool, QueryFunction } from './connect.ts';

/** What the database can do. Code outside sql/ checks these capabilities and not the kind of database. */
export interface Capabilities {
  /** Whether tables create partitions for new months by themselves. */
  hypertables: boolean;
  /** Whether continuous aggregates contain the sums of consumption. If not, each write updates the sums. */
  continuousAggregates: boolean;
  /** Whether TimescaleDB compresses old data. */
  compression: boolean;
}

/** Kinds of databases (PostgreSQL, and TimescaleDB with either licence) and their capabilities. */
export const DATABASE_TIERS = {
  community: { hypertables: true, continuousAggregates: true, compression: true },
  apache: { hypertables: true, continuousAggregates: false, compression: false },
  plain: { hypertables: false, continuousAggregates: false, compression: false },
} as const satisfies Record<string, Capabilities>;

export type DatabaseTier = keyof typeof DATABASE_TIERS;

export interface DetectedDatabase {
  tier: DatabaseTier;
  capabilities: Capabilities;
  /** Summary of the database for operators. */
  line: string;
}

const OLDEST_POSTGRES = 15;
const OLDEST_TIMESCALE = '2.19';

/** Error if the database cannot be used. The message contains the remedy. */
class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

interface Facts {
  postgres: number;
  postgresName: string;
  /** Version of the TimescaleDB extension. Null if it is not installed. */
  timescale: string | null;
  licence: string | null;
  /** Whether the server offers TimescaleDB for installation. */
  offered: boolean;
  /** Kind of database for which the schema was created. Null if there is no schema yet. */
  made: DatabaseTier | null;
}

/**
 * Detects the kind of database. Installs TimescaleDB if the server offers it and the role has the right, unless `timescale` is `off`. An
 * existing schema keeps its kind. Throws UnusableDatabase if the database cannot be used.
 */
export async function detectCapabilities(pool: Pool, timescale: 'auto' | 'off' = 'auto'): Promise<DetectedDatabase> {
  let facts = await factsOf(pool);
  if (timescale === 'auto' && facts.made === null && facts.timescale === null && facts.offered) {
    // If this fails, the summary for operators contains the reason. Raw SQL: the statements run before the service's tables exist.
    await pool.query('CREATE EXTENSION IF NOT EXISTS timescaledb').catch(() => {});
    facts = await factsOf(pool);
  }
  return decideTier(facts, timescale);
}

/** Like `detectCapabilities`, but without installing the extension. */
export const inspectCapabilities = async (pool: Pool, timescale: 'auto' | 'off'): Promise<DetectedDatabase> =>
  decideTier(await factsOf(pool), timescale);

async function factsOf(pool: Pool): Promise<Facts> {
  const { rows } = await pool.query(
    `SELECT current_setting('server_version_num')::int / 10000 AS postgres,
       split_part(current_setting('server_version'), ' ', 1) AS "postgresName",
       (SELECT extversion FROM pg_extension WHERE extname = 'timescaledb') AS timescale,
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'timescaledb') AS offered,
       to_regclass('readings') IS NOT NULL AS "isMade",
       current_setting('default_transaction_read_only') = 'on' AS "isClosed"`,
  );
  const { isMade, isClosed, ...facts } = rows[0];
  if (isClosed) throw new UnusableDatabase(await explainDatabaseClosing(pool));
  if (facts.timescale === null) return { ...facts, licence: null, made: isMade ? 'plain' : null };
  // The licence is known only after the extension's library has been loaded by its first use.
  const { rows: chunked } = await pool.query(
    `SELECT EXISTS (SELECT FROM timescaledb_information.hypertables
         WHERE hypertable_schema = current_schema() AND hypertable_name = 'readings') AS readings,
       EXISTS (SELECT FROM timescaledb_information.continuous_aggregates
         WHERE view_schema = current_schema() AND view_name IN ('closed_user_hourly', 'user_hourly')) AS aggregates,
       current_setting('timescaledb.license', true) AS licence`,
  );
  const { readings, aggregates, licence } = chunked[0];
  const made = aggregates ? 'community' : readings ? 'apache' : isMade ? 'plain' : null;
  return { ...facts, licence, made };
}

/** Derives the kind of database from the detected facts. Throws if none is possible. */
export function decideTier(facts: Facts, timescale: 'auto' | 'off'): DetectedDatabase {
  const { postgres, postgresName, licence, made, offered } = facts;
  if (postgres < OLDEST_POSTGRES) {
    throw new UnusableDatabase(
      `This server is PostgreSQL ${postgresName}; the service needs ${OLDEST_POSTGRES} or newer. Upgrade it (pg_upgrade), or name ` +
        'another one in DATABASE_URL; without DATABASE_URL the service brings its own.',
    );
  }
  const tier = made ?? offeredTier(facts, timescale);
  if (tier !== 'plain') {
    if (timescale === 'off') {
      throw new UnusableDatabase(
        'TIMESCALE=off, but this database was made with TimescaleDB. Unset TIMESCALE, or move to a database without it: ' +
          'energy migrate --to URL, with TIMESCALE=off.',
      );
    }
    if (isOlder(facts.timescale ?? '0', OLDEST_TIMESCALE)) {
      throw new UnusableDatabase(
        `TimescaleDB ${facts.timescale} is too old; ${OLDEST_TIMESCALE} or newer is needed. Install it and run ALTER ` +
          'EXTENSION timescaledb UPDATE, or set TIMESCALE=off for a new database.',
      );
    }
    if (tier === 'community' && licence !== 'timescale') {
      throw new UnusableDatabase(
        `This database has continuous aggregates, but the server's timescaledb.license is now ${licence}, which cannot ` +
          "refresh them. Set timescaledb.license = 'timescale' (the community edition has it), or move: energy migrate --to URL.",
      );
    }
  }
  const lines: Record<DatabaseTier, string> = {
    community: `TimescaleDB ${facts.timescale} (community licence) on PostgreSQL ${postgresName}: hypertables, continuous aggregates, compression`,
    apache: `TimescaleDB ${facts.timescale} (${licence === 'timescale' ? 'made under the Apache licence' : 'Apache licence'}) on PostgreSQL ${postgresName}: hypertables, rollup tables`,
    plain: `PostgreSQL ${postgresName} without TimescaleDB: monthly partitions, rollup tables`,
  };
  const hint = tier === 'plain' && offered && timescale === 'auto' ? ` (${plainHint(facts)})` : '';
  return { tier, capabilities: DATABASE_TIERS[tier], line: lines[tier] + hint };
}

function offeredTier(facts: Facts, timescale: 'auto' | 'off'): DatabaseTier {
  if (facts.timescale === null || timescale === 'off') return 'plain';
  return facts.licence === 'timescale' ? 'community' : 'apache';
}

const plainHint = (facts: Facts): string =>
  facts.made === 'plain'
    ? 'this server offers the extension: energy migrate --to a new database would use it'
    : 'this server has the extension, but it could not be created: is it in shared_preload_libraries, and may this role?';

function isOlder(version: string, than: string): boolean {
  const [a = [], b = []] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < b.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

export interface CommitSettings {
  hosts: number;
  /** Number of servers that replicate from this one. */
  standbys: number;
  synchronousCommit: string;
  synchronousStandbyNames: string;
}

/** Reads the settings that determine whether a failover loses acknowledged data. `hosts`: number of hosts in the database URL. */
export async function readCommitSettings(query: QueryFunction, hosts: number): Promise<CommitSettings> {
  // Raw SQL: reads settings and statistics of the server. A role without rights can detect a standby, but not read its details.
  const { rows } = await query<CommitSettings>(
    `SELECT $1::int AS "hosts", (SELECT count(*) FROM pg_stat_replication)::int AS "standbys",
       current_setting('synchronous_commit') AS "synchronousCommit",
       current_setting('synchronous_standby_names') AS "synchronousStandbyNames"`,
    [hosts],
  );
  return rows[0] as CommitSettings;
}

/** Returns sentences for operators: why a failover of the database could lose acknowledged data, and the remedy. */
export function listDurabilityRisks({
  hosts,
  standbys,
  synchronousCommit,
  synchronousStandbyNames,
}: CommitSettings): string[] {
  if (hosts < 2 && standbys === 0) return [];
  if (['off', 'local'].includes(synchronousCommit)) {
    return [
      `synchronous_commit is ${synchronousCommit} for this role: a commit is confirmed before a standby has it, and data that was ` +
        "acknowledged last is lost in a failover. Set it to 'on' (Patroni: patronictl edit-config; a role's own: ALTER ROLE … " +
        'RESET synchronous_commit).',
    ];
  }
  if (synchronousStandbyNames.trim() !== '') return [];
  const why = standbys === 0 ? 'no standby is connected' : 'synchronous_standby_names is empty';
  return [
    `${why}: no commit waits for a standby, so the last acknowledged data is lost if this server is lost. With Patroni set ` +
      'synchronous_mode: true, and start the standby: without one the primary continues alone. synchronous_mode_strict: true ' +
      'would refuse writes instead (devices store and repeat their messages). Without Patroni set synchronous_standby_names.',
  ];
}
