import { describe, expect, test } from 'vitest';
import { TEST_URL } from '#test/support/api.ts';
import {
  authorizeApp,
  CALLBACK_URL,
  createAppConsentRequest,
  exchangeAuthorizationCode,
  getCookies,
  openConsentPage,
  registerApp,
  requestAsBrowser,
} from '#test/support/apps.ts';
import {
  api,
  app,
  createHomeowner,
  getAuthorizationCode,
  INVALID_GRANT_BODY,
  listAuthorizations,
  pauseForMs,
  requestAuthorization,
  requestInsights,
  requestToken,
  setUpAttackedServer,
  utility,
} from '#test/support/attacked-server.ts';
import { signInBrowser } from '#test/support/members.ts';

/**
 * Attacks on codes, and on the redirects that return them. A number at the start of a test's name is a section of RFC 9700 or, after "RFC 6819", of that RFC.
 */
setUpAttackedServer();

test('4.1, 4.2, RFC 6819, 4.6.7 the browser sends no other site an address that contains a code', async () => {
  const { page } = await openConsentPage(
    api,
    getCookies(await signInBrowser(api, (await createHomeowner()).userId)),
    await createAppConsentRequest(app),
  );
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  expect((await requestAuthorization()).headers).toMatchObject({
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
});

test('2.1.2, 4.6, RFC 6819, 4.4.2 no token is issued in an address: implicit and hybrid answers do not exist', async () => {
  for (const response_type of ['token', 'id_token', 'code token', 'code id_token', 'none']) {
    const { headers } = await requestAuthorization({ response_type });
    expect(String(headers.location)).toMatch(/error=(unsupported_response_type|invalid_request)/);
  }
});

test('4.4, RFC 6819, 4.5.4 mix-up: each answer names its issuer, and a client refuses another one', async () => {
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, await createHomeowner(), asked);
  for (const iss of ['https://evil.example', null]) {
    const forged = new URL(back);
    if (iss === null) forged.searchParams.delete('iss');
    else forged.searchParams.set('iss', iss);
    await expect(exchangeAuthorizationCode(app, forged, asked)).rejects.toThrow();
  }
  expect((await exchangeAuthorizationCode(app, back, asked)).access_token).toMatch(/^eus_at_/);
  expect(new URL(String((await requestAuthorization({ scope: '' })).headers.location)).searchParams.get('iss')).toBe(
    TEST_URL,
  );
});

describe('2.1.1, 4.3.1, 4.5, 4.8, RFC 6819, 4.4.1.1 and 4.4.1.13 codes', () => {
  test('injected into another request of the app are refused, because the verifier differs', async () => {
    const [victim, attacker] = [await createAppConsentRequest(app), await createAppConsentRequest(app)];
    const back = await authorizeApp(api, await createHomeowner(), victim);
    const form = { grant_type: 'authorization_code', code: getAuthorizationCode(back), redirect_uri: CALLBACK_URL };
    expect((await requestToken({ ...form, code_verifier: attacker.verifier })).json).toMatchObject(INVALID_GRANT_BODY);
  });

  test('are not exchanged without a verifier (PKCE downgrade)', async () => {
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await createHomeowner(), asked);
    const form = { grant_type: 'authorization_code', code: getAuthorizationCode(back), redirect_uri: CALLBACK_URL };
    expect((await requestToken(form)).json).toMatchObject(INVALID_GRANT_BODY);
    expect((await requestToken({ ...form, code_verifier: '' })).json.error).toBeDefined();
    const { url } = await createAppConsentRequest(app);
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    expect(String((await requestAsBrowser(api, new Map(), url.href)).headers.location)).toContain(
      'error=invalid_request',
    );
  });

  test('replayed by two parties concurrently leave neither with valid tokens', async () => {
    const home = await createHomeowner();
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, home, asked);
    const results = await Promise.allSettled([
      exchangeAuthorizationCode(app, back, asked),
      exchangeAuthorizationCode(app, back, asked),
    ]);
    const issued = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(issued).toHaveLength(1);
    await pauseForMs();
    expect((await requestInsights(issued[0]?.access_token ?? '')).status).toBe(401);
    expect(await listAuthorizations(home)).toEqual([]);
  });

  test('are refused after their expiry', async () => {
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await createHomeowner(), asked);
    await api.database.pool.query(`UPDATE oauth_tokens SET payload = payload || '{"exp": 1}' WHERE kind = 'code'`);
    await expect(exchangeAuthorizationCode(app, back, asked)).rejects.toMatchObject(INVALID_GRANT_BODY);
  });

  test('are refused for another app or another redirect URI', async () => {
    const other = await registerApp(api, utility);
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await createHomeowner(), asked);
    await expect(exchangeAuthorizationCode(other, back, asked)).rejects.toMatchObject(INVALID_GRANT_BODY);
  });
});

test('4.17 no answer hands a code to scripts of a page', async () => {
  for (const response_mode of ['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt']) {
    const { status, headers } = await requestAuthorization({ response_mode });
    expect([response_mode, status, headers.location]).toEqual([response_mode, 400, undefined]);
  }
});
