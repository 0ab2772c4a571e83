import { createClosableDatabaseOnConnection, type Database, type Pool, type PoolClient } from './connect.ts';

/** Maximum number of times that a transaction is attempted if it conflicts with concurrent ones. */
export const MAX_TRANSACTION_ATTEMPTS = 8;
const BEGIN_AGAIN: ReadonlySet<string> = new Set(['40P01', '40001']);

/** Whether the error is a deadlock or a serialisation failure, after which the transaction is retried. */
export const isRetryableError = (error: unknown): boolean => BEGIN_AGAIN.has((error as { code?: string }).code ?? '');

/**
 * Runs `run` in the open transaction or, if there is none, in a new one. A store's changes can thus be part of its caller's transaction. A
 * new transaction that conflicts with another one is retried, so `run` may run several times.
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

/** Runs `run` in a new transaction. If `run` throws, the transaction is rolled back and the error is rethrown. */
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
 * Runs `run` in a transaction on the caller's connection, which may have session state (a lock, a temporary table). `onBroken` is called if
 * the rollback also fails: the connection must then not be used again. `mode`: isolation level and access mode, if they differ from the
 * defaults.
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
    // Raw SQL: the typed query builder cannot send BEGIN, COMMIT and ROLLBACK on a given connection.
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
 * Runs `run` inside a savepoint of the open transaction. If `run` fails, its changes are undone, the transaction continues and the error is
 * returned. Throws if the transaction is lost because the connection has ended.
 */
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
    // The query interface is closed before the rollback: if one of several concurrent statements failed, none of the others may run after
    // the rollback.
    await close();
    await client.query('ROLLBACK TO SAVEPOINT part');
    await client.query('RELEASE SAVEPOINT part');
    return { error };
  }
}
