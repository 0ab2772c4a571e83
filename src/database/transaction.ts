import { closableDatabaseOn, type Database, type Pool, type PoolClient } from './connect.ts';

/** So often a transaction is begun again that lost to others. */
export const MAX_ATTEMPTS = 8;
const BEGIN_AGAIN: ReadonlySet<string> = new Set(['40P01', '40001']);

/** Deadlock and serialisation failure: the other one goes on, this one begins again. */
export const isBeginAgain = (error: unknown): boolean => BEGIN_AGAIN.has((error as { code?: string }).code ?? '');

/**
 * Runs something in the transaction that is open, or else in one of its own: what a store changes together is also part of
 * what its caller changes together. `run` may run several times: where others were in the way, its transaction begins again.
 */
export async function joinOrBeginTransaction<T>(db: Database, run: (trx: Database) => Promise<T>): Promise<T> {
  if (db.isTransaction) return run(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isBeginAgain(error)) throw error;
    }
  }
}

/** Runs something in a transaction of its own: all of it or nothing. What fails is thrown on, after the rollback. */
export async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    const onBroken = () => {
      isBroken = true;
    };
    return await transactionOn(client, run, { onBroken });
  } finally {
    client.release(isBroken);
  }
}

/**
 * The same on a connection that the caller holds, with what belongs to its session (a lock, a temporary table). `onBroken`:
 * the rollback failed, too; the connection must not be used again. `mode`: isolation and access, where not the usual ones.
 */
export async function transactionOn<T>(
  client: PoolClient,
  run: (client: PoolClient) => Promise<T>,
  {
    mode = '',
    onBroken = () => {},
  }: { mode?: 'ISOLATION LEVEL REPEATABLE READ READ ONLY' | ''; onBroken?: () => void } = {},
): Promise<T> {
  try {
    // Raw SQL: the limits of transactions, and locks.
    await client.query(`BEGIN ${mode}`);
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

/**
 * Runs a part of the transaction that is open on a connection. Where the part fails, what it changed is undone, and the transaction goes on: its
 * error is returned. Thrown is what ends the transaction, too: the connection is gone.
 */
export async function inPart<T>(
  client: PoolClient,
  run: (db: Database) => Promise<T>,
): Promise<{ value: T } | { error: unknown }> {
  await client.query('SAVEPOINT part');
  const { db, close } = closableDatabaseOn(client);
  try {
    const value = await run(db);
    await client.query('RELEASE SAVEPOINT part');
    return { value };
  } catch (error) {
    // Of several statements that were asked for at once one failed: none of the others may come after the rollback.
    await close();
    await client.query('ROLLBACK TO SAVEPOINT part');
    await client.query('RELEASE SAVEPOINT part');
    return { error };
  }
}
