import { sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { NewEvent } from '#src/events/bodies.ts';
import { addEvents } from '#src/events/outbox.ts';

/**
 * Reason for the end of a membership. `access`: all keys and sessions of one of the accounts ended, because its sign-in changed.
 */
type MembershipEnd = 'owner' | 'member' | 'erased' | 'role' | 'access';

/**
 * Time in ms for which a membership's row is stored after the membership has ended. Mails about the end read both e-mail addresses from
 * this row.
 */
const ENDED_FOR_MS = 30 * DAY_MS;
/** Maximum number of passwords that a mail lists. */
const MAX_PASSWORDS = 100;

interface Ending {
  member_id: string;
  user_id: string;
  member_user_id: string | null;
  access: string;
}

/**
 * Ends a membership or withdraws an invitation, with the keys and webhooks that the member created for the home. `of`: the account that
 * ends the membership, as the home or as the member; the caller must have locked its row. Both accounts get a mail; the owner's mail lists
 * the passwords that the member saw. Returns false if there is no such membership.
 */
export async function endMembership(
  trx: Database,
  of: { home: string } | { member: string },
  memberId: string,
  now: Date,
): Promise<boolean> {
  const row = await trx
    .selectFrom('home_members')
    .select(['member_id', 'user_id', 'member_user_id', 'access'])
    .where('member_id', '=', memberId)
    .where('home' in of ? 'user_id' : 'member_user_id', '=', 'home' in of ? of.home : of.member)
    .where('ended_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  await end(trx, row, 'home' in of ? 'owner' : 'member', now);
  return true;
}

/**
 * Ends all memberships and invitations in the account's home. Unless `isHomeOnly` is set, also ends the account's memberships of other
 * homes. Runs in the transaction that has locked the account. If the account was erased (`erased`), it gets no mail, and the rows are
 * deleted by cascade.
 */
export async function endMembershipsOfAccount(
  trx: Database,
  userId: string,
  { because, now, isHomeOnly = false }: { because: 'erased' | 'role' | 'access'; now: Date; isHomeOnly?: boolean },
): Promise<void> {
  const rows = await trx
    .selectFrom('home_members')
    .select(['member_id', 'user_id', 'member_user_id', 'access'])
    .where(({ eb, or }) => or([eb('user_id', '=', userId), ...(isHomeOnly ? [] : [eb('member_user_id', '=', userId)])]))
    .where('ended_at', 'is', null)
    .orderBy('member_id')
    .forUpdate()
    .execute();
  for (const row of rows) {
    if (because !== 'erased') await end(trx, row, because, now);
    else
      await notify(
        trx,
        (await noticesOf(trx, row, because)).filter((one) => one.userId !== userId),
      );
  }
}

async function end(trx: Database, row: Ending, because: MembershipEnd, now: Date): Promise<void> {
  const { member_id } = row;
  await notify(trx, await noticesOf(trx, row, because));
  await endMembershipsWithoutMail(trx, [member_id], now);
}

/**
 * Ends memberships and withdraws invitations, together with the keys and webhooks that belong to them. Sends no mail. Ignores ids that are
 * unknown or already ended.
 */
export async function endMembershipsWithoutMail(db: Database, memberIds: readonly string[], now: Date): Promise<void> {
  const anyOf = sql<string>`ANY (${memberIds}::text[])`;
  await joinOrBeginTransaction(db, async (trx) => {
    await trx.deleteFrom('home_members').where('member_id', '=', anyOf).where('member_user_id', 'is', null).execute();
    await trx
      .updateTable('home_members')
      .set({ ended_at: now })
      .where('member_id', '=', anyOf)
      .where('ended_at', 'is', null)
      .execute();
    await trx
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('member_id', '=', anyOf)
      .where('revoked_at', 'is', null)
      .execute();
    await trx.deleteFrom('webhooks').where('member_id', '=', anyOf).execute();
  });
}

const notify = (trx: Database, events: readonly NewEvent[]) => addEvents(createQueryFunction(trx), events, new Date());

/**
 * Creates the mails about the end of a membership. A mail to one account does not store the address of the other account, which
 * may be erased later.
 */
async function noticesOf(trx: Database, row: Ending, because: MembershipEnd): Promise<NewEvent[]> {
  const { member_id, user_id, member_user_id, access } = row;
  if (member_user_id === null) return [];
  const data = { member_id, access, because };
  const passwords = await listSeenPasswords(trx, user_id, member_user_id);
  return [
    { type: 'member.ended', userId: user_id, data: { ...data, passwords }, channel: 'email' },
    { type: 'membership.ended', userId: member_user_id, data, channel: 'email' },
  ];
}

/** An object of a home (device, gateway, import or webhook) whose password or secret a member has seen, with the object's name. */
interface SeenPassword {
  id: string;
  name: string;
}

/**
 * Returns the objects of a home whose passwords or secrets a member has seen or set. They are found in the audit log of the last
 * 24 months.
 */
async function listSeenPasswords(db: Database, homeId: string, memberUserId: string): Promise<SeenPassword[]> {
  // Raw SQL: this query is a union of four queries.
  const { rows } = await sql<SeenPassword>`
    WITH seen AS MATERIALIZED (
      SELECT DISTINCT target FROM audit_log
      WHERE actor_user_id = ${memberUserId} AND about_user_id = ${homeId} AND target IS NOT NULL
        AND (action IN ('device.paired', 'gateway.created', 'import.credentials_fetched')
          OR action IN ('webhook.created', 'webhook.changed') AND details -> 'members' ? 'auth_token'))
    SELECT device_id AS id, location || ' (' || type || ')' AS name FROM devices JOIN seen ON target = device_id
    WHERE user_id = ${homeId} AND deleted_at IS NULL
    UNION ALL SELECT gateway_id, name FROM gateways JOIN seen ON target = gateway_id WHERE user_id = ${homeId}
    UNION ALL SELECT import_id, 'devices imported on ' || to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
      FROM imports JOIN seen ON target = import_id WHERE user_id = ${homeId}
    UNION ALL SELECT webhook_id, url FROM webhooks JOIN seen ON target = webhook_id
      WHERE user_id = ${homeId} AND member_id IS NULL
    ORDER BY id LIMIT ${MAX_PASSWORDS}`.execute(db);
  return rows;
}

/** Deletes memberships that ended more than 30 days ago, and invitations that have expired. */
export async function deleteEndedMembers(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('home_members')
    .where('ended_at', '<=', new Date(now.getTime() - ENDED_FOR_MS))
    .execute();
  await db
    .deleteFrom('home_members')
    .where('accepted_at', 'is', null)
    .where('created_at', '<=', new Date(now.getTime() - 7 * DAY_MS))
    .execute();
}
