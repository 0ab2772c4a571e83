import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { setUpDashboardSessions, UNREACHABLE_RATE_LIMITS } from '#test/support/dashboard-sessions.ts';

let api: TestApi;
const { later, post, emailOf, mailed } = setUpDashboardSessions((made) => {
  api = made;
});

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const browserCookieOf = ({ headers }: TestApiResponse) =>
  /__Secure-energy_browser=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';

/** Requests a sign-in mail from one of the loopback addresses of this machine. */
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

describe('signing in by mail', () => {
  test('answers the same whether or not the account exists, and mails only accounts', async () => {
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

  test('accepts a link once, even if many use it concurrently', async () => {
    const { userId } = await api.user('homeowner');
    await post('/dashboard/sign-in', { email: await emailOf(userId) });
    const { token } = await mailed(1);
    const tries = await Promise.all(Array.from({ length: 8 }, () => post('/dashboard/session', { token })));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
  });

  test('accepts a code only for the request that it was mailed for, and ends after five wrong codes', async () => {
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
    // The attempt with the first mail's code was the fifth wrong one, so even the right code is refused.
    expect((await tryCode(second.sign_in_id, second.code)).status).toBe(422);
  });

  test('expires after 15 minutes', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    await post('/dashboard/sign-in', { email });
    const { token } = await mailed(1);
    later(15);
    expect((await post('/dashboard/session', { token })).status).toBe(422);
  });

  test('replaces the same browser’s earlier request only', async () => {
    const { userId } = await api.user('homeowner');
    const email = await emailOf(userId);
    const cookie = browserCookieOf(await post('/dashboard/sign-in', { email }));
    expect(cookie).toMatch(/^__Secure-energy_browser=[\w-]{22}$/);
    const mine = await mailed(1);
    await post('/dashboard/sign-in', { email });
    const theirs = await mailed(2);
    const again = await post('/dashboard/sign-in', { email }, { cookie });
    expect(again.headers['set-cookie']).toBeUndefined();
    const nextMails = await mailed(3);
    expect((await post('/dashboard/session', { token: mine.token })).status).toBe(422);
    for (const { token } of [theirs, nextMails]) expect((await post('/dashboard/session', { token })).status).toBe(201);
  });

  test('is not blocked by unknown browsers, which cannot fill a mailbox', async () => {
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
      // The service responds before it sends the mail. It must send exactly `mails` mails in total.
      await expect.poll(() => api.mailed.length - before).toBeGreaterThanOrEqual(mails);
      await settled();
      expect(api.mailed.length - before).toBe(mails);
    };
    // Strangers request mails: from one address, from several addresses, and with an invented cookie.
    await ask(15, '127.0.0.2', 10);
    await ask(1, '127.0.0.3', 1);
    await ask(15, '127.0.0.4', 9, { cookie: `${cookie.slice(0, -1)}~` });
    await ask(1, '127.0.0.5', 0);
    // The owner's browser still gets its five mails, from any address. The last one is requested alone, because mails that are requested
    // together can arrive in any order. Links that strangers requested still work.
    await ask(4, '127.0.0.2', 4, { cookie });
    await ask(1, '127.0.0.2', 1, { cookie });
    await ask(2, '127.0.0.2', 0, { cookie });
    expect((await post('/dashboard/session', { token: api.mailed.at(-1)?.token })).status).toBe(201);
    expect((await post('/dashboard/session', { token: api.mailed[1]?.token })).status).toBe(201);
    later(15);
    await ask(1, '127.0.0.5', 1);
  });

  test('refuses malformed requests with an error of the catalogue', async () => {
    for (const body of [{}, [], 'x', null, { email: 1 }, { email: 'no address' }, { email: 'a@b.c', more: 1 }])
      expect([body, (await post('/dashboard/sign-in', body)).status]).toEqual([body, 422]);
    for (const body of [{}, { token: '' }, { token: 5 }, { code: '1' }, { token: 'x', code: '1' }, { token: '\0' }])
      expect([body, (await post('/dashboard/session', body)).status]).toEqual([body, 422]);
    expect((await api.send('/dashboard/session', { method: 'POST', raw: '{', headers: JSON_TYPE })).status).toBe(400);
    expect((await api.send('/dashboard/sign-in', { method: 'POST', raw: 'email=a@b.c', headers: FORM })).status).toBe(
      400,
    );
  });

  test('counts against the requesting address', async () => {
    const few = await startTestApi({
      limits: {
        free: UNREACHABLE_RATE_LIMITS,
        developer: UNREACHABLE_RATE_LIMITS,
        enterprise: UNREACHABLE_RATE_LIMITS,
        address: { minute: 3, day: 1_000 },
      },
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
      // Wrong API keys are counted separately: a program with an outdated key does not block sign-ins, and sign-ins do not block API keys.
      expect((await few.send('/v1/devices', { key: `eus_live_${'x'.repeat(42)}` })).status).toBe(401);
    } finally {
      await few.close();
    }
  });
});
