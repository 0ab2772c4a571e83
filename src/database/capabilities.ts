import { whyClosed } from './closing.ts';
import type { Pool, Query } from './connect.ts';

/** What the database can do. Code above sql/ asks for one of these, never for a tier. */
export interface Capabilities {
  /** Readings and load profile are hypertables: room for new months makes itself. */
  hypertables: boolean;
  /** Aggregates are continuous aggregates, which src/rollups/refresh.ts keeps; else each write keeps them itself. */
  continuousAggregates: boolean;
  /** Old chunks are kept in columns. */
  compression: boolean;
}

/** The tiers, and what each of them can do: the one table that knows. */
export const TIERS = {
  community: { hypertables: true, continuousAggregates: true, compression: true },
  apache: { hypertables: true, continuousAggregates: false, compression: false },
  plain: { hypertables: false, continuousAggregates: false, compression: false },
} as const satisfies Record<string, Capabilities>;

export type Tier = keyof typeof TIERS;

/** What a database was found to be. */
export interface Found {
  tier: Tier;
  capabilities: Capabilities;
  /** One line for a person. */
  line: string;
}

const OLDEST_POSTGRES = 15;
/** The first with everything that sql/…/timescale uses, and what Debian 13 carries. */
const OLDEST_TIMESCALE = '2.19';

/** The database cannot be used as it is; the message says what to do. */
class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

interface Facts {
  postgres: number;
  postgresName: string;
  /** Version of the extension in this database, null where it is not. */
  timescale: string | null;
  licence: string | null;
  /** Whether the server has the extension to offer. */
  offered: boolean;
  /** What this service's schema was made as; null before it is made. */
  made: Tier | null;
}

/**
 * Asks the database once what it is, making the extension where the server offers it and the role may. A schema stays on
 * the tier that it was made on. Throws UnusableDatabase, with what to do, where that cannot be.
 * `timescale`: `off` leaves the extension alone.
 */
export async function askCapabilities(pool: Pool, timescale: 'auto' | 'off' = 'auto'): Promise<Found> {
  let facts = await factsOf(pool);
  if (timescale === 'auto' && facts.made === null && facts.timescale === null && facts.offered) {
    // Without the right it fails, and without the library loaded at the server's start it even ends its session (one of the
    // pool's): then the database stays plain, and the line says so.
    // Raw SQL: the server's catalogue and settings, before any table of ours is known.
    await pool.query('CREATE EXTENSION IF NOT EXISTS timescaledb').catch(() => {});
    facts = await factsOf(pool);
  }
  return decide(facts, timescale);
}

/** The same of a database that nothing is to be changed of: an extension that would be made is not. */
export const lookAtCapabilities = async (pool: Pool, timescale: 'auto' | 'off'): Promise<Found> =>
  decide(await factsOf(pool), timescale);

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
  if (isClosed) throw new UnusableDatabase(await whyClosed(pool));
  if (facts.timescale === null) return { ...facts, licence: null, made: isMade ? 'plain' : null };
  // The licence is a setting of the extension's library, which the first use of the extension loads.
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

/** Decides the tier from the facts, or throws. Pure. */
export function decide(facts: Facts, timescale: 'auto' | 'off'): Found {
  const { postgres, postgresName, licence, made, offered } = facts;
  if (postgres < OLDEST_POSTGRES) {
    throw new UnusableDatabase(
      `This server is PostgreSQL ${postgresName}; ${OLDEST_POSTGRES} or newer is needed. Upgrade it (pg_upgrade), or name ` +
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
  const lines: Record<Tier, string> = {
    community: `TimescaleDB ${facts.timescale} (community licence) on PostgreSQL ${postgresName}: hypertables, continuous aggregates, compression`,
    apache: `TimescaleDB ${facts.timescale} (${licence === 'timescale' ? 'made under the Apache licence' : 'Apache licence'}) on PostgreSQL ${postgresName}: hypertables, rollup tables`,
    plain: `PostgreSQL ${postgresName} without TimescaleDB: monthly partitions, rollup tables`,
  };
  const hint = tier === 'plain' && offered && timescale === 'auto' ? ` (${plainHint(facts)})` : '';
  return { tier, capabilities: TIERS[tier], line: lines[tier] + hint };
}

function offeredTier(facts: Facts, timescale: 'auto' | 'off'): Tier {
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

/** What a database is asked about before it is relied on to fail over. */
export interface CommitFacts {
  /** Hosts that its URL names. */
  hosts: number;
  /** Servers that copy from it now. */
  standbys: number;
  synchronousCommit: string;
  synchronousStandbyNames: string;
}

/** Reads them in one statement. `hosts`: those of the URL. */
export async function commitFacts(query: Query, hosts: number): Promise<CommitFacts> {
  // Raw SQL: settings and statistics of the server. A role without rights sees that a standby is there, and nothing else of it.
  const { rows } = await query<CommitFacts>(
    `SELECT $1::int AS "hosts", (SELECT count(*) FROM pg_stat_replication)::int AS "standbys",
       current_setting('synchronous_commit') AS "synchronousCommit",
       current_setting('synchronous_standby_names') AS "synchronousStandbyNames"`,
    [hosts],
  );
  return rows[0] as CommitFacts;
}

/**
 * Why something that was acknowledged could be lost when the database fails over, and what to do, for a person; nothing of a
 * database that is alone. Pure.
 */
export function commitRisks({ hosts, standbys, synchronousCommit, synchronousStandbyNames }: CommitFacts): string[] {
  if (hosts < 2 && standbys === 0) return [];
  if (['off', 'local'].includes(synchronousCommit)) {
    return [
      `synchronous_commit is ${synchronousCommit} for this role: a commit is told before a standby has it, and what was ` +
        "acknowledged last is lost in a failover. Set it to 'on' (Patroni: patronictl edit-config; a role's own: ALTER ROLE … " +
        'RESET synchronous_commit).',
    ];
  }
  if (synchronousStandbyNames.trim() !== '') return [];
  const why = standbys === 0 ? 'no standby is connected' : 'synchronous_standby_names is empty';
  return [
    `${why}: no commit waits for a standby, and what was acknowledged last is lost if this server is. With Patroni set ` +
      'synchronous_mode: true, and start the standby: without one the primary goes on alone. synchronous_mode_strict: true ' +
      'would refuse writes instead (devices keep and repeat their messages meanwhile). Without Patroni set synchronous_standby_names.',
  ];
}
