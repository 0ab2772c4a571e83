import { describe, expect, test } from 'vitest';
import { replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { COLUMN_BY_MEASURE, MEASURE_COLUMNS } from '#src/rollups/levels.ts';
import { setUpDashboardApi } from '#test/support/dashboard-api.ts';
import { createTestMeter } from '#test/support/meters.ts';

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;

const own = setUpDashboardApi();
const { ask, sql } = own;
const { admin, utility, stranger, home } = own.people;

test('requests need a session, and are limited to its scopes', async () => {
  const key = (await own.api.user('admin', { scopes: ['alerts:write'] })).key;
  for (const { method, path } of DASHBOARD_OPERATIONS) {
    const asked = `/own${path.replaceAll(/\{\w+\}/g, 'x')}`;
    expect((await own.api.send(asked, { method })).status).toBe(401);
    expect((await own.api.send(asked, { method, key })).status).toBe(403);
    // The dashboard's operations do not exist under the public API's paths.
    const known = (await own.api.send(asked.slice('/own'.length), { method, key: admin.key })).status;
    expect([404, 422]).toContain(known);
  }
});

describe('audited actions', () => {
  test('contain the e-mail addresses of existing accounts, unlike in the public API', async () => {
    const { userId } = await own.api.user('homeowner');
    const of = async () => (await ask(`/v1/acts?user_id=${admin.userId}&limit=1`, admin)).json[0];
    const patch = { key: admin.key, method: 'PATCH', body: { plan: 'developer' } };
    expect((await own.api.send(`/v1/users/${userId}`, patch)).status).toBe(200);
    const emails = new Map(
      (await sql('SELECT user_id, email FROM users')).rows.map(({ user_id, email }) => [user_id, email]),
    );
    const named = { actor_email: emails.get(admin.userId), target_email: emails.get(userId) };
    expect(await of()).toMatchObject({ action: 'user.changed', target: userId, ...named });
    const { text } = await own.api.send(`/v1/audit?user_id=${admin.userId}&limit=1`, { key: admin.key });
    expect([JSON.parse(text)[0].target, text.includes('@')]).toEqual([userId, false]);
    // The log has no e-mail address if no account acted, or if the account has been deleted.
    await own.api.send(`/v1/users/${userId}`, { key: admin.key, method: 'DELETE' });
    expect(await of()).toMatchObject({ action: 'user.deleted', actor_email: named.actor_email, target_email: null });
  });
});

describe('operations for administrators', () => {
  const ADMIN: [string, string][] = [
    ['GET', '/v1/operator'],
    ['GET', '/v1/operator/findings'],
    ['GET', '/v1/acts'],
    ['GET', '/v1/rejected'],
    ['POST', '/v1/rejected/replay'],
    ['POST', '/v1/rollups/check'],
  ];
  test.each(ADMIN)('%s %s is refused for everybody else', async (method, path) => {
    const { rejected, rollups } = own.context;
    const without = { rejected, rollups, runDoctor: async () => ({ ok: true, findings: [] }) };
    // The service refuses the caller before it reads anything. It does so even if the resource does not exist.
    for (const caller of [home, utility, stranger]) expect((await ask(path, caller, { method })).status).toBe(403);
    delete own.context.rejected;
    delete own.context.rollups;
    delete own.context.runDoctor;
    expect((await ask(path, home, { method })).status).toBe(403);
    expect((await ask(path, admin, { method })).status).toBe(['/v1/operator', '/v1/acts'].includes(path) ? 200 : 503);
    Object.assign(own.context, without);
    expect((await ask(path, admin, { method })).status).toBe(200);
  });

  /** Makes all connections report their statistics now. PostgreSQL otherwise reports them after ten idle seconds. */
  async function reportStatistics(): Promise<void> {
    const { pool } = own.api.database;
    const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
    for (const client of clients) client.release();
  }

  test('the operator sees the numbers of arriving and waiting messages', async () => {
    const get = async () => (await ask('/v1/operator', admin)).json;
    await reportStatistics();
    const sent = { key: home.key, method: 'POST' };
    const webhook = { event: 'usage.updated', url: 'https://hooks.example.net/', auth_token: 'a secret' };
    const { webhook_id } = (await own.api.send('/v1/webhooks', { ...sent, body: webhook })).json;
    await own.api.send(`/v1/webhooks/${webhook_id}/test`, sent);
    const before = await get();
    const { read, deviceId } = await createTestMeter(own.api.database);
    await sql('UPDATE devices SET says_faulty = true WHERE device_id = $1', [deviceId]);
    const atMs = Date.now() - 100 * QUARTER_HOUR_MS;
    const readings = Array.from({ length: 50 }, (_, at) => [new Date(atMs + at * QUARTER_HOUR_MS), 100 + at] as const);
    await read(readings);
    const lastSeen = (await sql('SELECT max(seen_at) AS at FROM device_heads')).rows[0].at;
    const realNow = own.api.now;
    own.api.now = new Date(lastSeen.getTime() + 90_000);
    await sql(
      `INSERT INTO rejected_messages (received_at, topic, payload, reason)
       SELECT $1::timestamptz - make_interval(mins => m), 't', '', 'r' FROM unnest('{1, 59, 61, 1000, 1439, 1441}'::int[]) m`,
      [own.api.now],
    );
    await reportStatistics();
    const after = await get();
    expect(after.readings_stored - before.readings_stored).toBe(50);
    own.api.now = realNow;
    expect(after.lag_seconds).toBeCloseTo(90, 1);
    expect(after.rejected).toEqual({ last_hour: 2, last_day: 5 });
    expect(after.devices.faulty - before.devices.faulty).toBe(1);
    expect(after.waiting.usage_changes - before.waiting.usage_changes).toBeGreaterThan(0);
    expect(after.waiting.deliveries).toBeGreaterThan(0);
    await sql('DELETE FROM rejected_messages');
  });

  test('the operator sees what `energy doctor` finds; the doctor runs once at a time', async () => {
    const todo = 'Free some space.';
    const report = { ok: false, findings: [{ check: 'disk', level: 'problem' as const, finding: 'full', todo }] };
    const { promise, resolve } = Promise.withResolvers<typeof report>();
    own.context.runDoctor = () => promise;
    const first = ask('/v1/operator/findings', admin);
    await expect.poll(async () => (await ask('/v1/operator/findings', admin)).status).toBe(503);
    resolve(report);
    expect((await first).json).toEqual(report);
    expect((await ask('/v1/operator/findings', admin)).json).toEqual(report);
  });

  test('rejected messages are listed, shortened, and replayed', async () => {
    const { deviceId } = await createTestMeter(own.api.database);
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
    // Only one replay runs at a time, whether the dashboard or the command line has started it. Of two concurrent replays, the second waits
    // or gets a 503.
    const both = await Promise.all([replay({ device_id: deviceId }), replay({ device_id: deviceId })]);
    expect(both.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(both.some(({ status }) => status === 200)).toBe(true);
    expect((await ask(path, admin)).json).toHaveLength(2);
    expect((await replay()).status).toBe(200);
    const other = await own.api.database.pool.connect();
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.replay]);
    expect((await replay()).status).toBe(503);
    await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.replay]);
    other.release();
    const three = () => replayRejectedMessages(own.api.database.pool, { deviceId }, { retentionMonths: 24 });
    expect((await Promise.all([three(), three(), three()])).some((done) => done !== null)).toBe(true);
    expect((await ask(path, admin)).json).toHaveLength(2);
    const over = await replayRejectedMessages(
      own.api.database.pool,
      { deviceId },
      { retentionMonths: 24, signal: AbortSignal.abort() },
    );
    expect(over).toMatchObject({ messages: 0, isComplete: false });
  });

  test('aggregates are compared with the load profile', async () => {
    const { userId, read } = await createTestMeter(own.api.database);
    const atMs = Date.now() - 100 * QUARTER_HOUR_MS;
    await read(Array.from({ length: 50 }, (_, at) => [new Date(atMs + at * QUARTER_HOUR_MS), 100 + at] as const));
    await own.api.database.settle();
    const before = own.api.now;
    own.api.now = new Date();
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
    if (!own.api.database.capabilities.continuousAggregates) {
      await sql(
        `INSERT INTO closed_user_hourly (user_id, hour, ${MEASURE_COLUMNS.join(', ')})
         SELECT $1, date_trunc('hour', now()) - make_interval(hours => h), ${MEASURE_COLUMNS.map((column) => (column === COLUMN_BY_MEASURE.energyMilliwattHours ? 5 : 1)).join(', ')}
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
    own.api.now = before;
  });

  test('a check that exceeds its time reports its progress', async () => {
    const { checkAllRollups: passOverRollups } = await import('#src/rollups/check-all.ts');
    const { pool, capabilities } = own.api.database;
    const stop = new AbortController();
    const report = await passOverRollups(pool, {
      ...{ capabilities, since: new Date(), mode: 'check', signal: stop.signal },
      onProgress: (done) => done === 2 && stop.abort(),
    });
    expect(report.checked).toBe(2);
    expect(report.users).toBeGreaterThan(2);
  });
});
