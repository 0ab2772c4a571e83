import { sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';

/** Number of expiring API keys that one query loads. */
const PAGE = 500;

interface Found extends EndingKey {
  key_id: string;
}

/**
 * Adds mails to the outbox about API keys that will expire soon, and returns the number of mails. Several workers may run this at the same
 * time, because each notice is recorded in the key's row.
 */
export async function notifyExpiringKeys(db: Database, now: Date): Promise<number> {
  let notified = 0;
  for (let after = ''; ; ) {
    const keys = await endingSoon(db, now, after);
    for (const key of keys) {
      const days = findDueExpiryNotice(key, now);
      if (days !== null && (await notifyOwner(db, key, { days, now }))) notified++;
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < PAGE) return notified;
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

/**
 * Adds the mail about one key in a separate transaction, so that few rows are locked. Returns false if the owner was already notified, the
 * key was revoked, or its expiry was changed.
 */
async function notifyOwner(db: Database, key: Found, { days, now }: { days: number; now: Date }): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('api_keys')
      .set({ told_end: key.expires_at, told_days: days })
      .where('key_id', '=', key.key_id)
      .where('revoked_at', 'is', null)
      // Expiries are compared in milliseconds, because PostgreSQL also stores microseconds.
      .where(sql<boolean>`date_trunc('milliseconds', expires_at) = ${key.expires_at}`)
      .where(sql<boolean>`(told_end IS DISTINCT FROM ${key.expires_at} OR told_days > ${days})`)
      .returning(['user_id', 'name', 'prefix'])
      .executeTakeFirst();
    if (!row) return false;
    const { user_id: userId, name, prefix } = row;
    const data = { key_id: key.key_id, name, prefix, expires_at: key.expires_at.toISOString() };
    await addEvents(createQueryFunction(trx), [{ type: 'key.expiring', userId, data, channel: 'email' }], now);
    return true;
  });
}

/** Number of days before a key's expiry at which its owner is notified. From the first notice on, the dashboard marks the key. */
const NOTICE_DAYS = [7, 1] as const;
/** Minimum time in ms between setting a key's expiry and the first notice: the person who has just set the expiry knows it. */
const SETTLED_MS = DAY_MS;

/** Time in ms before a key's expiry at which the first notice is due. */
const FIRST_NOTICE_MS = Math.max(...NOTICE_DAYS) * DAY_MS;

/** Fields of a key that decide whether its owner is notified of its expiry. */
interface EndingKey {
  expires_at: Date;
  /** Time at which the current expiry was set. */
  set_at: Date;
  /**
   * The last notice: the key's expiry at that time, and the number of days before this expiry at which the notice was due. Null before the
   * first notice.
   */
  told_end: Date | null;
  told_days: number | null;
}

/**
 * Returns the notice that is due now, as a number of days before the expiry, or null. If both notices are due, returns the one with fewer
 * days. A changed expiry makes the notices due again.
 */
export function findDueExpiryNotice({ expires_at, set_at, told_end, told_days }: EndingKey, now: Date): number | null {
  const leftMs = expires_at.getTime() - now.getTime();
  if (leftMs <= 0) return null;
  const days = NOTICE_DAYS.findLast((one) => leftMs <= one * DAY_MS);
  if (days === undefined) return null;
  if (expires_at.getTime() - set_at.getTime() < days * DAY_MS + SETTLED_MS) return null;
  const isNotified = told_end?.getTime() === expires_at.getTime() && told_days !== null && told_days <= days;
  return isNotified ? null : days;
}
