import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import { urlsOfHosts } from '#src/config/addresses.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { isTracing, pastSpan } from '#src/core/tracing.ts';
import { askHost, HostAway, type Wanted, WatchedClient } from './hosts.ts';
import { poolOfHosts } from './hosts-pool.ts';
import { PROBE_MS, refuseWhileStill } from './standstill.ts';
import type { Tables } from './tables.ts';

export type { Pool, PoolClient } from 'pg';
export type Database = Kysely<Tables>;

const INT8 = 20;
const NUMERIC = 1700;

/** bigint columns as numbers. Beyond 2^53 they would be wrong silently, so that is an error instead. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond the safe integers`);
  return value;
}

/** The text of a `bigint[]` as numbers; null is the empty list, as `array_agg` returns it for no rows. */
export const wholeNumbersOrNulls = (text: string | null | undefined): (number | null)[] =>
  text == null || text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((one) => (one === 'NULL' ? null : parseInt8(one)));

/** The same of a list without nulls. */
export const wholeNumbers = (text: string | null | undefined): number[] => wholeNumbersOrNulls(text) as number[];

/**
 * Pool of connections to a PostgreSQL server; sessions speak UTC. `settings`: further ones of its sessions, `name=value`. Where the
 * URL names several hosts they go to the one that is `wanted` (libpq's target_session_attrs), and to another one after a failover.
 * `isAnswering`: callers wait for an answer of this pool, and are refused while its server stands still (standstill.ts).
 */
export function createPool(
  url: string,
  options: {
    max?: number;
    applicationName?: string;
    settings?: readonly string[];
    wanted?: Wanted;
    isAnswering?: true;
  } = {},
): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, parseInt8);
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(TIMESTAMPTZ, parseTimestamp);
  const urls = urlsOfHosts(url);
  const { wanted = 'primary' } = options;
  const config: pg.PoolConfig = {
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'energy',
    connectionTimeoutMillis: 5_000,
    // Late rows may lie in compressed chunks of TimescaleDB, which ends a statement after 100,000 rows by default. (Where
    // there is no such extension this is a name without a meaning.)
    options: ['timezone=UTC', 'timescaledb.max_tuples_decompressed_per_dml_transaction=0', ...(options.settings ?? [])]
      .map((setting) => `-c ${setting}`)
      .join(' '),
    types,
  };
  const pool =
    urls.length > 1
      ? poolOfHosts(urls, wanted, config)
      : new pg.Pool({ ...config, connectionString: url, Client: WatchedClient });
  const probe = (connectionString: string) =>
    askHost(
      {
        ...config,
        types: undefined,
        connectionString,
        connectionTimeoutMillis: 2 * PROBE_MS,
        query_timeout: 2 * PROBE_MS,
      },
      wanted,
    );
  if (options.isAnswering) refuseWhileStill(pool, () => answerOfOne(urls.map(probe)));
  // A connection that is being ended is not put back.
  pool.on('release', (_error, client) => {
    if (client instanceof WatchedClient && client.isUseless) void client.end().catch(() => {});
  });
  // An idle connection that the server closes must not end the process; the next query reports what matters.
  pool.on('error', () => {});
  // Nor one that is closed between two statements of a transaction: the next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The answer of a server alone; of several the first that is what is wanted. */
const answerOfOne = (asked: Promise<boolean>[]): Promise<unknown> =>
  asked.length === 1
    ? (asked[0] as Promise<boolean>)
    : Promise.any(
        asked.map(async (one) => {
          if (!(await one)) throw new HostAway('the host is not what is wanted');
        }),
      );

/** Runs one statement: on a pool, on a connection amid its transaction, or on what kysely has open. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<{ rows: Row[] }>;

/** Statements in SQL on what kysely has open: its transaction, where there is one. */
export const queryOf =
  (db: Database): Query =>
  <Row>(text: string, values: readonly unknown[]) =>
    db.executeQuery<Row>(CompiledQuery.raw(text, [...values]));

/** Statements on a pool, or on a connection amid its transaction. */
export const queryOn =
  (client: Pick<pg.PoolClient, 'query'>): Query =>
  async (text, values) => {
    const answer: pg.QueryResult = await client.query(text, [...values]);
    return answer;
  };

/**
 * Begins a statement of which each connection keeps the plan, where planning costs more than running it: few rows, or none that
 * are grouped (a kept plan knows no values, so it takes the rows for few). Its text must not depend on values.
 */
export const PREPARED_TEXT = '/* prepared */ ';
export const PREPARED = sql.raw(PREPARED_TEXT);
const IS_PREPARED = /^\s*\/\* prepared \*\//;

/** Names of those that were asked so far: as many as there are texts. */
const names = new Map<string, string>();

/** PostgreSQL knows a prepared statement by its name: the same for the same text. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = createHash('sha256').update(text).digest('base64');
  names.set(text, name);
  return name;
}

/** A connection as kysely takes it. Throws if kysely asks for a cursor (`stream()`), which nothing of ours does. */
function kyselyClient(run: (text: string, values: unknown[]) => Promise<pg.QueryResult>, release: () => void) {
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(asked: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') throw new Error('rows are not streamed by a cursor');
    return run(asked, [...values]);
  }
  return { query, release } satisfies PostgresPoolClient;
}

/** The pool as kysely takes it, which cannot name a statement itself. */
const preparing = (pool: pg.Pool): PostgresPool => ({
  async connect() {
    const client = await pool.connect();
    return kyselyClient(
      (text, values) =>
        client.query({ ...omitUndefined({ name: IS_PREPARED.test(text) ? nameOf(text) : undefined }), text, values }),
      () => client.release(),
    );
  },
  end: () => pool.end(),
});

/** Typed queries on a connection amid its transaction, which has one after the other, however many are asked at once. */
export const databaseOn = (client: pg.PoolClient): Database => closableDatabaseOn(client).db;

/** The same, until it is closed: what waits then, or is asked later, is refused. Once that is done the connection is free. */
export function closableDatabaseOn(client: pg.PoolClient): { db: Database; close(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const query = (text: string, values: unknown[]) => {
    const asked = last.then(() => {
      if (isClosed) throw new Error('what asked for this has failed already');
      return client.query({ text, values });
    });
    last = asked.catch(() => {});
    return asked;
  };
  const pool = { connect: async () => kyselyClient(query, () => {}), end: async () => {} };
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    async close() {
      isClosed = true;
      await last;
    },
  };
}

/** Typed queries over a pool. */
export function createDb(pool: pg.Pool): Database {
  const dialect = new PostgresDialect({ pool: preparing(pool) });
  if (!isTracing()) return new Kysely<Tables>({ dialect });
  return new Kysely<Tables>({
    dialect,
    log: ({ query, queryDurationMillis }) =>
      // The statement has no values in it: those are parameters.
      pastSpan('postgresql', { 'db.system.name': 'postgresql', 'db.query.text': query.sql }, queryDurationMillis),
  });
}

/** `timestamp with time zone`, its number among PostgreSQL's types. */
export const TIMESTAMPTZ = 1184;

/** As sessions that speak UTC write it: `2026-11-22 23:17:00+00`, with up to six decimals; years of four digits. */
const [USUAL_LENGTH, LONGEST] = [22, 29];
const [ZERO, DOT, PLUS] = [48, 46, 43];
const parseAny = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date;

/**
 * Reads a timestamp as PostgreSQL writes it, to the millisecond. A year of hours has 8,784 of them: the driver's own parser, two regular
 * expressions each, was half of what their answer cost. It still reads what is not as usual (years before 1000, BC, infinity).
 */
export function parseTimestamp(text: string): Date {
  const { length } = text;
  const isUsual =
    length >= USUAL_LENGTH &&
    length <= LONGEST &&
    text.charCodeAt(length - 3) === PLUS &&
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(0) !== ZERO &&
    (length === USUAL_LENGTH || text.charCodeAt(19) === DOT) &&
    text.endsWith('00');
  if (!isUsual) return parseAny(text);
  const two = (at: number) => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  let ms = 0;
  for (let at = 20, unit = 100; at < length - 3 && unit >= 1; at++, unit /= 10)
    ms += (text.charCodeAt(at) - ZERO) * unit;
  return new Date(Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), ms));
}

/**
 * How long a role's transaction may say nothing until the server ends it, s: its process hangs, and what it holds (rows, locks) others
 * wait for. A process that means well is in the middle of its own work for less. Ingest plans batches between two statements; of the
 * API a page of a replay (some seconds) holds the account that asked for it, and its other requests wait for 20 s at most.
 */
const SILENT_TRANSACTION_SECONDS = { worker: 5, ingest: 8, api: 15 };

/**
 * Settings of a role's sessions at the database, against a process that hangs or is gone with its machine: its connections stay open,
 * for hours by default. The server asks over the network whether the machine is there, and gives up an answer that nobody takes.
 * (Sessions that hold advisory locks have limits beside these: exclusive-lock.ts.)
 */
export const roleSettings = (role: keyof typeof SILENT_TRANSACTION_SECONDS): string[] => [
  `idle_in_transaction_session_timeout=${SILENT_TRANSACTION_SECONDS[role]}s`,
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=2',
  'tcp_user_timeout=7s',
];
