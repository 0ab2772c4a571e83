import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listRejected, replayRejected } from '#ingest/rejected.ts';
import type { ApiContext } from '#src/api/context.ts';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { addOperation } from '#src/api/operation.ts';
import { createAuthenticate } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createDevice } from '#src/devices/store.ts';
import { COLUMN, MEASURE_COLUMNS } from '#src/rollups/levels.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { addToProfile, KNOWN } from '#test/support/load-profile.ts';
import { meter } from '#test/support/meters.ts';
import { faultFrom, ordinaryHome, simulateYear } from '#test/support/simulated-year.ts';

/** What the dashboard asks beside the interface, asked with keys here: signing in is another test's. */
const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;

type Person = { userId: string; key: string };
let api: TestApi;
let context: ApiContext;
let admin: Person;
let utility: Person;
let stranger: Person;
let home: Person;

beforeAll(async () => {
  api = await testApi({
    beforeListening: (app, its) => {
      context = its;
      const authenticate = createAuthenticate(its.db, 'live');
      void app.register(async (scope) => {
        scope.addHook('onRequest', async (request) => {
          const caller = await authenticate((request.headers.authorization ?? '').slice('Bearer '.length), request.ip);
          if (!caller || caller === 'elsewhere') throw new AppError('unauthorized');
          request.caller = caller;
        });
        for (const one of DASHBOARD_OPERATIONS) addOperation(scope, its, { ...one, path: `/own${one.path}` });
      });
    },
  });
  const { pool, capabilities } = api.database;
  context.rejected = {
    list: (which, page) => listRejected(pool, which, page),
    replay: (which, signal) => replayRejected(pool, which, { retentionMonths: 24, signal }),
  };
  context.rollups = { pool, capabilities, retentionMonths: 24 };
  admin = await api.user('admin');
  utility = await api.user('utility');
  stranger = await api.user('utility');
  home = await api.user('homeowner', { enrolledBy: utility.userId });
}, 180_000);
afterAll(() => api.close());

/** Asks, and holds a good answer to its shape. */
async function ask(path: string, { key }: { key: string }, sent: { method?: string; body?: unknown } = {}) {
  const { method = 'GET' } = sent;
  const answer = await api.send(`/own${path}`, { key, ...sent });
  const definition = DASHBOARD_OPERATIONS.find(
    (one) =>
      one.method === method &&
      new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
  );
  if (!definition) throw new Error(`${method} ${path} is no operation`);
  if (answer.status < 300) definition.answer.parse(answer.json);
  return answer;
}
const statuses = async (path: string, callers: Record<string, Person>) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(callers).map(async ([name, caller]) => [name, (await ask(path, caller)).status] as const),
    ),
  );
const everybody = () => ({ home, utility, stranger, admin });
const sql = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);

test('requests need a session, and stay within its scopes', async () => {
  const key = (await api.user('admin', { scopes: ['alerts:write'] })).key;
  for (const { method, path } of DASHBOARD_OPERATIONS) {
    const own = `/own${path.replaceAll(/\{\w+\}/g, 'x')}`;
    expect((await api.send(own, { method })).status).toBe(401);
    expect((await api.send(own, { method, key })).status).toBe(403);
    // And none of them is an operation of the interface.
    const known = (await api.send(own.slice('/own'.length), { method, key: admin.key })).status;
    expect([404, 422]).toContain(known);
  }
});

type Energy = { milliwattHours: number; estimated: number };

/** Writes quarter-hours of a device and every aggregate above them, as ingest does. */
async function write(userId: string, deviceId: string, profile: Map<number, Energy>): Promise<void> {
  await addToProfile(
    api.database,
    [...profile].map(([startsAtMs, { milliwattHours, estimated }]) => {
      return {
        deviceId,
        userId,
        startsAtMs,
        energyMilliwattHours: milliwattHours,
        estimatedMilliwattHours: estimated,
        ...KNOWN,
      };
    }),
  );
}

describe('a table of devices', () => {
  const check = (raw: string, caller: Person = utility, query = '') =>
    api.send(`/own/v1/import-check${query}`, {
      method: 'POST',
      key: caller.key,
      raw,
      headers: { 'content-type': 'text/csv' },
    });
  const counts = async () =>
    (await sql('SELECT (SELECT count(*) FROM devices)::int AS devices, (SELECT count(*) FROM users)::int AS users'))
      .rows[0];

  test('is checked with all its mistakes, of the rows and among them, and nothing is stored', async () => {
    const before = await counts();
    const head = 'user_id,email,type,location,limit_kw,external_id';
    const table = [
      head,
      `${home.userId},,meter,a,,E1`,
      `${home.userId},,,b,fast,`,
      'usr_nobody,,meter,c,,',
      `${home.userId},,meter,d,,E1`,
      `${home.userId},new@example.com,meter,e,,`,
    ];
    const { status, json } = await check(`${table.join('\n')}\n`);
    expect(status).toBe(200);
    expect(json.mistakes).toEqual([
      { field: 'line 3.type', message: 'is required' },
      { field: 'line 3.limit_kw', message: 'must be a number' },
      { field: 'line 6.email', message: 'give user_id or email, not both' },
      { field: 'line 4.user_id', message: 'there is no such user' },
      { field: 'line 5.external_id', message: 'is the same device as line 2' },
    ]);
    const fresh = `${head}\n${home.userId},,meter,a,,E1\n,NEW@example.com,meter,b,,\n,new@example.com,meter,c,,\n`;
    const right = await check(fresh, utility, '?create_users=true');
    const foreseen = { rows: 3, created: 3, existing: 0, users_created: 1, differing: [], mistakes: [] };
    expect([right.status, right.json]).toEqual([200, foreseen]);
    expect(await counts()).toEqual(before);
    // What it foresees is what comes.
    const send = { method: 'POST', key: utility.key, raw: fresh, headers: { 'content-type': 'text/csv' } };
    expect((await api.send('/v1/imports?create_users=true', send)).json).toMatchObject({
      created: 3,
      users_created: 1,
    });
    const again = await check(fresh.replace(',meter,c,,', ',meter,c,20,'));
    expect(again.json).toMatchObject({ created: 0, existing: 3, users_created: 0, mistakes: [] });
    expect(again.json.differing).toEqual([{ row: 'line 4', device_id: expect.any(String), members: ['limit_kw'] }]);
  });

  test('is not forgotten while the passwords of its devices wait, by who imported it', async () => {
    const by = await api.user('utility');
    const send = {
      method: 'POST',
      key: by.key,
      raw: 'type,location\nmeter,a\n',
      headers: { 'content-type': 'text/csv' },
    };
    const { import_id } = (await api.send('/v1/imports', send)).json;
    const waiting = async (caller: Person) =>
      (await ask('/v1/waiting-imports', caller)).json.map((one: { import_id: string }) => one.import_id);
    expect(await Promise.all([by, stranger, admin].map(waiting))).toEqual([[import_id], [], []]);
    await api.send(`/v1/imports/${import_id}/credentials`, { method: 'POST', key: by.key });
    expect(await waiting(by)).toEqual([]);
  });

  test('that is none, or of others, is refused as an import of it is', async () => {
    const refused = async (...given: Parameters<typeof check>) => {
      const { status, json } = await check(...given);
      return [status, json.details?.[0]?.field];
    };
    expect(await refused('type,location,colour\nmeter,a,red\n')).toEqual([422, 'line 1']);
    expect(await refused('type,location\n')).toEqual([422, 'body']);
    const ofHome = `user_id,type,location\n${home.userId},meter,z\n`;
    expect((await check(ofHome, stranger)).json.mistakes).toEqual([
      { field: 'line 2.user_id', message: 'there is no such user' },
    ]);
    expect((await check(ofHome, home)).json.mistakes).toEqual([]);
    expect((await refused(`user_id,type,location\n${stranger.userId},meter,z\n`, home))[0]).toBe(403);
    expect((await refused(ofHome, home, '?create_users=true'))[0]).toBe(403);
  });
});

describe('firings', () => {
  let alertId: string;
  const events = Array.from({ length: 5 }, (_, index) => newId('evt', Date.UTC(2026, 5, 1, index)));
  beforeAll(async () => {
    const made = await api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'peak_usage', threshold_kwh: 1, delivery: 'email' },
    });
    alertId = made.json.alert_id;
    // Of late hours, too: they come in the order in which they fired.
    for (const [index, event] of events.entries()) {
      await sql(
        `INSERT INTO alert_firings (alert_id, period_start, period_end, total_milliwatt_hours, event_id, fired_at)
         VALUES ($1, $2, $3, 1234567, $4, $5)`,
        [
          ...[alertId, new Date(Date.UTC(2026, 4, 9 - index)), new Date(Date.UTC(2026, 4, 9 - index, 1)), event],
          new Date(Date.UTC(2026, 5, 1, index)),
        ],
      );
    }
  });

  test('come youngest first, page by page', async () => {
    const all = (await ask(`/v1/alerts/${alertId}/firings`, home)).json;
    expect(all.map(({ event_id }: { event_id: string }) => event_id)).toEqual(events.toReversed());
    expect(all[0]).toEqual({
      fired_at: '2026-06-01T04:00:00.000Z',
      period_start: '2026-05-05T00:00:00.000Z',
      period_end: '2026-05-05T01:00:00.000Z',
      kwh_used: 1.235,
      cost: null,
      currency: null,
      device_id: null,
      event_id: events[4],
    });
    const seen: string[] = [];
    for (let path: string | undefined = `/v1/alerts/${alertId}/firings?limit=2`; path; ) {
      const { json, headers } = await ask(path, home);
      seen.push(...json.map(({ event_id }: { event_id: string }) => event_id));
      path = /<\/own([^>]+)>/.exec(String(headers.link))?.[1];
    }
    expect(seen).toEqual(events.toReversed());
  });

  test('of a silence name the device, and have no end and no energy', async () => {
    const { json } = await api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'no_data', threshold_hours: 5, delivery: 'email' },
    });
    await sql(
      `INSERT INTO alert_firings (alert_id, period_start, device_id, event_id, fired_at)
       VALUES ($1, '2026-05-01', 'dev_silent', 'evt_x', '2026-05-02')`,
      [json.alert_id],
    );
    expect((await ask(`/v1/alerts/${json.alert_id}/firings`, home)).json).toMatchObject([
      { period_end: null, kwh_used: null, device_id: 'dev_silent' },
    ]);
  });

  test('of an alert on costs have what the period cost, and no energy', async () => {
    const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: 1 } };
    await api.send('/v1/tariffs', { key: home.key, method: 'POST', body: tariff });
    const { json } = await api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'daily_cost', threshold: '5', delivery: 'email' },
    });
    await sql(
      `INSERT INTO alert_firings (alert_id, period_start, period_end, total_cost, currency, event_id, fired_at)
       VALUES ($1, '2026-05-01', '2026-05-02', '5.10', 'EUR', 'evt_x', '2026-05-01')`,
      [json.alert_id],
    );
    expect((await ask(`/v1/alerts/${json.alert_id}/firings`, home)).json).toMatchObject([
      { kwh_used: null, cost: '5.10', currency: 'EUR', device_id: null },
    ]);
  });

  test('need a caller that reaches the alert', async () => {
    expect(await statuses(`/v1/alerts/${alertId}/firings`, everybody())).toEqual({
      ...{ home: 200, utility: 200, admin: 200, stranger: 404 },
    });
    const neighbour = await api.user('homeowner', { enrolledBy: utility.userId });
    expect((await ask(`/v1/alerts/${alertId}/firings`, neighbour)).status).toBe(404);
    for (const id of ['alr_none', '%00', "x'", 'x'.repeat(5_000)])
      expect((await ask(`/v1/alerts/${id}/firings`, admin)).status).toBe(404);
    expect((await ask(`/v1/alerts/${alertId}/firings?cursor=%00`, home)).status).toBe(422);
  });
});

describe('acts', () => {
  test('name accounts by their address while they are there, which the interface does not', async () => {
    const { userId } = await api.user('homeowner');
    const of = async () => (await ask(`/v1/acts?user_id=${admin.userId}&limit=1`, admin)).json[0];
    const patch = { key: admin.key, method: 'PATCH', body: { plan: 'developer' } };
    expect((await api.send(`/v1/users/${userId}`, patch)).status).toBe(200);
    const emails = new Map(
      (await sql('SELECT user_id, email FROM users')).rows.map(({ user_id, email }) => [user_id, email]),
    );
    const named = { actor_email: emails.get(admin.userId), target_email: emails.get(userId) };
    expect(await of()).toMatchObject({ action: 'user.changed', target: userId, ...named });
    const { text } = await api.send(`/v1/audit?user_id=${admin.userId}&limit=1`, { key: admin.key });
    expect([JSON.parse(text)[0].target, text.includes('@')]).toEqual([userId, false]);
    // What is nobody's account has no address, and neither has one that is gone.
    await api.send(`/v1/users/${userId}`, { key: admin.key, method: 'DELETE' });
    expect(await of()).toMatchObject({ action: 'user.deleted', actor_email: named.actor_email, target_email: null });
  });
});

describe('what is held', () => {
  test('is named, until the next readings say what it was', async () => {
    const it = await meter(api.database);
    const owner = { key: (await api.user('admin')).key };
    const at = (minutes: number) => new Date(api.now.getTime() - (60 - minutes) * 60_000);
    const held = async () => (await ask(`/v1/devices/${it.deviceId}/held`, owner)).json;
    await it.read([
      [at(0), 100],
      [at(15), 100.2],
    ]);
    expect(await held()).toEqual([]);
    await it.read([[at(30), 9_000_000_000]]);
    expect(await held()).toEqual([{ native_name: 'import energy_total_kwh', at: at(30).toISOString() }]);
    await it.read([[at(45), 100.4]]);
    expect(await held()).toEqual([]);
    expect(await statuses(`/v1/devices/${it.deviceId}/held`, { home, stranger, admin })).toEqual({
      ...{ home: 404, stranger: 404, admin: 200 },
    });
  });
});

describe('a delivery', () => {
  let path: string;
  let deliveryId: string;
  beforeAll(async () => {
    const sent = { key: home.key, method: 'POST' };
    const url = 'https://hooks.example.net/energy';
    const body = { event: 'usage.updated', url, auth_token: 'a most secret token' };
    const webhookId = (await api.send('/v1/webhooks', { ...sent, body })).json.webhook_id;
    path = `/v1/webhooks/${webhookId}/deliveries`;
    deliveryId = (await api.send(`/v1/webhooks/${webhookId}/test`, sent)).json.delivery_id;
  });
  const attempt = { at: '2026-06-15T12:00:00.000Z', response_status: 500, duration_ms: 12, error: 'HTTP 500' };
  const tried = (attempts: object[]) =>
    sql('UPDATE deliveries SET attempts = $2 WHERE delivery_id = $1', [deliveryId, JSON.stringify(attempts)]);

  test('shows what is sent, without what signs it, and what came back', async () => {
    // The first is of before answers were kept.
    await tried([attempt, { ...attempt, response_body: 'no room' }]);
    const { json, text } = await ask(`${path}/${deliveryId}/exchange`, home);
    expect(json).toMatchObject({
      delivery_id: deliveryId,
      event: 'webhook.test',
      status: 'pending',
      request: {
        url: 'https://hooks.example.net/energy',
        headers: { 'content-type': 'application/json', 'webhook-id': json.event_id },
      },
      attempts: [
        { ...attempt, response_body: null },
        { ...attempt, response_body: 'no room' },
      ],
    });
    expect(JSON.parse(json.request.body)).toMatchObject({
      id: json.event_id,
      type: 'webhook.test',
      environment: 'live',
    });
    expect(text).not.toMatch(/signature|whsec|a most secret token/);
  });

  test('shows no answers in the list of the interface', async () => {
    await tried([{ ...attempt, response_body: 'no room' }]);
    const { json } = await api.send(path, { key: home.key });
    expect(json[0].attempts).toEqual([attempt]);
  });

  test('needs a caller that reaches the subscription', async () => {
    expect(await statuses(`${path}/${deliveryId}/exchange`, everybody())).toEqual({
      ...{ home: 200, utility: 200, admin: 200, stranger: 404 },
    });
    const other = (
      await api.send('/v1/webhooks', {
        ...{ key: home.key, method: 'POST' },
        body: { event: 'usage.updated', url: 'https://example.net/', auth_token: 'a secret' },
      })
    ).json.webhook_id;
    expect((await ask(`/v1/webhooks/${other}/deliveries/${deliveryId}/exchange`, home)).status).toBe(404);
    for (const id of ['dlv_none', '%00', 'x'.repeat(5_000)])
      expect((await ask(`${path}/${id}/exchange`, admin)).status).toBe(404);
  });
});

describe('what is for administrators alone', () => {
  const ADMIN: [string, string][] = [
    ['GET', '/v1/operator'],
    ['GET', '/v1/acts'],
    ['GET', '/v1/rejected'],
    ['POST', '/v1/rejected/replay'],
    ['POST', '/v1/rollups/check'],
  ];
  test.each(ADMIN)('%s %s is refused to everybody else', async (method, path) => {
    const without = { rejected: context.rejected, rollups: context.rollups };
    // Refused before anything is looked at, and where it is not there, too.
    for (const caller of [home, utility, stranger]) expect((await ask(path, caller, { method })).status).toBe(403);
    delete context.rejected;
    delete context.rollups;
    expect((await ask(path, home, { method })).status).toBe(403);
    expect((await ask(path, admin, { method })).status).toBe(['/v1/operator', '/v1/acts'].includes(path) ? 200 : 503);
    Object.assign(context, without);
    expect((await ask(path, admin, { method })).status).toBe(200);
  });

  /** A connection tells its statistics when it has been idle for ten seconds, or is asked to. */
  async function tellStatistics(): Promise<void> {
    const { pool } = api.database;
    const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
    for (const client of clients) client.release();
  }

  test('the operator sees what comes in and what waits', async () => {
    const get = async () => (await ask('/v1/operator', admin)).json;
    await tellStatistics();
    const before = await get();
    const { read, deviceId } = await meter(api.database);
    await sql("UPDATE devices SET status = 'faulty' WHERE device_id = $1", [deviceId]);
    const atMs = Date.now() - 100 * QUARTER_MS;
    const readings = Array.from({ length: 50 }, (_, at) => [new Date(atMs + at * QUARTER_MS), 100 + at] as const);
    await read(readings);
    const lastSeen = (await sql('SELECT max(seen_at) AS at FROM device_heads')).rows[0].at;
    const realNow = api.now;
    api.now = new Date(lastSeen.getTime() + 90_000);
    await sql(
      `INSERT INTO rejected_messages (received_at, topic, payload, reason)
       SELECT $1::timestamptz - make_interval(mins => m), 't', '', 'r' FROM unnest('{1, 59, 61, 1000, 1439, 1441}'::int[]) m`,
      [api.now],
    );
    await tellStatistics();
    const after = await get();
    expect(after.readings_stored - before.readings_stored).toBe(50);
    api.now = realNow;
    expect(after.lag_seconds).toBeCloseTo(90, 1);
    expect(after.rejected).toEqual({ last_hour: 2, last_day: 5 });
    expect(after.devices.faulty - before.devices.faulty).toBe(1);
    expect(after.waiting.usage_changes - before.waiting.usage_changes).toBeGreaterThan(0);
    expect(after.waiting.deliveries).toBeGreaterThan(0);
    await sql('DELETE FROM rejected_messages');
  });

  test('rejected messages are listed, cut, and tried again', async () => {
    const { deviceId } = await meter(api.database);
    const readings = (at: number) => Buffer.from(JSON.stringify({ ts: at, energy_total_kwh: 5 }));
    const at = Date.now() - HOUR_MS;
    const payloads = [readings(at), Buffer.from('x'.repeat(5_000)), Buffer.alloc(5_000, 0xff)];
    for (const payload of payloads) {
      await sql("INSERT INTO rejected_messages (device_id, topic, payload, reason) VALUES ($1, $2, $3, 'for a test')", [
        ...[deviceId, `energy/v1/${deviceId}/readings`, payload],
      ]);
    }
    const path = `/v1/rejected?device_id=${deviceId}`;
    const { json: all } = await ask(path, admin);
    expect(
      all.map((one: { payload?: string; payload_b64?: string }) => (one.payload ?? one.payload_b64)?.length),
    ).toEqual([...[2_000, 2_000, payloads[0]?.length]]);
    expect(all[0].payload_b64).toHaveLength(2_000);
    const first = await ask(`${path}&limit=2`, admin);
    const [, next = ''] = /<\/own([^>]+)>/.exec(String(first.headers.link)) ?? [];
    expect([...first.json, ...(await ask(next, admin)).json]).toEqual(all);
    for (const cursor of ['x', '-1', '1e3', '9'.repeat(30), '%00', '1;'])
      expect((await ask(`${path}&cursor=${cursor}`, admin)).status).toBe(422);
    expect((await ask('/v1/rejected?device_id=%00', admin)).status).toBe(404);
    expect((await ask('/v1/rejected?device_id=dev_none', admin)).json).toEqual([]);

    const replay = (body?: unknown) => ask('/v1/rejected/replay', admin, { method: 'POST', body });
    expect((await replay({ device_id: 'dev_none' })).json).toEqual({
      messages: 0,
      stored: 0,
      rejected: 0,
      cut: 0,
      complete: true,
    });
    expect((await replay({ device_id: 5 })).status).toBe(422);
    expect((await replay({ device_id: deviceId })).json).toEqual({
      messages: 3,
      stored: 1,
      rejected: 2,
      cut: 0,
      complete: true,
    });
    // One at a time, whoever asks, here or on the command line: another is told to come back, or comes after it.
    const both = await Promise.all([replay({ device_id: deviceId }), replay({ device_id: deviceId })]);
    expect(both.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(both.some(({ status }) => status === 200)).toBe(true);
    expect((await ask(path, admin)).json).toHaveLength(2);
    expect((await replay()).status).toBe(200);
    const other = await api.database.pool.connect();
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.replay]);
    expect((await replay()).status).toBe(503);
    await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.replay]);
    other.release();
    const three = () => replayRejected(api.database.pool, { deviceId }, { retentionMonths: 24 });
    expect((await Promise.all([three(), three(), three()])).some((done) => done !== null)).toBe(true);
    expect((await ask(path, admin)).json).toHaveLength(2);
    const over = await replayRejected(
      api.database.pool,
      { deviceId },
      { retentionMonths: 24, signal: AbortSignal.abort() },
    );
    expect(over).toMatchObject({ messages: 0, isComplete: false });
  });

  test('aggregates are compared with the load profile', async () => {
    const { userId, read } = await meter(api.database);
    const atMs = Date.now() - 100 * QUARTER_MS;
    await read(Array.from({ length: 50 }, (_, at) => [new Date(atMs + at * QUARTER_MS), 100 + at] as const));
    await api.database.settle();
    const before = api.now;
    api.now = new Date();
    const check = (body?: unknown) => ask('/v1/rollups/check', admin, { method: 'POST', body });
    const all = (await check()).json;
    expect(all).toMatchObject({ differences: [], truncated: false });
    expect(all.checked).toBe(all.users);
    expect(all.users).toBeGreaterThan(4);
    expect((await check({ user_id: userId })).json).toEqual({
      users: 1,
      checked: 1,
      differences: [],
      truncated: false,
    });
    expect((await check({ user_id: 'usr_none' })).status).toBe(404);
    expect((await check({ user: userId })).status).toBe(422);
    const both = await Promise.all([check(), check()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
    if (!api.database.capabilities.continuousAggregates) {
      await sql(
        `INSERT INTO closed_user_hourly (user_id, hour, ${MEASURE_COLUMNS.join(', ')})
         SELECT $1, date_trunc('hour', now()) - make_interval(hours => h), ${MEASURE_COLUMNS.map((column) => (column === COLUMN.energyMilliwattHours ? 5 : 1)).join(', ')}
         FROM generate_series(1000, 1150) h`,
        [userId],
      );
      const { json } = await check({ user_id: userId });
      expect(json).toMatchObject({ users: 1, checked: 1, truncated: true });
      expect(json.differences).toHaveLength(100);
      expect(json.differences[0]).toMatchObject({
        relation: 'user_hourly',
        stored_milliwatt_hours: 5,
        expected_milliwatt_hours: null,
      });
    }
    api.now = before;
  });

  test('a check that has taken long enough says how far it came', async () => {
    const { passOverRollups } = await import('#src/rollups/mend.ts');
    const { pool, capabilities } = api.database;
    const stop = new AbortController();
    const report = await passOverRollups(pool, {
      ...{ capabilities, since: new Date(), mode: 'check', signal: stop.signal },
      onProgress: (done) => done === 2 && stop.abort(),
    });
    expect(report.checked).toBe(2);
    expect(report.users).toBeGreaterThan(2);
  });
});

/** A meter that tells what its home buys. */
async function gridMeter(userId: string): Promise<string> {
  const { device } = await createDevice(context.db, { userId, type: 'smart_meter', location: 'Hall' });
  await sql(`INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'register', true)`, [
    device.device_id,
  ]);
  return device.device_id;
}

/** A home whose quarter-hours are those of a simulated one from 2025 on: 70 days and more, the last of them with a heater that was forgotten. */
async function forgetfulHome(days: number, estimatedHours = 0): Promise<{ owner: Person; untilMs: number }> {
  const owner = await api.user('homeowner', { enrolledBy: utility.userId });
  await sql(`UPDATE users SET timezone = 'Europe/Berlin' WHERE user_id = $1`, [owner.userId]);
  const deviceId = await gridMeter(owner.userId);
  const traits = { ...ordinaryHome('flat', 'told'), faults: [faultFrom('forgotten heater', (days - 1) * 96)] };
  const year = simulateYear('flat', traits, days);
  const fromMs = Date.parse('2025-01-01T00:00:00Z');
  const energies = [...year.used].map((watts, at) => {
    const milliwattHours = Math.round(watts * 250);
    const estimated = at >= days * 96 - estimatedHours * 4 ? milliwattHours : 0;
    return [fromMs + at * QUARTER_MS, { milliwattHours, estimated }] as const;
  });
  await write(owner.userId, deviceId, new Map(energies));
  return { owner, untilMs: fromMs + days * 24 * HOUR_MS };
}

describe('in plain words', () => {
  let before: Date;
  beforeAll(() => {
    before = api.now;
  });
  afterAll(() => {
    api.now = before;
  });

  test('a fault is told with what it is compared with, and how the month will end with what it costs', async () => {
    // Over the day on which the clock changes.
    const { owner, untilMs } = await forgetfulHome(100);
    api.now = new Date(untilMs + 60_000);
    const { json } = await ask(`/v1/remarks?user_id=${owner.userId}`, utility);
    expect(json).toMatchObject({
      timezone: 'Europe/Berlin',
      remarks: [{ kind: 'stays_on', device_id: null, location: null }],
    });
    const [{ least_w, usual_w, since, until, compared }] = json.remarks;
    expect([since, until]).toEqual([new Date(untilMs - 24 * HOUR_MS).toISOString(), new Date(untilMs).toISOString()]);
    expect(least_w - usual_w).toBeGreaterThan(1_150);
    expect(compared).toHaveLength(29);

    const told = async () => (await ask(`/v1/forecast?user_id=${owner.userId}`, owner)).json.forecast;
    const month = await told();
    expect(month).toMatchObject({
      start: '2025-04-01',
      end: '2025-04-30',
      days_over: 10,
      cost: null,
      range_percent: 80,
    });
    expect(month.low_kwh).toBeGreaterThan(month.so_far_kwh);
    expect(month.low_kwh).toBeLessThan(month.expected_kwh);
    expect(month.high_kwh).toBeGreaterThan(month.expected_kwh);
    expect(month.past.map((one: { month: string }) => one.month)).toEqual(['2025-03', '2025-02', '2025-01']);
    expect(month.mean_error).toBeLessThan(0.2);
    const tariff = { name: 'flat', valid_from: '2024-01-01', currency: 'EUR', import: { per_kwh: '0.4' } };
    expect((await api.send('/v1/tariffs', { method: 'POST', key: owner.key, body: tariff })).status).toBe(201);
    // A minute later it is reckoned anew.
    api.now = new Date(untilMs + 120_000);
    const { cost, expected_kwh } = await told();
    expect(cost.currency).toBe('EUR');
    expect(cost.expected).toBeCloseTo(0.4 * expected_kwh, 1);
    expect(cost.low).toBeLessThan(cost.expected);
    for (const path of ['/v1/remarks', '/v1/forecast'])
      expect(await statuses(`${path}?user_id=${owner.userId}`, everybody())).toEqual({
        home: 403,
        utility: 200,
        stranger: 404,
        admin: 200,
      });
  });

  test('nothing is said of a home that is not there, is new, or has been silent for hours', async () => {
    api.now = new Date('2026-06-15T12:00:00Z');
    const young = await api.user('homeowner');
    expect((await ask('/v1/remarks', young)).json.remarks).toEqual([]);
    expect((await ask('/v1/forecast', young)).json.forecast).toBeNull();
    const { owner, untilMs } = await forgetfulHome(71);
    api.now = new Date(untilMs + 7 * HOUR_MS);
    expect((await ask('/v1/remarks', owner)).json.remarks).toEqual([]);
    // Nor of hours that were only estimated.
    const guessed = await forgetfulHome(71, 24);
    api.now = new Date(untilMs + 60_000);
    expect((await ask('/v1/remarks', guessed.owner)).json.remarks).toEqual([]);
    expect((await ask('/v1/remarks', owner)).json.remarks).toHaveLength(1);
  });

  test('a tariff that would have been cheaper in the last twelve months is named', async () => {
    api.now = new Date('2026-06-15T12:00:00Z');
    const owner = await api.user('homeowner');
    const deviceId = await gridMeter(owner.userId);
    const months = Array.from({ length: 14 }, (_, month) => Date.UTC(2025, 4 + month, 1, 12));
    const energies = months.map((ms) => [ms, { milliwattHours: 1_000_000, estimated: 0 }] as const);
    await write(owner.userId, deviceId, new Map(energies));
    const make = (name: string, valid_from: string, per_kwh: string) => {
      const body = { name, valid_from, currency: 'EUR', import: { per_kwh } };
      return api.send('/v1/tariffs', { method: 'POST', key: owner.key, body });
    };
    await make('ours', '2025-01-01', '0.4');
    const told = async () => (await ask('/v1/remarks', owner)).json.remarks;
    expect(await told()).toEqual([]);
    const { json: offer } = await make('an offer', '2027-01-01', '0.3');
    api.now = new Date('2026-06-15T12:01:00Z');
    expect(await told()).toEqual([
      {
        kind: 'cheaper_tariff',
        start: '2025-06-01',
        end: '2026-05-31',
        tariff_id: offer.tariff_id,
        name: 'an offer',
        currency: 'EUR',
        paid: '4.80',
        would_have_paid: '3.60',
      },
    ]);
  });
});

test('a figure is told by its devices: what was measured, estimated, not counted, and why', async () => {
  const owner = await api.user('homeowner', { enrolledBy: utility.userId });
  await sql("UPDATE users SET timezone = 'Asia/Kolkata' WHERE user_id = $1", [owner.userId]);
  const paired = async (type: string) =>
    (await createDevice(api.db, { userId: owner.userId, type, location: 'cellar' })).device.device_id;
  const [grid, roof] = [await paired('smart_meter'), await paired('solar_inverter')];
  const { read } = await meter(api.database);
  // The day begins at 18:30 UTC. Three hours of silence, a glitch, and rubbish.
  const at = (time: string) => new Date(`2026-06-10T${time}:00Z`);
  const tell = (deviceId: string, readings: [Date, number][]) => read(readings, new Date(), { deviceId });
  await tell(grid, [
    [at('00:00'), 10],
    [at('03:00'), 13],
    [at('03:30'), 13.5],
    [at('03:40'), 900],
    [at('04:00'), 14],
  ]);
  await tell(roof, [
    [at('03:00'), 0],
    [at('04:00'), 2],
  ]);
  await sql(
    `INSERT INTO rejected_messages (received_at, device_id, topic, payload, reason)
     SELECT $1::timestamptz + n * interval '1 second', $2, 't', '', CASE WHEN n < 3 THEN 'payload is not JSON' ELSE 'no quantity' END FROM generate_series(1, 4) n`,
    [at('04:00'), grid],
  );
  const path = `/v1/figure?user_id=${owner.userId}&start=2026-06-10&end=2026-06-10`;
  const { status, json } = await ask(path, owner);
  expect([status, json]).toEqual([
    200,
    {
      kwh_used: 6,
      estimated_kwh: 3,
      coverage: expect.any(Number),
      complete: false,
      devices: [
        {
          device_id: grid,
          type: 'smart_meter',
          location: 'cellar',
          placement: 'grid',
          import_kwh: 4,
          export_kwh: null,
          estimated_kwh: 3,
          notes: [{ note: 'glitch', count: 1 }],
          rejected: [
            { reason: 'no quantity', count: 2 },
            { reason: 'payload is not JSON', count: 2 },
          ],
        },
        {
          device_id: roof,
          type: 'solar_inverter',
          location: 'cellar',
          placement: 'production',
          import_kwh: 2,
          export_kwh: null,
          estimated_kwh: 0,
          notes: [],
          rejected: [],
        },
      ],
    },
  ]);
  expect(await statuses(path, { owner, ...everybody() })).toEqual({
    owner: 200,
    home: 403,
    utility: 200,
    stranger: 404,
    admin: 200,
  });
  for (const query of [
    '',
    'start=2026-06-10',
    'start=2026-06-10&end=2026-06-09',
    'start=2026-06-10&end=2026-07-11',
    'start=x&end=x',
  ])
    expect([query, (await ask(`/v1/figure?${query}`, owner)).status]).toEqual([query, 422]);
  const empty = await ask('/v1/figure?start=2026-06-10&end=2026-06-10', home);
  expect(empty.json).toMatchObject({ kwh_used: 0, coverage: null });
});

describe('costs', () => {
  const flat = (valid_from: string, currency: string, per_kwh: string) => ({
    name: per_kwh,
    valid_from,
    currency,
    import: { per_kwh },
  });
  const make = async (path: string, key: string, body: unknown, method = 'POST') => {
    const answer = await api.send(path, { method, key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  };
  let owner: Person;
  let deviceId: string;
  beforeAll(async () => {
    owner = await api.user('homeowner', { enrolledBy: utility.userId });
    const { device } = await createDevice(api.db, { userId: owner.userId, type: 'smart_meter', location: 'cellar' });
    deviceId = device.device_id;
    await sql(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, 'import', 'register', true, false)`,
      [deviceId],
    );
    const used = (time: string, kwh: number, estimatedKwh = 0) => ({
      deviceId,
      userId: owner.userId,
      startsAtMs: Date.parse(time),
      ...KNOWN,
      energyMilliwattHours: kwh * 1e6,
      estimatedMilliwattHours: estimatedKwh * 1e6,
    });
    await addToProfile(api.database, [
      used('2026-06-15T10:15Z', 1),
      used('2026-06-14T10:00Z', 2, 1),
      used('2026-05-20T10:00Z', 4),
      used('2026-04-20T10:00Z', 8),
    ]);
  });

  test('series say how many prices they have, and until when', async () => {
    const body = { name: 'spot', currency: 'EUR', resolution_minutes: 30 };
    const { series_id } = await make('/v1/price-series', utility.key, body);
    const shown = async () =>
      (await ask(`/v1/usable-series?user_id=${owner.userId}`, owner)).json.find(
        (one: { series_id: string }) => one.series_id === series_id,
      );
    expect(await shown()).toEqual({ series_id, user_id: utility.userId, ...body, prices: 0, until: null });
    const prices = ['2026-06-14T23:30Z', '2026-06-15T00:00Z', '2026-06-15T02:30Z'];
    const told = prices.map((starts_at) => ({ starts_at: starts_at.replace('Z', ':00Z'), per_kwh: '0.1' }));
    await make(`/v1/price-series/${series_id}/prices`, utility.key, told, 'PUT');
    expect(await shown()).toMatchObject({ prices: 3, until: '2026-06-15T03:00:00.000Z' });
    expect((await ask(`/v1/usable-series?user_id=${owner.userId}`, stranger)).status).toBe(404);
  });

  test('of the last whole month are told by a tariff that nobody has made', async () => {
    const preview = (body: object, caller = owner) =>
      ask('/v1/tariff-preview', caller, { method: 'POST', body: { user_id: owner.userId, ...body } });
    const count = async () => (await sql('SELECT 1 FROM tariffs WHERE user_id = $1', [owner.userId])).rows.length;
    const before = await count();
    const given = { ...flat('2030-01-01', 'NOK', '2'), standing_per_day: '1' };
    const { status, json } = await preview(given);
    expect([status, json]).toEqual([
      200,
      {
        start: '2026-05-01',
        end: '2026-05-31',
        cost: expect.objectContaining({ currency: 'NOK', total: '39.00', import: '8.00', standing: '31.00' }),
      },
    ]);
    expect(await count()).toBe(before);
    const unknown = await preview({ ...given, import: { series_id: 'prs_none' } });
    expect([unknown.status, unknown.json.details[0].field]).toEqual([422, 'import.series_id']);
    expect((await preview({ ...given, import: { per_kwh: 'x' } })).json.details[0].field).toBe('import.per_kwh');
    expect((await preview(given, stranger)).status).toBe(404);
  });
});
