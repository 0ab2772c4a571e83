import { sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';

/** Keys that are looked at at a time. */
const PAGE = 500;

interface Found extends EndingKey {
  key_id: string;
}

/**
 * Tells owners by mail that a key of theirs will end; answers how many mails were put into the outbox. Any number of workers may do so at
 * once: of each notice the row of the key says, in the transaction of its mail, that it was told.
 */
export async function tellExpiringKeys(db: Database, now: Date): Promise<number> {
  let told = 0;
  for (let after = ''; ; ) {
    const keys = await endingSoon(db, now, after);
    for (const key of keys) {
      const days = noticeDue(key, now);
      if (days !== null && (await tell(db, key, { days, now }))) told++;
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < PAGE) return told;
    after = last.key_id;
  }
}

async function endingSoon(db: Database, now: Date, after: string): Promise<Found[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['key_id', 'told_end', 'told_days', 'expires_at'])
    .select(({ fn }) => fn.coalesce('end_set_at', 'created_at').as('set_at'))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', new Date(now.getTime() + FIRST_NOTICE_MS))
    .where('key_id', '>', after)
    .orderBy('key_id')
    .limit(PAGE)
    .execute();
  return rows as Found[];
}

/** One key a transaction: requests that wait for its row do so for no other. False where it is told, revoked or moved meanwhile. */
async function tell(db: Database, key: Found, { days, now }: { days: number; now: Date }): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('api_keys')
      .set({ told_end: key.expires_at, told_days: days })
      .where('key_id', '=', key.key_id)
      .where('revoked_at', 'is', null)
      // The database knows microseconds, and may have been given some by hand.
      .where(sql<boolean>`date_trunc('milliseconds', expires_at) = ${key.expires_at}`)
      .where(sql<boolean>`(told_end IS DISTINCT FROM ${key.expires_at} OR told_days > ${days})`)
      .returning(['user_id', 'name', 'prefix'])
      .executeTakeFirst();
    if (!row) return false;
    const { user_id: userId, name, prefix } = row;
    const data = { key_id: key.key_id, name, prefix, expires_at: key.expires_at.toISOString() };
    await addEvents(queryOf(trx), [{ type: 'key.expiring', userId, data, channel: 'email' }], now);
    return true;
  });
}

/** How many days before the end of a key its owner is told, the earliest first. The dashboard marks such keys from the first of them on. */
const NOTICE_DAYS = [7, 1] as const;
/** No notice is due earlier than this after the end was set: who gave a key a day, or a rotated one its overlap, knows it. */
const SETTLED_MS = DAY_MS;

/** No key that ends later than this from now has a notice due. */
const FIRST_NOTICE_MS = Math.max(...NOTICE_DAYS) * DAY_MS;

/** What decides whether the owner of a key is told that it ends. */
interface EndingKey {
  expires_at: Date;
  /** When that end was set: with the key, or since. */
  set_at: Date;
  /** The end that was told last, and how many days before it that was due; null where none was. */
  told_end: Date | null;
  told_days: number | null;
}

/**
 * The notice that is due now, as days before the end; null for none. Pure. Of two that are due at once, since no worker ran in between, it
 * is the later one. A moved end is another end: both its notices are due anew.
 */
export function noticeDue({ expires_at, set_at, told_end, told_days }: EndingKey, now: Date): number | null {
  const leftMs = expires_at.getTime() - now.getTime();
  if (leftMs <= 0) return null;
  const days = NOTICE_DAYS.findLast((one) => leftMs <= one * DAY_MS);
  if (days === undefined) return null;
  if (expires_at.getTime() - set_at.getTime() < days * DAY_MS + SETTLED_MS) return null;
  const isTold = told_end?.getTime() === expires_at.getTime() && told_days !== null && told_days <= days;
  return isTold ? null : days;
}
