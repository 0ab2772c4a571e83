import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '#src/auth/scopes.ts';
import { createCsrfToken, openSession } from '#src/auth/sessions.ts';
import { createMailedToken, createSecretEncrypter } from '#src/core/secrets.ts';
import { composeMail } from '#src/delivery/email/compose.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { loadRecipientLocale } from '#src/delivery/words/words.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { confirmEmail, readConfirmationMail } from '#test/support/email-changes.ts';

/** Tests of changes that affect who can access an account: e-mail addresses, keys, sessions. */
let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
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
const changeEmail = (userId: string, key: string, email: string) =>
  send('PATCH', `/v1/users/${userId}`, key, { email });

/** An account that has requested a change of its e-mail address, with the key of that request. */
interface Requested {
  userId: string;
  key: string;
  keyId: string;
  previousEmail: string;
}
type Sessions = Record<'here' | 'there', { sessionId: string }>;

async function session(userId: string) {
  const { session_id, secret } = await openSession(api.db, userId, api.now, {
    userAgent: 'A browser',
    address: '192.0.2.7',
  });
  const headers = {
    cookie: `__Secure-energy_session=${secret}`,
    'x-csrf-token': createCsrfToken('the secret of the tests', session_id),
  };
  return { sessionId: session_id, headers };
}

test("links that were invalidated with all other access still count towards the day's limit of mails", async () => {
  const { userId } = await api.user('homeowner');
  await sql(
    `INSERT INTO sign_ins (sign_in_id, user_id, token_sha256, code_mac, created_at, expires_at) VALUES ($1, $2, $3, '', $4, $4::timestamptz + interval '15 min')`,
    [`sgn_${userId}`, userId, Buffer.from(userId), api.now],
  );
  expect((await send('PATCH', `/v1/users/${userId}`, admin.key, { role: 'utility' })).status).toBe(200);
  expect(await sql('SELECT expires_at = created_at AS has_ended FROM sign_ins WHERE user_id = $1', [userId])).toEqual([
    { has_ended: true },
  ]);
});

describe('a changed e-mail address', () => {
  test('needs keys:write in addition to users:write, for any account', async () => {
    const { userId } = await api.user('homeowner');
    const without = SCOPES.filter((scope) => scope !== 'keys:write');
    const { key } = await createKey(api.db, { userId, environment: 'live', scopes: without });
    for (const named of [userId, 'usr_nobody'])
      expect((await send('PATCH', `/v1/users/${named}`, key, { email: newEmail(userId) })).status).toBe(403);
    expect((await send('PATCH', `/v1/users/${userId}`, key, { timezone: 'Europe/Berlin' })).status).toBe(200);
  });

  test('applies only once the link in its mail is used, which also signs that person in', async () => {
    const { userId, key } = await api.user('homeowner');
    const previousEmail = await emailOf(userId);
    const { headers } = await session(userId);
    const path = `/v1/users/${userId}`;
    const patched = await send('PATCH', path, key, { email: newEmail(userId), timezone: 'Europe/Berlin' });
    expect(patched).toMatchObject({
      status: 200,
      json: { email: previousEmail, pending_email: newEmail(userId), timezone: 'Europe/Berlin' },
    });
    expect((await send('GET', path, key)).json).toEqual(patched.json);
    expect((await send('GET', '/v1/users', key)).json).toEqual([patched.json]);
    expect((await api.send('/dashboard/v1/devices', { headers })).status).toBe(200);
    const { to, token } = await readConfirmationMail(api, userId);
    expect(to).toBe(newEmail(userId));

    const confirmed = await confirmEmail(api, token);
    expect([confirmed.status, confirmed.json.user.email]).toEqual([201, newEmail(userId)]);
    expect(confirmed.json.user).not.toHaveProperty('pending_email');
    const [cookie] = String(confirmed.headers['set-cookie']).split(';');
    expect((await api.send('/dashboard/v1/devices', { headers: { cookie: cookie ?? '' } })).status).toBe(200);
    expect((await api.send('/dashboard/v1/devices', { headers })).status).toBe(401);
    expect((await confirmEmail(api, token)).status).toBe(422);
  });

  test('is reported to the old address when it is requested and when it applies, and invalidates pending sign-ins', async () => {
    const { userId, key } = await api.user('homeowner');
    const previousEmail = await emailOf(userId);
    const asked = await api.send('/dashboard/sign-in', { method: 'POST', body: { email: previousEmail } });
    await expect.poll(() => api.mailed.filter(({ to }) => to === previousEmail).length).toBe(1);
    const accessEvents = () =>
      sql(
        `SELECT type, data FROM events JOIN deliveries USING (event_id)
         WHERE user_id = $1 AND target = 'email' AND data ? 'former_email' ORDER BY event_id`,
        [userId],
      );
    expect((await send('PATCH', `/v1/users/${userId}`, key, { email: previousEmail, timezone: 'UTC' })).status).toBe(
      200,
    );
    expect(await accessEvents()).toEqual([]);

    await send('PATCH', `/v1/users/${userId}`, key, { email: newEmail(userId) });
    const { token, code } = api.mailed.find(({ to }) => to === previousEmail) ?? { token: '', code: '' };
    for (const body of [{ token }, { sign_in_id: asked.json.sign_in_id, code }])
      expect((await api.send('/dashboard/session', { method: 'POST', body })).status).toBe(422);
    await confirmEmail(api, (await readConfirmationMail(api, userId)).token);
    const notices = await accessEvents();
    expect(notices).toEqual([
      { type: 'user.email_requested', data: { former_email: previousEmail, requested_at: expect.any(String) } },
      { type: 'user.email_changed', data: { former_email: previousEmail, changed_at: expect.any(String) } },
    ]);
    const reader = await loadRecipientLocale({ language: 'en', timezone: 'Europe/Berlin' });
    for (const [index, subject] of [
      'Somebody wants to change the e-mail address of your account',
      'The e-mail address of your account was changed',
    ].entries()) {
      const mail = composeMail(notices[index], reader, new Map(), null);
      expect(mail.subject).toBe(subject);
      // The mail to the previous address must not contain the new address.
      expect([mail.text.includes(previousEmail), mail.text.includes(newEmail(userId))]).toEqual([true, false]);
    }
  });

  test.each<[string, (who: Requested) => Promise<unknown>]>([
    ['the address that the account has', ({ userId, key, previousEmail }) => changeEmail(userId, key, previousEmail)],
    ['another request', ({ userId, key }) => changeEmail(userId, key, `other-${newEmail(userId)}`)],
    ['a revoked key that requested it', ({ keyId }) => send('DELETE', `/v1/keys/${keyId}`, admin.key)],
    ['an administrator’s change', ({ userId }) => changeEmail(userId, admin.key, `by-admin-${newEmail(userId)}`)],
    [
      'seven days',
      ({ userId }) =>
        sql(`UPDATE email_changes SET created_at = created_at - interval '7 days 1 s' WHERE user_id = $1`, [userId]),
    ],
  ])('is withdrawn by %s', async (_what, end) => {
    const { userId, key } = await api.user('homeowner');
    const [{ key_id: keyId }] = await sql('SELECT key_id FROM api_keys WHERE user_id = $1', [userId]);
    const previousEmail = await emailOf(userId);
    await changeEmail(userId, key, newEmail(userId));
    const { token } = await readConfirmationMail(api, userId);
    await end({ userId, key, keyId, previousEmail });
    const { pending_email } = (await send('GET', `/v1/users/${userId}`, admin.key)).json;
    expect(pending_email).not.toBe(newEmail(userId));
    expect((await confirmEmail(api, token)).status).toBe(422);
    expect(await emailOf(userId)).not.toBe(newEmail(userId));
  });

  test.each([
    ['ended by its owner', ({ there }: Sessions) => `/dashboard/v1/sessions/${there.sessionId}`],
    ['ended everywhere', () => '/dashboard/session?everywhere=true'],
  ])('is withdrawn if the session that requested it is %s', async (_what, pathOf) => {
    const { userId } = await api.user('homeowner');
    const [here, there] = [await session(userId), await session(userId)];
    const body = { email: newEmail(userId) };
    const path = `/dashboard/v1/users/${userId}`;
    expect((await api.send(path, { method: 'PATCH', headers: there.headers, body })).status).toBe(200);
    const { token } = await readConfirmationMail(api, userId);
    expect((await api.send(pathOf({ here, there }), { method: 'DELETE', headers: here.headers })).status).toBe(200);
    expect((await confirmEmail(api, token)).status).toBe(422);
  });

  test('remains pending after the requesting session has signed out', async () => {
    const { userId } = await api.user('homeowner');
    const { headers } = await session(userId);
    const body = { email: newEmail(userId) };
    await api.send(`/dashboard/v1/users/${userId}`, { method: 'PATCH', headers, body });
    expect((await api.send('/dashboard/session', { method: 'DELETE', headers })).status).toBe(200);
    expect((await confirmEmail(api, (await readConfirmationMail(api, userId)).token)).status).toBe(201);
  });

  test('is refused if another account has it, at the request and at the confirmation', async () => {
    const [one, other] = [await api.user('homeowner'), await api.user('homeowner')];
    const inUse = { status: 409, json: { error: 'The e-mail address is already in use' } };
    const taken = (await emailOf(other.userId)).toUpperCase();
    for (const { key } of [one, admin]) expect(await changeEmail(one.userId, key, taken)).toMatchObject(inUse);
    const wanted = newEmail(one.userId);
    await changeEmail(one.userId, one.key, wanted);
    const { token } = await readConfirmationMail(api, one.userId);
    expect((await changeEmail(other.userId, admin.key, wanted.toUpperCase())).status).toBe(200);
    expect(await confirmEmail(api, token)).toMatchObject(inUse);
    expect((await send('GET', `/v1/users/${one.userId}`, one.key)).json.pending_email).toBe(wanted);
  });

  test('may be requested by two accounts: the first to confirm gets it, and a request does not block either account', async () => {
    const [one, other] = [await api.user('homeowner'), await api.user('homeowner')];
    const wanted = newEmail(one.userId);
    for (const { userId, key } of [one, other])
      expect((await changeEmail(userId, key, wanted)).json.pending_email).toBe(wanted);
    const tokens = [await readConfirmationMail(api, one.userId), await readConfirmationMail(api, other.userId)];
    const answers = await Promise.all(tokens.map(({ token }) => confirmEmail(api, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);

    const third = await api.user('homeowner');
    const free = newEmail(third.userId);
    await changeEmail(third.userId, third.key, free);
    const { token } = await readConfirmationMail(api, third.userId);
    expect((await send('POST', '/v1/users', utility.key, { email: free, role: 'homeowner' })).status).toBe(201);
    expect((await confirmEmail(api, token)).status).toBe(409);
  });

  test('is applied once if many confirm it concurrently', async () => {
    const { userId, key } = await api.user('homeowner');
    await changeEmail(userId, key, newEmail(userId));
    const { token } = await readConfirmationMail(api, userId);
    const tries = await Promise.all(Array.from({ length: 8 }, () => confirmEmail(api, token)));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
  });

  test('cannot be confirmed by any other token', async () => {
    const { userId, key } = await api.user('homeowner');
    await changeEmail(userId, key, newEmail(userId));
    const { token } = await readConfirmationMail(api, userId);
    const [id = '', mac = ''] = token.split('.');
    const wrong = [
      `${id}.${mac.toUpperCase()}`,
      `${id}.`,
      id,
      mac,
      `${id}.${'A'.repeat(22)}`,
      `emc_${'0'.repeat(26)}.${mac}`,
    ];
    for (const other of [...wrong, createMailedToken('the secret of the tests', 'unsubscribe', id), '\0'])
      expect([other, (await confirmEmail(api, other)).status]).toEqual([other, 422]);
    for (const body of [{}, [], null, { token: '' }, { token: 1 }, { token, more: 1 }])
      expect((await api.send('/dashboard/email', { method: 'POST', body })).status).toBe(422);
    expect((await confirmEmail(api, token)).status).toBe(201);
  });

  test('is mailed five times a day at most, because the address may be a stranger’s', async () => {
    const { userId, key } = await api.user('homeowner');
    const statuses: number[] = [];
    for (const n of [1, 2, 3, 4, 5, 6])
      statuses.push((await changeEmail(userId, key, `${n}-${newEmail(userId)}`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await send('GET', `/v1/users/${userId}`, key)).json.pending_email).toBe(`5-${newEmail(userId)}`);
  });

  test('is reported to at most three previous addresses a day, because they may be strangers’', async () => {
    const { userId } = await api.user('homeowner');
    const previousEmail = await emailOf(userId);
    for (const n of [1, 2, 3, 4, 5])
      await send('PATCH', `/v1/users/${userId}`, admin.key, { email: `${n}-${newEmail(userId)}` });
    const eventsOfHome = await sql(
      `SELECT data ->> 'former_email' AS email FROM events WHERE user_id = $1 AND type = 'user.email_changed' ORDER BY event_id`,
      [userId],
    );
    expect(eventsOfHome.map(({ email }) => email)).toEqual([
      previousEmail,
      `1-${newEmail(userId)}`,
      `2-${newEmail(userId)}`,
    ]);
  });

  test('of a homeowner can be requested by its utility until the homeowner has signed in', async () => {
    const { userId } = await home();
    const path = `/v1/users/${userId}`;
    expect((await changeEmail(userId, utility.key, newEmail(userId))).json.pending_email).toBe(newEmail(userId));
    expect((await confirmEmail(api, (await readConfirmationMail(api, userId)).token)).status).toBe(201);
    const refused = await send('PATCH', path, utility.key, { email: 'a-utility@example.com' });
    expect([refused.status, refused.json.error]).toEqual([403, expect.stringContaining('has signed in')]);
    expect((await send('PATCH', path, utility.key, { email: newEmail(userId), timezone: 'Europe/Paris' })).status).toBe(
      200,
    );
    // The utility may not change the address of an account that has ever signed in.
    await sql('DELETE FROM sessions WHERE user_id = $1', [userId]);
    expect((await send('PATCH', path, utility.key, { email: 'a-utility@example.com' })).status).toBe(403);
    expect((await send('PATCH', path, admin.key, { email: `again-${userId}@example.com` })).status).toBe(200);
  });

  test.each<[string, (utilityId: string, homeId: string) => Promise<unknown>]>([
    ['a sign-in', (_, homeId) => session(homeId)],
    ['another role', (_, homeId) => send('PATCH', `/v1/users/${homeId}`, admin.key, { role: 'utility' })],
    ['the end of the utility’s account', (utilityId) => send('DELETE', `/v1/users/${utilityId}`, admin.key)],
    [
      'another role of the utility',
      (utilityId) => send('PATCH', `/v1/users/${utilityId}`, admin.key, { role: 'homeowner' }),
    ],
  ])('that a utility requested is withdrawn by %s', async (_what, meanwhile) => {
    const by = await api.user('utility');
    const { userId } = await api.user('homeowner', { enrolledBy: by.userId });
    await changeEmail(userId, by.key, newEmail(userId));
    const { token } = await readConfirmationMail(api, userId);
    await meanwhile(by.userId, userId);
    expect((await confirmEmail(api, token)).status).toBe(422);
  });

  test('of its own account can be changed by a utility, too', async () => {
    const { userId, key } = await api.user('utility');
    await session(userId);
    expect((await changeEmail(userId, key, newEmail(userId))).status).toBe(200);
  });
});

describe('keys that a utility makes for its homeowners', () => {
  const READS: Scope[] = ['insights:read', 'alerts:read', 'devices:read'];

  test('read insights, alerts and devices, and nothing else', async () => {
    const { userId } = await home();
    const make = (scopes?: Scope[]) =>
      send('POST', '/v1/keys', utility.key, { user_id: userId, ...(scopes ? { scopes } : {}) });
    expect((await make(READS)).status).toBe(201);
    expect((await make(['insights:read'])).json.scopes).toEqual(['insights:read']);
    expect((await make()).json.scopes).toEqual(READS);
    for (const scope of SCOPES.filter((one) => !READS.includes(one)))
      expect([scope, (await make(['insights:read', scope])).status]).toEqual([scope, 403]);
    expect((await send('POST', '/v1/keys', utility.key, { user_id: 'usr_nobody' })).status).toBe(404);
    expect((await send('POST', '/v1/keys', utility.key, { user_id: utility.userId })).json.scopes).toEqual([
      ...DEFAULT_SCOPES,
    ]);
    expect((await send('POST', '/v1/keys', admin.key, { user_id: userId })).json.scopes).toEqual([...DEFAULT_SCOPES]);
  });

  test('cannot replace a key with more rights', async () => {
    const { userId, key } = await home();
    const [own] = (await send('GET', '/v1/keys', key)).json;
    const narrow = (await send('POST', '/v1/keys', utility.key, { user_id: userId })).json;
    expect((await send('POST', `/v1/keys/${own.key_id}/rotate`, utility.key, {})).status).toBe(403);
    expect((await send('POST', `/v1/keys/${narrow.key_id}/rotate`, utility.key, {})).status).toBe(201);
    expect((await send('DELETE', `/v1/keys/${own.key_id}`, utility.key)).status).toBe(200);
  });
});

describe('sessions of an account', () => {
  test('are listed for their owner, and ended one by one', async () => {
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

test('a demotion removes deliveries about accounts that the new role cannot access', async () => {
  const box = createSecretEncrypter('the secret of the tests');
  const [demoted, stays] = [await api.user('admin'), await api.user('admin')];
  for (const { userId } of [demoted, stays, utility])
    await createWebhook(api.db, box, userId, {
      events: ['user.created'],
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
