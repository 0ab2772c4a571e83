import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { forgetInAudit } from './audit.ts';

/**
 * Removes an account and everything that is known of it, on every tier: devices with their readings (compressed ones,
 * too), what was rejected, what was computed, keys. One transaction: all of it or nothing. Readings that arrive meanwhile
 * wait for it and then belong to nobody. Answers false where there is no such user.
 */
export async function eraseUser(db: Database, userId: string): Promise<boolean> {
  // Workers that are telling of the user hold rows that go with it, and wait for others: of such a circle one must yield,
  // and begins again.
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: settings and functions of the schema, here and below. Years of readings take longer than any answer may.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    // Before anything that writers wait for: a refresh may take a while.
    await sql`SELECT hold_refresh()`.execute(trx);
    // In the order of those who evaluate: changed hours first, then the account.
    await forgetChanges(trx, userId);
    // Then the account, so that no device can be added to it; then its devices, so that no writer is at them.
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
    // Writers hold the heads only.
    await trx
      .selectFrom('device_heads')
      .select('device_id')
      .where('user_id', '=', userId)
      .orderBy('device_id')
      .forUpdate()
      .execute();
    const deviceIds = devices.map(({ device_id }) => device_id);
    // Each list is one parameter, however many there are.
    const series = await trx
      .selectFrom('series')
      .select('series_id')
      .where('device_id', '=', sql<string>`ANY (${deviceIds}::text[])`)
      .execute();
    // Of an account that was in another installation: what came for it meanwhile.
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
 * Removes an account that nobody writes to any more, or what is left where its row is gone, with whatever does not go with that row. `senders`: its
 * devices and gateways; `seriesIds`: their series.
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
  await trx.deleteFrom('rejected_messages').where('device_id', '=', sql<string>`ANY (${senders}::text[])`).execute();
  await sql`SELECT erase_consumption(${userId})`.execute(trx);
  await forgetChanges(trx, userId);
  await sql`DELETE FROM changed_home_days WHERE user_id = ${userId}`.execute(trx);
  await sql`DELETE FROM request_counts WHERE counted = ${userId}`.execute(trx);
  // Keys, devices, their series and what hangs on these go with the account.
  await trx.deleteFrom('users').where('user_id', '=', userId).execute();
  await forgetInEdits(trx, userId);
  await forgetInAudit(trx, userId);
}

/** Takes the user out of edits of others' readings: these stay, by somebody who is gone. */
const forgetInEdits = (trx: Database, userId: string) =>
  sql`UPDATE reading_edits SET author = nullif(author, ${userId}), revoker = nullif(revoker, ${userId})
    WHERE author = ${userId} OR revoker = ${userId}`.execute(trx);

/** Takes the user out of what waits to be evaluated. */
const forgetChanges = (trx: Database, userId: string) =>
  sql`UPDATE usage_changes SET user_ids = array_remove(user_ids, ${userId}) WHERE ${userId} = ANY (user_ids)`.execute(
    trx,
  );
