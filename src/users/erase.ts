import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { endAppsOf } from './app-access.ts';
import { anonymiseInAudit } from './audit.ts';
import { endMembershipsOf } from './member-ends.ts';

/**
 * Erases an account and all its data, on every tier: devices with their readings (also compressed ones), rejected messages, computed data,
 * keys. One transaction: all or nothing. Readings that arrive concurrently wait for it and then belong to no account. Returns false if
 * there is no such user.
 */
export async function eraseUser(db: Database, userId: string): Promise<boolean> {
  // A worker that notifies the user locks rows that the erasure deletes, which can cause a deadlock: PostgreSQL cancels one transaction,
  // and it is tried again.
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: settings and functions of the schema, here and below. Deleting years of readings exceeds the time limit of requests.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    // Lock the refresh before anything that writers wait for: a refresh may take a while.
    await sql`SELECT hold_refresh()`.execute(trx);
    // The same order as the evaluation of alerts: changed hours first, then the account.
    await forgetChanges(trx, userId);
    // Then lock the account, so that no device can be added, and then its devices against writers.
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
    // Writers lock only the heads.
    await trx
      .selectFrom('device_heads')
      .select('device_id')
      .where('user_id', '=', userId)
      .orderBy('device_id')
      .forUpdate()
      .execute();
    await endAppsOf(trx, userId);
    await endMembershipsOf(trx, userId, { because: 'erased', now: new Date() });
    const deviceIds = devices.map(({ device_id }) => device_id);
    // Each list is one SQL parameter.
    const series = await trx
      .selectFrom('series')
      .select('series_id')
      .where('device_id', '=', sql<string>`ANY (${deviceIds}::text[])`)
      .execute();
    // For an account that returned from another installation: messages that arrived here while it was away.
    await sql`DELETE FROM departed_messages WHERE login IN (SELECT login FROM departed_logins WHERE user_id = ${userId})`.execute(
      trx,
    );
    await sql`DELETE FROM departed_logins WHERE user_id = ${userId}`.execute(trx);
    const gateways = await trx.selectFrom('gateways').select('gateway_id').where('user_id', '=', userId).execute();
    await eraseTraces(trx, userId, {
      senders: [...deviceIds, ...gateways.map(({ gateway_id }) => gateway_id)],
      seriesIds: series.map(({ series_id }) => series_id),
    });
    return true;
  });
}

/**
 * Removes an account without concurrent writers, or its remains if its row is gone, with all data that the row's deletion does not cascade
 * to. `senders`: ids of its devices and gateways; `seriesIds`: ids of their series.
 */
export async function eraseTraces(
  trx: Database,
  userId: string,
  { senders, seriesIds }: { senders: readonly string[]; seriesIds: readonly number[] },
): Promise<void> {
  // Raw SQL: functions of the schema, and lists as one parameter.
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
  // Keys, devices, series and dependent rows are deleted with the account by cascade.
  await trx.deleteFrom('users').where('user_id', '=', userId).execute();
  await forgetInEdits(trx, userId);
  await anonymiseInAudit(trx, userId);
}

/** Removes the user's name from edits of other users' readings; the edits stay. */
const forgetInEdits = (trx: Database, userId: string) =>
  sql`UPDATE reading_edits SET author = nullif(author, ${userId}), revoker = nullif(revoker, ${userId})
    WHERE author = ${userId} OR revoker = ${userId}`.execute(trx);

/** Removes the user from the queue of alert evaluations. */
const forgetChanges = (trx: Database, userId: string) =>
  sql`UPDATE usage_changes SET user_ids = array_remove(user_ids, ${userId}) WHERE ${userId} = ANY (user_ids)`.execute(
    trx,
  );
