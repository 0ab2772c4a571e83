import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import { sql } from 'kysely';
import type { Logger } from '#src/core/log.ts';
import type { Database } from '#src/database/connect.ts';
import { createBatchCounterWithStore, type RequestCounterChange, type RequestCounterStore } from './count-in-store.ts';
import { createDatabaseBatchCounter, findSuspendedAccounts } from './database-counter.ts';
import {
  createBatchingRequestCounter,
  FAILED_ATTEMPT_LIMITS,
  type Limits,
  type RequestCounter,
} from './request-counter.ts';
import { decodeCounters, encodeCounters, NO_REQUEST_LIMIT } from './request-windows.ts';

/**
 * Script that increases the seven counters of a Redis key if each lies within its bounds. ARGV: minimum, maximum and increment of each
 * counter (seven each), and the key's lifetime in ms. Returns whether the counters were increased, and the stored counters.
 */
const SCRIPT = `
local kept, isWithin = {}, 1
for number in string.gmatch(redis.call('GET', KEYS[1]) or '0 0 0 0 0 0 0', '%S+') do
  kept[#kept + 1] = tonumber(number)
end
for i = 1, 7 do
  if kept[i] < tonumber(ARGV[i]) or kept[i] > tonumber(ARGV[7 + i]) then isWithin = 0 end
end
if isWithin == 1 then
  for i = 1, 7 do kept[i] = kept[i] + tonumber(ARGV[14 + i]) end
  local text = string.format('%.0f %.0f %.0f %.0f %.0f %.0f %.0f', unpack(kept))
  redis.call('SET', KEYS[1], text, 'PX', ARGV[22])
end
return {isWithin, unpack(kept)}`;
const SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
const COMMAND_MS = 1_000;
/** Lifetime of a Redis key in ms. It is longer than any window, so only counters of ended windows expire. */
const KEPT_MS = 172_800_000;
/** Bounds that no counters satisfy, so that the script returns the counters unchanged. */
const NEVER = [...encodeCounters({}, 1), ...encodeCounters({}, 0)];

/**
 * Creates request counters in Redis (REDIS_URL). While Redis is unavailable, requests are counted in the database. The two stores
 * do not exchange counters, so more requests may be allowed after a failure.
 */
export async function createRedisRequestCounter(
  url: string,
  parts: {
    db: Database;
    plans: Record<string, Limits>;
    clock: () => Date;
    /** Part of each Redis key that names the environment, because several environments may share a Redis server. */
    environment: string;
    log: Logger;
  },
): Promise<RequestCounter & { stop(): Promise<void> }> {
  const { db, clock, environment, log } = parts;
  const count = createBatchCounterWithStore({ address: FAILED_ATTEMPT_LIMITS, ...parts.plans }, clock);
  const inDatabase = createDatabaseBatchCounter(db, parts.plans, clock);
  const client = await connect(url, log);

  const keyOf = (counted: string) => `energy:${environment}:counters:${counted}`;

  /** Increases the counters of one account or address. `plan`: the account's current plan. */
  async function addTo({ key, least, most, add, ...decided }: RequestCounterChange, plan: string | null) {
    const bounds =
      decided.plan === plan
        ? [...encodeCounters(least, -NO_REQUEST_LIMIT), ...encodeCounters(most, NO_REQUEST_LIMIT)]
        : NEVER;
    const numbers = [...bounds, ...encodeCounters(add, 0), KEPT_MS];
    const run = { keys: [keyOf(key)], arguments: numbers.map(String) };
    const answer = await client.evalSha(SHA1, run).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(SCRIPT, run);
    });
    const [isDone, ...kept] = answer as number[];
    return { counters: decodeCounters(kept), plan, isDone: isDone === 1 };
  }

  const suspended = async (keys: readonly string[]): Promise<Set<string>> => {
    if (keys.length === 0) return new Set();
    if (!client.isReady) return findSuspendedAccounts(db, keys, clock());
    const nowMs = clock().getTime();
    const kept = await client.mGet(keys.map(keyOf));
    const untilMs = (text: string | null | undefined) =>
      decodeCounters((text ?? '').split(' ').map(Number)).suspendedUntilMs;
    return new Set(keys.filter((_, at) => untilMs(kept[at]) > nowMs));
  };

  const counter = createBatchingRequestCounter(async (keys, counts, weight) => {
    if (!client.isReady) return inDatabase(keys, counts, weight);
    const planOf = await plansOf(db, keys);
    try {
      const store: RequestCounterStore = {
        add: (changes) => Promise.all(changes.map((change) => addTo(change, planOf.get(change.key) ?? null))),
      };
      return await count(store, keys, counts, weight);
    } catch (error) {
      log.debug({ err: error }, 'not counted in Redis');
      return inDatabase(keys, counts, weight);
    }
  }, suspended);
  return { ...counter, stop: async () => client.destroy() };
}

/** Connects to Redis, and reconnects after a failure. Logs when the connection is lost and restored. */
async function connect(url: string, log: Logger) {
  const client = createClient({ url, disableOfflineQueue: true, commandOptions: { timeout: COMMAND_MS } });
  let isAway = false;
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ err: error }, 'Redis is unavailable: counting requests in the database until it is back');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('Redis is back: counting requests there');
    isAway = false;
  });
  // Waits for the first attempt to connect. If it fails, the service starts anyway.
  await Promise.race([client.connect(), new Promise((resolve) => client.once('error', resolve))]);
  return client;
}

/** Returns the plan for each counter: that of the account, or of the account that owns the device or app. */
async function plansOf(db: Database, keys: readonly string[]): Promise<Map<string, string>> {
  const inHomes = keys.filter((key) => key.startsWith('app:'));
  // Raw SQL: every counted request waits for this query, so one statement handles all kinds of keys.
  const { rows } = await sql<{ counted: string; plan: string }>`
    SELECT user_id AS counted, plan FROM users WHERE user_id = ANY (${keys}::text[])
    UNION ALL
    SELECT key, plan FROM unnest(${keys.filter((key) => key.startsWith('device:'))}::text[]) key
      JOIN devices ON device_id = substr(key, 8) JOIN users USING (user_id)
    UNION ALL
    SELECT key, plan FROM unnest(${inHomes}::text[]) key
      JOIN apps ON app_id = split_part(key, ':', 3) JOIN users USING (user_id)`.execute(db);
  return new Map(rows.map(({ counted, plan }) => [counted, plan]));
}
