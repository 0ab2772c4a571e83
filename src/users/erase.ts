import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { endAuthorizationsOfAppOwner } from './app-access.ts';
import { anonymiseAuditLog } from './audit.ts';
import { endMembershipsOfAccount } from './end-membership.ts';

/**
 * Erases an account and all its data in one transaction. Concurrent writers of readings wait until the transaction ends; their
 * readings are then dropped, because they belong to no account. Returns false if the account does not exist.
 */
export async function eraseUser(db: Database, userId: string): Promise<boolean> {
  // If a deadlock occurs, the erasure is repeated.
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL in this file, for settings and for functions of the schema. The statement timeout is disabled, because deleting
    // years of readings takes long.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    // Waits for a running refresh of the aggregates, and blocks further ones, before any row is locked. Otherwise writers would wait for
    // the locked rows until the refresh ends.
    await sql`SELECT hold_refresh()`.execute(trx);
    // Locks rows in the same order as the evaluation of alerts, to avoid deadlocks: first the queue of changed hours, then the account.
    await forgetChanges(trx, userId);
    // Locks the account against new devices, then its devices against writers of readings.
    const user = await trx
      .selectFrom('users')
      .select('user_id')
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst();
    if (!user) return false;
    const devices = await trx
      .selectFrom('devices')
      .select('device_id')
      .where('user_id', '=', userId)
      .orderBy('device_id')
      .forUpdate()
      .execute();
    // Locks the rows of `device_heads`, which are the only rows that writers of readings lock.
    await trx
      .selectFrom('device_heads')
      .select('device_id')
      .where('user_id', '=', userId)
      .orderBy('device_id')
      .forUpdate()
      .execute();
    await endAuthorizationsOfAppOwner(trx, userId);
    await endMembershipsOfAccount(trx, userId, { because: 'erased', now: new Date() });
    const deviceIds = devices.map(({ device_id }) => device_id);
    const series = await trx
      .selectFrom('series')
      .select('series_id')
      .where('device_id', '=', sql<string>`ANY (${deviceIds}::text[])`)
      .execute();
    // Deletes messages that arrived here while the account was at another installation.
    await sql`DELETE FROM departed_messages WHERE login IN (SELECT login FROM departed_logins WHERE user_id = ${userId})`.execute(
      trx,
    );
    await sql`DELETE FROM departed_logins WHERE user_id = ${userId}`.execute(trx);
    const gateways = await trx.selectFrom('gateways').select('gateway_id').where('user_id', '=', userId).execute();
    await eraseUserInTransaction(trx, userId, {
      senders: [...deviceIds, ...gateways.map(({ gateway_id }) => gateway_id)],
      seriesIds: series.map(({ series_id }) => series_id),
    });
    return true;
  });
}

/**
 * Removes an account and all its data, including data that is not deleted by cascade. No other process may write data of the account at the
 * same time. Also works if the account no longer has a row. `senders`: ids of its devices and gateways; `seriesIds`: ids of the series of
 * its devices.
 */
export async function eraseUserInTransaction(
  trx: Database,
  userId: string,
  { senders, seriesIds }: { senders: readonly string[]; seriesIds: readonly number[] },
): Promise<void> {
  // Raw SQL: functions of the schema, and ids passed as one parameter.
  const anySeries = sql<number>`ANY (${seriesIds}::bigint[])`;
  await trx.deleteFrom('readings').where('series_id', '=', anySeries).execute();
  await trx.deleteFrom('reading_notes').where('series_id', '=', anySeries).execute();
  await trx.deleteFrom('lower_kept_readings').where('series_id', '=', anySeries).execute();
  await trx.deleteFrom('rejected_messages').where('device_id', '=', sql<string>`ANY (${senders}::text[])`).execute();
  await sql`DELETE FROM login_places WHERE username = ANY (${senders}::text[])`.execute(trx);
  await sql`SELECT erase_consumption(${userId})`.execute(trx);
  await forgetChanges(trx, userId);
  await sql`DELETE FROM changed_home_days WHERE user_id = ${userId}`.execute(trx);
  await sql`DELETE FROM request_counts WHERE counted = ${userId} OR counted = ANY (${senders.map((id) => `device:${id}`)}::text[])
    OR counted LIKE ${`app:${userId}:%`} OR split_part(counted, ':', 3) IN (SELECT app_id FROM apps WHERE user_id = ${userId})
    OR counted IN (SELECT 'key:' || key_id FROM api_keys WHERE user_id = ${userId} OR device_id = ANY (${senders}::text[]))`.execute(
    trx,
  );
  // Deleting the account also deletes its keys, devices, series and all rows that depend on them (by cascade).
  await trx.deleteFrom('users').where('user_id', '=', userId).execute();
  await forgetInEdits(trx, userId);
  await anonymiseAuditLog(trx, userId);
}

/** Removes the user's name from edits of readings in other users' homes. The edits remain. */
const forgetInEdits = (trx: Database, userId: string) =>
  sql`UPDATE reading_edits SET author = nullif(author, ${userId}), revoker = nullif(revoker, ${userId})
    WHERE author = ${userId} OR revoker = ${userId}`.execute(trx);

/** Removes the user's changed hours from the queue of hours for which alerts must be evaluated. */
const forgetChanges = (trx: Database, userId: string) =>
  sql`UPDATE usage_changes SET user_ids = array_remove(user_ids, ${userId}) WHERE ${userId} = ANY (user_ids)`.execute(
    trx,
  );
