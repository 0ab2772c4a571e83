import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { SCOPES, type Scope } from '#src/auth/scopes.ts';
import { csrfToken, openSession } from '#src/auth/sessions.ts';
import { secretBox } from '#src/core/secret-box.ts';
import { compose } from '#src/delivery/email/compose.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { type TestApi, testApi } from '#test/support/api.ts';

/** Who may change what lets somebody in: e-mail addresses, keys, sessions. */
let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
beforeAll(async () => {
  api = await testApi();
  admin = await api.user('admin');
  utility = await api.user('utility');
});
afterAll(() => api.close());

const sql = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const send = (method: string, path: string, key: string, body?: unknown) =>
  api.send(path, { method, key, ...(body === undefined ? {} : { body }) });
const home = () => api.user('homeowner', { enrolledBy: utility.userId });
const emailOf = async (userId: string) => (await sql('SELECT email FROM users WHERE user_id = $1', [userId]))[0].email;
const newEmail = (userId: string) => `moved-${userId}@example.com`;

async function session(userId: string) {
  const { session_id, secret } = await openSession(api.db, userId, api.now, {
    userAgent: 'A browser',
    address: '192.0.2.7',
  });
  const headers = {
    cookie: `__Secure-energy_session=${secret}`,
    'x-csrf-token': csrfToken('the secret of the tests', session_id),
  };
  return { sessionId: session_id, headers };
}

describe('a changed e-mail address', () => {
  test('needs keys:write beside users:write, whoever it is about', async () => {
    const { userId } = await api.user('homeowner');
    const without = SCOPES.filter((scope) => scope !== 'keys:write');
    const { key } = await createKey(api.db, { userId, environment: 'live', scopes: without });
    for (const named of [userId, 'usr_nobody'])
      expect((await send('PATCH', `/v1/users/${named}`, key, { email: newEmail(userId) })).status).toBe(403);
    expect((await send('PATCH', `/v1/users/${userId}`, key, { timezone: 'Europe/Berlin' })).status).toBe(200);
  });

  test('is reported to the old address, and ends sign-ins and sessions; an unchanged one ends nothing', async () => {
    const { userId, key } = await api.user('homeowner');
    const former = await emailOf(userId);
    const { headers } = await session(userId);
    const asked = await api.send('/dashboard/sign-in', { method: 'POST', body: { email: former } });
    await expect.poll(() => api.mailed.filter(({ to }) => to === former).length).toBe(1);
    const told = () =>
      sql(
        `SELECT type, data, target, user_id FROM events JOIN deliveries USING (event_id) WHERE user_id = $1 AND target = 'email'`,
        [userId],
      );

    expect((await send('PATCH', `/v1/users/${userId}`, key, { email: former, timezone: 'UTC' })).status).toBe(200);
    expect([(await api.send('/dashboard/v1/devices', { headers })).status, await told()]).toEqual([200, []]);

    expect((await send('PATCH', `/v1/users/${userId}`, key, { email: newEmail(userId) })).status).toBe(200);
    expect((await api.send('/dashboard/v1/devices', { headers })).status).toBe(401);
    const { token, code } = api.mailed.find(({ to }) => to === former) ?? { token: '', code: '' };
    for (const body of [{ token }, { sign_in_id: asked.json.sign_in_id, code }])
      expect((await api.send('/dashboard/session', { method: 'POST', body })).status).toBe(422);
    const [notice, ...more] = await told();
    expect([notice, more]).toEqual([
      {
        type: 'user.email_changed',
        target: 'email',
        user_id: userId,
        data: { former_email: former, changed_at: expect.any(String) },
      },
      [],
    ]);
    const { subject, text } = compose(notice, 'Europe/Berlin', new Map(), null);
    expect(subject).toBe('The e-mail address of your account was changed');
    expect([text.includes(former), text.includes(newEmail(userId))]).toEqual([true, false]);
  });

  test('is reported to at most three former addresses a day: others may be anybody’s', async () => {
    const { userId, key } = await api.user('homeowner');
    const former = await emailOf(userId);
    for (const n of [1, 2, 3, 4, 5])
      await send('PATCH', `/v1/users/${userId}`, key, { email: `${n}-${newEmail(userId)}` });
    const told = await sql(
      `SELECT data ->> 'former_email' AS email FROM events WHERE user_id = $1 AND type = 'user.email_changed' ORDER BY event_id`,
      [userId],
    );
    expect(told.map(({ email }) => email)).toEqual([former, `1-${newEmail(userId)}`, `2-${newEmail(userId)}`]);
  });

  test('of a homeowner is its utility’s to give until that one has signed in', async () => {
    const { userId } = await home();
    const path = `/v1/users/${userId}`;
    expect((await send('PATCH', path, utility.key, { email: newEmail(userId) })).status).toBe(200);
    await api.send('/dashboard/sign-in', { method: 'POST', body: { email: newEmail(userId) } });
    await expect.poll(() => api.mailed.some(({ to }) => to === newEmail(userId))).toBe(true);
    const { token } = api.mailed.find(({ to }) => to === newEmail(userId)) ?? { token: '' };
    expect((await api.send('/dashboard/session', { method: 'POST', body: { token } })).status).toBe(201);
    const refused = await send('PATCH', path, utility.key, { email: 'a-utility@example.com' });
    expect([refused.status, refused.json.error]).toEqual([403, expect.stringContaining('has signed in')]);
    expect((await send('PATCH', path, utility.key, { email: newEmail(userId), timezone: 'Europe/Paris' })).status).toBe(
      200,
    );
    // Signed out everywhere it is still its own.
    await sql('DELETE FROM sessions WHERE user_id = $1', [userId]);
    expect((await send('PATCH', path, utility.key, { email: 'a-utility@example.com' })).status).toBe(403);
    expect((await send('PATCH', path, admin.key, { email: `again-${userId}@example.com` })).status).toBe(200);
  });

  test('of the one that asks is its own to change, a utility’s, too', async () => {
    const { userId, key } = await api.user('utility');
    await session(userId);
    expect((await send('PATCH', `/v1/users/${userId}`, key, { email: newEmail(userId) })).status).toBe(200);
  });
});

describe('keys that a utility makes for its homeowners', () => {
  const READS: Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

  test('read insights, alerts and devices, and no more', async () => {
    const { userId } = await home();
    const make = (scopes?: Scope[]) =>
      send('POST', '/v1/keys', utility.key, { user_id: userId, ...(scopes ? { scopes } : {}) });
    expect((await make(READS)).status).toBe(201);
    expect((await make(['insights:read'])).json.scopes).toEqual(['insights:read']);
    expect((await make()).json.scopes).toEqual(READS);
    for (const scope of SCOPES.filter((one) => !READS.includes(one)))
      expect([scope, (await make(['insights:read', scope])).status]).toEqual([scope, 403]);
    expect((await send('POST', '/v1/keys', utility.key, { user_id: 'usr_nobody' })).status).toBe(404);
    expect((await send('POST', '/v1/keys', utility.key, { user_id: utility.userId })).json.scopes).toEqual([...SCOPES]);
    expect((await send('POST', '/v1/keys', admin.key, { user_id: userId })).json.scopes).toEqual([...SCOPES]);
  });

  test('take no other key’s place that may do more', async () => {
    const { userId, key } = await home();
    const [own] = (await send('GET', '/v1/keys', key)).json;
    const narrow = (await send('POST', '/v1/keys', utility.key, { user_id: userId })).json;
    expect((await send('POST', `/v1/keys/${own.key_id}/rotate`, utility.key, {})).status).toBe(403);
    expect((await send('POST', `/v1/keys/${narrow.key_id}/rotate`, utility.key, {})).status).toBe(201);
    expect((await send('DELETE', `/v1/keys/${own.key_id}`, utility.key)).status).toBe(200);
  });
});

describe('sessions', () => {
  test('are listed to their owner, and ended one by one', async () => {
    const { userId } = await api.user('homeowner');
    const [here, there] = [await session(userId), await session(userId)];
    const other = await session((await api.user('admin')).userId);
    const list = async () => (await api.send('/dashboard/v1/sessions', { headers: here.headers })).json;
    expect(await list()).toEqual(
      [here, there].map(({ sessionId }) => ({
        session_id: sessionId,
        created_at: api.now.toISOString(),
        last_seen_at: api.now.toISOString(),
        expires_at: new Date(api.now.getTime() + 7 * 86_400_000).toISOString(),
        user_agent: 'A browser',
        address: '192.0.2.7',
        signed_in_by: 'mail',
        is_current: sessionId === here.sessionId,
      })),
    );
    const end = async (sessionId: string) =>
      (await api.send(`/dashboard/v1/sessions/${sessionId}`, { method: 'DELETE', headers: here.headers })).status;
    expect([await end(other.sessionId), await end('ses_x'), await end('%00')]).toEqual([404, 404, 404]);
    expect(await end(there.sessionId)).toBe(200);
    expect((await api.send('/dashboard/v1/devices', { headers: there.headers })).status).toBe(401);
    expect((await list()).map(({ session_id }: { session_id: string }) => session_id)).toEqual([here.sessionId]);
    expect(await end(here.sessionId)).toBe(200);
    expect((await api.send('/dashboard/v1/devices', { headers: here.headers })).status).toBe(401);
    expect((await api.send('/dashboard/v1/devices', { headers: other.headers })).status).toBe(200);
  });
});

test('with a role go the deliveries about those that it no longer reaches', async () => {
  const box = secretBox('the secret of the tests');
  const [demoted, stays] = [await api.user('admin'), await api.user('admin')];
  for (const { userId } of [demoted, stays, utility])
    await createWebhook(api.db, box, userId, {
      event: 'user.created',
      url: 'https://example.com/x',
      authToken: 'a secret token',
    });
  const { json } = await send('POST', '/v1/users', utility.key, { email: 'watched@example.com', role: 'homeowner' });
  const owners = async () =>
    (
      await sql(
        'SELECT w.user_id FROM deliveries JOIN webhooks w USING (webhook_id) JOIN events e USING (event_id) WHERE e.user_id = $1',
        [json.user_id],
      )
    )
      .map(({ user_id }) => user_id)
      .sort();
  expect(await owners()).toEqual([demoted.userId, stays.userId, utility.userId].sort());
  await send('PATCH', `/v1/users/${demoted.userId}`, admin.key, { role: 'utility' });
  expect(await owners()).toEqual([stays.userId, utility.userId].sort());
  await send('PATCH', `/v1/users/${json.user_id}`, admin.key, { role: 'utility' });
  expect(await owners()).toEqual([stays.userId]);
});
