import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from '@redis/client';
import type { Logger } from '#src/core/log.ts';
import type { Database } from '#src/database/connect.ts';
import { countInDatabase } from './database-counter.ts';
import { ADDRESS, type Counted, countInBatches, type Limits, type RequestCounter } from './request-counter.ts';

const SCRIPT = readFileSync(new URL('./take-requests.lua', import.meta.url), 'utf8');
const SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
const COMMAND_MS = 1_000;
const DAY_MS = 86_400_000;

/**
 * Counters in Redis, where REDIS_URL names one: the database is asked for plans only, in one statement for all requests
 * that wait. While Redis is away the database counts (each starts with full windows), and the log says so.
 */
export async function redisCounter(
  url: string,
  parts: {
    db: Database;
    plans: Record<string, Limits>;
    clock: () => Date;
    /** Counters of one installation do not meet those of another in the same Redis. */
    environment: string;
    log: Logger;
  },
): Promise<RequestCounter & { stop(): Promise<void> }> {
  const { db, clock, environment, log } = parts;
  const plans: Record<string, Limits> = { address: ADDRESS, ...parts.plans };
  const inDatabase = countInDatabase(db, parts.plans, clock);
  const client = createClient({ url, disableOfflineQueue: true, commandOptions: { timeout: COMMAND_MS } });
  let isAway = false;
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ err: error }, 'Redis is away: requests are counted in the database until it is back');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('Redis is back: it counts requests');
    isAway = false;
  });
  // Not waited for longer than the first try: a service whose Redis is away answers all the same.
  await Promise.race([client.connect(), new Promise((resolve) => client.once('error', resolve))]);

  async function take(key: string, wanted: number, limits: Limits): Promise<Counted> {
    const now = clock().getTime();
    const keys = [`energy:${environment}:requests:${key}`];
    const values = [wanted, now, limits.minute, limits.day, key.startsWith('addr:') ? 1 : 0].map(String);
    const run = { keys, arguments: values };
    const answer = await client.evalSha(SHA1, run).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(SCRIPT, run);
    });
    const [granted = 0, minuteLeft = 0, minuteWaitMs = 0, dayLeft = 0, suspendedMs = 0] = answer as number[];
    return {
      counted: key,
      granted,
      minute_limit: limits.minute,
      minute_left: minuteLeft,
      minute_wait_s: minuteWaitMs / 1_000,
      day_limit: limits.day,
      day_left: dayLeft,
      day_wait_s: (DAY_MS - (now % DAY_MS)) / 1_000,
      suspended_wait_s: suspendedMs / 1_000,
    };
  }

  const counter = countInBatches(async (keys, counts) => {
    if (!client.isReady) return inDatabase(keys, counts);
    // Read each time, as in the database: a changed plan holds at once.
    const users = keys.filter((key) => !key.startsWith('addr:'));
    const rows = await db
      .selectFrom('users')
      .select(['user_id', 'plan'])
      .where('user_id', 'in', [...users, ''])
      .execute();
    const planOf = new Map<string, string>(rows.map(({ user_id, plan }) => [user_id, plan]));
    try {
      return await Promise.all(
        keys.map((key, index) => take(key, counts[index] ?? 0, plans[planOf.get(key) ?? 'address'] ?? ADDRESS)),
      );
    } catch (error) {
      log.debug({ err: error }, 'not counted in Redis');
      return inDatabase(keys, counts);
    }
  });
  return { ...counter, stop: async () => client.destroy() };
}
