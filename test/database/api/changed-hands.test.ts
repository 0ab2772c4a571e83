import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { signInIdentifiedPerson } from '#src/auth/oidc/sign-in.ts';
import { createCsrfToken, openSession } from '#src/auth/sessions.ts';
import { createSignIn, signIn } from '#src/auth/sign-ins.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { composeMail } from '#src/delivery/email/compose.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { loadRecipientLocale } from '#src/delivery/words/words.ts';
import { eraseUser } from '#src/users/erase.ts';
import type { Role } from '#src/users/store.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { confirmEmail, readConfirmationMail } from '#test/support/email-changes.ts';
import { addMember, createMemberKeyForHome, inviteMember, signInBrowser } from '#test/support/members.ts';

/** Tests of accounts that another person takes over. Earlier access must end. */
const SECRET = 'the secret of the tests';
let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
let number = 0;
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.user('admin');
});
beforeEach(async () => {
  utility = await api.user('utility');
});
afterAll(() => api.close());

const sql = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const send = (method: string, path: string, key: string, body?: unknown) =>
  api.send(path, { method, key, ...(body === undefined ? {} : { body }) });
const emailOf = async (userId: string) => (await sql('SELECT email FROM users WHERE user_id = $1', [userId]))[0].email;
const patch = (userId: string, key: string, body: object) => send('PATCH', `/v1/users/${userId}`, key, body);
const newEmail = () => `new-${++number}@example.com`;
const makesGateway = async (key: string) => (await send('POST', '/v1/gateways', key, { name: 'x' })).status;
const headersOf = ({ session_id, secret }: { session_id: string; secret: string }) => ({
  cookie: `__Secure-energy_session=${secret}`,
  'x-csrf-token': createCsrfToken(SECRET, session_id),
});
const openedBy = async (headers: Record<string, string>) =>
  (await api.send('/dashboard/v1/sessions', { headers })).status;

interface Hands {
  userId: string;
  key: string;
}
type Opened = { session_id: string; secret: string };

/** Signs in by mail, as the owner of the mailbox can. */
async function signInByMail(userId: string): Promise<Opened> {
  const made = await createSignIn(api.db, { userId, secret: SECRET, now: api.now, validMs: 60_000 });
  const from = { userAgent: 'The new one', address: '192.0.2.9' };
  const opened = await signIn(api.db, { token: made?.token ?? '' }, { secret: SECRET, now: api.now, from });
  if (!opened) throw new Error('not signed in');
  return opened;
}

async function signInAtProvider(email: string, role: Role | null, subject = `subject-${++number}`): Promise<Opened> {
  const opened = await signInIdentifiedPerson(
    api.db,
    { issuer: 'https://provider.example', subject, verifiedEmail: email, role },
    { now: api.now, from: { userAgent: 'The new one', address: '192.0.2.9' }, createsAccounts: false },
  );
  if (typeof opened === 'string') throw new Error(opened);
  return opened;
}

async function confirm(userId: string): Promise<null> {
  const { token } = await readConfirmationMail(api, userId);
  expect((await confirmEmail(api, token)).status).toBe(201);
  return null;
}

/**
 * Ways in which another person takes over an account, or the account gains rights. Each function returns the new session, if there is one.
 */
const WAYS: Record<string, { isEnrolled?: true; because: string; run(hands: Hands): Promise<Opened | null> }> = {
  'a confirmed e-mail address': {
    because: 'email',
    async run({ userId, key }) {
      expect((await patch(userId, key, { email: newEmail() })).status).toBe(200);
      return confirm(userId);
    },
  },
  'an e-mail address that an administrator changes': {
    because: 'email',
    async run({ userId }) {
      expect((await patch(userId, admin.key, { email: newEmail() })).status).toBe(200);
      return null;
    },
  },
  'a role that an administrator gives': {
    because: 'role',
    async run({ userId }) {
      expect((await patch(userId, admin.key, { role: 'admin' })).status).toBe(200);
      return null;
    },
  },
  'a first sign-in by a provider': {
    because: 'link',
    run: async ({ userId }) => signInAtProvider(await emailOf(userId), null),
  },
  'a first sign-in by a provider that makes it an administrator': {
    because: 'role',
    run: async ({ userId }) => signInAtProvider(await emailOf(userId), 'admin'),
  },
  'the first sign-in by mail to an account that a utility enrolled': {
    isEnrolled: true,
    because: 'first_sign_in',
    run: ({ userId }) => signInByMail(userId),
  },
  'the same once that utility is gone': {
    isEnrolled: true,
    because: 'first_sign_in',
    async run({ userId }) {
      await eraseUser(api.db, utility.userId);
      return signInByMail(userId);
    },
  },
};

describe('earlier access to an account ends with', () => {
  test.each(Object.entries(WAYS))('%s', async (_name, { isEnrolled, because, run }) => {
    const hands = await api.user('homeowner', isEnrolled ? { enrolledBy: utility.userId } : {});
    const { userId, key } = hands;
    const other = await createKey(api.db, { userId, environment: 'live', name: 'of somebody else' });
    const waiting = await createSignIn(api.db, { userId, secret: SECRET, now: api.now, validMs: 3_600_000 });
    const before = isEnrolled
      ? null
      : await openSession(api.db, userId, api.now, { userAgent: 'The former one', address: '192.0.2.7' });
    await api.db
      .insertInto('passkeys')
      .values({
        ...{ passkey_id: `pky_${userId}`, user_id: userId, credential_id: userId, public_key: Buffer.from([0]) },
        ...{ counter: 0, host: 'localhost', name: 'The former phone', created_at: api.now },
      })
      .execute();
    const hook = { events: ['user.created'] as const, url: 'https://stranger.example/x', authToken: 'a secret token' };
    await createWebhook(api.db, createSecretEncrypter(SECRET), userId, hook);
    // The previous owner had requested a change to another address.
    await patch(userId, key, { email: newEmail() });
    const { token } = await readConfirmationMail(api, userId);
    expect(await makesGateway(key)).toBe(201);
    const member = await api.user('homeowner');
    const memberId = await addMember(api, hands, member, 'manage');
    const keyOfMember = await createMemberKeyForHome(api, hands, member);
    const membersBrowser = await signInBrowser(api, member.userId);
    await inviteMember(api, hands, `invited-${userId}@example.org`);

    const opened = await run(hands);

    expect(await makesGateway(keyOfMember)).toBe(401);
    const ofHome = await api.send(`/dashboard/v1/devices?user_id=${userId}`, { headers: membersBrowser });
    expect(ofHome.status).toBe(403);
    expect(await sql('SELECT member_id FROM home_members WHERE user_id = $1 AND ended_at IS NULL', [userId])).toEqual(
      [],
    );
    const mailed = await sql(
      `SELECT type, user_id, data ->> 'member_id' AS member FROM events WHERE type IN ('member.ended', 'membership.ended') AND data ->> 'member_id' = $1 ORDER BY type`,
      [memberId],
    );
    expect(mailed).toEqual([
      { type: 'member.ended', user_id: userId, member: memberId },
      { type: 'membership.ended', user_id: member.userId, member: memberId },
    ]);

    for (const one of [key, other.key]) expect(await makesGateway(one)).toBe(401);
    expect(await sql('SELECT FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL', [userId])).toEqual([]);
    expect(await sql('SELECT FROM passkeys WHERE user_id = $1', [userId])).toEqual([]);
    if (before) expect(await openedBy(headersOf(before))).toBe(401);
    if (opened) expect(await openedBy(headersOf(opened))).toBe(200);
    expect((await api.send('/dashboard/session', { method: 'POST', body: { token: waiting?.token } })).status).toBe(
      422,
    );
    expect((await confirmEmail(api, token)).status).toBe(422);
    expect((await sql('SELECT status FROM webhooks WHERE user_id = $1', [userId])).map((one) => one.status)).toEqual([
      'paused',
    ]);
    const accessEvents = await sql(
      `SELECT type, data, user_id FROM events WHERE user_id = $1 AND type = 'access.ended'`,
      [userId],
    );
    expect(accessEvents.map(({ data }) => data.because)).toEqual([because]);
    const { text } = composeMail(
      accessEvents[0],
      await loadRecipientLocale({ language: 'en', timezone: 'UTC' }),
      new Map(),
      null,
    );
    for (const named of [
      other.prefix,
      'of somebody else',
      'The former phone',
      hook.url,
      ...(before ? ['The former one'] : []),
    ])
      expect(text).toContain(named);
    const acts = await sql(`SELECT details FROM audit_log WHERE target = $1 AND action = 'access.ended'`, [userId]);
    const ended = { keys: 2, sessions: before ? 1 : 0, passkeys: 1, webhooks: 1, authorizations: 0 };
    expect(acts).toEqual([{ details: { because, ...ended } }]);
  });

  test.each<[string, (hands: Hands) => Promise<unknown>]>([
    ['a second sign-in by the same provider', ({ userId }) => twice(userId, null)],
    ['a role that stays', ({ userId }) => patch(userId, admin.key, { role: 'homeowner', timezone: 'Europe/Berlin' })],
    ['a sign-in to an account that nobody enrolled', ({ userId }) => signInByMail(userId)],
    ['the address that it has', async ({ userId, key }) => patch(userId, key, { email: await emailOf(userId) })],
    ['a requested address', ({ userId, key }) => patch(userId, key, { email: newEmail() })],
  ])('does not end with %s', async (_name, run) => {
    const hands = await api.user('homeowner');
    const isTwice = _name.startsWith('a second');
    const first = isTwice ? await signInAtProvider(await emailOf(hands.userId), null, hands.userId) : null;
    const { key } = isTwice ? await createKey(api.db, { userId: hands.userId, environment: 'live' }) : hands;
    const session = first ?? (await openSession(api.db, hands.userId, api.now));
    await run({ ...hands, key });
    expect(await makesGateway(key)).toBe(201);
    expect(await openedBy(headersOf(session))).toBe(200);
  });
  const twice = async (userId: string, role: Role | null) => signInAtProvider(await emailOf(userId), role, userId);

  test('does not end with the second sign-in to an enrolled account', async () => {
    const { userId } = await api.user('homeowner', { enrolledBy: utility.userId });
    const first = await signInByMail(userId);
    const made = await send('POST', '/v1/keys', utility.key, { user_id: userId });
    await signInByMail(userId);
    expect(await openedBy(headersOf(first))).toBe(200);
    expect((await send('GET', '/v1/devices', made.json.key)).status).toBe(200);
  });
});

describe('homes of others that an account has joined', () => {
  const joinedBy = (userId: string) =>
    sql('SELECT user_id FROM home_members WHERE member_user_id = $1 AND ended_at IS NULL', [userId]);

  test.each(['utility', 'administrator'])('are left if a %s changes its address', async (who) => {
    const home = await api.user('homeowner');
    const guest = await api.user('homeowner', { enrolledBy: utility.userId });
    await addMember(api, home, guest, 'manage');
    const by = who === 'utility' ? utility : admin;
    expect((await patch(guest.userId, by.key, { email: newEmail() })).status).toBe(200);
    if (who === 'utility') {
      expect(await joinedBy(guest.userId)).toEqual([{ user_id: home.userId }]);
      await confirm(guest.userId);
    }
    expect(await joinedBy(guest.userId)).toEqual([]);
  });

  test('stay if the account itself changes its address', async () => {
    const [home, guest] = [await api.user('homeowner'), await api.user('homeowner')];
    await addMember(api, home, guest, 'read');
    expect((await patch(guest.userId, guest.key, { email: newEmail() })).status).toBe(200);
    await confirm(guest.userId);
    expect(await joinedBy(guest.userId)).toEqual([{ user_id: home.userId }]);
  });
});

describe('a homeowner’s key never reads as an administrator', () => {
  const readsAll = async (key: string) => (await send('GET', '/v1/users?limit=200', key)).json;

  test('of an account whose requested new address is an administrator’s', async () => {
    const attacker = await api.user('homeowner');
    const boss = newEmail();
    expect((await patch(attacker.userId, attacker.key, { email: boss })).json.email).not.toBe(boss);
    await expect(signInAtProvider(boss, 'admin')).rejects.toThrow('unknown');
    expect((await readsAll(attacker.key)).length).toBe(1);
  });

  test('of an account that a utility enrolled under an administrator’s address', async () => {
    const boss = newEmail();
    const { json } = await send('POST', '/v1/users', utility.key, { email: boss, role: 'homeowner' });
    const made = await send('POST', '/v1/keys', utility.key, { user_id: json.user_id });
    await signInAtProvider(boss, 'admin');
    expect((await send('GET', `/v1/energy-insights?user_id=${admin.userId}`, made.json.key)).status).toBe(401);
    expect((await send('GET', '/v1/devices', made.json.key)).status).toBe(401);
    // After the change of role, the utility has no access to the account.
    expect((await send('POST', '/v1/keys', utility.key, { user_id: json.user_id })).status).toBe(404);
  });
});

/**
 * Changes an account's role to administrator in a transaction that stays open, starts `meanwhile`, and commits when `meanwhile` waits for
 * the lock.
 */
async function whilePromoted<T>(userId: string, meanwhile: () => Promise<T>): Promise<T> {
  const client = await api.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE users SET role = 'admin' WHERE user_id = $1`, [userId]);
    const answer = meanwhile();
    await expect
      .poll(
        async () =>
          (await sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`))
            .length,
      )
      .toBeGreaterThan(0);
    await client.query('COMMIT');
    return await answer;
  } finally {
    client.release();
  }
}

describe('while an account becomes an administrator, its former utility', () => {
  test('cannot create a key for it', async () => {
    const { userId } = await api.user('homeowner', { enrolledBy: utility.userId });
    const made = await whilePromoted(userId, () => send('POST', '/v1/keys', utility.key, { user_id: userId }));
    expect(made.status).toBe(404);
  });

  test('cannot rotate its keys', async () => {
    const { userId } = await api.user('homeowner', { enrolledBy: utility.userId });
    const { json } = await send('POST', '/v1/keys', utility.key, { user_id: userId });
    const rotated = await whilePromoted(userId, () => send('POST', `/v1/keys/${json.key_id}/rotate`, utility.key, {}));
    expect(rotated.status).toBe(404);
  });

  test('cannot request a change of its address', async () => {
    const { userId } = await api.user('homeowner', { enrolledBy: utility.userId });
    const patched = await whilePromoted(userId, () => patch(userId, utility.key, { email: newEmail() }));
    expect(patched.status).toBe(404);
    expect(await sql('SELECT FROM email_changes WHERE user_id = $1', [userId])).toEqual([]);
  });
});
