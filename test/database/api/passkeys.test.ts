import { beforeEach, describe, expect, test } from 'vitest';
import { deleteEndedSessions } from '#src/auth/sessions.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi, TEST_URL, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { createAuthenticator, type ForgedResponse } from '#test/support/authenticator.ts';
import { getSessionCookie, setUpDashboardSessions, UNREACHABLE_RATE_LIMITS } from '#test/support/dashboard-sessions.ts';

let api: TestApi;
const { later, post, signedIn } = setUpDashboardSessions((made) => {
  api = made;
});

type Headers = Record<string, string>;
const sql = async (text: string, values: unknown[]) => (await api.database.pool.query(text, values)).rows;
const send = (method: string, path: string, headers: Headers) => api.send(path, { method, headers });
const begin = async (headers: Headers) => (await post('/dashboard/session/passkey', {}, headers)).json;
const add = (headers: Headers, body: object) => post('/dashboard/v1/passkeys', { name: 'phone', ...body }, headers);
const listed = async (headers: Headers) => (await send('GET', '/dashboard/v1/passkeys', headers)).json;
const challenge = async () => (await post('/dashboard/sign-in/passkey', {})).json;
const enter = (sign_in_id: string, passkey: object) => post('/dashboard/session', { sign_in_id, passkey });

/** Creates a person with a signed-in browser and a registered passkey. */
async function person() {
  const { userId } = await api.user('homeowner');
  const headers = await signedIn(userId);
  const authenticator = createAuthenticator(TEST_URL);
  const { challenge_id, options } = await begin(headers);
  const added = await add(headers, { challenge_id, credential: authenticator.create(options) });
  expect(added.status).toBe(201);
  const signIn = async (forged: ForgedResponse = {}): Promise<TestApiResponse> => {
    const created = await challenge();
    return enter(created.sign_in_id, authenticator.sign(created.options, forged));
  };
  return { userId, headers, authenticator, passkeyId: added.json.passkey_id as string, signIn };
}
let one: Awaited<ReturnType<typeof person>>;
beforeEach(async () => {
  one = await person();
});

describe('a passkey', () => {
  test('signs in without a mail, is listed, mailed and audited, and no longer works once it is removed', async () => {
    const { userId, headers, passkeyId, signIn } = one;
    const at = api.now.toISOString();
    const passkey = { passkey_id: passkeyId, name: 'phone', host: 'localhost', created_at: at };
    expect(await listed(headers)).toEqual([{ ...passkey, last_used_at: null }]);
    later(5);
    const answer = await signIn();
    expect([answer.status, answer.json.user.user_id]).toEqual([201, userId]);
    const own = { cookie: getSessionCookie(answer), 'x-csrf-token': answer.json.csrf_token };
    const sessions = (await send('GET', '/dashboard/v1/sessions', own)).json;
    expect(sessions.find((session: { is_current: boolean }) => session.is_current).signed_in_by).toBe('passkey');
    expect(await listed(own)).toEqual([{ ...passkey, last_used_at: api.now.toISOString() }]);
    const mails = await sql("SELECT data FROM events WHERE user_id = $1 AND type = 'passkey.added'", [userId]);
    expect(mails).toEqual([{ data: { name: 'phone', added_at: at } }]);

    expect((await send('DELETE', `/dashboard/v1/passkeys/${passkeyId}`, own)).status).toBe(200);
    expect((await send('DELETE', `/dashboard/v1/passkeys/${passkeyId}`, own)).status).toBe(404);
    expect((await signIn()).status).toBe(422);
    // After the passkey has been removed, the sessions that it opened remain valid.
    expect(await listed(own)).toEqual([]);
    const acts = await sql(
      "SELECT action, details->>'by' AS by FROM audit_log WHERE about_user_id = $1 AND (action LIKE 'passkey%' OR details->>'by' = 'passkey') ORDER BY audit_id",
      [userId],
    );
    expect(acts).toEqual([
      { action: 'passkey.added', by: null },
      { action: 'session.opened', by: 'passkey' },
      { action: 'passkey.removed', by: null },
    ]);
  });

  test('is made only with the response to the session’s own unused challenge, for this site, by a verified person', async () => {
    const { headers } = one;
    const other = await signedIn((await api.user('homeowner')).userId);
    const attempts: [string, ForgedResponse][] = [
      ['another origin', { origin: 'https://localhost:8444' }],
      ['another host', { host: 'evil.example' }],
      ['another challenge', { challenge: 'A'.repeat(44) }],
      ['nobody verified', { isVerified: false }],
      ['a sign-in', { type: 'webauthn.get' }],
      ['a certificate of the device', { format: 'fido-u2f' }],
    ];
    for (const [name, forged] of attempts) {
      const { challenge_id, options } = await begin(headers);
      const credential = createAuthenticator(TEST_URL).create(options, forged);
      expect([name, (await add(headers, { challenge_id, credential })).status]).toEqual([name, 422]);
    }
    const fresh = createAuthenticator(TEST_URL);
    const { challenge_id, options } = await begin(headers);
    const credential = fresh.create(options);
    expect(options.excludeCredentials).toEqual([{ type: 'public-key', id: one.authenticator.id }]);
    // Another session cannot use this session's challenge or passkey.
    expect((await add(other, { challenge_id, credential })).status).toBe(422);
    expect((await add(headers, { challenge_id, credential: { ...credential, id: 'not base64url!' } })).status).toBe(
      422,
    );
    expect((await add(headers, { challenge_id: 'a\0b', credential })).status).toBe(422);
    expect((await add(headers, { challenge_id, credential })).status).toBe(201);
    expect((await add(headers, { challenge_id, credential })).status).toBe(422);
    const created = await begin(other);
    const stolen = { challenge_id: created.challenge_id, credential: fresh.create(created.options) };
    expect((await add(other, stolen)).json.details).toEqual([{ field: 'credential', message: 'is in use already' }]);
    // A challenge for registering a passkey cannot be used for a sign-in.
    const { challenge_id: ofSession, options: its } = await begin(headers);
    expect((await enter(ofSession, fresh.sign(its))).status).toBe(422);
    const anonymous = await challenge();
    const swapped = {
      challenge_id: anonymous.sign_in_id,
      credential: fresh.create({ ...options, ...anonymous.options }),
    };
    expect((await add(headers, swapped)).status).toBe(422);
  });

  test('can be added only by the account’s owner and shortly after a sign-in, and at most 20 times', async () => {
    const { headers, userId, signIn } = one;
    const status = async (own: Headers) => (await post('/dashboard/session/passkey', {}, own)).status;
    expect(await status({ cookie: headers.cookie })).toBe(403);
    expect(await status({})).toBe(401);
    later(14);
    expect(await status(headers)).toBe(201);
    later(16);
    expect(await status(headers)).toBe(403);
    // A session that was opened from another device does not prove that its user owns the account.
    await sql("UPDATE sessions SET signed_in_by = 'device', created_at = $2 WHERE user_id = $1", [userId, api.now]);
    expect(await status(headers)).toBe(403);
    const entered = await signIn();
    const own = { cookie: getSessionCookie(entered), 'x-csrf-token': entered.json.csrf_token };
    for (let count = 2; count <= 21; count++) {
      const { challenge_id, options } = await begin(own);
      const added = await add(own, { challenge_id, credential: createAuthenticator(TEST_URL).create(options) });
      expect([count, added.status]).toEqual([count, count <= 20 ? 201 : 422]);
    }
    expect(await listed(own)).toHaveLength(20);
    // Neither another account nor an API key can list or remove a passkey.
    const stranger = await signedIn((await api.user('homeowner')).userId);
    expect(await listed(stranger)).toEqual([]);
    const path = `/dashboard/v1/passkeys/${one.passkeyId}`;
    for (const who of [stranger, await signedIn((await api.user('admin')).userId)])
      expect((await send('DELETE', path, who)).status).toBe(404);
    expect((await api.send('/v1/passkeys', { key: (await api.user('homeowner')).key })).status).toBe(404);
  });
});

test('of passkeys that several sessions of an account add at once, none exceeds the maximum', async () => {
  const { userId } = one;
  await sql(
    `INSERT INTO passkeys (passkey_id, user_id, credential_id, public_key, counter, host, name, created_at)
     SELECT 'pky_' || n || $1, $1, n || $1, '\\x00', 0, 'localhost', 'x', now() FROM generate_series(1, 18) n`,
    [userId],
  );
  const ready: (() => ReturnType<typeof add>)[] = [];
  for (let session = 0; session < 3; session++) {
    const own = await signedIn(userId);
    const { challenge_id, options } = await begin(own);
    ready.push(() => add(own, { challenge_id, credential: createAuthenticator(TEST_URL).create(options) }));
  }
  const answers = await Promise.all(ready.map((run) => run()));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
});

describe('a sign-in by passkey', () => {
  test('is refused for a forged response, and does not change the passkey', async () => {
    const other = await person();
    const attempts: [string, ForgedResponse][] = [
      ['another origin', { origin: 'https://localhost' }],
      ['another host', { host: 'evil.example' }],
      ['another challenge', { challenge: 'A'.repeat(44) }],
      ['a part of the challenge', { challenge: 'A'.repeat(43) }],
      ['nobody verified', { isVerified: false }],
      ['a new passkey', { type: 'webauthn.create' }],
      ['the passkey of another account', { credentialId: other.authenticator.id }],
      ['that, with its account', { credentialId: other.authenticator.id, userId: other.userId }],
      ['another account', { userId: other.userId }],
      ['an unknown passkey', { credentialId: 'AAAA' }],
    ];
    for (const [name, forged] of attempts) {
      const { status, json } = await one.signIn(forged);
      expect([name, status, json.details?.[0].field]).toEqual([name, 422, 'passkey']);
    }
    const refused = await sql(
      "SELECT about_user_id AS whose, count(*)::int FROM audit_log WHERE action = 'session.refused' AND about_user_id = ANY ($1) GROUP BY 1 ORDER BY 2",
      [[one.userId, other.userId]],
    );
    expect(refused).toEqual([
      { whose: other.userId, count: 2 },
      { whose: one.userId, count: 7 },
    ]);
    for (const body of [{}, { id: 'AAAA' }, 'AAAA', [], null]) {
      const { sign_in_id } = await challenge();
      expect((await enter(sign_in_id, body as object)).status).toBe(422);
    }
    expect((await one.signIn()).status).toBe(201);
  });

  test('uses a challenge once, also if it fails, within five minutes', async () => {
    const { authenticator } = one;
    const first = await challenge();
    const response = authenticator.sign(first.options);
    const twice = await Promise.all([enter(first.sign_in_id, response), enter(first.sign_in_id, response)]);
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect((await enter(first.sign_in_id, authenticator.sign(first.options))).status).toBe(422);
    const second = await challenge();
    expect((await enter(second.sign_in_id, authenticator.sign(first.options))).status).toBe(422);
    expect((await enter(second.sign_in_id, authenticator.sign(second.options))).status).toBe(422);
    const third = await challenge();
    later(5);
    expect((await enter(third.sign_in_id, authenticator.sign(third.options))).status).toBe(422);
    const storedChallenges = () =>
      sql('SELECT challenge_id FROM passkey_challenges WHERE challenge_id = $1', [third.sign_in_id]);
    expect(await storedChallenges()).toHaveLength(1);
    await deleteEndedSessions(api.db, api.now);
    expect(await storedChallenges()).toEqual([]);
    expect((await enter('a\0b', authenticator.sign(third.options))).status).toBe(422);
  });

  test('is refused if the counter does not rise, which is the sign of a copy; without a counter it is accepted', async () => {
    expect((await one.signIn({ counter: 7 })).status).toBe(201);
    expect((await one.signIn({ counter: 7 })).status).toBe(422);
    expect((await one.signIn({ counter: 3 })).status).toBe(422);
    expect((await one.signIn({ counter: 0 })).status).toBe(422);
    expect((await one.signIn({ counter: 8 })).status).toBe(201);
    const other = await person();
    for (let time = 0; time < 2; time++) expect((await other.signIn({ counter: 0 })).status).toBe(201);
  });

  test('is refused for an account that was erased', async () => {
    await eraseUser(api.db, one.userId);
    expect((await one.signIn()).status).toBe(422);
    expect(await sql('SELECT FROM passkeys WHERE user_id = $1', [one.userId])).toEqual([]);
  });

  test('counts against the limit of its network', async () => {
    const limits = {
      free: UNREACHABLE_RATE_LIMITS,
      developer: UNREACHABLE_RATE_LIMITS,
      enterprise: UNREACHABLE_RATE_LIMITS,
    };
    const limited = await startTestApi({ limits: { ...limits, address: { minute: 3, day: 1_000 } } });
    try {
      const ask = async () => (await limited.send('/dashboard/sign-in/passkey', { method: 'POST', body: {} })).status;
      expect([await ask(), await ask()]).toEqual([201, 201]);
      const passkey = one.authenticator.sign({ challenge: 'AAAA' });
      const body = { sign_in_id: 'sgn_x', passkey };
      expect((await limited.send('/dashboard/session', { method: 'POST', body })).status).toBe(422);
      expect((await limited.send('/dashboard/session', { method: 'POST', body })).status).toBe(429);
      expect(await ask()).toBe(429);
    } finally {
      await limited.close();
    }
  });
});
