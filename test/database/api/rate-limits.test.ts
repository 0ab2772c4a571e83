import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabaseRequestCounter, deleteOldRequestCounters } from '#src/auth/database-counter.ts';
import { createRedisRequestCounter } from '#src/auth/redis-counter.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import type { Database } from '#src/database/connect.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';
import { startRedis, type TestRedis } from '#test/support/redis.ts';

const PLANS = {
  free: { minute: 30, day: 5_000 },
  developer: { minute: 60, day: 100 },
  enterprise: { minute: 3_000, day: 100_000 },
};
const NOW = new Date('2026-06-15T12:00:00Z');

const IN_REDIS = 'Redis';
const kinds = [{ kind: 'the database' }, { kind: IN_REDIS }];

describe.each(kinds)('with counters in $kind,', ({ kind }) => {
  let api: TestApi;
  let user: { userId: string; key: string };
  let redis: TestRedis | undefined;
  const ends: (() => Promise<void>)[] = [];
  const newCounter = async (db: Database, clock: () => Date): Promise<RequestCounter> => {
    if (!redis) return createDatabaseRequestCounter(db, PLANS, clock);
    const log = pino({ level: 'silent' });
    const counter = await createRedisRequestCounter(redis.url, { db, plans: PLANS, clock, environment: 'live', log });
    ends.push(counter.stop);
    return counter;
  };
  beforeAll(async () => {
    if (kind === IN_REDIS) redis = await startRedis();
    api = await startTestApi({ counter: newCounter });
  });
  afterAll(async () => {
    await api.close();
    for (const end of ends) await end();
    await redis?.stop();
  });
  beforeEach(async () => {
    api.now = NOW;
    user = await api.user('homeowner');
    await api.database.pool.query('TRUNCATE request_counts');
    await redis?.flush();
  });

  const ask = (key = user.key) => api.send('/v1/devices', { key });
  const statuses = async (count: number, key?: string) =>
    (await Promise.all(Array.from({ length: count }, () => ask(key)))).map(({ status }) => status).sort();
  const later = (seconds: number) => {
    api.now = new Date(api.now.getTime() + seconds * 1_000);
  };

  describe('limits of an account', () => {
    test('admit exactly the plan’s number of requests, however concurrent, and report the remaining number', async () => {
      const first = await ask();
      expect(first.headers['ratelimit-policy']).toBe('"minute";q=30;w=60, "day";q=5000;w=86400');
      expect(first.headers.ratelimit).toBe('"minute";r=29;t=60, "day";r=4999;t=43200');
      expect(await statuses(50)).toEqual([...Array(29).fill(200), ...Array(21).fill(429)]);
      later(20.5);
      const { status, json, headers } = await ask();
      expect({ status, json, wait: headers['retry-after'] }).toEqual({
        status: 429,
        json: { ...createExpectedErrorBody('tooManyRequests'), retry_after: 40 },
        wait: '40',
      });
      later(39.6);
      expect((await ask()).status).toBe(200);
    });

    test('belong to one account, for all its keys and paths; other accounts are not affected', async () => {
      const other = await api.user('homeowner');
      const second = (await api.send('/v1/keys', { method: 'POST', key: user.key, body: {} })).json.key;
      expect(await statuses(20, second)).toEqual(Array(20).fill(200));
      expect((await api.send('/v1/nothing', { key: user.key })).status).toBe(404);
      expect(await statuses(10)).toEqual([...Array(8).fill(200), 429, 429]);
      expect((await ask(other.key)).status).toBe(200);
    });

    test('apply across processes', async () => {
      const counters = await Promise.all([1, 2, 3].map(() => newCounter(api.db, () => NOW)));
      const decisions = await Promise.all(
        Array.from({ length: 100 }, (_, index) => (counters[index % 3] as (typeof counters)[0]).take(user.userId)),
      );
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(30);
      expect(new Set(decisions.filter(({ allowed }) => allowed).map(({ windows }) => windows?.minute.left)).size).toBe(
        30,
      );
    });

    test('for a UTC day end with that day; the longer of two waits is returned; a changed plan applies at once', async () => {
      await api.database.pool.query("UPDATE users SET plan = 'developer' WHERE user_id = $1", [user.userId]);
      expect(await statuses(60)).toEqual(Array(60).fill(200));
      later(61);
      expect(await statuses(60)).toEqual([...Array(40).fill(200), ...Array(20).fill(429)]);
      expect((await ask()).json.retry_after).toBe(12 * 3_600 - 61);
      await api.database.pool.query("UPDATE users SET plan = 'enterprise' WHERE user_id = $1", [user.userId]);
      expect((await ask()).headers['ratelimit-policy']).toBe('"minute";q=3000;w=60, "day";q=100000;w=86400');
      await api.database.pool.query("UPDATE users SET plan = 'developer' WHERE user_id = $1", [user.userId]);
      expect((await ask()).status).toBe(429);
      // The new plan's limit is lower than the number of requests so far. The header then reports 0 remaining requests.
      await api.database.pool.query("UPDATE users SET plan = 'free' WHERE user_id = $1", [user.userId]);
      expect((await ask()).headers.ratelimit).toMatch(/^"minute";r=0;t=\d+, "day";r=\d+;/);
      await api.database.pool.query("UPDATE users SET plan = 'developer' WHERE user_id = $1", [user.userId]);
      api.now = new Date('2026-06-16T00:00:00Z');
      expect((await ask()).status).toBe(200);
    });

    test('exceeded a thousand times in ten minutes suspend the account for a quarter of an hour', async () => {
      const counter = await newCounter(api.db, () => api.now);
      const take = (count: number) => Promise.all(Array.from({ length: count }, () => counter.take(user.userId)));
      await take(30 + 900);
      later(601);
      // Refusals are counted in periods of ten minutes. In a new period, the count starts again at 0.
      await take(30 + 999);
      later(61);
      expect((await counter.take(user.userId)).allowed).toBe(true);
      await take(29 + 1);
      const { status, json } = await ask();
      expect({ status, wait: json.retry_after }).toEqual({ status: 429, wait: 900 });
      later(899);
      expect((await ask()).status).toBe(429);
      later(2);
      expect((await ask()).status).toBe(200);
    });
  });

  describe('failed authentications', () => {
    const wrong = () => api.send('/v1/devices', { key: `eus_live_${'x'.repeat(40)}` });

    test('are ten a minute for an address; further ones get 429', async () => {
      for (let index = 0; index < 10; index++) expect((await wrong()).status).toBe(401);
      const { status, headers } = await wrong();
      expect({ status, wait: headers['retry-after'] }).toEqual({ status: 429, wait: '60' });
      expect((await ask()).status).toBe(200);
      expect((await api.send('/v1/devices')).status).toBe(401);
      later(60);
      expect((await wrong()).status).toBe(401);
    });

    test('without a key at all are not counted', async () => {
      for (let index = 0; index < 15; index++) expect((await api.send('/v1/devices')).status).toBe(401);
      expect((await wrong()).status).toBe(401);
    });
  });
});

test('the database counts while Redis is unavailable, and Redis counts again afterwards', async () => {
  const redis = await startRedis();
  const ends: (() => Promise<void>)[] = [];
  const api = await startTestApi({
    async counter(db, clock) {
      const log = pino({ level: 'silent' });
      const counter = await createRedisRequestCounter(redis.url, { db, plans: PLANS, clock, environment: 'live', log });
      ends.push(counter.stop);
      return counter;
    },
  });
  try {
    const { key } = await api.user('homeowner');
    const remainingRequests = async () =>
      Number(/r=(\d+)/.exec(String((await api.send('/v1/devices', { key })).headers.ratelimit))?.[1]);
    expect([await remainingRequests(), await remainingRequests()]).toEqual([29, 28]);
    await redis.stop();
    expect([await remainingRequests(), await remainingRequests()]).toEqual([29, 28]);
    await redis.start();
    // Redis has lost its counters, so all windows of the rate limits start again.
    await expect.poll(remainingRequests, { interval: 200 }).toBe(29);
  } finally {
    await api.close();
    for (const end of ends) await end();
    await redis.stop();
  }
});

describe('requests of an erased account', () => {
  const counted = (api: TestApi, userId: string) =>
    api.database.pool.query('SELECT counted FROM request_counts WHERE counted = $1', [userId]);

  test('leave no counter behind, whether counted before, during or after the erasure', async () => {
    const api = await startTestApi({ limits: PLANS });
    const client = await api.database.pool.connect();
    try {
      const [gone, stays] = [await api.user('homeowner'), await api.user('homeowner')];
      const counter = createDatabaseRequestCounter(api.db, PLANS, () => NOW);
      await client.query('BEGIN');
      // Locks the account's row, as a deletion of the account does. A deletion may take minutes before it deletes the request counters.
      await client.query('SELECT FROM users WHERE user_id = $1 FOR UPDATE', [gone.userId]);
      const [ofGone, ofOther] = await Promise.all([counter.take(gone.userId), counter.take(stays.userId)]);
      expect([ofGone.allowed, ofOther.allowed]).toEqual([true, true]);
      expect(
        [await counted(api, gone.userId), await counted(api, stays.userId)].map(({ rowCount }) => rowCount),
      ).toEqual([0, 1]);
      await client.query('DELETE FROM request_counts WHERE counted = $1', [gone.userId]);
      await counter.take(gone.userId);
      await client.query('DELETE FROM users WHERE user_id = $1', [gone.userId]);
      await client.query('COMMIT');
      await counter.take(gone.userId);
      expect((await counted(api, gone.userId)).rowCount).toBe(0);

      // A process still accepts requests with a cached key of a deleted account, but does not store their count.
      expect((await api.send('/v1/devices', { key: stays.key })).status).toBe(200);
      expect(await eraseUser(api.db, stays.userId)).toBe(true);
      expect((await api.send('/v1/devices', { key: stays.key })).status).toBe(200);
      expect((await counted(api, stays.userId)).rowCount).toBe(0);
    } finally {
      client.release();
      await api.close();
    }
  });
});

test('counters are removed once their windows are over, not earlier', async () => {
  const api = await startTestApi({ counter: async (db, clock) => createDatabaseRequestCounter(db, PLANS, clock) });
  const counted = async () => (await api.database.pool.query('SELECT counted FROM request_counts ORDER BY 1')).rows;
  try {
    api.now = NOW;
    const early = await api.user('homeowner');
    await api.send('/v1/devices', { key: early.key });
    await api.send('/v1/devices', { key: 'wrong' });
    api.now = new Date(NOW.getTime() + 40 * 3_600_000);
    const late = await api.user('homeowner');
    await api.send('/v1/devices', { key: late.key });
    await expect.poll(counted).toHaveLength(3);
    await deleteOldRequestCounters(api.db, api.now);
    expect(await counted()).toHaveLength(3);
    await deleteOldRequestCounters(api.db, new Date(NOW.getTime() + 48 * 3_600_000 + 60_000));
    expect(await counted()).toEqual([{ counted: late.userId }]);
  } finally {
    await api.close();
  }
});
