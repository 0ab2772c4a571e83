import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import pg from 'pg';
import { splitDatabaseUrl } from '#src/config/addresses.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { isTracing, recordEndedSpan } from '#src/core/tracing.ts';
import { HostUnavailableError, isHostInRole, RoleWatchingClient, type ServerRole } from './hosts.ts';
import { createHostsPool } from './hosts-pool.ts';
import { refuseConnectionsWhileServerHangs, STANDSTILL_PROBE_TIMEOUT_MS } from './standstill.ts';
import type { Tables } from './tables.ts';

export type { Pool, PoolClient } from 'pg';
export type Database = Kysely<Tables>;

const INT8 = 20;
const NUMERIC = 1700;

/** Throws for integers beyond 2^53, which a number cannot represent exactly. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond the safe integers`);
  return value;
}

/** Parses a `bigint[]`. Null becomes the empty list, because `array_agg` returns null for no rows. Throws for integers beyond 2^53. */
export function parseBigintsWithNulls(text: string | null | undefined): (number | null)[] {
  const values: (number | null)[] = JSON.parse(`[${text?.slice(1, -1).toLowerCase() ?? ''}]`);
  const unsafe = values.find((value) => value !== null && !Number.isSafeInteger(value));
  if (unsafe !== undefined) throw new RangeError(`${unsafe} is beyond the safe integers`);
  return values;
}

export const parseBigints = (text: string | null | undefined): number[] => parseBigintsWithNulls(text) as number[];

/**
 * Creates a pool of connections to PostgreSQL, whose sessions use UTC. `settings`: further session settings (`name=value`). If the URL has
 * several hosts, connections go to the one in the role `wanted`, also after a failover. `isAnswering`: whether the process uses the pool to
 * answer clients. While the server hangs, the pool then refuses connections instead of making the clients wait.
 */
export function createPool(
  url: string,
  options: {
    max?: number;
    applicationName?: string;
    settings?: readonly string[];
    wanted?: ServerRole;
    isAnswering?: true;
  } = {},
): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, parseInt8);
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(TIMESTAMPTZ_TYPE_ID, parseTimestamp);
  const urls = splitDatabaseUrl(url);
  const { wanted = 'primary' } = options;
  const config: pg.PoolConfig = {
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'energy',
    connectionTimeoutMillis: 5_000,
    // By default, TimescaleDB aborts a statement that decompresses more than 100,000 rows, which late readings may require.
    options: ['timezone=UTC', 'timescaledb.max_tuples_decompressed_per_dml_transaction=0', ...(options.settings ?? [])]
      .map((setting) => `-c ${setting}`)
      .join(' '),
    types,
  };
  const pool =
    urls.length > 1
      ? createHostsPool(urls, wanted, config)
      : new pg.Pool({ ...config, connectionString: url, Client: RoleWatchingClient });
  const probe = (connectionString: string) =>
    isHostInRole(
      {
        ...config,
        types: undefined,
        connectionString,
        connectionTimeoutMillis: 2 * STANDSTILL_PROBE_TIMEOUT_MS,
        query_timeout: 2 * STANDSTILL_PROBE_TIMEOUT_MS,
      },
      wanted,
    );
  if (options.isAnswering) refuseConnectionsWhileServerHangs(pool, () => answerOfOne(urls.map(probe)));
  // Connections to a server that has changed its role must not be reused.
  pool.on('release', (_error, client) => {
    if (client instanceof RoleWatchingClient && client.isUseless) void client.end().catch(() => {});
  });
  // Without this listener, the process would end if the server closes an idle connection.
  pool.on('error', () => {});
  // Without this listener, the process would end if the server closes a connection within a transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Runs work on a separate pool, which is closed afterwards. */
export async function runWithSeparatePool<T>(
  url: string,
  options: Parameters<typeof createPool>[1],
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(url, options);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** If there are several servers, resolves as soon as one of them reports the wanted role. */
const answerOfOne = (asked: Promise<boolean>[]): Promise<unknown> =>
  asked.length === 1
    ? (asked[0] as Promise<boolean>)
    : Promise.any(
        asked.map(async (one) => {
          if (!(await one)) throw new HostUnavailableError('the host is not what is wanted');
        }),
      );

/** Runs one statement on a pool, on a connection inside a transaction, or on the transaction of a kysely instance. */
export type QueryFunction = <Row>(text: string, values: readonly unknown[]) => Promise<{ rows: Row[] }>;

/** Returns a function that runs SQL statements through a kysely instance, inside its transaction if it has one. */
export const createQueryFunction =
  (db: Database): QueryFunction =>
  <Row>(text: string, values: readonly unknown[]) =>
    db.executeQuery<Row>(CompiledQuery.raw(text, [...values]));

/** Returns a function that runs SQL statements on a pool, or on a connection inside a transaction. */
export const createQueryFunctionOnConnection =
  (client: Pick<pg.PoolClient, 'query'>): QueryFunction =>
  async (text, values) => {
    const answer: pg.QueryResult = await client.query(text, [...values]);
    return answer;
  };

/**
 * Returns a function that runs a statement, and builds its text only in the first call. Throws in the first call if two values are equal,
 * or if a parameter of the statement is not one of the values: later calls could not assign their values to the parameters.
 */
export function createCachedStatement<Values extends readonly unknown[], Row>(
  build: (...values: Values) => RawBuilder<Row>,
): (db: Database, ...values: Values) => Promise<{ rows: Row[] }> {
  let built: { text: string; places: number[] } | undefined;
  return (db, ...values) => {
    if (!built) {
      const { sql: text, parameters } = build(...values).compile(db);
      const places = parameters.map((parameter) => values.indexOf(parameter));
      if (places.includes(-1) || new Set(values).size < values.length)
        throw new Error(`not every parameter is exactly one of the values: ${text}`);
      built = { text, places };
    }
    return createQueryFunction(db)<Row>(
      built.text,
      built.places.map((place) => values[place]),
    );
  };
}

/**
 * Prefix of a statement whose plan each connection caches, for statements that take longer to plan than to run. The text of the statement
 * must not depend on values.
 */
export const PREPARED_PREFIX = '/* prepared */ ';
export const PREPARED_STATEMENT_PREFIX_SQL = sql.raw(PREPARED_PREFIX);
const IS_PREPARED = /^\s*\/\* prepared \*\//;

const names = new Map<string, string>();

/** Returns the name by which PostgreSQL identifies a prepared statement. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = createHash('sha256').update(text).digest('base64');
  names.set(text, name);
  return name;
}

/** Throws if kysely requests a cursor, which the service does not use. */
function kyselyClient(run: (text: string, values: unknown[]) => Promise<pg.QueryResult>, release: () => void) {
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(asked: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') throw new Error('rows are not streamed by a cursor');
    return run(asked, [...values]);
  }
  return { query, release } satisfies PostgresPoolClient;
}

/** Assigns names to prepared statements, because kysely cannot. */
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

/**
 * Creates a typed query interface on a connection inside a transaction. Statements run one after the other, even if
 * they are requested concurrently.
 */
export const createDatabaseOnConnection = (client: pg.PoolClient): Database =>
  createClosableDatabaseOnConnection(client).db;

/**
 * Like `createDatabaseOnConnection`, with a `close` function. After a call of `close`, pending and later statements are rejected. When
 * `close` resolves, the connection is free.
 */
export function createClosableDatabaseOnConnection(client: pg.PoolClient): { db: Database; close(): Promise<void> } {
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

/** Creates a typed query interface on a pool. */
export function createDatabase(pool: pg.Pool): Database {
  const dialect = new PostgresDialect({ pool: preparing(pool) });
  if (!isTracing()) return new Kysely<Tables>({ dialect });
  return new Kysely<Tables>({
    dialect,
    log: ({ query, queryDurationMillis }) =>
      // The text of the statement contains no values, so it may be part of the trace.
      recordEndedSpan(
        'postgresql',
        { 'db.system.name': 'postgresql', 'db.query.text': query.sql },
        queryDurationMillis,
      ),
  });
}

/** PostgreSQL's type number of `timestamp with time zone`. */
export const TIMESTAMPTZ_TYPE_ID = 1184;

/** Length of the text of a timestamp: without decimals, as in `2026-11-22 23:17:00+00`, and with six decimals. */
const [USUAL_LENGTH, LONGEST] = [22, 29];
const [ZERO, DOT, PLUS] = [48, 46, 43];
const parseAny = pg.types.getTypeParser(TIMESTAMPTZ_TYPE_ID) as (text: string) => Date;

/**
 * Parses a PostgreSQL timestamp, to the millisecond. The driver's own parser, which took half the time of long queries, is used only for
 * unusual texts.
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
 * Maximum idle time of a transaction in seconds. PostgreSQL then ends the transaction, because others may wait for the locks of a hung
 * process. Transactions of a healthy process are idle for less.
 */
const SILENT_TRANSACTION_SECONDS = { worker: 5, ingest: 8, api: 15 };

/**
 * Returns the session settings of a process. They limit the harm of a process that hangs or whose machine disappears: by default, its
 * connections would stay open for hours.
 */
export const getSessionSettingsOfRole = (role: keyof typeof SILENT_TRANSACTION_SECONDS): string[] => [
  `idle_in_transaction_session_timeout=${SILENT_TRANSACTION_SECONDS[role]}s`,
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=2',
  'tcp_user_timeout=7s',
];
