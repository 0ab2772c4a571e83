import type { Capabilities } from '#src/database/capabilities.ts';
import { closeDatabaseForWriting, openDatabaseForWriting } from '#src/database/closing.ts';
import { createPool, type Pool, type PoolClient } from '#src/database/connect.ts';
import { copySequencePositions } from '#src/database/copy/copy-rows.ts';
import { markTargetAsFilled, markTargetAsFilling } from '#src/database/copy/filling.ts';
import { COPIED_RELATIONS, type CopiedRelation } from '#src/database/copy/relations.ts';
import {
  assertCopiedRelationsEqual,
  type CopyProgressCallback,
  type CopySourceAndTarget,
  runWithSourceAndTarget,
  type SynchronisationResult,
  synchroniseRelations,
} from '#src/database/copy/synchronise.ts';
import { RoleWatchingClient } from '#src/database/hosts.ts';
import { migrate } from '#src/database/migrate.ts';
import { runInTransactionOnConnection } from '#src/database/transaction.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { COLUMN_BY_MEASURE, PACKED_DAYS_TABLE, STORED_HOURS_TABLE } from '#src/rollups/levels.ts';
import { unpackDaysIntoHours } from '#src/rollups/pack.ts';
import { applyLateChanges, refreshUntilComplete } from '#src/rollups/refresh.ts';

export type InstallationMoveReport = Awaited<ReturnType<typeof moveInstallation>>;

export interface MoveCallbacks {
  step(text: string): void;
  progress: CopyProgressCallback;
}

/** All relations that a move to another database copies. The load profile comes last. */
export const MOVED_RELATIONS: readonly CopiedRelation[] = [
  ...COPIED_RELATIONS,
  ...[STORED_HOURS_TABLE, PACKED_DAYS_TABLE].map(({ relation, time }) => ({ relation, by: time })),
];

const NAMES = MOVED_RELATIONS.map(({ relation }) => relation);

/** Maximum number of attempts to take all locks. */
const MAX_LOCK_TRIES = 20;
const DEADLOCK = '40P01';

/**
 * Moves a running installation into another database. Copies data while the service runs, then locks out all writers (their messages wait),
 * copies the rest, compares both databases, and opens the new one. If the new database already has users, or differs after the copy, the
 * function throws and the old database remains in use. May be interrupted at any point and run again.
 */
export async function moveInstallation(
  sourceUrl: string,
  targetUrl: string,
  options: { timescale: 'auto' | 'off' },
  { step, progress }: MoveCallbacks,
) {
  const pools = { source: openPool(sourceUrl, 'old'), target: openPool(targetUrl, 'new') };
  try {
    // The option `off` (no TimescaleDB) concerns only the new database.
    const from = await migrate(pools.source, { timescale: 'auto' });
    await refuseItself(pools);
    const { database } = await migrate(pools.target, options);
    step(`From: ${from.database.line}\nTo:   ${database.line}`);
    await markTargetAsFilling(pools);
    step('Copying while the service runs …');
    await runWithSourceAndTarget(pools, (ends) =>
      synchroniseRelations(ends, MOVED_RELATIONS, { held: false, onProgress: progress }),
    );
    step('Blocking writers, copying data that arrived since, and comparing …');
    const isMaterialised = from.database.capabilities.continuousAggregates;
    if (isMaterialised) await refreshUntilComplete(pools.source, new Date());
    const relations = await runWithSourceAndTarget(pools, (ends) =>
      finish(ends, pools.source, isMaterialised, progress),
    );
    step('Computing the aggregates …');
    const total_milliwatt_hours = await aggregate(pools, database.capabilities).catch((error: Error) => {
      throw new Error(
        'Everything was copied and compared, and the old database is closed for writing, but the aggregates of the new one ' +
          `are not correct yet (${error.message}). Run the command again.`,
        { cause: error },
      );
    });
    await markTargetAsFilled(pools);
    const users = relations.find(({ relation }) => relation === 'users')?.rows ?? 0;
    return {
      /** Description of the new database in one line. */
      database: database.line,
      /** Every copied and compared relation with its number of rows. */
      relations: relations.map(({ relation, rows }) => ({ relation, rows })),
      /** Total consumption in mWh, equal in both databases. */
      total_milliwatt_hours,
      users,
    };
  } finally {
    await Promise.all([pools.source.end(), pools.target.end()]);
  }
}

/** Opens a pool whose sessions can write although the database is closed for writing. */
const openPool = (url: string, side: 'old' | 'new'): Pool =>
  createPoolForMove(url, { side, max: 3, settings: ['default_transaction_read_only=off'] });

/** Computes the aggregates of the new database. Returns their total consumption. */
async function aggregate(
  { source, target }: { source: Pool; target: Pool },
  capabilities: Capabilities,
): Promise<string> {
  if (capabilities.continuousAggregates) {
    // Without TimescaleDB's compression, days may be packed into one row each. They must be unpacked first, because aggregates are computed
    // from rows by hour.
    await unpackDaysIntoHours(target);
    await refreshUntilComplete(target, new Date());
  } else await checkAllRollups(target, { capabilities, since: new Date(0), mode: 'rebuild' });
  const [was, is] = await Promise.all([totalOf(source, 'closed_device_hourly'), totalOf(target, 'closed_user_daily')]);
  if (was !== is) throw new Error(`they contain ${is} mWh in total, and should contain ${was}`);
  return is;
}

/** Throws if both URLs lead to the same database. */
async function refuseItself({ source, target }: { source: Pool; target: Pool }): Promise<void> {
  const identity = async (pool: Pool): Promise<string> => {
    // Raw SQL in this file: its statements use two databases, lock all relations, and change settings of a database.
    const { rows } = await pool.query(
      `SELECT format('%s %s', (SELECT system_identifier FROM pg_control_system()), oid) AS id FROM pg_database WHERE datname = current_database()`,
    );
    return rows[0].id;
  };
  const [from, to] = await Promise.all([identity(source), identity(target)]);
  if (from === to) throw new Error('The service already uses the database of --to. Nothing was changed.');
}

/** Last phase of a move, with all writers locked out: copies the last differences, compares, and closes the old database for writing. */
async function finish(
  ends: CopySourceAndTarget,
  sourcePool: Pool,
  isMaterialised: boolean,
  progress: CopyProgressCallback,
): Promise<SynchronisationResult[]> {
  const { source } = ends;
  return holdingWriters(source, async () => {
    if (isMaterialised) await applyLateChanges(source);
    const relations = await synchroniseRelations(ends, MOVED_RELATIONS, { held: true, onProgress: progress });
    await assertCopiedRelationsEqual(ends, relations);
    await copySequencePositions(ends, NAMES);
    await endWriting(source, sourcePool);
    return relations;
  });
}

/** Runs a function in a transaction that locks out all writers. Repeats the transaction if PostgreSQL cancels it because of a deadlock. */
async function holdingWriters<T>(source: PoolClient, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    let areHeld = false;
    try {
      return await runInTransactionOnConnection(source, async () => {
        // Locks the refresh of the aggregates first, because a running refresh may wait for the relations that are locked next.
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
 * Closes the database for writing and ends the service's sessions, because closing affects only new sessions. If a session cannot be ended,
 * the database is opened again.
 */
async function endWriting(source: PoolClient, pool: Pool): Promise<void> {
  await closeDatabaseForWriting(pool);
  try {
    await source.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND usename = current_user
         AND application_name <> $1`,
      [MOVE],
    );
  } catch (error) {
    await openDatabaseForWriting(pool);
    throw error;
  }
}

/**
 * Returns the total consumption in `relation`, plus that in `open_hours`: the latest hour of each device, which `relation` does not
 * contain. The total is text, because it may exceed the safe integers.
 */
async function totalOf(pool: Pool, relation: string): Promise<string> {
  const { rows } = await pool.query(
    `SELECT coalesce(sum(${COLUMN_BY_MEASURE.energyMilliwattHours}), 0)::text AS "milliwattHours" FROM (
       SELECT ${COLUMN_BY_MEASURE.energyMilliwattHours} FROM ${relation} UNION ALL SELECT ${COLUMN_BY_MEASURE.energyMilliwattHours} FROM open_hours) parts`,
  );
  return rows[0].milliwattHours;
}

/** Application name of the sessions of a move. */
const MOVE = 'energy migrate';

/** PostgreSQL's error for a full disk, `disk_full`. */
const DISK_FULL = '53100';

/** Opens a pool for a move, without a time limit for statements. `side`: name of the database in errors; `max`: number of sessions. */
export function createPoolForMove(
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
      // Compiling statements over many small relations takes longer than running them.
      'jit=off',
      // Both servers must format values in the same way, because fingerprints compare rows as text.
      'DateStyle=ISO',
      'IntervalStyle=postgres',
      'bytea_output=hex',
      'extra_float_digits=1',
    ],
  });
  // Adds the name of the database to errors of the pool, because a move uses two servers.
  pool.on('connect', (client) => {
    if (!(client instanceof RoleWatchingClient)) return;
    client.connection.prependListener('errorMessage', (error: Error & { code?: string }) => {
      if (error.code === DISK_FULL) error.message = `The disk of the ${side} database is full (${error.message})`;
    });
  });
  return pool;
}
