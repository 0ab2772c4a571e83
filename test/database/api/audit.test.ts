import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import type { AnyOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createKey } from '#src/auth/keys.ts';
import { createSignIn } from '#src/auth/sign-ins.ts';
import { deleteOldAuditEntries, runAsOperator } from '#src/users/audit.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi({ trustProxy: ['127.0.0.1'] });
  admin = await api.user('admin');
});
afterAll(() => api.close());

interface Act {
  audit_id: string;
  at: string;
  actor_user_id: string | null;
  actor_key_id: string | null;
  address: string | null;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
}

const FROM = '203.0.113.7';
const ask = (method: string, path: string, body?: unknown, key = admin.key) =>
  api.send(path, { method, key, body, headers: { 'x-forwarded-for': FROM } });
const audit = async (query = ''): Promise<Act[]> => (await ask('GET', `/v1/audit${query}`)).json;
const keyIdOf = async (userId: string) =>
  (await api.database.pool.query('SELECT key_id FROM api_keys WHERE user_id = $1', [userId])).rows[0].key_id;
const briefly = ({ action, target, details }: Act) => ({ action, target, details });

test('every operation that changes something is recorded', () => {
  const all = [...OPERATIONS, ...DASHBOARD_OPERATIONS];
  // Operations that send readings are not audited, because there would be too many audit rows.
  const isOfReadings = ({ path }: AnyOperation) => path.endsWith('/readings');
  const changing = all.filter((one) => one.method !== 'GET' && one.changes !== 'nothing' && !isOfReadings(one));
  expect(changing.length).toBeGreaterThan(20);
  expect(changing.filter(({ audit }) => !audit).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

describe('the audit log', () => {
  test('records the actor, the action, the target, the key and the address', async () => {
    const { user_id } = (await ask('POST', '/v1/users', { email: 'Anna@example.com', role: 'homeowner' })).json;
    await ask('PATCH', `/v1/users/${user_id}`, { plan: 'developer', phone: '+4915112345678' });
    const { key_id } = (await ask('POST', '/v1/keys', { user_id, name: 'Anna’s phone', scopes: ['insights:read'] }))
      .json;
    const rotated = (await ask('POST', `/v1/keys/${key_id}/rotate`, {})).json;
    await ask('DELETE', `/v1/keys/${rotated.key_id}`);
    const { device_id } = (await ask('POST', '/v1/devices', { user_id, type: 'smart_meter', location: 'cellar' })).json;
    await ask('PATCH', `/v1/devices/${device_id}`, { placement: 'grid', location: 'Anna’s cellar' });
    await ask('DELETE', `/v1/devices/${device_id}`);
    const { gateway_id } = (await ask('POST', '/v1/gateways', { user_id, name: 'home' })).json;
    await ask('DELETE', `/v1/gateways/${gateway_id}`);
    const acts = await audit(`?user_id=${user_id}`);
    expect(acts.map(briefly).reverse()).toEqual([
      { action: 'user.created', target: user_id, details: { members: ['email', 'role'], role: 'homeowner' } },
      { action: 'user.changed', target: user_id, details: { members: ['phone', 'plan'], plan: 'developer' } },
      {
        action: 'key.created',
        target: key_id,
        details: { members: ['user_id', 'name', 'scopes'], scopes: ['insights:read'] },
      },
      { action: 'key.rotated', target: key_id, details: { members: [] } },
      { action: 'key.revoked', target: rotated.key_id, details: {} },
      { action: 'device.paired', target: device_id, details: { members: ['user_id', 'type', 'location'] } },
      {
        action: 'device.changed',
        target: device_id,
        details: { members: ['location', 'placement'], placement: 'grid' },
      },
      { action: 'device.deleted', target: device_id, details: {} },
      { action: 'gateway.created', target: gateway_id, details: { members: ['user_id', 'name'] } },
      { action: 'gateway.deleted', target: gateway_id, details: {} },
    ]);
    const who = { actor_user_id: admin.userId, actor_key_id: await keyIdOf(admin.userId), address: FROM };
    for (const act of acts) expect(act).toMatchObject(who);
    expect(JSON.stringify(acts)).not.toMatch(/anna|cellar|\+49/i);
  });

  test('is a list for administrators, page by page, the latest first', async () => {
    for (const role of ['homeowner', 'utility'] as const) {
      const { key } = await api.user(role);
      expect((await ask('GET', '/v1/audit', undefined, key)).status).toBe(403);
    }
    for (let index = 0; index < 3; index++) await ask('POST', '/v1/gateways', { name: `g${index}` });
    const all = await audit(`?user_id=${admin.userId}&limit=200`);
    expect(all.map(({ audit_id }) => audit_id)).toEqual(
      all
        .map(({ audit_id }) => audit_id)
        .sort()
        .reverse(),
    );
    const pages: Act[] = [];
    for (let path: string | undefined = `/v1/audit?user_id=${admin.userId}&limit=2`; path; ) {
      const { json, headers } = await ask('GET', path);
      pages.push(...json);
      path = /<(.*)>/.exec(String(headers.link ?? ''))?.[1];
    }
    expect(pages).toEqual(all);
    expect((await ask('GET', '/v1/audit?cursor=x')).status).toBe(422);
    expect((await ask('GET', '/v1/audit?action=x')).status).toBe(400);
    expect(await audit('?user_id=usr_nobody')).toEqual([]);
    expect((await ask('GET', '/v1/audit?user_id=%00')).status).toBe(404);
  });

  test('contains no operation that was refused, failed or was answered from the idempotency store', async () => {
    const before = (await audit('?limit=200')).length;
    const home = await api.user('homeowner');
    expect((await ask('PATCH', `/v1/users/${home.userId}`, { role: 'admin' }, home.key)).status).toBe(403);
    expect((await ask('DELETE', '/v1/devices/dev_nobody')).status).toBe(404);
    expect((await ask('DELETE', '/v1/devices/%00')).status).toBe(404);
    const { email } = (await ask('GET', `/v1/users/${home.userId}`)).json;
    expect((await ask('POST', '/v1/users', { email, role: 'homeowner' })).status).toBe(409);
    expect((await audit('?limit=200')).length).toBe(before);
    const headers = { 'idempotency-key': 'audited-once' };
    for (let index = 0; index < 2; index++)
      await api.send('/v1/gateways', { method: 'POST', key: admin.key, body: { name: 'once' }, headers });
    expect((await audit('?limit=200')).length).toBe(before + 1);
  });

  test('contains sign-ins (also failed ones) and sign-outs, pauses of an alert by a mailed link, actions of operators, and exports', async () => {
    const home = await api.user('homeowner');
    const secret = 'the secret of the tests';
    const made = await createSignIn(api.db, { userId: home.userId, secret, now: api.now, validMs: 900_000 });
    const wrong = { sign_in_id: made?.sign_in_id, code: made?.code === '00000000' ? '00000001' : '00000000' };
    const sign = (body: object) =>
      api.send('/dashboard/session', { method: 'POST', body, headers: { 'x-forwarded-for': FROM } });
    expect((await sign(wrong)).status).toBe(422);
    expect((await sign({ token: 'nobody’s' })).status).toBe(422);
    const opened = await sign({ token: made?.token });
    expect(opened.status).toBe(201);
    const browser = {
      cookie: /^[^;]+/.exec(String(opened.headers['set-cookie']))?.[0] ?? '',
      'x-csrf-token': opened.json.csrf_token,
      'x-forwarded-for': FROM,
    };
    expect((await api.send('/dashboard/session', { method: 'DELETE', headers: browser })).status).toBe(200);
    expect((await ask('GET', `/v1/users/${home.userId}/export`)).status).toBe(200);
    const env = { userId: home.userId, environment: 'live' as const };
    const key = await runAsOperator(
      api.db,
      'key.created',
      (trx) => createKey(trx, env),
      ({ key_id }) => key_id,
    );
    const acts = (await audit(`?user_id=${home.userId}`)).reverse();
    const entries = acts.map(({ action, actor_user_id, address }) => [action, actor_user_id, address]);
    expect(entries).toEqual([
      ['session.refused', null, FROM],
      ['session.opened', home.userId, FROM],
      ['session.ended', home.userId, FROM],
      ['user.exported', admin.userId, FROM],
      ['key.created', null, 'cli'],
    ]);
    expect(acts[1]?.target).toMatch(/^ses_/);
    expect(acts.at(-1)?.target).toBe(key.key_id);
    expect((await audit()).filter(({ action }) => action === 'session.refused')[0]).toMatchObject({ target: null });
  });

  test('is append-only: only the purge and erasure change or remove rows', async () => {
    const { pool } = api.database;
    await ask('POST', '/v1/gateways', { name: 'kept' });
    for (const text of [
      "UPDATE audit_log SET action = 'nothing'",
      'UPDATE audit_log SET actor_user_id = NULL',
      'UPDATE audit_log SET address = NULL WHERE actor_user_id IS NOT NULL',
      "UPDATE audit_log SET target = 'usr_somebody_else' WHERE about_user_id IS NOT NULL",
      "UPDATE audit_log SET at = now() - interval '3 years'",
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
    ])
      await expect(pool.query(text), text).rejects.toThrow('append-only');
    const old =
      "INSERT INTO audit_log (audit_id, at, action) VALUES ('aud_000', now() - interval '24 months 1 day', 'old'), ('aud_001', now() - interval '23 months', 'young')";
    await pool.query(old);
    await deleteOldAuditEntries(api.db, new Date());
    const { rows } = await pool.query("SELECT action FROM audit_log WHERE audit_id IN ('aud_000', 'aud_001')");
    expect(rows).toEqual([{ action: 'young' }]);
  });

  test('names no erased account, but still shows that something was done', async () => {
    const utility = await api.user('utility');
    const { user_id } = (await ask('POST', '/v1/users', { email: 'gone@example.com', role: 'homeowner' }, utility.key))
      .json;
    const { key, key_id } = (await ask('POST', '/v1/keys', { user_id })).json;
    const { device_id } = (await ask('POST', '/v1/devices', { type: 'meter', location: 'x' }, key)).json;
    await ask('DELETE', `/v1/devices/${device_id}`, undefined, key);
    const before = (await audit(`?user_id=${user_id}`)).length;
    expect(before).toBe(4);
    // The account deletes itself. The log then no longer identifies it.
    expect((await ask('DELETE', `/v1/users/${user_id}`, undefined, key)).status).toBe(200);
    expect(await audit(`?user_id=${user_id}`)).toEqual([]);
    const rows = JSON.stringify((await api.database.pool.query('SELECT * FROM audit_log')).rows);
    for (const known of [user_id, key_id, device_id]) expect(rows).not.toContain(known);
    const [last] = await audit('?limit=1');
    expect(last).toMatchObject({ action: 'user.deleted', actor_key_id: null, address: null });
    expect(last?.actor_user_id).toMatch(/^erased_/);
    expect(last?.target).toBe(last?.actor_user_id);
    const erased = await audit(`?user_id=${last?.actor_user_id}`);
    expect(erased.map(({ action }) => action).reverse()).toEqual([
      'user.created',
      'key.created',
      'device.paired',
      'device.deleted',
      'user.deleted',
    ]);
    // If another account has acted on the deleted account, the log still identifies that other account.
    expect(erased.at(-1)).toMatchObject({ actor_user_id: utility.userId, address: FROM });
    await eraseUser(api.db, utility.userId);
    expect(JSON.stringify(await audit('?limit=200'))).not.toContain(utility.userId);
  });
});
