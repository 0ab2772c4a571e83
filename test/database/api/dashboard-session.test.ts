import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { deleteEndedSessions } from '#src/auth/sessions.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { eraseUser } from '#src/users/erase.ts';
import { updateUser } from '#src/users/store.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import {
  findEmailAddress,
  getSessionCookie,
  setUpDashboardSessions,
  UNREACHABLE_RATE_LIMITS,
} from '#test/support/dashboard-sessions.ts';

let api: TestApi;
const { later, post, emailOf, mailed, signedIn, follow } = setUpDashboardSessions((made) => {
  api = made;
});

const COOKIE = '__Secure-energy_session';

/** Waits until the database contains the time of the session's last use, which is stored after the response. */
const waitUntilStored = (userId: string) => {
  const seen = 'SELECT FROM sessions WHERE user_id = $1 AND last_seen_at = $2';
  return expect.poll(async () => (await api.database.pool.query(seen, [userId, api.now])).rowCount).toBe(1);
};

describe('a session', () => {
  test('is a cookie for the dashboard alone, over TLS, inaccessible to scripts and other sites', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    const { headers, json } = await post('/dashboard/session', { token });
    expect(String(headers['set-cookie'])).toMatch(
      new RegExp(`^${COOKIE}=[\\w-]{43}; Path=/dashboard; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000,`),
    );
    expect(json.user.user_id).toBe(userId);
    // The database contains neither the session cookie nor its token.
    const { rows } = await api.database.pool.query('SELECT secret_sha256 FROM sessions WHERE user_id = $1', [userId]);
    expect(rows[0].secret_sha256.toString('utf8')).not.toContain(
      getSessionCookie({ headers } as TestApiResponse).split('=')[1],
    );
  });

  test('is accepted below /dashboard/v1 and not below /v1; a key is accepted below /v1 only', async () => {
    const { userId, key } = await api.user('homeowner');
    const { cookie } = await signedIn(userId);
    const path = `/v1/users/${userId}`;
    const asked = await api.send(`/dashboard${path}`, { headers: { cookie } });
    expect([asked.status, asked.json.user_id]).toEqual([200, userId]);
    expect((await api.send(`/dashboard${path}`, { key })).status).toBe(401);
    expect((await api.send(path, { headers: { cookie } })).status).toBe(401);
    expect((await api.send(path, { key })).status).toBe(200);
    expect((await api.send('/dashboard/v1/nothing', { headers: { cookie } })).status).toBe(404);
  });

  test('sets the language of the account’s mails to that of the browser, unless remarks by mail have a separate language', async () => {
    const { userId, key } = await api.user('homeowner');
    const email = await emailOf(userId);
    /**
     * Signs in with a browser that prefers these languages. Returns the language of the mail, and the account's language after the sign-in.
     */
    const signInWith = async (languages: string) => {
      const headers = { 'accept-language': languages };
      const before = api.mailed.length;
      await post('/dashboard/sign-in', { email }, headers);
      const { token, language } = await mailed(before + 1);
      expect((await post('/dashboard/session', { token }, headers)).status).toBe(201);
      const { rows } = await api.database.pool.query('SELECT language FROM users WHERE user_id = $1', [userId]);
      return [language, rows[0].language];
    };
    // At the first sign-in, the account has no language yet.
    expect(await signInWith('sv, de-AT;q=0.8')).toEqual(['de', 'de']);
    expect(await signInWith('nl')).toEqual(['de', 'nl']);
    expect(await signInWith('sv')).toEqual(['nl', 'nl']);
    const settings = { method: 'PATCH', body: { remarks_by_mail: true }, headers: { 'accept-language': 'fr' } };
    expect((await api.send(`/v1/users/${userId}`, { ...settings, key })).status).toBe(200);
    expect(await signInWith('es')).toEqual(['fr', 'fr']);
  });

  test('does not let another site’s page change anything', async () => {
    const { userId } = await api.user('homeowner');
    const mine = await signedIn(userId);
    const other = await signedIn((await api.user('homeowner')).userId);
    const { cookie } = mine;
    for (const headers of [
      { cookie },
      { cookie, 'x-csrf-token': 'x' },
      { cookie, 'x-csrf-token': other['x-csrf-token'] },
    ]) {
      expect((await post('/dashboard/v1/keys', {}, headers)).status).toBe(403);
      expect((await api.send('/dashboard/session', { method: 'DELETE', headers })).status).toBe(403);
    }
    expect((await post('/dashboard/v1/keys', {}, mine)).status).toBe(201);
  });

  test('ends after a change of role, the account’s deletion, a sign-out, a week of inactivity, or 30 days', async () => {
    const { userId } = await api.user('homeowner');
    const { userId: stranger } = await api.user('homeowner');
    const asks = async (headers: object) =>
      (await api.send(`/dashboard/v1/users/${stranger}`, { headers: headers as Record<string, string> })).status;
    const first = await signedIn(userId);
    expect(await asks(first)).toBe(403);
    await updateUser(api.db, ALL_ACCOUNTS, userId, { role: 'admin' });
    expect(await asks(first)).toBe(401);
    const again = await signedIn(userId);
    expect(await asks(again)).toBe(200);
    expect((await api.send('/dashboard/session', { method: 'DELETE', headers: again })).status).toBe(200);
    expect(await asks(again)).toBe(401);

    const second = await signedIn(userId);
    later(6 * 24 * 60);
    expect(await asks(second)).toBe(200);
    await waitUntilStored(userId);
    later(12 * 24 * 60);
    expect(await asks(second)).toBe(200);
    await waitUntilStored(userId);
    later(19 * 24 * 60 + 1);
    expect(await asks(second)).toBe(401);
    later(0);
    const third = await signedIn(userId);
    for (let day = 5; day < 30; day += 5) {
      later(day * 24 * 60);
      expect(await asks(third)).toBe(200);
      await waitUntilStored(userId);
    }
    later(30 * 24 * 60);
    expect(await asks(third)).toBe(401);

    later(0);
    const fourth = await signedIn(stranger);
    await eraseUser(api.db, stranger);
    expect((await api.send('/dashboard/session', { headers: fourth })).json).toEqual({
      user: null,
      environment: 'live',
    });
  });

  test('ends in every browser on request, with its open streams', async () => {
    const { userId } = await api.user('homeowner');
    const [here, there] = [await signedIn(userId), await signedIn(userId)];
    const other = await signedIn((await api.user('homeowner')).userId);
    const listening = await follow(there);
    expect((await api.send('/dashboard/session?everywhere=true', { method: 'DELETE', headers: here })).status).toBe(
      200,
    );
    // The end of the session closes the stream at once instead of after two minutes.
    await expect.poll(listening.isOver).toBe(true);
    for (const headers of [here, there])
      expect((await api.send('/dashboard/v1/devices', { headers })).status).toBe(401);
    expect((await api.send('/dashboard/v1/devices', { headers: other })).status).toBe(200);
  });

  test('ends its streams after a week of inactivity, too', async () => {
    const { userId } = await api.user('homeowner');
    const listening = await follow(await signedIn(userId));
    await api.database.pool.query(
      "UPDATE sessions SET last_seen_at = last_seen_at - interval '8 days' WHERE user_id = $1",
      [userId],
    );
    await expect.poll(listening.isOver).toBe(true);
  });

  test('a changed e-mail address invalidates links mailed to the old one', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    await updateUser(api.db, ALL_ACCOUNTS, userId, { timezone: 'Europe/Berlin' });
    await updateUser(api.db, ALL_ACCOUNTS, userId, { email: `new-${userId}@example.com` });
    expect((await post('/dashboard/session', { token })).status).toBe(422);
  });

  test('of the sandbox has another cookie than a live session: both may be on one host', async () => {
    const sandbox = await startTestApi({ environment: 'sandbox' });
    try {
      const { userId } = await sandbox.user('homeowner');
      await sandbox.send('/dashboard/sign-in', {
        method: 'POST',
        body: { email: await findEmailAddress(sandbox, userId) },
      });
      await expect.poll(() => sandbox.mailed.length).toBe(1);
      const opened = await sandbox.send('/dashboard/session', {
        method: 'POST',
        body: { token: sandbox.mailed[0]?.token },
      });
      expect(getSessionCookie(opened)).toMatch(/^__Secure-energy_sandbox_session=/);
      expect(
        (await sandbox.send('/dashboard/v1/devices', { headers: { cookie: getSessionCookie(opened) } })).status,
      ).toBe(200);
    } finally {
      await sandbox.close();
    }
  });

  test('does not count against the account’s plan, and has a separate limit', async () => {
    const one = await startTestApi({
      limits: {
        free: { minute: 1, day: 1 },
        developer: UNREACHABLE_RATE_LIMITS,
        enterprise: UNREACHABLE_RATE_LIMITS,
        address: UNREACHABLE_RATE_LIMITS,
      },
    });
    try {
      const { userId, key } = await one.user('homeowner');
      await one.send('/dashboard/sign-in', { method: 'POST', body: { email: await findEmailAddress(one, userId) } });
      await expect.poll(() => one.mailed.length).toBe(1);
      const opened = await one.send('/dashboard/session', { method: 'POST', body: { token: one.mailed[0]?.token } });
      const headers = { cookie: getSessionCookie(opened) };
      const statuses = new Set<number>();
      for (let asked = 0; asked < 250; asked += 5) {
        const answers = Array.from({ length: 5 }, () => one.send('/dashboard/v1/devices', { headers }));
        for (const { status } of await Promise.all(answers)) statuses.add(status);
      }
      expect([...statuses].sort()).toEqual([200, 429]);
      // The number of concurrent requests is also limited, because one account must not occupy all connections.
      one.now = new Date(one.now.getTime() + 60_000);
      const path = '/dashboard/v1/period?unit=day&date=2026-06-15';
      const statusesOf = async (count: number) =>
        (await Promise.all(Array.from({ length: count }, () => one.send(path, { headers })))).map(
          ({ status }) => status,
        );
      // Twenty concurrent requests from a browser all succeed: requests over the limit wait for their turn.
      expect(new Set(await statusesOf(20))).toEqual(new Set([200]));
      expect((await one.send(path, { headers })).status).toBe(200);
      expect((await one.send('/v1/devices', { key })).status).toBe(200);
    } finally {
      await one.close();
    }
  });

  test('has a limit that aborted requests do not use up', async () => {
    const mine = await signedIn((await api.user('homeowner')).userId);
    // The browser aborts requests at every stage: before they begin, while they wait, and while the response is created.
    for (let asked = 0; asked < 56; asked++) {
      const options = {
        host: '127.0.0.1',
        port: api.port,
        path: '/dashboard/v1/period?unit=day&date=2026-06-15',
        headers: mine,
      };
      const broken = request({ ...options, rejectUnauthorized: false });
      broken.on('error', () => {});
      broken.end();
      setTimeout(() => broken.destroy(), 12 + (asked % 14) * 2);
      if (asked % 14 === 13) await new Promise((done) => setTimeout(done, 300));
    }
    expect((await api.send('/dashboard/v1/devices', { headers: mine })).status).toBe(200);
  });

  test('is treated as missing if its cookie is malformed', async () => {
    for (const cookie of [
      `${COOKIE}=`,
      `${COOKIE}=\u00e9`,
      `${COOKIE}=${'a'.repeat(4_000)}`,
      `a=b; ${COOKIE}=${'a'.repeat(43)}`,
      ';;=',
    ]) {
      expect((await api.send('/dashboard/v1/devices', { headers: { cookie } })).status).toBe(401);
      expect((await api.send('/dashboard/session', { headers: { cookie } })).json.user).toBe(null);
    }
  });
});

test('expired sessions are deleted, and nothing else', async () => {
  const { userId } = await api.user('homeowner');
  const old = await signedIn(userId);
  later(40);
  await post('/dashboard/sign-in', { email: await emailOf(userId) });
  const { token } = await mailed(2);
  await deleteEndedSessions(api.db, api.now);
  expect((await api.send('/dashboard/v1/devices', { headers: old })).status).toBe(200);
  later(8 * 24 * 60);
  const fresh = await signedIn(userId);
  await deleteEndedSessions(api.db, api.now);
  const count = async (relation: string) =>
    (await api.database.pool.query(`SELECT count(*) FROM ${relation} WHERE user_id = $1`, [userId])).rows[0].count;
  expect([await count('sessions'), await count('sign_ins')]).toEqual([1, 0]);
  expect((await api.send('/dashboard/v1/devices', { headers: fresh })).status).toBe(200);
  expect((await post('/dashboard/session', { token })).status).toBe(422);
});
