import { type Selectable, sql } from 'kysely';
import { findUsableAuthorizations } from '#src/auth/authorizations.ts';
import { findGreenButtonSubscription } from '#src/auth/green-button-resources.ts';
import { SCOPE_BY_APP_EVENT } from '#src/auth/scopes.ts';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { DAY_MS } from '#src/core/units.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { EventType } from '#src/events/bodies.ts';
import { HELD_DELIVERY_DUE_TIME } from '../hold.ts';
import { MAX_PENDING_DELIVERY_DAYS } from '../retention.ts';

/** Time in ms for which the previous secret stays valid after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;

/** All columns of a subscription except its secret. */
const COLUMNS = ['webhook_id', 'events', 'url', 'status', 'created_at'] as const;

export type Webhook = Pick<Selectable<Tables['webhooks']>, (typeof COLUMNS)[number]>;

/** Event types of a subscription. Responses also contain the first one as `event`. */
export type WebhookEvents = readonly [EventType, ...EventType[]];

/** Changes to a subscription. A field that is undefined is not changed. */
interface WebhookPatch {
  events?: WebhookEvents | undefined;
  url?: string | undefined;
  authToken?: string | undefined;
  status?: Webhook['status'] | undefined;
  /** The membership of the member who changes the subscription. If a member has set the URL, the subscription ends with the membership. */
  memberId?: string | undefined;
  /** Authorization of the app that changes the subscription, if an app does. */
  authorizationId?: string | null;
}

/** Maximum number of subscriptions of an account. */
const MAX_WEBHOOKS_PER_ACCOUNT = 100;

/**
 * Creates a subscription of an account: for the account itself, a member of the home (`memberId`) or an app (`authorizationId`). It ends
 * when the member or app loses access. `box` encrypts its secret. Throws 409 if the account has too many.
 */
export async function createWebhook(
  db: Database,
  box: SecretEncrypter,
  ownerId: string,
  webhook: { events: WebhookEvents; url: string; authToken: string } & Pick<
    WebhookPatch,
    'memberId' | 'authorizationId'
  >,
): Promise<Webhook> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: the advisory lock prevents concurrent transactions from exceeding the maximum number of subscriptions.
    await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('webhooks of', ownerId)}::bigint)`.execute(trx);
    const { count } = await trx
      .selectFrom('webhooks')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '=', ownerId)
      .where('is_notice', '=', false)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_WEBHOOKS_PER_ACCOUNT) throw new AppError('tooManyWebhooks');
    return trx
      .insertInto('webhooks')
      .values({
        webhook_id: createId('whk'),
        user_id: ownerId,
        ...eventColumns(webhook.events),
        url: webhook.url,
        auth_token_sealed: box.seal(webhook.authToken),
        former_token_sealed: null,
        former_token_valid_until: null,
        member_id: webhook.memberId ?? null,
        authorization_id: webhook.authorizationId ?? null,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

const eventColumns = (events: WebhookEvents) => ({ event: events[0], events: [...events] });

/** Lists at most `limit` subscriptions of an owner, in order of their ids, after `cursor`. */
export async function listWebhooks(
  db: Database,
  ownerId: string,
  page: { limit: number; cursor?: string },
): Promise<Webhook[]> {
  return db
    .selectFrom('webhooks')
    .select(COLUMNS)
    .where('user_id', '=', ownerId)
    .where('is_notice', '=', false)
    .where('webhook_id', '>', page.cursor ?? '')
    .orderBy('webhook_id')
    .limit(page.limit)
    .execute();
}

/** Finds a subscription that the caller can access, with its owner, or null. */
export async function findWebhook(
  db: Database,
  reach: AccessibleAccounts,
  webhookId: string,
): Promise<(Webhook & { user_id: string }) | null> {
  const row = await db
    .selectFrom('webhooks')
    .select([...COLUMNS, 'user_id'])
    .where('webhook_id', '=', webhookId)
    .where('is_notice', '=', false)
    .where(isAccountAccessibleSql(reach, 'webhooks.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Updates a subscription that the caller can access, or returns null. A previous secret stays valid for 24 h. If the subscription is
 * resumed, its pending events are sent. Throws 403 if an app changes the secret or URL of a subscription that it did not create.
 */
export async function updateWebhook(
  db: Database,
  box: SecretEncrypter,
  reach: AccessibleAccounts,
  webhookId: string,
  patch: WebhookPatch,
  now: Date,
): Promise<Webhook | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('webhooks')
      .select(['status', 'failing_since', 'auth_token_sealed', 'authorization_id'])
      .where('webhook_id', '=', webhookId)
      .where('is_notice', '=', false)
      .where(isAccountAccessibleSql(reach, 'webhooks.user_id'))
      .forUpdate()
      .executeTakeFirst();
    if (!before) return null;
    // If an app could change the URL or the secret, it could redirect messages to itself, or prevent their verification.
    const isMoved = patch.url !== undefined || patch.authToken !== undefined;
    if (patch.authorizationId && isMoved && patch.authorizationId !== before.authorization_id)
      throw new AppError('webhookOfOther');
    const isResumed = before.status === 'paused' && patch.status === 'active';
    if (isResumed) await resume(trx, webhookId, before.failing_since, now);
    return trx
      .updateTable('webhooks')
      .set({
        // The status is always written, because the statement returns only updated rows.
        status: patch.status ?? before.status,
        url: patch.url,
        ...(patch.url === undefined
          ? {}
          : { member_id: patch.memberId ?? null, authorization_id: patch.authorizationId ?? null }),
        ...(patch.events === undefined ? {} : eventColumns(patch.events)),
        ...(isResumed ? { failing_since: null, failed_in_a_row: 0 } : {}),
        ...(patch.authToken === undefined
          ? {}
          : {
              former_token_sealed: before.auth_token_sealed,
              former_token_valid_until: new Date(now.getTime() + OVERLAP_MS),
              auth_token_sealed: box.seal(patch.authToken),
            }),
      })
      .where('webhook_id', '=', webhookId)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

/**
 * Makes two kinds of a subscription's deliveries due: pending ones, and those of the last week that were given up since the subscription
 * began to fail. Skips deliveries that are held or were discarded after a restore.
 */
async function resume(db: Database, webhookId: string, failingSince: Date | null, now: Date): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'pending', tries: 0, next_attempt_at: now })
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', '<', HELD_DELIVERY_DUE_TIME)
    .where(({ eb, or, and }) =>
      or([
        eb('status', '=', 'pending'),
        and([
          eb('status', '=', 'failed'),
          eb('created_at', '>', new Date(now.getTime() - MAX_PENDING_DELIVERY_DAYS * DAY_MS)),
          sql<boolean>`(attempts -> -1 ->> 'at')::timestamptz >= ${failingSince ?? now}`,
        ]),
      ]),
    )
    .execute();
  await db
    .updateTable('webhooks')
    .set(({ selectFrom }) => ({
      catching_up_to: selectFrom('deliveries')
        .select(({ fn }) => fn.max('place').as('last'))
        .where('deliveries.webhook_id', '=', webhookId)
        .where('deliveries.status', '=', 'pending'),
    }))
    .where('webhook_id', '=', webhookId)
    .execute();
}

/** Data of a subscription that are needed to send it a message. */
interface Receiver {
  url: string;
  /** Secrets that sign the events: the current one and, while it is valid, the previous one. Empty for unsigned notices. */
  secrets: string[];
  /** Id of the Green Button subscription, if notices are sent instead of events; otherwise null. */
  noticesOf: string | null;
}

/** Loads the data for sending an event to a subscription. Null if it does not exist, or its app may no longer read the event. */
export async function loadWebhookReceiver(
  db: Database,
  box: SecretEncrypter,
  { webhookId, event }: { webhookId: string; event: string },
  now: Date,
): Promise<Receiver | null> {
  const row = await db
    .selectFrom('webhooks')
    .select(['url', 'auth_token_sealed', 'former_token_sealed', 'former_token_valid_until'])
    .select(['is_notice', 'authorization_id'])
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (!row) return null;
  const { url, auth_token_sealed: token, former_token_sealed: former, former_token_valid_until: until } = row;
  if (row.is_notice) {
    const subscription = await findGreenButtonSubscription(db, row.authorization_id ?? '', now);
    return subscription && { url, secrets: [], noticesOf: subscription.resource_id };
  }
  if (row.authorization_id !== null && !(await mayReceive(db, row.authorization_id, event, now))) return null;
  const secrets = token ? [box.open(token)] : [];
  if (former && until && until > now) secrets.push(box.open(former));
  return { url, secrets, noticesOf: null };
}

/** Whether an app may receive an event under its authorization, whose scopes may have changed. */
async function mayReceive(db: Database, authorizationId: string, event: string, now: Date): Promise<boolean> {
  const scope = event === 'webhook.test' ? 'webhooks:write' : SCOPE_BY_APP_EVENT[event];
  return scope !== undefined && (await findUsableAuthorizations(db, [authorizationId], scope, now)).size > 0;
}

/** Deletes a subscription that the caller can access; returns false if there is none. */
export async function deleteWebhook(db: Database, reach: AccessibleAccounts, webhookId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('webhook_id', '=', webhookId)
    .where('is_notice', '=', false)
    .where(isAccountAccessibleSql(reach, 'webhooks.user_id'))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether the account has an active subscription to this type of event. */
export async function hasActiveWebhook(db: Database, ownerId: string, event: EventType): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks')
    .select('webhook_id')
    .where('user_id', '=', ownerId)
    .where('is_notice', '=', false)
    .where(({ eb, fn }) => eb(eb.val(event), '=', fn.any('events')))
    .where('status', '=', 'active')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
