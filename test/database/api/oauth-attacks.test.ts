import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import type { AnyOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createSecret, hashApiKey } from '#src/auth/key-format.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { startTestApi, TEST_URL, type TestApi } from '#test/support/api.ts';
import {
  authorizeApp,
  CALLBACK_URL,
  createAppConsentRequest,
  exchangeAuthorizationCode,
  getCookies,
  openConsentPage,
  registerApp,
  requestAppTokens,
  requestAsBrowser,
  type TestOAuthApp,
} from '#test/support/apps.ts';
import { addMember, type Person, signInBrowser } from '#test/support/members.ts';

/**
 * Tests of threats to the authorization server. A number at the start of a test's name is a section of RFC 9700 or, after "RFC 6819", of
 * that RFC.
 */

const many = { minute: 1_000_000, day: 1_000_000 };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let api: TestApi;
let utility: Person;
let app: TestOAuthApp;
beforeAll(async () => {
  api = await startTestApi();
  api.now = new Date();
  utility = await api.user('utility');
  app = await registerApp(api, utility);
});
afterAll(() => api.close());

const newHome = () => api.user('homeowner', { scopes: [...SCOPES] });
const insights = (key: string, query = '') => api.send(`/v1/energy-insights${query}`, { key });
const list = async (who: Person) => (await api.send('/v1/authorizations', { key: who.key })).json;
const pause = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));
const authorize = async (more: Record<string, string> = {}, of = app) =>
  requestAsBrowser(api, new Map(), (await createAppConsentRequest(of, more)).url.href);
/** Sends a form to the token endpoint, with the app's secret unless `headers` contains other credentials. */
const token = (form: Record<string, string>, headers: object = { authorization: basic(app) }, at = api) =>
  at.send('/oauth/token', {
    method: 'POST',
    raw: new URLSearchParams(form).toString(),
    headers: { ...FORM, ...headers },
  });
const basic = ({ appId, secret }: TestOAuthApp) => `Basic ${btoa(`${appId}:${secret}`)}`;
const codeOf = (back: URL) => back.searchParams.get('code') ?? '';
const refused = { error: 'invalid_grant' };

describe('4.1, RFC 6819, 4.1.5, 4.2.4, 4.4.1.5 and 4.4.1.7 redirect URIs', () => {
  test.each([
    ['an open redirector of its own host', 'https://bright.example.com/out?to=https://evil.example'],
    ['a subdomain', 'https://evil.bright.example.com/callback'],
    ['a longer domain', 'https://bright.example.com.evil.example/callback'],
    ['an encoded path', 'https://bright.example.com/%63allback'],
    ['a shorter path', 'https://bright.example.com/'],
    ['a backslash', 'https://evil.example\\@bright.example.com/callback'],
    ['a scheme for scripts', 'javascript:alert(1)//bright.example.com/callback'],
    ['a data scheme', 'data:text/html,x'],
    ['none', ''],
  ])('are compared exactly: %s', async (_, redirect_uri) => {
    const { status, headers } = await authorize({ redirect_uri });
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  test('given twice are refused, like every repeated parameter', async () => {
    const { url } = await createAppConsentRequest(app);
    for (const name of ['redirect_uri', 'client_id', 'scope', 'state', 'code_challenge']) {
      const twice = new URL(url);
      twice.searchParams.append(name, 'https://evil.example/');
      const { status, headers } = await requestAsBrowser(api, new Map(), twice.href);
      expect({ name, status, to: String(headers.location ?? '').includes('evil') }).toMatchObject({ name, to: false });
      expect([303, 400]).toContain(status);
      if (status === 303) expect(String(headers.location)).toContain('error=invalid_request');
    }
  });

  test('may vary only in the port, and only on a registered loopback address', async () => {
    const program = await registerApp(api, utility, {
      type: 'public',
      redirect_uris: ['http://127.0.0.1/back', CALLBACK_URL],
    });
    for (const [redirect_uri, status] of [
      ['http://127.0.0.1:1/back', 303],
      ['http://127.0.0.1:1/back?x', 400],
      ['http://127.0.0.2:1/back', 400],
      ['https://127.0.0.1/back', 400],
      ['https://bright.example.com:444/callback', 400],
    ] as const)
      expect([redirect_uri, (await authorize({ redirect_uri }, program)).status]).toEqual([redirect_uri, status]);
  });
});

test('4.1, 4.2, RFC 6819, 4.6.7 the browser sends no other site an address that contains a code', async () => {
  const { page } = await openConsentPage(
    api,
    getCookies(await signInBrowser(api, (await newHome()).userId)),
    await createAppConsentRequest(app),
  );
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  expect((await authorize()).headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
});

test('a NUL in any parameter is refused, and so are forms of another type or length', async () => {
  const { url } = await createAppConsentRequest(app);
  for (const name of ['state', 'scope', 'login_hint', 'nonce', 'redirect_uri', 'code_challenge', 'unknown']) {
    const hostile = new URL(url);
    hostile.searchParams.set(name, 'a\0b');
    expect([name, (await requestAsBrowser(api, new Map(), hostile.href)).status]).toEqual([name, 400]);
  }
  const send = (raw: string, type: string) =>
    api.send('/oauth/token', { method: 'POST', raw, headers: { 'content-type': type, authorization: basic(app) } });
  for (const type of ['application/json', 'text/plain'])
    expect(await send('grant_type=client_credentials', type)).toMatchObject({
      status: 400,
      json: {
        error: 'invalid_request',
        error_description: expect.stringContaining('application/x-www-form-urlencoded'),
      },
    });
  const details = [{ field: 'body', message: 'is longer than 16 KiB' }];
  expect(await send('a'.repeat(16_385), FORM['content-type'])).toMatchObject({ status: 400, json: { details } });
});

test('2.1.2, 4.6, RFC 6819, 4.4.2 no token is issued in an address: implicit and hybrid answers do not exist', async () => {
  for (const response_type of ['token', 'id_token', 'code token', 'code id_token', 'none']) {
    const { headers } = await authorize({ response_type });
    expect(String(headers.location)).toMatch(/error=(unsupported_response_type|invalid_request)/);
  }
});

test('4.3.2, RFC 6819, 4.1.3 a token in an address or a form is no credential', async () => {
  const { access_token } = await requestAppTokens(api, app, await newHome());
  expect((await api.send(`/v1/energy-insights?access_token=${access_token}`)).status).toBe(401);
  const raw = `access_token=${access_token}`;
  expect((await api.send('/v1/energy-insights', { method: 'POST', raw, headers: FORM })).status).toBe(401);
});

test('4.4, RFC 6819, 4.5.4 mix-up: each answer names its issuer, and a client refuses another one', async () => {
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, await newHome(), asked);
  for (const iss of ['https://evil.example', null]) {
    const forged = new URL(back);
    if (iss === null) forged.searchParams.delete('iss');
    else forged.searchParams.set('iss', iss);
    await expect(exchangeAuthorizationCode(app, forged, asked)).rejects.toThrow();
  }
  expect((await exchangeAuthorizationCode(app, back, asked)).access_token).toMatch(/^eus_at_/);
  expect(new URL(String((await authorize({ scope: '' })).headers.location)).searchParams.get('iss')).toBe(TEST_URL);
});

describe('2.1.1, 4.3.1, 4.5, 4.8, RFC 6819, 4.4.1.1 and 4.4.1.13 codes', () => {
  test('injected into another request of the app are refused, because the verifier differs', async () => {
    const [victim, attacker] = [await createAppConsentRequest(app), await createAppConsentRequest(app)];
    const back = await authorizeApp(api, await newHome(), victim);
    const form = { grant_type: 'authorization_code', code: codeOf(back), redirect_uri: CALLBACK_URL };
    expect((await token({ ...form, code_verifier: attacker.verifier })).json).toMatchObject(refused);
  });

  test('are not exchanged without a verifier (PKCE downgrade)', async () => {
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await newHome(), asked);
    const form = { grant_type: 'authorization_code', code: codeOf(back), redirect_uri: CALLBACK_URL };
    expect((await token(form)).json).toMatchObject(refused);
    expect((await token({ ...form, code_verifier: '' })).json.error).toBeDefined();
    const { url } = await createAppConsentRequest(app);
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    expect(String((await requestAsBrowser(api, new Map(), url.href)).headers.location)).toContain(
      'error=invalid_request',
    );
  });

  test('replayed by two parties concurrently leave neither with valid tokens', async () => {
    const home = await newHome();
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, home, asked);
    const results = await Promise.allSettled([
      exchangeAuthorizationCode(app, back, asked),
      exchangeAuthorizationCode(app, back, asked),
    ]);
    const issued = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(issued).toHaveLength(1);
    await pause();
    expect((await insights(issued[0]?.access_token ?? '')).status).toBe(401);
    expect(await list(home)).toEqual([]);
  });

  test('are refused after their expiry', async () => {
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await newHome(), asked);
    await api.database.pool.query(`UPDATE oauth_tokens SET payload = payload || '{"exp": 1}' WHERE kind = 'code'`);
    await expect(exchangeAuthorizationCode(app, back, asked)).rejects.toMatchObject(refused);
  });

  test('are refused for another app or another redirect URI', async () => {
    const other = await registerApp(api, utility);
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await newHome(), asked);
    await expect(exchangeAuthorizationCode(other, back, asked)).rejects.toMatchObject(refused);
  });
});

test('4.7, RFC 6819, 4.4.1.6 and 4.4.1.8 cross-site requests: another site’s form and another session’s token let nobody in', async () => {
  const [home, attacker] = [await newHome(), await newHome()];
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const { at } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  const foreign = await openConsentPage(
    api,
    getCookies(await signInBrowser(api, attacker.userId)),
    await createAppConsentRequest(app),
  );
  for (const csrf of ['', foreign.csrf])
    expect((await requestAsBrowser(api, cookies, at, { csrf, until: 'month', decision: 'allow' })).status).toBe(403);
  // The response allows no script of another site to read it.
  const { headers } = await api.send('/oauth/token', {
    method: 'POST',
    raw: '',
    headers: { ...FORM, origin: 'https://evil.example' },
  });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(await list(home)).toEqual([]);
});

test('4.7 a hostile form gets a clear refusal', async () => {
  const home = await newHome();
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const { at, csrf } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  for (const form of [
    { csrf, until: 'constructor', decision: 'allow' },
    { csrf, until: '__proto__', decision: 'allow' },
    { csrf, decision: 'allow' },
    { csrf, decision: 'constructor' },
    { csrf },
  ] as Record<string, string>[])
    expect((await requestAsBrowser(api, cookies, at, form)).status).toBe(400);
  expect(await list(home)).toEqual([]);
});

test('2.3, 4.9, 4.10, RFC 6819, 4.6.4 and 4.6.5 codes, refresh tokens and secrets are not accepted as access tokens, nor is another home’s token', async () => {
  const [home, other] = [await newHome(), await newHome()];
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, home, asked);
  expect((await insights(codeOf(back))).status).toBe(401);
  const { access_token, refresh_token = '' } = await exchangeAuthorizationCode(app, back, asked);
  for (const text of [refresh_token, app.secret ?? '', `${access_token}x`, access_token.toUpperCase()])
    expect((await insights(text)).status).toBe(401);
  expect((await token({ grant_type: 'refresh_token', refresh_token: access_token })).json).toMatchObject(refused);
  expect((await insights(access_token, `?user_id=${other.userId}`)).status).toBe(403);
  // The endpoint for AI assistants' tools accepts API keys, but no access tokens.
  const call = { method: 'POST', key: access_token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
  expect((await api.send('/mcp', call)).status).toBe(401);
});

test('4.11, 4.12, 4.13 the server redirects only to itself and to the app, with 303, whatever Host the client sends', async () => {
  const { url } = await createAppConsentRequest(app);
  const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  const response = await api.send(`${url.pathname}${url.search}`, { headers: evil });
  expect(response.status).toBe(303);
  expect(String(response.headers.location)).toMatch(
    /^\/dashboard\/consent\/|^https:\/\/localhost:8443\/dashboard\/consent\//,
  );
  const { json } = await api.send('/.well-known/oauth-authorization-server', { headers: evil });
  expect(json.issuer).toBe(TEST_URL);
  const cookies = getCookies(await signInBrowser(api, (await newHome()).userId));
  const { at, csrf } = await openConsentPage(
    api,
    cookies,
    await createAppConsentRequest(app, { state: 'a\r\nset-cookie: x=y' }),
  );
  const pressed = await requestAsBrowser(api, cookies, at, { csrf, until: 'month', decision: 'allow' });
  const returned = await requestAsBrowser(api, cookies, String(pressed.headers.location));
  expect([pressed.status, returned.status]).toEqual([303, 303]);
  expect(String(returned.headers.location)).toContain('state=a%0D%0Aset-cookie');
});

describe('2.2.2, 4.14, RFC 6819, 4.1.2 and 4.5.1 refresh tokens', () => {
  test('of another app, without the secret, or with a wrong one, are refused without ending the authorization', async () => {
    const home = await newHome();
    const { refresh_token = '' } = await requestAppTokens(api, app, home);
    const form = { grant_type: 'refresh_token', refresh_token };
    const other = await registerApp(api, utility);
    expect((await token(form, { authorization: basic(other) })).json).toMatchObject(refused);
    expect((await token({ ...form, client_id: app.appId }, {})).status).toBe(401);
    expect((await token(form, { authorization: basic({ ...app, secret: 'eus_cs_wrong' }) })).status).toBe(401);
    expect((await token({ ...form, client_id: app.appId, client_secret: app.secret ?? '' }, {})).status).toBe(200);
    // A repeated request gets the same tokens, but only from the app that received them first.
    expect((await token(form, { authorization: basic(other) })).json).toMatchObject(refused);
    expect((await token(form)).status).toBe(200);
    expect(await list(home)).toHaveLength(1);
  });

  test('reused by a thief end the authorization, and the app is informed at its next refresh', async () => {
    const home = await newHome();
    const { refresh_token: stolen = '' } = await requestAppTokens(api, app, home);
    const second = await client.refreshTokenGrant(app.config, stolen);
    await client.refreshTokenGrant(app.config, second.refresh_token ?? '');
    await expect(client.refreshTokenGrant(app.config, stolen)).rejects.toMatchObject(refused);
    expect(await list(home)).toEqual([]);
    const { rows } = await api.database.pool.query(
      `SELECT data ->> 'because' AS because FROM events WHERE user_id = $1 AND type = 'authorization.ended'`,
      [home.userId],
    );
    expect(rows).toEqual([{ because: 'reuse' }]);
  });

  test('that are revoked just after their use end the authorization', async () => {
    const home = await newHome();
    const { refresh_token = '' } = await requestAppTokens(api, app, home);
    await client.refreshTokenGrant(app.config, refresh_token);
    await client.tokenRevocation(app.config, refresh_token);
    expect(await list(home)).toEqual([]);
  });

  test('never give more scopes than the home consented to', async () => {
    const { refresh_token = '' } = await requestAppTokens(api, app, await newHome(), { scope: 'insights:read' });
    for (const scope of ['insights:read devices:read', 'devices:read', 'keys:write', 'openid offline_access'])
      expect((await token({ grant_type: 'refresh_token', refresh_token, scope })).json.error).toBe('invalid_scope');
  });
});

test('2.4, 4.15, RFC 6819, 4.2.1, 4.4.3 and 4.4.4 no app acts as a home: grants without a home’s consent do not exist', async () => {
  for (const grant_type of [
    'client_credentials',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])
    expect((await token({ grant_type, username: 'a', password: 'b', scope: 'insights:read' })).status).toBe(400);
  // An app's token for itself is valid only for the app's Green Button resources. It cannot have scopes that concern homes
  // (green-button.test.ts).
  const { json } = await token({ grant_type: 'client_credentials', scope: 'FB=34_35 insights:read' });
  expect(json).toMatchObject({ error: 'invalid_scope', scope: 'insights:read' });
});

test('4.16, RFC 6819, 4.4.1.9 clickjacking: no page of the authorization server is shown in a frame', async () => {
  const cookies = getCookies(await signInBrowser(api, (await newHome()).userId));
  const { page, at } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  const pages = [
    page,
    await authorize({ redirect_uri: 'https://evil.example/' }),
    await requestAsBrowser(api, new Map(), at),
  ];
  for (const { headers } of pages) expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
});

test('RFC 6819, 4.1.4 and 4.4.1.4: names and addresses of an app are shown as text', async () => {
  const name = '<img src=x onerror=alert(1)>"\'&';
  const hostile = await registerApp(api, utility, { name, website: 'https://bright.example.com/?"><script>' });
  const cookies = getCookies(await signInBrowser(api, (await newHome()).userId));
  const { page } = await openConsentPage(api, cookies, await createAppConsentRequest(hostile));
  expect(page.text).not.toMatch(/<img|<script/);
  expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  const { text } = await api.send('/oauth/authorize?client_id=%3Cscript%3Ealert(1)%3C/script%3E&response_type=code');
  expect(text).not.toContain('<script');
});

test('RFC 9101 and others: request objects and claims are not fetched or obeyed', async () => {
  for (const more of [{ request_uri: 'http://169.254.169.254/latest' }, { request: 'eyJhbGciOiJub25lIn0.e30.' }])
    expect((await authorize(more as Record<string, string>)).status).toBeGreaterThanOrEqual(303);
  const { location } = (await authorize({ request_uri: 'http://169.254.169.254/latest' })).headers;
  expect(String(location ?? '')).not.toContain('/dashboard/consent/');
});

test('4.17 no answer hands a code to scripts of a page', async () => {
  for (const response_mode of ['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt']) {
    const { status, headers } = await authorize({ response_mode });
    expect([response_mode, status, headers.location]).toEqual([response_mode, 400, undefined]);
  }
});

test('RFC 6819, 4.2.2 the home is shown each scope that the app gets, and no more is granted', async () => {
  const home = await newHome();
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const asked = await createAppConsentRequest(app, { scope: 'insights:read' });
  const { at, page, csrf } = await openConsentPage(api, cookies, asked);
  expect(page.text.match(/<li>/g)).toHaveLength(1);
  // The submitted form contains one more scope than the consent page showed.
  const form = { csrf, until: 'month', decision: 'allow', scope: 'insights:read devices:read', client_id: 'x' };
  const pressed = await requestAsBrowser(api, cookies, at, form);
  const returned = await requestAsBrowser(api, cookies, String(pressed.headers.location));
  expect((await exchangeAuthorizationCode(app, new URL(String(returned.headers.location)), asked)).scope).toBe(
    'insights:read',
  );
  expect(await list(home)).toMatchObject([{ scopes: ['insights:read'] }]);
});

test('RFC 6819, 4.2.3 and 4.4.1.10 an app that has access asks again like a new one: nothing is granted without a press', async () => {
  const home = await newHome();
  await requestAppTokens(api, app, home);
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const { at, page } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  expect(page.text).toContain('name="decision" value="allow"');
  // Neither opening the page's address nor submitting its form without the CSRF token grants access.
  for (const form of [undefined, { until: 'unlimited', decision: 'allow' }])
    expect((await requestAsBrowser(api, cookies, at, form)).headers.location).toBeUndefined();
  expect(await list(home)).toHaveLength(1);
});

test('RFC 6819, 4.1.1, 4.3.2, 4.3.4, 4.4.1.2 and 4.5.2 the database contains no secret, code or token that can be used', async () => {
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, await newHome(), asked);
  const first = await exchangeAuthorizationCode(app, back, asked);
  const second = await client.refreshTokenGrant(app.config, first.refresh_token ?? '');
  const { access_token: own } = await client.clientCredentialsGrant(app.config);
  const secrets = [app.secret, codeOf(back), asked.verifier, own];
  for (const { access_token, refresh_token } of [first, second]) secrets.push(access_token, refresh_token);
  const { rows: relations } = await api.database.pool.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  expect(relations.length).toBeGreaterThan(20);
  for (const { name } of relations) {
    const { rows } = await api.database.pool.query(
      `SELECT 1 FROM ${name} t, unnest($1::text[]) secret
       WHERE strpos(t::text, secret) > 0 OR strpos(t::text, encode(secret::bytea, 'hex')) > 0 LIMIT 1`,
      [secrets],
    );
    expect({ name, rows }).toEqual({ name, rows: [] });
  }
});

test('RFC 6819, 4.3.1, 4.3.3, 4.6.1, 4.6.2 and 4.6.6 no cache stores tokens or data, and the client sends a secret over TLS only', async () => {
  const home = await newHome();
  const { access_token, refresh_token = '' } = await requestAppTokens(api, app, home);
  const refreshed = await token({ grant_type: 'refresh_token', refresh_token });
  expect([refreshed.status, refreshed.headers['cache-control']]).toEqual([200, 'no-store']);
  expect((await insights(access_token)).headers['cache-control']).toBe('no-store');
  const { json } = await api.send('/.well-known/oauth-authorization-server');
  for (const name of ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
    expect(json[name]).toMatch(/^https:/);
});

test('tokens of each kind are refused by every operation but those of their home: IDOR', async () => {
  const [ended, erased, live] = [await newHome(), await newHome(), await newHome()];
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, live, asked);
  const { access_token: ofLive, refresh_token = '' } = await exchangeAuthorizationCode(app, back, asked);
  const { access_token: ofEnded } = await requestAppTokens(api, app, ended);
  const { access_token: ofErased } = await requestAppTokens(api, app, erased);
  const [{ authorization_id }] = await list(ended);
  await api.send(`/v1/authorizations/${authorization_id}`, { method: 'DELETE', key: ended.key });
  await api.send(`/v1/users/${erased.userId}`, { method: 'DELETE', key: erased.key });
  const expired = await requestAppTokens(api, app, await newHome());
  await api.database.pool.query(`UPDATE oauth_tokens SET expires_at = now() - interval '1 s' WHERE token_sha256 = $1`, [
    hashApiKey(expired.access_token),
  ]);
  const { access_token: ofApp } = await client.clientCredentialsGrant(app.config);
  await pause();
  const kinds = { ofEnded, ofErased, expired: expired.access_token, refresh_token, code: codeOf(back), ofApp };
  const pathOf = ({ path }: AnyOperation) => path.replaceAll(/\{\w+\}/g, live.userId);
  for (const operation of OPERATIONS)
    for (const [kind, key] of Object.entries({ ...kinds, secret: app.secret ?? '' })) {
      const { status } = await api.send(pathOf(operation), { method: operation.method, key });
      expect({ operation: operation.name, kind, status }).toEqual({ operation: operation.name, kind, status: 401 });
    }
  // The dashboard's operations accept only sessions, not access tokens.
  for (const operation of [...OPERATIONS, ...DASHBOARD_OPERATIONS]) {
    const { method, path } = operation;
    const { status } = await api.send(`/dashboard${pathOf(operation)}`, { method, key: ofLive });
    expect({ method, path, status }).toEqual({ method, path, status: 401 });
  }
  expect((await insights(ofLive)).status).toBe(200);
});

/** Sections of the RFCs about attacks on servers and apps. Sections of RFC 6819 about phishing outside the server's pages are omitted. */
const THREATS = {
  'RFC 9700': [
    ...[
      '2.1.1',
      '2.1.2',
      '2.2.2',
      '2.3',
      '2.4',
      '4.1',
      '4.2',
      '4.3.1',
      '4.3.2',
      '4.4',
      '4.5',
      '4.6',
      '4.7',
      '4.8',
      '4.9',
    ],
    ...['4.10', '4.11', '4.12', '4.13', '4.14', '4.15', '4.16', '4.17'],
  ],
  'RFC 6819': [
    ...[
      '4.1.1',
      '4.1.2',
      '4.1.3',
      '4.1.4',
      '4.1.5',
      '4.2.1',
      '4.2.2',
      '4.2.3',
      '4.2.4',
      '4.3.1',
      '4.3.2',
      '4.3.3',
      '4.3.4',
    ],
    ...['4.3.5', '4.4.1.1', '4.4.1.2', '4.4.1.3', '4.4.1.4', '4.4.1.5', '4.4.1.6', '4.4.1.7', '4.4.1.8', '4.4.1.9'],
    ...['4.4.1.10', '4.4.1.11', '4.4.1.12', '4.4.1.13', '4.4.2', '4.4.3', '4.4.4', '4.5.1', '4.5.2', '4.5.3', '4.5.4'],
    ...['4.6.1', '4.6.2', '4.6.3', '4.6.4', '4.6.5', '4.6.6', '4.6.7'],
  ],
};

test('each threat of the two documents is in the name of a test of this file', async () => {
  const source = await readFile(fileURLToPath(import.meta.url), 'utf8');
  const named: Record<string, string[]> = { 'RFC 9700': [], 'RFC 6819': [] };
  for (const [, title = ''] of source.matchAll(/^ *(?:test|describe)\(\s*'([^']+)'/gm)) {
    const [newer = '', older = ''] = title.split('RFC 6819,');
    const sections = (text: string) => /^[\d., and]*/.exec(text.trim())?.[0].match(/\d(?:\.\d+)+/g) ?? [];
    named['RFC 9700']?.push(...sections(newer));
    named['RFC 6819']?.push(...sections(older));
  }
  for (const [document, threats] of Object.entries(THREATS))
    expect(
      threats.filter((threat) => !named[document]?.includes(threat)),
      document,
    ).toEqual([]);
});

describe('access that has ended', () => {
  test('after a membership: the former member’s app reaches only the member’s own home', async () => {
    const [home, member] = [await newHome(), await newHome()];
    const memberId = await addMember(api, home, member, 'manage');
    const { access_token: key } = await requestAppTokens(api, app, member);
    expect((await insights(key, `?user_id=${home.userId}`)).status).toBe(403);
    await api.send(`/v1/memberships/${memberId}`, { method: 'DELETE', key: member.key });
    expect((await insights(key, `?user_id=${home.userId}`)).status).toBe(403);
    expect((await insights(key)).json.user_id).toBe(member.userId);
    expect(await list(home)).toEqual([]);
  });

  test('ends if the home or the app’s owner is erased, or a role changes', async () => {
    const admin = await api.user('admin');
    const registrar = await api.user('utility');
    const theirs = await registerApp(api, registrar);
    const homes = [await newHome(), await newHome(), await newHome()] as const;
    const [ofErased, ofOwner, ofRole] = await Promise.all([
      requestAppTokens(api, app, homes[0]),
      requestAppTokens(api, theirs, homes[1]),
      requestAppTokens(api, app, homes[2]),
    ]);
    await api.send(`/v1/users/${homes[0].userId}`, { method: 'DELETE', key: homes[0].key });
    await api.send(`/v1/users/${registrar.userId}`, { method: 'DELETE', key: admin.key });
    const role = { method: 'PATCH', key: admin.key, body: { role: 'utility' } };
    expect((await api.send(`/v1/users/${homes[2].userId}`, role)).status).toBe(200);
    await pause();
    for (const { access_token, refresh_token = '' } of [ofErased, ofOwner, ofRole]) {
      expect((await insights(access_token)).status).toBe(401);
      expect((await token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
    }
    expect(await list(homes[1])).toEqual([]);
    expect((await authorize({}, theirs)).status).toBe(400);
  });
});

test('RFC 6819, 4.3.5, 4.4.1.3, 4.4.1.11, 4.4.1.12, 4.5.3 and 4.6.3: guesses of secrets, codes and tokens are limited by address, and so are requests for consent', async () => {
  const limited = await startTestApi({
    limits: { free: many, developer: many, enterprise: many, address: { minute: 10, day: 1_000 } },
  });
  try {
    const form = { grant_type: 'refresh_token', refresh_token: 'eus_rt_x' };
    const guess = () => token(form, { authorization: basic({ ...app, secret: 'x' }) }, limited);
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push((await guess()).status);
    expect(statuses.slice(0, 10)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
    const asked = [];
    for (let n = 0; n < 12; n++) asked.push((await limited.send('/oauth/authorize?client_id=x')).status);
    expect([asked[0], asked.at(-1)]).toEqual([400, 429]);
    const presented = [];
    for (let n = 0; n < 12; n++) {
      const key = createSecret(n % 2 === 0 ? 'eus_at_' : 'eus_rt_');
      presented.push((await limited.send('/v1/energy-insights', { key })).status);
    }
    expect(presented.at(-1)).toBe(429);
  } finally {
    await limited.close();
  }
});
