import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { share } from '#src/api/share.ts';
import { forgetSessions } from '#src/auth/sessions.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { eraseUser } from '#src/users/erase.ts';
import { updateUser } from '#src/users/store.ts';
import { type Answer, type TestApi, testApi } from '#test/support/api.ts';
import { openEventStream } from '#test/support/event-stream.ts';
import { meter } from '#test/support/meters.ts';

const COOKIE = '__Secure-energy_session';
const NOON = new Date('2026-06-15T12:00:00Z');

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(() => {
  api.now = NOON;
  api.mailed.length = 0;
});

const later = (minutes: number) => {
  api.now = new Date(NOON.getTime() + minutes * 60_000);
};
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.send(path, { method: 'POST', body, headers });
const emailOf = async (userId: string) =>
  (await api.db.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow()).email;
const mailed = async (count: number) => {
  await expect.poll(() => api.mailed.length).toBe(count);
  return api.mailed[count - 1] as (typeof api.mailed)[number];
};
const browserCookieOf = ({ headers }: Answer) =>
  /__Secure-energy_browser=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
const cookieOf = ({ headers }: Answer) => /^[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';

/** Headers of somebody who is signed in. */
async function signedIn(userId: string): Promise<{ cookie: string; 'x-csrf-token': string }> {
  const before = api.mailed.length;
  await post('/dashboard/sign-in', { email: await emailOf(userId) });
  const { token } = await mailed(before + 1);
  const answer = await post('/dashboard/session', { token });
  expect(answer.status).toBe(201);
  return { cookie: cookieOf(answer), 'x-csrf-token': answer.json.csrf_token };
}

/** Asks for a mail from one of this machine's addresses. */
const askFrom = (localAddress: string, email: string, headers: Record<string, string>) =>
  new Promise<{ status: number }>((done, fail) => {
    const options = { host: '127.0.0.1', port: api.port, localAddress, rejectUnauthorized: false };
    const sent = { path: '/dashboard/sign-in', method: 'POST', headers: { ...JSON_TYPE, ...headers } };
    const asked = request({ ...options, ...sent }, (response) => {
      response.resume();
      response.on('end', () => done({ status: response.statusCode ?? 0 }));
    });
    asked.on('error', fail);
    asked.end(JSON.stringify({ email }));
  });

/** What a listener was told within a time. */
const listen = async (userId: string | null, headers: Record<string, string>, forMs: number) => {
  const path = `/dashboard/v1/changes${userId === null ? '' : `?user_id=${userId}`}`;
  const options = { host: '127.0.0.1', port: api.port, path, headers, rejectUnauthorized: false };
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const asked = request(options, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      const end = () => done({ status: response.statusCode ?? 0, text });
      response.on('end', end);
      setTimeout(() => {
        end();
        asked.destroy();
      }, forMs);
    });
    asked.on('error', fail);
    asked.end();
  });
};

/** Listens until it is closed, or ended. */
const follow = ({ cookie }: { cookie: string }) => openEventStream(api.port, '/dashboard/v1/changes', { cookie });

/** Waits until it is noted that a session of an account was seen now: no answer waits for that. */
const noted = (userId: string) => {
  const seen = 'SELECT FROM sessions WHERE user_id = $1 AND last_seen_at = $2';
  return expect.poll(async () => (await api.database.pool.query(seen, [userId, api.now])).rowCount).toBe(1);
};

describe('signing in', () => {
  test('answers the same, whether or not there is such an account, and mails accounts only', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    const known = await post('/dashboard/sign-in', { email: email.toUpperCase() });
    const unknown = await post('/dashboard/sign-in', { email: 'nobody@example.com' });
    expect([known.status, unknown.status]).toEqual([202, 202]);
    expect(Object.keys(known.json)).toEqual(Object.keys(unknown.json));
    expect(known.json.sign_in_id).toMatch(/^sgn_[0-9a-z]{26}$/);
    expect(unknown.json.sign_in_id).toMatch(/^sgn_[0-9a-z]{26}$/);
    expect(await mailed(1)).toMatchObject({ to: email, sign_in_id: known.json.sign_in_id });
    await new Promise((done) => setTimeout(done, 200));
    expect(api.mailed.length).toBe(1);
  });

  test('takes a link once, and by one of many who try at once', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    const tries = await Promise.all(Array.from({ length: 8 }, () => post('/dashboard/session', { token })));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
  });

  test('takes a code with its own id only, and is over after five wrong ones', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    await post('/dashboard/sign-in', { email });
    const first = await mailed(1);
    await post('/dashboard/sign-in', { email });
    const second = await mailed(2);
    const tryCode = (sign_in_id: string, code: string) => post('/dashboard/session', { sign_in_id, code });
    expect((await tryCode(second.sign_in_id, first.code)).status).toBe(422);
    expect((await tryCode('sgn_00000000000000000000000000', first.code)).status).toBe(422);
    expect((await tryCode(first.sign_in_id, `${first.code.slice(0, 4)} ${first.code.slice(4)}`)).status).toBe(201);
    for (let wrong = 0; wrong < 4; wrong++) {
      expect((await tryCode(second.sign_in_id, '00000000')).status).toBe(422);
    }
    // The fifth of the wrong ones was the other mail's code.
    expect((await tryCode(second.sign_in_id, second.code)).status).toBe(422);
  });

  test('is over after 15 minutes', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    await post('/dashboard/sign-in', { email });
    const { token } = await mailed(1);
    later(15);
    expect((await post('/dashboard/session', { token })).status).toBe(422);
  });

  test('a second request of a browser replaces its first, and no other browser’s', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    const cookie = browserCookieOf(await post('/dashboard/sign-in', { email }));
    expect(cookie).toMatch(/^__Secure-energy_browser=[\w-]{22}$/);
    const mine = await mailed(1);
    await post('/dashboard/sign-in', { email });
    const theirs = await mailed(2);
    const again = await post('/dashboard/sign-in', { email }, { cookie });
    expect(again.headers['set-cookie']).toBeUndefined();
    const anew = await mailed(3);
    expect((await post('/dashboard/session', { token: mine.token })).status).toBe(422);
    for (const { token } of [theirs, anew]) expect((await post('/dashboard/session', { token })).status).toBe(201);
  });

  test('is not used up by strangers, and they do not fill a mailbox', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    await post('/dashboard/sign-in', { email });
    const { token } = await mailed(1);
    const cookie = browserCookieOf(await post('/dashboard/session', { token }));
    expect(cookie).toMatch(/^__Secure-energy_browser=[\w-]{22}\.[\w-]{22}$/);
    const settled = () => new Promise((done) => setTimeout(done, 300));
    const ask = async (times: number, address: string, mails: number, headers: Record<string, string> = {}) => {
      const before = api.mailed.length;
      for (let asked = 0; asked < times; asked++) expect((await askFrom(address, email, headers)).status).toBe(202);
      // No answer waits for its mail. And then there comes none more.
      await expect.poll(() => api.mailed.length - before).toBeGreaterThanOrEqual(mails);
      await settled();
      expect(api.mailed.length - before).toBe(mails);
    };
    // From one address; from many; with a cookie that was made up.
    await ask(15, '127.0.0.2', 10);
    await ask(1, '127.0.0.3', 1);
    await ask(15, '127.0.0.4', 9, { cookie: `${cookie.slice(0, -1)}~` });
    await ask(1, '127.0.0.5', 0);
    // The owner’s browser, wherever it is; and from any other the links that are there.
    await ask(7, '127.0.0.2', 5, { cookie });
    expect((await post('/dashboard/session', { token: api.mailed.at(-1)?.token })).status).toBe(201);
    expect((await post('/dashboard/session', { token: api.mailed[1]?.token })).status).toBe(201);
    later(15);
    await ask(1, '127.0.0.5', 1);
  });

  test('refuses rubbish with an answer of the catalogue', async () => {
    for (const body of [{}, [], 'x', null, { email: 1 }, { email: 'no address' }, { email: 'a@b.c', more: 1 }])
      expect([body, (await post('/dashboard/sign-in', body)).status]).toEqual([body, 422]);
    for (const body of [{}, { token: '' }, { token: 5 }, { code: '1' }, { token: 'x', code: '1' }, { token: '\0' }])
      expect([body, (await post('/dashboard/session', body)).status]).toEqual([body, 422]);
    expect((await api.send('/dashboard/session', { method: 'POST', raw: '{', headers: JSON_TYPE })).status).toBe(400);
    expect((await api.send('/dashboard/sign-in', { method: 'POST', raw: 'email=a@b.c', headers: FORM })).status).toBe(
      400,
    );
  });

  test('counts against the address that asks', async () => {
    const few = await testApi({
      limits: { free: MANY, developer: MANY, enterprise: MANY, address: { minute: 3, day: 1_000 } },
    });
    try {
      const statuses: number[] = [];
      for (let asked = 0; asked < 4; asked++) {
        const sent = { method: 'POST', body: { email: 'nobody@example.com' } };
        statuses.push((await few.send('/dashboard/sign-in', sent)).status);
      }
      expect(statuses).toEqual([202, 202, 202, 429]);
      const guess = await few.send('/dashboard/session', { method: 'POST', body: { token: 'a guess' } });
      expect([guess.status, Number(guess.headers['retry-after']) > 0]).toEqual([429, true]);
      // Wrong keys are counted apart: a program with an old one locks nobody out, and the other way round.
      expect((await few.send('/v1/devices', { key: `eus_live_${'x'.repeat(42)}` })).status).toBe(401);
    } finally {
      await few.close();
    }
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MANY = { minute: 1_000_000, day: 1_000_000 };

describe('a session', () => {
  test('is a cookie for the dashboard alone, over TLS, out of reach of scripts and other sites', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    const { headers, json } = await post('/dashboard/session', { token });
    expect(String(headers['set-cookie'])).toMatch(
      new RegExp(`^${COOKIE}=[\\w-]{43}; Path=/dashboard; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000,`),
    );
    expect(json.user.user_id).toBe(userId);
    // Neither the cookie nor the token is kept.
    const { rows } = await api.database.pool.query('SELECT secret_sha256 FROM sessions WHERE user_id = $1', [userId]);
    expect(rows[0].secret_sha256.toString('utf8')).not.toContain(cookieOf({ headers } as Answer).split('=')[1]);
  });

  test('stands for its user below /dashboard/v1, and a key does not; below /v1 it is the other way round', async () => {
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

  test('has the role of now, and ends with its account, by signing out, after a week of silence and after 30 days', async () => {
    const { userId } = await api.user('homeowner');
    const { userId: stranger } = await api.user('homeowner');
    const asks = async (headers: object) =>
      (await api.send(`/dashboard/v1/users/${stranger}`, { headers: headers as Record<string, string> })).status;
    const first = await signedIn(userId);
    expect(await asks(first)).toBe(403);
    await updateUser(api.db, EVERYBODY, userId, { role: 'admin' });
    expect(await asks(first)).toBe(200);
    expect((await api.send('/dashboard/session', { method: 'DELETE', headers: first })).status).toBe(200);
    expect(await asks(first)).toBe(401);

    const second = await signedIn(userId);
    later(6 * 24 * 60);
    expect(await asks(second)).toBe(200);
    await noted(userId);
    later(12 * 24 * 60);
    expect(await asks(second)).toBe(200);
    await noted(userId);
    later(19 * 24 * 60 + 1);
    expect(await asks(second)).toBe(401);
    later(0);
    const third = await signedIn(userId);
    for (let day = 5; day < 30; day += 5) {
      later(day * 24 * 60);
      expect(await asks(third)).toBe(200);
      await noted(userId);
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

  test('ends in every browser where that is wanted, and with it what it listens to', async () => {
    const { userId } = await api.user('homeowner');
    const [here, there] = [await signedIn(userId), await signedIn(userId)];
    const other = await signedIn((await api.user('homeowner')).userId);
    const listening = await follow(there);
    expect((await api.send('/dashboard/session?everywhere=true', { method: 'DELETE', headers: here })).status).toBe(
      200,
    );
    // By itself it would after two minutes.
    await expect.poll(listening.isOver).toBe(true);
    for (const headers of [here, there])
      expect((await api.send('/dashboard/v1/devices', { headers })).status).toBe(401);
    expect((await api.send('/dashboard/v1/devices', { headers: other })).status).toBe(200);
  });

  test('ends what it listens to after a week of silence, too', async () => {
    const { userId } = await api.user('homeowner');
    const listening = await follow(await signedIn(userId));
    await api.database.pool.query(
      "UPDATE sessions SET last_seen_at = last_seen_at - interval '8 days' WHERE user_id = $1",
      [userId],
    );
    await expect.poll(listening.isOver).toBe(true);
  });

  test('a changed e-mail address takes back what was mailed to the old one', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    await updateUser(api.db, EVERYBODY, userId, { timezone: 'Europe/Berlin' });
    await updateUser(api.db, EVERYBODY, userId, { email: `new-${userId}@example.com` });
    expect((await post('/dashboard/session', { token })).status).toBe(422);
  });

  test('of the sandbox is another cookie than the live one: both may be on one host', async () => {
    const sandbox = await testApi({ environment: 'sandbox' });
    try {
      const { userId } = await sandbox.user('homeowner');
      await sandbox.send('/dashboard/sign-in', { method: 'POST', body: { email: await emailIn(sandbox, userId) } });
      await expect.poll(() => sandbox.mailed.length).toBe(1);
      const opened = await sandbox.send('/dashboard/session', {
        method: 'POST',
        body: { token: sandbox.mailed[0]?.token },
      });
      expect(cookieOf(opened)).toMatch(/^__Secure-energy_sandbox_session=/);
      expect((await sandbox.send('/dashboard/v1/devices', { headers: { cookie: cookieOf(opened) } })).status).toBe(200);
    } finally {
      await sandbox.close();
    }
  });

  test('does not count against the account’s plan, and has a limit of its own', async () => {
    const one = await testApi({
      limits: { free: { minute: 1, day: 1 }, developer: MANY, enterprise: MANY, address: MANY },
    });
    try {
      const { userId, key } = await one.user('homeowner');
      await one.send('/dashboard/sign-in', { method: 'POST', body: { email: await emailIn(one, userId) } });
      await expect.poll(() => one.mailed.length).toBe(1);
      const opened = await one.send('/dashboard/session', { method: 'POST', body: { token: one.mailed[0]?.token } });
      const headers = { cookie: cookieOf(opened) };
      const statuses = new Set<number>();
      for (let asked = 0; asked < 250; asked += 5) {
        const answers = Array.from({ length: 5 }, () => one.send('/dashboard/v1/devices', { headers }));
        for (const { status } of await Promise.all(answers)) statuses.add(status);
      }
      expect([...statuses].sort()).toEqual([200, 429]);
      // A few at once, too: one account does not hold the connections of all.
      one.now = new Date(one.now.getTime() + 60_000);
      const path = '/dashboard/v1/period?unit=day&date=2026-06-15';
      const statusesOf = async (count: number) =>
        (await Promise.all(Array.from({ length: count }, () => one.send(path, { headers })))).map(
          ({ status }) => status,
        );
      // What a browser and a second one ask waits its turn.
      expect(new Set(await statusesOf(20))).toEqual(new Set([200]));
      expect((await one.send(path, { headers })).status).toBe(200);
      expect((await one.send('/v1/devices', { key })).status).toBe(200);
    } finally {
      await one.close();
    }
  });

  test('is not used up by requests that are broken off', async () => {
    const mine = await signedIn((await api.user('homeowner')).userId);
    // At every stage: before they begin, while they wait their turn, and while they are answered.
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

  test('a cookie of any form is a missing session, not an error', async () => {
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

const emailIn = async ({ db }: TestApi, userId: string) =>
  (await db.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow()).email;

test('an account has so many requests under way, more wait their turn, and more than that are refused', async () => {
  const { begin } = share({ perMinute: 100, atOnce: 2, mayWait: 3, waitMs: 30_000 }, () => NOON);
  const begun: (() => void)[] = [];
  const asked = Array.from({ length: 7 }, () => begin('usr_a'));
  for (const one of asked) void one.then((done) => done && begun.push(done));
  const turn = () => new Promise((done) => setImmediate(done));
  await turn();
  expect(begun).toHaveLength(2);
  expect(await Promise.all(asked.slice(5))).toEqual([null, null]);
  expect(await begin('usr_b')).not.toBeNull();
  for (let ended = 0; ended < 5; ended++) {
    begun[ended]?.();
    await turn();
    expect(begun).toHaveLength(Math.min(5, ended + 3));
  }
  // All of them are over: there is room again, until the minute's share is gone.
  const rest = [];
  for (let more = 0; more < 100; more++) {
    const done = await begin('usr_a');
    done?.();
    rest.push(done !== null);
  }
  expect(rest.filter((isWithin) => isWithin)).toHaveLength(93);
});

describe('changes', () => {
  test('are announced, as they arrive, to callers that reach the account', async () => {
    const { userId } = await api.user('homeowner');
    const { userId: utility } = await api.user('utility');
    const { userId: enrolled } = await api.user('homeowner', { enrolledBy: utility });
    const home = await meter(api.database);
    const mine = await signedIn(userId);
    const theirs = await signedIn(utility);
    expect((await listen(enrolled, mine, 500)).status).toBe(403);
    expect((await listen(userId, theirs, 500)).status).toBe(404);
    expect((await listen(enrolled, theirs, 500)).status).toBe(200);
    expect((await listen(null, {} as typeof mine, 500)).status).toBe(401);

    const ofMeter = await signedIn(home.userId);
    const [told, quiet] = [await follow(ofMeter), await follow(mine)];
    const count = () => told.of('readings').length;
    await home.read([['2026-06-15T11:00:00Z', 1]], NOON);
    await expect.poll(count).toBe(1);
    // Within the ten seconds that last_seen_at is kept to.
    await home.read([['2026-06-15T11:15:00Z', 1.1]], NOON);
    await expect.poll(count).toBe(2);
    // A look later, too.
    await new Promise((done) => setTimeout(done, 2_500));
    expect(count()).toBe(2);
    expect(quiet.text().replaceAll(': still here\n\n', '')).toBe('retry: 3000\n\n');
    for (const one of [told, quiet]) one.close();
  });

  test('have so many listeners of an account, and no more', async () => {
    const { userId } = await api.user('homeowner');
    const mine = await signedIn(userId);
    const answers = await Promise.all(Array.from({ length: 25 }, () => follow(mine)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), ...Array(5).fill(503)]);
    expect((await api.send('/dashboard/v1/changes', { method: 'HEAD', headers: mine })).status).toBe(404);
    for (const one of answers) one.close();
    await expect.poll(async () => (await listen(null, mine, 100)).status).toBe(200);
  });
});

test('what is over is forgotten, and nothing else', async () => {
  const { userId } = await api.user('homeowner');
  const old = await signedIn(userId);
  later(40);
  await post('/dashboard/sign-in', { email: await emailOf(userId) });
  const { token } = await mailed(2);
  await forgetSessions(api.db, api.now);
  expect((await api.send('/dashboard/v1/devices', { headers: old })).status).toBe(200);
  later(8 * 24 * 60);
  const fresh = await signedIn(userId);
  await forgetSessions(api.db, api.now);
  const count = async (relation: string) =>
    (await api.database.pool.query(`SELECT count(*) FROM ${relation} WHERE user_id = $1`, [userId])).rows[0].count;
  expect([await count('sessions'), await count('sign_ins')]).toEqual([1, 0]);
  expect((await api.send('/dashboard/v1/devices', { headers: fresh })).status).toBe(200);
  expect((await post('/dashboard/session', { token })).status).toBe(422);
});
