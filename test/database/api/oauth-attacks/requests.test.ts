import { describe, expect, test } from 'vitest';
import { TEST_URL } from '#test/support/api.ts';
import {
  CALLBACK_URL,
  createAppConsentRequest,
  exchangeAuthorizationCode,
  getCookies,
  openConsentPage,
  registerApp,
  requestAppTokens,
  requestAsBrowser,
} from '#test/support/apps.ts';
import {
  api,
  app,
  createBasicAuthorization,
  createHomeowner,
  FORM_HEADERS,
  listAuthorizations,
  requestAuthorization,
  setUpAttackedServer,
  utility,
} from '#test/support/attacked-server.ts';
import { signInBrowser } from '#test/support/members.ts';

/**
 * Attacks by requests for consent, and on the pages that show them. A number at the start of a test's name is a section of RFC 9700 or, after "RFC 6819", of that RFC.
 */
setUpAttackedServer();

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
    const { status, headers } = await requestAuthorization({ redirect_uri });
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
      expect([redirect_uri, (await requestAuthorization({ redirect_uri }, program)).status]).toEqual([
        redirect_uri,
        status,
      ]);
  });
});

test('a NUL in any parameter is refused, and so are forms of another type or length', async () => {
  const { url } = await createAppConsentRequest(app);
  for (const name of ['state', 'scope', 'login_hint', 'nonce', 'redirect_uri', 'code_challenge', 'unknown']) {
    const hostile = new URL(url);
    hostile.searchParams.set(name, 'a\0b');
    expect([name, (await requestAsBrowser(api, new Map(), hostile.href)).status]).toEqual([name, 400]);
  }
  const send = (raw: string, type: string) =>
    api.send('/oauth/token', {
      method: 'POST',
      raw,
      headers: { 'content-type': type, authorization: createBasicAuthorization(app) },
    });
  for (const type of ['application/json', 'text/plain'])
    expect(await send('grant_type=client_credentials', type)).toMatchObject({
      status: 400,
      json: {
        error: 'invalid_request',
        error_description: expect.stringContaining('application/x-www-form-urlencoded'),
      },
    });
  const details = [{ field: 'body', message: 'is longer than 16 KiB' }];
  expect(await send('a'.repeat(16_385), FORM_HEADERS['content-type'])).toMatchObject({
    status: 400,
    json: { details },
  });
});

test('4.7, RFC 6819, 4.4.1.6 and 4.4.1.8 cross-site requests: another site’s form and another session’s token let nobody in', async () => {
  const [home, attacker] = [await createHomeowner(), await createHomeowner()];
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
    headers: { ...FORM_HEADERS, origin: 'https://evil.example' },
  });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(await listAuthorizations(home)).toEqual([]);
});

test('4.7 a hostile form gets a clear refusal', async () => {
  const home = await createHomeowner();
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
  expect(await listAuthorizations(home)).toEqual([]);
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
  const cookies = getCookies(await signInBrowser(api, (await createHomeowner()).userId));
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

test('4.16, RFC 6819, 4.4.1.9 clickjacking: no page of the authorization server is shown in a frame', async () => {
  const cookies = getCookies(await signInBrowser(api, (await createHomeowner()).userId));
  const { page, at } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  const pages = [
    page,
    await requestAuthorization({ redirect_uri: 'https://evil.example/' }),
    await requestAsBrowser(api, new Map(), at),
  ];
  for (const { headers } of pages) expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
});

test('RFC 6819, 4.1.4 and 4.4.1.4: names and addresses of an app are shown as text', async () => {
  const name = '<img src=x onerror=alert(1)>"\'&';
  const hostile = await registerApp(api, utility, { name, website: 'https://bright.example.com/?"><script>' });
  const cookies = getCookies(await signInBrowser(api, (await createHomeowner()).userId));
  const { page } = await openConsentPage(api, cookies, await createAppConsentRequest(hostile));
  expect(page.text).not.toMatch(/<img|<script/);
  expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
  const { text } = await api.send('/oauth/authorize?client_id=%3Cscript%3Ealert(1)%3C/script%3E&response_type=code');
  expect(text).not.toContain('<script');
});

test('RFC 9101 and others: request objects and claims are not fetched or obeyed', async () => {
  for (const more of [{ request_uri: 'http://169.254.169.254/latest' }, { request: 'eyJhbGciOiJub25lIn0.e30.' }])
    expect((await requestAuthorization(more as Record<string, string>)).status).toBeGreaterThanOrEqual(303);
  const { location } = (await requestAuthorization({ request_uri: 'http://169.254.169.254/latest' })).headers;
  expect(String(location ?? '')).not.toContain('/dashboard/consent/');
});

test('RFC 6819, 4.2.2 the home is shown each scope that the app gets, and no more is granted', async () => {
  const home = await createHomeowner();
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
  expect(await listAuthorizations(home)).toMatchObject([{ scopes: ['insights:read'] }]);
});

test('RFC 6819, 4.2.3 and 4.4.1.10 an app that has access asks again like a new one: nothing is granted without a press', async () => {
  const home = await createHomeowner();
  await requestAppTokens(api, app, home);
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const { at, page } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
  expect(page.text).toContain('name="decision" value="allow"');
  // Neither opening the page's address nor submitting its form without the CSRF token grants access.
  for (const form of [undefined, { until: 'unlimited', decision: 'allow' }])
    expect((await requestAsBrowser(api, cookies, at, form)).headers.location).toBeUndefined();
  expect(await listAuthorizations(home)).toHaveLength(1);
});
