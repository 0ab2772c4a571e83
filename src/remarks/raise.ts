import { sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import type { Logger } from '#src/core/log.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents, usersWithEventReceiversSql } from '#src/events/outbox.ts';
import type { RemarkBody } from '#src/events/remark.ts';
import { loadHomeRemarks } from './home-remarks.ts';
import { remarkToResponse } from './wire.ts';

/** A remark has ended if its cause has been absent for this number of days. If the cause occurs again later, the remark is raised again. */
const APART_DAYS = 3;
/** Number of accounts that one query loads. */
const PAGE = 500;

/** Options of a run. `ageNow`: current time by the clock that is used to delete old rows. */
interface RaiseOptions {
  now: Date;
  ageNow: Date;
  log: Logger;
  stopping: AbortSignal;
}

/**
 * Computes the remarks on every home whose remarks have a receiver (a subscription, or its owner by mail). Raises new remarks as events,
 * and returns their number. Several workers may run this at the same time, because the primary key of `raised_remarks` allows each remark
 * once. An error in one home does not affect others.
 */
export async function raiseRemarks(db: Database, { now, ageNow, log, stopping }: RaiseOptions): Promise<number> {
  await db
    .deleteFrom('raised_remarks')
    .where('seen_at', '<', new Date(ageNow.getTime() - APART_DAYS * DAY_MS))
    .execute();
  let raised = 0;
  for (let after = ''; ; ) {
    const accounts = await listAccounts(db, after);
    for (const { user_id: userId, timezone, is_told } of accounts) {
      if (stopping.aborted) return raised;
      if (!is_told) continue;
      raised += await raiseFor(db, { userId, zone: timezone, now }).catch((error: Error) => {
        log.error({ err: error, user: userId }, 'remarks on a home not raised');
        return 0;
      });
    }
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < PAGE) return raised;
    after = last.user_id;
  }
}

interface Account {
  user_id: string;
  timezone: string;
  is_told: boolean;
}

/** Loads the next accounts, by id. `is_told`: whether the account's remarks have a receiver (a subscription, or the owner by mail). */
async function listAccounts(db: Database, after: string): Promise<Account[]> {
  // Raw SQL: the subquery selects the accounts of `page` whose remarks a subscription receives.
  const { rows } = await sql<Account>`
    WITH page AS MATERIALIZED (SELECT user_id, timezone, remarks_by_mail FROM users WHERE user_id > ${after} ORDER BY user_id LIMIT ${PAGE})
    SELECT user_id, timezone, remarks_by_mail OR user_id IN (${sql.raw(usersWithEventReceiversSql('page', "'remark.raised'"))}) AS is_told
    FROM page ORDER BY user_id`.execute(db);
  return rows;
}

async function raiseFor(db: Database, asked: { userId: string; zone: string; now: Date }): Promise<number> {
  const { userId, now } = asked;
  const remarks = (await loadHomeRemarks(db, asked)).map(remarkToResponse);
  if (remarks.length === 0) return 0;
  const found = remarks.map((remark) => ({ remark, subject: subjectOf(remark), eventId: createId('evt') }));
  return joinOrBeginTransaction(db, async (trx) => {
    const account = await trx
      .selectFrom('users')
      .select('remarks_by_mail')
      .where('user_id', '=', userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!account) return 0;
    const rows = found.map(({ remark: { kind }, subject, eventId }) => ({
      user_id: userId,
      kind,
      subject,
      event_id: eventId,
      seen_at: now,
    }));
    const storedRemarks = await trx
      .insertInto('raised_remarks')
      .values(rows)
      .onConflict((row) => row.columns(['user_id', 'kind', 'subject']).doUpdateSet({ seen_at: now }))
      .returning('event_id')
      .execute();
    // If a remark was raised before, the row has the id of its first event.
    const ids = new Set(storedRemarks.map(({ event_id }) => event_id));
    const fresh = found.filter(({ eventId }) => ids.has(eventId));
    const events = fresh.map(({ remark, eventId }) => ({
      type: 'remark.raised' as const,
      eventId,
      userId,
      data: { user_id: userId, ...remark },
      ...(account.remarks_by_mail && { channel: 'email' as const }),
    }));
    await addEvents(createQueryFunction(trx), events, now);
    return events.length;
  });
}

/**
 * Returns the subject of a remark. Two remarks on a home with the same kind and subject are the same remark, even if their values differ.
 */
function subjectOf(remark: RemarkBody): string {
  if (remark.kind === 'device_uses_more') return remark.device_id;
  if (remark.kind === 'unusual_day') return remark.date;
  return remark.kind === 'cheaper_tariff' ? remark.tariff_id : '';
}
