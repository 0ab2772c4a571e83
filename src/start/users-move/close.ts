import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { databaseOn, type Pool, type PoolClient } from '#src/database/connect.ts';
import { pack, packChanges, putBack, renumberChanges, unpack } from '#src/database/copy/parcel.ts';
import { PARCELLED } from '#src/database/copy/parted.ts';
import { inTransaction, isBeginAgain, MAX_ATTEMPTS } from '#src/database/transaction.ts';
import { leftBehind } from './choose.ts';
import { noteMove } from './note.ts';

// Raw SQL: locks, and relations as parcels.

/** A delivery takes as long as its lease at most (src/delivery/take.ts). */
const MAX_DELIVERY_MS = 130_000;
const LOOK_AGAIN_MS = 50;

class UnderWay extends Error {}

/**
 * Closes accounts in one transaction: whatever is written of them waits for it, and finds none of them afterwards. Their rows are in `parcels`
 * then, and of their devices it is known that they departed: what these still send is kept (ingest/write/moved-accounts.ts). Waits for deliveries
 * that are under way, so that nobody tells them twice.
 */
export async function closeAccounts(pool: Pool, userIds: readonly string[], toInstallation: string): Promise<void> {
  const deadlineMs = performance.now() + MAX_DELIVERY_MS;
  for (let attempt = 1; ; ) {
    try {
      const isPatient = performance.now() < deadlineMs;
      return await inTransaction(pool, (client) => close(client, userIds, { toInstallation, isPatient }));
    } catch (error) {
      if (!(error instanceof UnderWay) && (attempt++ >= MAX_ATTEMPTS || !isBeginAgain(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}

async function close(
  client: PoolClient,
  userIds: readonly string[],
  { toInstallation, isPatient }: { toInstallation: string; isPatient: boolean },
): Promise<void> {
  // In the order of an erasure (src/users/erase.ts): the refresh, changed hours, the account, what is heard, devices, heads.
  await client.query('SELECT hold_refresh()');
  await packChanges(client, userIds);
  const { rowCount } = await client.query('SELECT FROM users WHERE user_id = ANY ($1) ORDER BY user_id FOR UPDATE', [
    userIds,
  ]);
  if (rowCount !== userIds.length)
    throw new Error('An account of the file was removed meanwhile. Nothing was closed; run the command again.');
  if ((await leftBehind(client, userIds)).size > 0)
    throw new Error(
      'A utility of the file enrolled somebody meanwhile. Nothing was closed; add that account and run the command again.',
    );
  for (const [relation, key] of [
    ['gateways', 'gateway_id'],
    ['devices', 'device_id'],
    ['device_heads', 'device_id'],
  ])
    await client.query(`SELECT FROM ${relation} WHERE user_id = ANY ($1) ORDER BY ${key} FOR UPDATE`, [userIds]);
  // Nobody takes another one until this is committed.
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.deliveries]);
  if (isPatient && (await areDelivering(client, userIds))) throw new UnderWay();
  await noteMove(databaseOn(client), userIds, 'user.moved', { to: toInstallation });
  await client.query(
    `INSERT INTO departures (user_id, to_installation) SELECT unnest($1::text[]), $2
     ON CONFLICT (user_id) DO UPDATE SET to_installation = $2, closed_at = now(), left_at = NULL`,
    [userIds, toInstallation],
  );
  await client.query(
    `INSERT INTO departed_logins (login, user_id)
     SELECT device_id, user_id FROM devices WHERE user_id = ANY ($1) AND deleted_at IS NULL
     UNION ALL SELECT gateway_id, user_id FROM gateways WHERE user_id = ANY ($1) ON CONFLICT (login) DO NOTHING`,
    [userIds],
  );
  await pack(client, userIds);
  await client.query('DELETE FROM users WHERE user_id = ANY ($1)', [userIds]);
}

const DELIVERIES = PARCELLED.find(({ relation }) => relation === 'deliveries');

async function areDelivering(client: PoolClient, userIds: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM deliveries WHERE status = 'pending' AND leased_until > now() AND ${DELIVERIES?.whose}) AS "are"`,
    [userIds],
  );
  return rows[0].are;
}

/** Opens closed accounts again where they were, as they were. What their devices sent meanwhile is still to be written (`departed.ts`). */
export async function reopenAccounts(pool: Pool, userIds: readonly string[]): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT hold_refresh()');
    await client.query('CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT place, relation, row FROM parcels');
    await renumberChanges(client);
    await unpack(client);
    await putBack(client);
    await client.query('DELETE FROM parcels');
    await client.query('DELETE FROM departures WHERE user_id = ANY ($1)', [userIds]);
  });
}
