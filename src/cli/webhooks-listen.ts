import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { createWebhook, deleteWebhook } from '#src/api/v1/webhooks/operations.ts';
import { newWebhookSchema } from '#src/api/v1/webhooks/shape.ts';
import type { Config } from '#src/config/load.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { canAccessWebhook, type Delivery, findSentDelivery, listDeliveries } from '#src/delivery/log.ts';
import { explainConnectionError, TEST_RECEIVER_HOST } from '#src/delivery/webhook/send.ts';
import { listWebhooks } from '#src/delivery/webhook/subscriptions.ts';
import { findUserId } from './named-user.ts';
import { callOperation, type OperatorRequest } from './nouns/as-operator.ts';
import { parseOptionValues } from './nouns/members.ts';
import { readSecretFromStdin } from './nouns/verbs.ts';
import { runWithServicePool } from './running-service.ts';

/**
 * URL of the subscription that `energy webhooks listen` creates: the service's own test receiver, to which nothing is sent over the
 * network.
 */
const ADDRESS = `https://${TEST_RECEIVER_HOST}/energy-webhooks-listen`;
const LOOK_EVERY_MS = 500;
/** Maximum time in ms in which the local program must respond, as for every webhook receiver. */
const ANSWER_WITHIN_MS = 5_000;
/** Number of rows of the delivery log that one query reads. */
const PAGE = 200;

interface ListenOptions {
  user: string;
  forwardTo: URL;
  events?: string;
  authToken?: string;
  json?: boolean;
}

/** Adds `energy webhooks listen`, which forwards an account's events to a program on the developer's machine. */
export function addListenCommand(webhooks: Command): void {
  webhooks
    .command('listen')
    .description(
      'forward the events of an account to a program under development, by a subscription that ends with this command',
    )
    .requiredOption('--user <user>', 'account: a user_id or an e-mail address')
    .requiredOption('--forward-to <url>', 'address of the program, such as http://localhost:3000/hooks', programUrl)
    .option('--events <a,b>', `events to forward: ${EVENT_TYPES.join(', ')} (default: all)`)
    .option('--auth-token <secret>', 'secret that signs the events (default: a new one)')
    .option('--json', 'print one JSON object per line')
    .action((options: ListenOptions) => listenUntilSignal(options));
}

function programUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('Must be an http:// or https:// address, without a user name or password.');
  return url;
}

async function listenUntilSignal(options: ListenOptions): Promise<void> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  await runWithServicePool('energy webhooks listen', (pool, config) => listen(pool, config, options, interrupt.signal));
  process.exit(0);
}

/**
 * Subscribes the account to events and forwards them until `stop` aborts, then ends the subscription. Also ends the subscriptions of killed
 * listeners.
 */
async function listen(pool: Pool, config: Config, options: ListenOptions, stop: AbortSignal): Promise<void> {
  const db = createDatabase(pool);
  const ask = (definition: typeof createWebhook | typeof deleteWebhook, asked: OperatorRequest) =>
    callOperation(definition, asked, { db, config, what: 'webhook' });
  const end = (webhookId: string) => ask(deleteWebhook, { params: { webhook_id: webhookId } });
  const userId = await findUserId(db, options.user);
  // Does not end the subscription of a listener that is still running, because that listener holds the lock.
  for (const webhookId of await listenersOf(db, userId))
    await withExclusiveLock(pool, lockOf(webhookId), () => end(webhookId));
  const { events = EVENT_TYPES.join(), authToken: auth_token = `whsec_${randomBytes(32).toString('base64')}` } =
    options;
  const body = parseOptionValues(newWebhookSchema, await readSecretFromStdin({ events, url: ADDRESS, auth_token }));
  const { answer } = await ask(createWebhook, { userId, body });
  const { webhook_id: webhookId } = answer as { webhook_id: string };
  try {
    await withExclusiveLock(pool, lockOf(webhookId), async (_, lost) => {
      printStart(options, webhookId, String(body.auth_token));
      await forwardUntil(AbortSignal.any([stop, lost]), db, config, webhookId, options);
      lost.throwIfAborted();
    });
  } finally {
    if (await canAccessWebhook(db, ALL_ACCOUNTS, webhookId)) await end(webhookId);
  }
}

/** Returns the id of the advisory lock that a listener holds while it runs. */
const lockOf = (webhookId: string): bigint => getAdvisoryLockId('listener of', webhookId);

async function listenersOf(db: Database, userId: string): Promise<string[]> {
  // One page contains all subscriptions, because an account has at most 100.
  const webhooks = await listWebhooks(db, userId, { limit: PAGE });
  return webhooks.filter(({ url }) => url === ADDRESS).map(({ webhook_id }) => webhook_id);
}

async function forwardUntil(
  stop: AbortSignal,
  db: Database,
  config: Config,
  webhookId: string,
  options: ListenOptions,
): Promise<void> {
  /** Number of forwarded attempts, by delivery. */
  const forwarded = new Map<string, number>();
  while (!stop.aborted) {
    if (!(await canAccessWebhook(db, ALL_ACCOUNTS, webhookId))) throw new Error('The subscription was deleted.');
    for (const { delivery_id: deliveryId, attempts } of await findNewDeliveries(db, webhookId, forwarded)) {
      if (stop.aborted) return;
      forwarded.set(deliveryId, attempts.length);
      const sent = await findSentDelivery(db, ALL_ACCOUNTS, { webhookId, deliveryId }, config.environment);
      if (!sent) break;
      const outcome = await forward(options.forwardTo, sent.request, stop);
      if (!stop.aborted) printOutcome(options, { ...outcome, webhookId, sent });
    }
    await setTimeout(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/** Returns deliveries with an attempt that was not forwarded yet, oldest first. Reads older pages only if needed. */
async function findNewDeliveries(
  db: Database,
  webhookId: string,
  forwarded: ReadonlyMap<string, number>,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const rows = await listDeliveries(db, ALL_ACCOUNTS, webhookId, page);
    found.push(...rows.filter((row) => row.attempts.length > (forwarded.get(row.delivery_id) ?? 0)));
    const last = rows.at(-1)?.delivery_id;
    cursor = rows.length < PAGE || last === undefined || forwarded.has(last) ? undefined : last;
  } while (cursor !== undefined);
  return found.reverse();
}

interface Outcome {
  responseStatus: number | null;
  durationMs: number;
  error: string | null;
}

/** Posts a signed request to the local program, with the same bytes as for a webhook receiver. Redirects are not followed. */
async function forward(
  to: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  stop: AbortSignal,
): Promise<Outcome> {
  const fromMs = performance.now();
  const durationMs = () => Math.round(performance.now() - fromMs);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  try {
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { responseStatus: response.status, durationMs: durationMs(), error: null };
  } catch (failure) {
    const { name, cause } = failure as Error;
    const error =
      name === 'TimeoutError'
        ? `no response within ${ANSWER_WITHIN_MS / 1000} s`
        : explainConnectionError(cause instanceof Error ? cause : (failure as Error), 'program');
    return { responseStatus: null, durationMs: durationMs(), error };
  }
}

function printStart({ user, forwardTo, json }: ListenOptions, webhookId: string, secret: string): void {
  if (json) {
    console.log(JSON.stringify({ webhook_id: webhookId, auth_token: secret, forward_to: forwardTo.href }));
    return;
  }
  console.log(`Events of ${escapeLineForTerminal(user)} are sent to ${forwardTo.href} until Ctrl-C. They are signed with this secret:

  ${secret}

To send a test event: npx energy webhooks test ${webhookId}
`);
}

function printOutcome(
  { json }: ListenOptions,
  {
    responseStatus,
    durationMs,
    error,
    webhookId,
    sent,
  }: Outcome & { webhookId: string; sent: Pick<Delivery, 'delivery_id' | 'event' | 'event_id'> },
): void {
  const { delivery_id, event, event_id } = sent;
  if (json) {
    const result = { event, event_id, delivery_id, response_status: responseStatus, duration_ms: durationMs, error };
    console.log(JSON.stringify(result));
    return;
  }
  const time = new Date().toTimeString().slice(0, 8);
  console.log(`${time}  ${event.padEnd(16)} ${event_id}  ${error ?? `${responseStatus} in ${durationMs} ms`}`);
  const isTaken = responseStatus !== null && responseStatus >= 200 && responseStatus < 300;
  if (!isTaken) console.log(`          To send it again: npx energy webhooks retry ${webhookId} ${delivery_id}`);
}
