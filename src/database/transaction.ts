import { createClosableDatabaseOnConnection, type Database, type Pool, type PoolClient } from './connect.ts';

/** Maximum number of times that a transaction is attempted if it conflicts with concurrent ones. */
export const MAX_TRANSACTION_ATTEMPTS = 8;
const BEGIN_AGAIN: ReadonlySet<string> = new Set(['40P01', '40001']);

/** Whether the error is a deadlock or serialisation failure, so that the transaction should be retried. */
export const isRetryableError = (error: unknown): boolean => BEGIN_AGAIN.has((error as { code?: string }).code ?? '');

/**
 * Runs `run` in the open transaction, or in a new one if there is none. A new transaction is retried after a conflict, so `run` may run
 * several times.
 */
export async function joinOrBeginTransaction<T>(db: Database, run: (trx: Database) => Promise<T>): Promise<T> {
  if (db.isTransaction) return run(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run);
    } catch (error) {
      if (attempt >= MAX_TRANSACTION_ATTEMPTS || !isRetryableError(error)) throw error;
    }
  }
}

/** Rolls the transaction back if `run` throws. */
export async function runInTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    const onBroken = () => {
      isBroken = true;
    };
    return await runInTransactionOnConnection(client, run, { onBroken });
  } finally {
    client.release(isBroken);
  }
}

/**
 * Runs `run` in a transaction on the caller's connection. `onBroken`: called if even the rollback fails; the connection must then not be
 * used again. `mode`: isolation level and access mode.
 */
export async function runInTransactionOnConnection<T>(
  client: PoolClient,
  run: (client: PoolClient) => Promise<T>,
  {
    mode = '',
    onBroken = () => {},
  }: { mode?: 'ISOLATION LEVEL REPEATABLE READ READ ONLY' | ''; onBroken?: () => void } = {},
): Promise<T> {
  try {
    // Raw SQL: the query builder cannot send BEGIN on a given connection.
    await client.query(`BEGIN ${mode}`);
    const result = await run(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

/** Runs `run` inside a savepoint. If it fails, its changes are undone and the error is returned. Throws if the connection has ended. */
export async function runInSavepoint<T>(
  client: PoolClient,
  run: (db: Database) => Promise<T>,
): Promise<{ value: T } | { error: unknown }> {
  await client.query('SAVEPOINT part');
  const { db, close } = createClosableDatabaseOnConnection(client);
  try {
    const value = await run(db);
    await client.query('RELEASE SAVEPOINT part');
    return { value };
  } catch (error) {
    // If one of several concurrent statements failed, none of the others may run after the rollback.
    await close();
    await client.query('ROLLBACK TO SAVEPOINT part');
    await client.query('RELEASE SAVEPOINT part');
    return { error };
  }
}
