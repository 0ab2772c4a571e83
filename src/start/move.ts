import type { Capabilities } from '#src/database/capabilities.ts';
import { closeForWriting, openForWriting } from '#src/database/closing.ts';
import { createPool, type Pool, type PoolClient } from '#src/database/connect.ts';
import { continueIdentities } from '#src/database/copy/copy-rows.ts';
import { beginFilling, endFilling } from '#src/database/copy/filling.ts';
import { COPIED, type Copied, NOT_COPIED } from '#src/database/copy/relations.ts';
import {
  compareCopied,
  type Ends,
  type Progress,
  type Synchronised,
  synchronise,
} from '#src/database/copy/synchronise.ts';
import { WatchedClient } from '#src/database/hosts.ts';
import { migrate } from '#src/database/migrate.ts';
import { transactionOn } from '#src/database/transaction.ts';
import { COLUMN, DAYS, HOURS, STORED_LEVELS, storedOf } from '#src/rollups/levels.ts';
import { passOverRollups } from '#src/rollups/mend.ts';
import { unpackDays } from '#src/rollups/pack.ts';
import { foldLateDays, settleRollups } from '#src/rollups/refresh.ts';

/** Result of a move. */
export interface MoveReport {
  /** What the new database is, in a line. */
  database: string;
  /** Every relation that was copied, and compared, with its rows. */
  relations: { relation: string; rows: number }[];
  /** Total consumption in mWh: of the old database's load profile, and of the new one's daily aggregates. */
  total_milliwatt_hours: string;
  users: number;
}

export interface MoveSteps {
  step(text: string): void;
  progress: Progress;
}

/** Everything that a move copies: the load profile last, by its time. */
export const MOVED: readonly Copied[] = [
  ...COPIED,
  ...[HOURS, DAYS].map(({ relation, time }) => ({ relation, by: time })),
];

const NAMES = MOVED.map(({ relation }) => relation);

/** Tries to get all locks at once; each that fails has waited for deadlock_timeout (1 s) at least. */
const MAX_LOCK_TRIES = 20;
const DEADLOCK = '40P01';

/**
 * Moves a running installation into another database, of whichever tier: copies while the service runs, then once more
 * with writers held (their messages wait, unacknowledged), compares, closes the old database for writing, computes the
 * aggregates, and opens the new one. May be broken off (kill -9) at any point and begun again: the new database is closed
 * until all of it is done, so nothing can have come into it. Throws, leaving the old database in use, where the other
 * holds somebody else's data or differs; once it is closed, an error says so and how to go on.
 */
export async function move(
  sourceUrl: string,
  targetUrl: string,
  options: { timescale: 'auto' | 'off' },
  { step, progress }: MoveSteps,
): Promise<MoveReport> {
  const pools = { source: openPool(sourceUrl, 'old'), target: openPool(targetUrl, 'new') };
  try {
    // What the old database is has been decided: `off` is about the new one.
    const from = await migrate(pools.source, { timescale: 'auto' });
    await refuseItself(pools);
    const { database } = await migrate(pools.target, options);
    step(`From: ${from.database.line}\nTo:   ${database.line}`);
    await beginFilling(pools);
    step('Copying while the service runs …');
    await withEnds(pools, (ends) => synchronise(ends, MOVED, { held: false, onProgress: progress }));
    step('Holding writers, copying what came meanwhile, comparing …');
    const isMaterialised = from.database.capabilities.continuousAggregates;
    if (isMaterialised) await settleRollups(pools.source, new Date());
    const relations = await withEnds(pools, (ends) => finish(ends, pools.source, isMaterialised, progress));
    step('Computing the aggregates …');
    const total_milliwatt_hours = await aggregate(pools, database.capabilities).catch((error: Error) => {
      throw new Error(
        'Everything was copied and compared, and the old database is closed for writing, but the aggregates of the new one ' +
          `are not right yet (${error.message}). Run the command again.`,
        { cause: error },
      );
    });
    await endFilling(pools);
    const users = relations.find(({ relation }) => relation === 'users')?.rows ?? 0;
    return {
      database: database.line,
      relations: relations.map(({ relation, rows }) => ({ relation, rows })),
      total_milliwatt_hours,
      users,
    };
  } finally {
    await Promise.all([pools.source.end(), pools.target.end()]);
  }
}

/** Sessions that write although their database is closed for writing. */
const openPool = (url: string, side: 'old' | 'new'): Pool =>
  createMovingPool(url, { side, max: 3, settings: ['default_transaction_read_only=off'] });

/** Computes the target's aggregates and returns their total, which is that of the source's load profile. */
async function aggregate(
  { source, target }: { source: Pool; target: Pool },
  capabilities: Capabilities,
): Promise<string> {
  if (capabilities.continuousAggregates) {
    // These stand on hours alone.
    await unpackDays(target);
    await settleRollups(target, new Date());
  } else await passOverRollups(target, { capabilities, since: new Date(0), mode: 'rebuild' });
  const [was, is] = await Promise.all([totalOf(source, 'closed_device_hourly'), totalOf(target, 'closed_user_daily')]);
  if (was !== is) throw new Error(`they hold ${is} mWh in all and should hold ${was}`);
  return is;
}

async function withEnds<T>(pools: { source: Pool; target: Pool }, run: (ends: Ends) => Promise<T>): Promise<T> {
  const ends = { source: await pools.source.connect(), target: await pools.target.connect() };
  let broken = true;
  try {
    const result = await run(ends);
    broken = false;
    return result;
  } finally {
    // A transaction that failed ends with its connection, and its locks with it.
    ends.source.release(broken);
    ends.target.release(broken);
  }
}

/** Whatever the URLs look like: a move into itself would only close the database. */
async function refuseItself({ source, target }: { source: Pool; target: Pool }): Promise<void> {
  const identity = async (pool: Pool): Promise<string> => {
    // Raw SQL: two databases at once, locks on all relations, settings of a database.
    const { rows } = await pool.query(
      `SELECT format('%s %s', (SELECT system_identifier FROM pg_control_system()), oid) AS id FROM pg_database WHERE datname = current_database()`,
    );
    return rows[0].id;
  };
  const [from, to] = await Promise.all([identity(source), identity(target)]);
  if (from === to)
    throw new Error('The database of --to is the one that the service uses already. Nothing was changed.');
}

/** With every writer held: the last differences, the comparison, and the end of writing in the old database. */
async function finish(
  ends: Ends,
  sourcePool: Pool,
  isMaterialised: boolean,
  progress: Progress,
): Promise<Synchronised[]> {
  const { source } = ends;
  return holdingWriters(source, async () => {
    if (isMaterialised) await foldLateDays(source);
    const relations = await synchronise(ends, MOVED, { held: true, onProgress: progress });
    await compareCopied(ends, relations);
    await continueIdentities(ends, NAMES);
    await endWriting(source, sourcePool);
    return relations;
  });
}

/**
 * Runs something in a transaction that holds all writers. They take their locks in orders of their own, so that one may wait
 * for us and we for it: PostgreSQL ends either, and where it is ours it is tried again.
 */
async function holdingWriters<T>(source: PoolClient, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    let areHeld = false;
    try {
      return await transactionOn(source, async () => {
        // The refresh first: it may wait for what the locks hold.
        await source.query('SELECT hold_refresh()');
        await source.query(`LOCK TABLE ${NAMES.join(', ')} IN EXCLUSIVE MODE`);
        areHeld = true;
        return run();
      });
    } catch (error) {
      const isToTryAgain = !areHeld && (error as { code?: string }).code === DEADLOCK && tries < MAX_LOCK_TRIES;
      if (!isToTryAgain) throw error;
    }
  }
}

/**
 * Closing holds for sessions that begin after it, so those of the service that are there are ended, while the locks
 * still hold them: no write slips through between. Where they cannot be ended the database is opened again.
 */
async function endWriting(source: PoolClient, pool: Pool): Promise<void> {
  await closeForWriting(pool);
  try {
    await source.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND usename = current_user
         AND application_name <> $1`,
      [MOVE],
    );
  } catch (error) {
    await openForWriting(pool);
    throw error;
  }
}

/** Of closed hours as a relation has them, and open ones. As text: the total of a country is beyond the safe integers. */
async function totalOf(pool: Pool, relation: string): Promise<string> {
  const { rows } = await pool.query(
    `SELECT coalesce(sum(${COLUMN.energyMilliwattHours}), 0)::text AS "milliwattHours" FROM (
       SELECT ${COLUMN.energyMilliwattHours} FROM ${relation} UNION ALL SELECT ${COLUMN.energyMilliwattHours} FROM open_hours) parts`,
  );
  return rows[0].milliwattHours;
}

/** What the sessions of a move are known by. */
const MOVE = 'energy migrate';

/** PostgreSQL's error for a full disk, `disk_full`. */
const DISK_FULL = '53100';

/**
 * Sessions of a move: they have what time they need. `side`: the words for the database in errors; `max`: how many sessions; `settings`: further
 * ones.
 */
export function createMovingPool(
  url: string,
  { side, max, settings = [] }: { side: 'old' | 'new'; max: number; settings?: string[] },
): Pool {
  const pool = createPool(url, {
    max,
    applicationName: MOVE,
    settings: [
      ...settings,
      'statement_timeout=0',
      'lock_timeout=0',
      'idle_in_transaction_session_timeout=0',
      // Fingerprints are compared as text, and bytes go through JSON: both sides must write them alike.
      'DateStyle=ISO',
      'IntervalStyle=postgres',
      'bytea_output=hex',
      'extra_float_digits=1',
    ],
  });
  // Two servers take part in a move, and the error of one does not name it. Its connection does, also of a COPY.
  pool.on('connect', (client) => {
    if (!(client instanceof WatchedClient)) return;
    client.connection.prependListener('errorMessage', (error: Error & { code?: string }) => {
      if (error.code === DISK_FULL) error.message = `The disk of the ${side} database is full (${error.message})`;
    });
  });
  return pool;
}

/** What it does not copy, and why. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  ...NOT_COPIED,
  ...Object.fromEntries(
    STORED_LEVELS.map((level) => [storedOf(level), `computed from ${HOURS.relation} and ${DAYS.relation}`]),
  ),
};
