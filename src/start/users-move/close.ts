import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import {
  createDatabase,
  createDatabaseOnConnection,
  type Database,
  type Pool,
  type PoolClient,
} from '#src/database/connect.ts';
import {
  assertBundleEqualsRows,
  copyAccountBundle,
  packAccounts,
  packChangedHours,
  reencryptIncomingValues,
  renumberChangedHours,
  renumberIncomingRows,
  restoreRowsAfterFailedMove,
  unpackAccounts,
} from '#src/database/copy/account-bundle.ts';
import { BUNDLED_RELATIONS } from '#src/database/copy/relations.ts';
import type { CopySourceAndTarget } from '#src/database/copy/synchronise.ts';
import {
  isRetryableError,
  joinOrBeginTransaction,
  MAX_TRANSACTION_ATTEMPTS,
  runInTransaction,
  runInTransactionOnConnection,
} from '#src/database/transaction.ts';
import { COMMAND_LINE_ACTOR, recordAuditedAction } from '#src/users/audit.ts';
import { eraseUserInTransaction } from '#src/users/erase.ts';
import { countEnrolledAccountsLeftBehind } from './choose.ts';
import { removeExpectedRoutingNames } from './routes.ts';

// Raw SQL: locks, and rows of whole relations as JSON in the table `parcels`.

/** Maximum duration of one delivery attempt in ms. */
const MAX_DELIVERY_MS = 130_000;
const LOOK_AGAIN_MS = 50;

class UnderWay extends Error {}

/**
 * Closes accounts in one transaction: moves their rows to the table `parcels`, and marks their devices as moved. Concurrent writers wait
 * and then no longer find the accounts. Waits for deliveries in progress. `redirect` is called within the transaction, after the accounts
 * are locked. If the transaction is repeated, `redirect` is called again.
 */
export async function closeAccountsAtSource(
  pool: Pool,
  userIds: readonly string[],
  { toInstallation, redirect }: { toInstallation: string; redirect: (client: PoolClient) => Promise<void> },
): Promise<void> {
  const deadlineMs = performance.now() + MAX_DELIVERY_MS;
  for (let attempt = 1; ; ) {
    try {
      const isPatient = performance.now() < deadlineMs;
      return await runInTransaction(pool, (client) => close(client, userIds, { toInstallation, isPatient, redirect }));
    } catch (error) {
      if (!(error instanceof UnderWay) && (attempt++ >= MAX_TRANSACTION_ATTEMPTS || !isRetryableError(error)))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}

async function close(
  client: PoolClient,
  userIds: readonly string[],
  { toInstallation, isPatient, redirect }: Parameters<typeof closeAccountsAtSource>[2] & { isPatient: boolean },
): Promise<void> {
  // Locks are taken in the same order as in the erasure of an account: refresh of the aggregates, queue of changed hours, account,
  // gateways, devices, stored state of the devices (`device_heads`).
  await client.query('SELECT hold_refresh()');
  // Prevents triggers from recording the accounts as deleted.
  await client.query("SET LOCAL energy.is_moving = 'on'");
  await packChangedHours(client, userIds);
  // Before this time, the accounts were still served, however long the transaction waited for its first locks.
  const { rows: times } = await client.query('SELECT clock_timestamp() AS closed_at');
  const { rowCount } = await client.query('SELECT FROM users WHERE user_id = ANY ($1) ORDER BY user_id FOR UPDATE', [
    userIds,
  ]);
  if (rowCount !== userIds.length)
    throw new Error('An account was deleted during the command. Nothing was closed; run the command again.');
  if ((await countEnrolledAccountsLeftBehind(client, userIds)).size > 0)
    throw new Error(
      'A utility enrolled another account during the command. Nothing was closed; name that account, too, and run the command again.',
    );
  for (const [relation, key] of [
    ['gateways', 'gateway_id'],
    ['devices', 'device_id'],
    ['device_heads', 'device_id'],
  ])
    await client.query(`SELECT FROM ${relation} WHERE user_id = ANY ($1) ORDER BY ${key} FOR UPDATE`, [userIds]);
  // Prevents workers from taking another delivery until the commit.
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.deliveries]);
  if (isPatient && (await areDelivering(client, userIds))) throw new UnderWay();
  await redirect(client);
  await noteMove(createDatabaseOnConnection(client), userIds, 'user.moved', { to: toInstallation });
  await client.query(
    `INSERT INTO departures (user_id, to_installation, closed_at) SELECT unnest($1::text[]), $2, $3
     ON CONFLICT (user_id) DO UPDATE SET to_installation = $2, closed_at = $3, left_at = NULL`,
    [userIds, toInstallation, times[0].closed_at],
  );
  await client.query(
    `INSERT INTO departed_logins (login, user_id)
     SELECT device_id, user_id FROM devices WHERE user_id = ANY ($1) AND deleted_at IS NULL
     UNION ALL SELECT gateway_id, user_id FROM gateways WHERE user_id = ANY ($1) ON CONFLICT (login) DO NOTHING`,
    [userIds],
  );
  await packAccounts(client, userIds);
  await client.query('DELETE FROM users WHERE user_id = ANY ($1)', [userIds]);
}

const DELIVERIES = BUNDLED_RELATIONS.find(({ relation }) => relation === 'deliveries');

async function areDelivering(client: PoolClient, userIds: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM deliveries WHERE status = 'pending' AND leased_until > now() AND ${DELIVERIES?.whose}) AS "are"`,
    [userIds],
  );
  return rows[0].are;
}

/**
 * Opens closed accounts again in this installation, unchanged. The caller must then write the messages that their devices have sent
 * meanwhile.
 */
export async function reopenAccounts(pool: Pool, userIds: readonly string[]): Promise<void> {
  await runInTransaction(pool, async (client) => {
    await client.query('SELECT hold_refresh()');
    await client.query('CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT place, relation, row FROM parcels');
    await renumberChangedHours(client);
    await unpackAccounts(client);
    await restoreRowsAfterFailedMove(client);
    await client.query('DELETE FROM parcels');
    await client.query('DELETE FROM departures WHERE user_id = ANY ($1)', [userIds]);
  });
}

/**
 * Opens accounts at the target in one transaction. Inserts their rows with the target's ids and encryption, and compares them by count and
 * fingerprint. Readings and load profile must have been copied before.
 */
export async function openAccountsAtTarget(
  { source, target }: CopySourceAndTarget,
  userIds: readonly string[],
  { fromInstallation, reseal }: { fromInstallation: string; reseal: (sealed: Buffer) => Buffer },
): Promise<void> {
  await runInTransactionOnConnection(target, async () => {
    await target.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.usersArrival]);
    await copyAccountBundle(source, target);
    await renumberIncomingRows(target);
    await reencryptIncomingValues(target, reseal);
    await unpackAccounts(target);
    await assertBundleEqualsRows(target, userIds);
    await target.query(
      'DELETE FROM arriving_series WHERE device_id IN (SELECT device_id FROM devices WHERE user_id = ANY ($1))',
      [userIds],
    );
    await removeExpectedRoutingNames(target, userIds);
    // If the accounts had moved away from the target before, deletes the records of that move.
    await target.query('DELETE FROM departures WHERE user_id = ANY ($1)', [userIds]);
    await target.query('INSERT INTO arrivals (user_id, from_installation) SELECT unnest($1::text[]), $2', [
      userIds,
      fromInstallation,
    ]);
    await noteMove(createDatabaseOnConnection(target), userIds, 'user.arrived', { from: fromInstallation });
  });
}

/** Whether the closed accounts are open at the target. If they are being opened at this moment, waits for the result. */
export async function areAccountsOpenAtTarget(
  target: Pool,
  userIds: readonly string[],
  fromInstallation: string,
): Promise<boolean> {
  return runInTransaction(target, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.usersArrival]);
    const { rows } = await client.query(
      'SELECT count(*)::int AS arrived FROM arrivals WHERE user_id = ANY ($1) AND from_installation = $2',
      [userIds, fromInstallation],
    );
    return rows[0].arrived > 0;
  });
}

/** Erases the remaining rows of accounts that are open at the target, one account at a time. */
export async function eraseMovedAccounts(pool: Pool, userIds: readonly string[]): Promise<void> {
  const db = createDatabase(pool);
  // Raw SQL: the statement reads rows that are stored in `parcels`.
  const { rows } = await pool.query(
    `SELECT u.user_id, ARRAY(SELECT row->>'device_id' FROM parcels WHERE relation = 'devices' AND row->>'user_id' = u.user_id
         UNION ALL SELECT row->>'gateway_id' FROM parcels WHERE relation = 'gateways' AND row->>'user_id' = u.user_id) AS senders,
       ARRAY(SELECT s.row->>'series_id' FROM parcels s JOIN parcels d ON d.relation = 'devices' AND d.row->>'device_id' = s.row->>'device_id'
         WHERE s.relation = 'series' AND d.row->>'user_id' = u.user_id) AS "seriesIds"
     FROM unnest($1::text[]) u (user_id)`,
    [userIds],
  );
  for (const { user_id: userId, senders, seriesIds } of rows)
    await joinOrBeginTransaction(db, (trx) =>
      eraseUserInTransaction(trx, userId, { senders, seriesIds: seriesIds.map(Number) }),
    );
  await runInTransaction(pool, async (client) => {
    await client.query('DELETE FROM parcels');
    await client.query('UPDATE departures SET left_at = now() WHERE user_id = ANY ($1)', [userIds]);
  });
}

/** Records in the audit log that accounts moved, in the transaction that moves them. */
async function noteMove(
  db: Database,
  userIds: readonly string[],
  action: 'user.moved' | 'user.arrived',
  details: { to: string } | { from: string },
): Promise<void> {
  for (const target of userIds)
    await recordAuditedAction(db, { actor: null, address: COMMAND_LINE_ACTOR, action, target, details });
}
