import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APP_SCOPE_NAMES, SCOPES } from '#src/auth/scopes.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { loadWebhookReceiver } from '#src/delivery/webhook/subscriptions.ts';
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
import { type Person, signInBrowser } from '#test/support/members.ts';

let api: TestApi;
let utility: Person;
let home: Person;
let app: TestOAuthApp;
beforeAll(async () => {
  // With only one connection, a request that needs a second one during its transaction never ends.
  api = await startTestApi({ connections: 1 });
  api.now = new Date();
  utility = await api.user('utility');
  home = await api.user('homeowner', { scopes: [...SCOPES] });
  app = await registerApp(api, utility);
});
afterAll(() => api.close());

const rows = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const insights = (token: string) => api.send('/v1/energy-insights', { key: token });
const list = (who: Person) => api.send('/v1/authorizations', { key: who.key });
const end = (who: Person, id: string) => api.send(`/v1/authorizations/${id}`, { method: 'DELETE', key: who.key });
const newHome = () => api.user('homeowner', { scopes: [...SCOPES] });
/** Waits for longer than a process may still accept an authorization that has ended. */
const pause = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));
const errorOf = (at: URL) => at.searchParams.get('error');

describe('the metadata', () => {
  test('describe OAuth and no OpenID Connect', async () => {
    const { status, json } = await api.send('/.well-known/oauth-authorization-server');
    expect(status).toBe(200);
    expect(json).toEqual({
      issuer: TEST_URL,
      authorization_endpoint: `${TEST_URL}/oauth/authorize`,
      token_endpoint: `${TEST_URL}/oauth/token`,
      revocation_endpoint: `${TEST_URL}/oauth/revoke`,
      scopes_supported: APP_SCOPE_NAMES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${TEST_URL}/docs`,
    });
  });
});

describe('an app that a home authorizes', () => {
  test('can access only that home, is listed and reported by mail, and is refused within a second after its authorization ends', async () => {
    const mine = await newHome();
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, mine, asked, 'year');
    expect(back.origin + back.pathname).toBe(CALLBACK_URL);
    expect(back.searchParams.get('iss')).toBe(TEST_URL);
    const tokens = await exchangeAuthorizationCode(app, back, asked);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'insights:read devices:read' });
    expect(tokens.access_token).toMatch(/^eus_at_\w{42}$/);
    expect(tokens).not.toHaveProperty('id_token');
    const answer = await insights(tokens.access_token);
    expect([answer.status, answer.json.user_id]).toEqual([200, mine.userId]);
    expect((await api.send(`/v1/energy-insights?user_id=${home.userId}`, { key: tokens.access_token })).status).toBe(
      403,
    );
    expect((await api.send('/v1/alerts', { key: tokens.access_token })).status).toBe(403);
    await pause(50);
    const [listed] = (await list(mine)).json;
    expect(listed).toEqual({
      authorization_id: expect.stringMatching(/^aut_/),
      app: { app_id: app.appId, name: 'Bright Home', website: 'https://bright.example.com' },
      scopes: ['insights:read', 'devices:read'],
      created_at: api.now.toISOString(),
      expires_at: new Date(api.now.getTime() + 365 * 86_400_000).toISOString(),
      last_used_at: expect.any(String),
    });
    const stored = JSON.stringify(await rows("SELECT t::text, encode(token_sha256, 'hex') FROM oauth_tokens t"));
    for (const secret of [tokens.access_token, tokens.refresh_token as string, back.searchParams.get('code') as string])
      expect(stored).not.toContain(secret);
    expect((await end(home, listed.authorization_id)).status).toBe(404);
    expect((await end(mine, listed.authorization_id)).status).toBe(200);
    await pause();
    expect((await insights(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(app.config, tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const mails = await rows(
      "SELECT type FROM events WHERE user_id = $1 AND type LIKE 'authorization.%' ORDER BY event_id",
      [mine.userId],
    );
    expect(mails.map(({ type }) => type)).toEqual(['authorization.began', 'authorization.ended']);
  });

  test('never has more than its current scopes, and gets no further scope by a refresh', async () => {
    const mine = await newHome();
    const other = await registerApp(api, utility, { scopes: ['insights:read', 'devices:read'] });
    const tokens = await requestAppTokens(api, other, mine, { scope: 'insights:read' });
    expect((await api.send('/v1/devices', { key: tokens.access_token })).status).toBe(403);
    await expect(
      client.refreshTokenGrant(other.config, tokens.refresh_token as string, { scope: 'insights:read devices:read' }),
    ).rejects.toMatchObject({ error: 'invalid_scope' });
    const path = `/v1/apps/${other.appId}`;
    await api.send(path, { method: 'PATCH', key: utility.key, body: { scopes: ['devices:read'] } });
    await pause();
    expect((await insights(tokens.access_token)).status).toBe(403);
    await api.send(path, { method: 'DELETE', key: utility.key });
    await pause();
    expect((await insights(tokens.access_token)).status).toBe(401);
    expect((await list(mine)).json).toEqual([]);
  });

  test('creates alerts and webhooks that end with the authorization, and cannot change anything afterwards', async () => {
    const mine = await newHome();
    const scopes = ['insights:read', 'alerts:read', 'alerts:write', 'webhooks:read', 'webhooks:write'];
    const other = await registerApp(api, utility, { scopes });
    const { access_token: key } = await requestAppTokens(api, other, mine, { scope: scopes.join(' ') });
    const alert = { type: 'no_data', threshold_hours: 5, delivery: 'email' };
    expect((await api.send('/v1/alerts', { method: 'POST', key, body: alert })).status).toBe(201);
    const hook = { url: 'https://example.com/x', auth_token: 'a secret token' };
    const subscribe = (event: string) => api.send('/v1/webhooks', { method: 'POST', key, body: { ...hook, event } });
    expect((await subscribe('usage.updated')).status).toBe(201);
    // The app has no scope for the data of this event.
    expect((await subscribe('device.connected')).status).toBe(403);
    await api.send('/v1/webhooks', {
      method: 'POST',
      key: mine.key,
      body: { ...hook, event: 'device.connected' },
    });
    const [{ authorization_id }] = (await list(mine)).json;
    await end(mine, authorization_id);
    // The token is refused at once, although the process has it in its cache.
    expect((await api.send('/v1/alerts', { method: 'POST', key, body: alert })).status).toBe(401);
    expect((await api.send('/v1/webhooks', { key: mine.key })).json).toHaveLength(1);
    expect(await rows('SELECT FROM alerts WHERE user_id = $1', [mine.userId])).toEqual([]);
  });

  test('changes the address and the secret of its own webhooks only', async () => {
    const mine = await newHome();
    const scopes = ['insights:read', 'webhooks:write'];
    const other = await registerApp(api, utility, { scopes });
    const { access_token: key } = await requestAppTokens(api, other, mine, { scope: scopes.join(' ') });
    const body = { url: 'https://example.com/x', auth_token: 'a secret token', event: 'usage.updated' };
    const create = async (by: string) => (await api.send('/v1/webhooks', { method: 'POST', key: by, body })).json;
    const change = (id: string, patch: object) => api.send(`/v1/webhooks/${id}`, { method: 'PATCH', key, body: patch });
    const [ofHome, ofApp] = [(await create(mine.key)).webhook_id, (await create(key)).webhook_id];
    const secretOf = async (id: string) => (await rows('SELECT * FROM webhooks WHERE webhook_id = $1', [id]))[0];
    const before = await secretOf(ofHome);
    for (const patch of [{ auth_token: 'another secret' }, { url: 'https://evil.example/' }]) {
      const { status, json } = await change(ofHome, patch);
      expect([status, json.code]).toEqual([403, 'webhook_of_other']);
      expect((await change(ofApp, patch)).status).toBe(200);
    }
    expect(await secretOf(ofHome)).toEqual(before);
    expect((await change(ofHome, { status: 'paused' })).status).toBe(200);
  });

  test('receives no event that it may no longer read', async () => {
    const mine = await newHome();
    const scopes = ['insights:read', 'alerts:read', 'webhooks:write'];
    const other = await registerApp(api, utility, { scopes });
    const { access_token: key } = await requestAppTokens(api, other, mine, { scope: scopes.join(' ') });
    const hook = { url: 'https://example.com/x', auth_token: 'a secret token' };
    const body = { ...hook, events: ['usage.updated', 'alert.triggered'] };
    const { webhook_id: webhookId } = (await api.send('/v1/webhooks', { method: 'POST', key, body })).json;
    const received = async () => {
      const events = ['usage.updated', 'alert.triggered', 'remark.raised', 'webhook.test'];
      const box = { open: () => 'a secret token' } as unknown as SecretEncrypter;
      const about = events.map((event) => loadWebhookReceiver(api.db, box, { webhookId, event }, api.now));
      const loaded = await Promise.all(about);
      return events.filter((_, index) => loaded[index] !== null);
    };
    const change = (to: string[]) =>
      api.send(`/v1/apps/${other.appId}`, { method: 'PATCH', key: utility.key, body: { scopes: to } });
    expect(await received()).toEqual(['usage.updated', 'alert.triggered', 'webhook.test']);
    await change(['insights:read', 'webhooks:write']);
    expect(await received()).toEqual(['usage.updated', 'webhook.test']);
    await change(['alerts:read']);
    expect(await received()).toEqual(['alert.triggered']);
    await change(scopes);
    const beganAt = api.now;
    // The authorization has expired, but the job that deletes expired authorizations has not run yet.
    api.now = new Date(beganAt.getTime() + 31 * 86_400_000);
    expect(await received()).toEqual([]);
    api.now = beganAt;
  });

  test('loses its access when the home is erased', async () => {
    const mine = await newHome();
    const tokens = await requestAppTokens(api, app, mine);
    // Creates one more row that mentions the account: a consent after which the browser did not return to the app.
    const cookies = getCookies(await signInBrowser(api, mine.userId));
    const { at, csrf } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
    await requestAsBrowser(api, cookies, at, { csrf, until: 'month', decision: 'allow' });
    const mentions = () => rows('SELECT FROM oauth_tokens t WHERE t::text LIKE $1', [`%${mine.userId}%`]);
    expect(await mentions()).toHaveLength(4);
    await api.send(`/v1/users/${mine.userId}`, { method: 'DELETE', key: mine.key });
    expect(await mentions()).toEqual([]);
    await pause();
    expect((await insights(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(app.config, tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('refresh tokens', () => {
  test('rotate: a repeated request gets the same response for a while, and any other second use ends the authorization', async () => {
    const mine = await newHome();
    const first = await requestAppTokens(api, app, mine);
    const old = first.refresh_token as string;
    const [second, again] = await Promise.all([
      client.refreshTokenGrant(app.config, old),
      client.refreshTokenGrant(app.config, old),
    ]);
    expect(again).toEqual(second);
    expect(second.refresh_token).not.toBe(old);
    expect((await insights(second.access_token)).status).toBe(200);
    const third = await client.refreshTokenGrant(app.config, second.refresh_token as string);
    // `old` cannot be used again, because the use of its successor proves that the app received the response.
    await expect(client.refreshTokenGrant(app.config, old)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(client.refreshTokenGrant(app.config, third.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await pause();
    expect((await insights(third.access_token)).status).toBe(401);
    expect((await list(mine)).json).toEqual([]);
  });

  test('end the authorization if used again after 30 s', async () => {
    const mine = await newHome();
    const { refresh_token: old = '' } = await requestAppTokens(api, app, mine);
    await client.refreshTokenGrant(app.config, old);
    await rows("UPDATE oauth_tokens SET consumed_at = consumed_at - interval '31 s' WHERE kind = 'refresh'");
    await expect(client.refreshTokenGrant(app.config, old)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await list(mine)).json).toEqual([]);
  });

  test('can be revoked by their app only, like access tokens (RFC 7009)', async () => {
    const mine = await newHome();
    const other = await registerApp(api, utility);
    const { refresh_token = '', access_token } = await requestAppTokens(api, app, mine);
    await expect(client.refreshTokenGrant(other.config, refresh_token)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await client.tokenRevocation(other.config, refresh_token).catch(() => {});
    expect((await list(mine)).json).toHaveLength(1);
    await client.tokenRevocation(app.config, refresh_token);
    await pause();
    expect((await insights(access_token)).status).toBe(401);
    expect((await list(mine)).json).toEqual([]);
  });
});

describe('codes', () => {
  test('work once: a replay ends the authorization', async () => {
    const mine = await newHome();
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, mine, asked);
    const { access_token } = await exchangeAuthorizationCode(app, back, asked);
    await expect(exchangeAuthorizationCode(app, back, asked)).rejects.toMatchObject({ error: 'invalid_grant' });
    await pause();
    expect((await insights(access_token)).status).toBe(401);
  });

  test('need the verifier, the client and the redirect URI that they were issued for', async () => {
    const asked = await createAppConsentRequest(app);
    const back = await authorizeApp(api, await newHome(), asked);
    const other = await registerApp(api, utility);
    await expect(exchangeAuthorizationCode(other, back, asked)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(
      exchangeAuthorizationCode(app, back, { ...asked, verifier: client.randomPKCECodeVerifier() }),
    ).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const elsewhere = new URL(back);
    elsewhere.pathname = '/other';
    await expect(exchangeAuthorizationCode(app, elsewhere, asked)).rejects.toMatchObject({ error: 'invalid_grant' });
    const body = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') as string,
      redirect_uri: CALLBACK_URL,
      client_id: app.appId,
    };
    const raw = new URLSearchParams({ ...body, code_verifier: asked.verifier }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // The request is refused without the app's secret, and with a wrong secret.
    for (const more of [{}, { authorization: `Basic ${btoa(`${app.appId}:eus_cs_wrong`)}` }])
      expect(
        (await api.send('/oauth/token', { method: 'POST', raw, headers: { ...headers, ...more } })).json.error,
      ).toBe('invalid_client');
    expect((await exchangeAuthorizationCode(app, back, asked)).scope).toBe('insights:read devices:read');
  });

  test('are not issued without PKCE, with its plain method, or for scopes beyond the app’s', async () => {
    const failing: [Record<string, string>, string][] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ scope: 'insights:read alerts:read' }, 'invalid_scope'],
      // Unknown scopes are ignored, and then no scope is left.
      [{ scope: 'openid keys:write' }, 'invalid_scope'],
      [{ scope: '' }, 'invalid_scope'],
      [{ prompt: 'none' }, 'consent_required'],
    ];
    for (const [more, error] of failing) {
      const { url } = await createAppConsentRequest(app, more);
      const { status, headers } = await requestAsBrowser(api, new Map(), url.href);
      const to = new URL(String(headers.location));
      expect([more, status, to.origin, errorOf(to)]).toEqual([more, 303, new URL(CALLBACK_URL).origin, error]);
      expect(to.searchParams.get('iss')).toBe(TEST_URL);
    }
    expect(
      (
        await requestAsBrowser(
          api,
          new Map(),
          (
            await createAppConsentRequest(app, { response_mode: 'form_post' })
          ).url.href,
        )
      ).status,
    ).toBe(400);
  });
});

describe('redirect URIs', () => {
  test.each([
    ['of others', 'https://evil.example/'],
    ['with a longer path', `${CALLBACK_URL}/more`],
    ['with a query', `${CALLBACK_URL}?next=https://evil.example`],
    ['with a fragment', `${CALLBACK_URL}#x`],
    ['with other letters', 'https://BRIGHT.example.com/callback'],
    ['with a port', 'https://bright.example.com:8443/callback'],
    ['with a user', 'https://bright.example.com@evil.example/callback'],
    ['with a path upwards', 'https://bright.example.com/a/../callback'],
    ['without TLS', 'http://bright.example.com/callback'],
    ['of loopback', 'http://127.0.0.1/callback'],
  ])('such as %s get an error page and no redirect', async (_, redirect_uri) => {
    const { status, headers } = await requestAsBrowser(
      api,
      new Map(),
      (await createAppConsentRequest(app, { redirect_uri })).url.href,
    );
    expect([status, headers.location]).toEqual([400, undefined]);
    expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
  });

  test('on loopback may have any port, for public apps only; these need no secret', async () => {
    const program = await registerApp(api, utility, { type: 'public', redirect_uris: ['http://127.0.0.1/back'] });
    for (const [redirect_uri, status] of [
      ['http://127.0.0.1:51004/back', 303],
      ['http://127.0.0.1:51004/other', 400],
      ['http://localhost:51004/back', 400],
      ['http://127.0.0.1.evil.example:51004/back', 400],
    ] as const)
      expect(
        (await requestAsBrowser(api, new Map(), (await createAppConsentRequest(program, { redirect_uri })).url.href))
          .status,
      ).toBe(status);
    const asked = await createAppConsentRequest(program, { redirect_uri: 'http://127.0.0.1:51004/back' });
    const mine = await newHome();
    const tokens = await exchangeAuthorizationCode(program, await authorizeApp(api, mine, asked), asked);
    expect((await insights(tokens.access_token)).json.user_id).toBe(mine.userId);
  });
});

describe('the consent page', () => {
  test('is plain HTML with one form, names app, scopes and duration, and is shown in no frame', async () => {
    const { page } = await openConsentPage(
      api,
      getCookies(await signInBrowser(api, home.userId)),
      await createAppConsentRequest(app),
    );
    expect(page.text).toContain('Bright Home requests access to your home');
    expect(page.text).toContain('see what your home uses and produces');
    for (const words of ['for 30 days', 'for a year', 'until you end it']) expect(page.text).toContain(words);
    expect([page.text.match(/<form/g)?.length, /<script/.test(page.text)]).toEqual([1, false]);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(
      /default-src 'none'.*form-action 'self' https:\/\/bright\.example\.com;.*frame-ancestors 'none'/,
    );
  });

  test.each([
    ['de-AT,de;q=0.9', 'de', 'Bright &amp; Co bittet um Zugang', 'sehen, was Ihr Zuhause verbraucht'],
    ['es', 'es', 'Bright &amp; Co pide acceso', 'ver lo que tu hogar consume'],
    ['fr-CH', 'fr', 'Bright &amp; Co demande l’accès', 'voir ce que votre logement consomme'],
    ['nl,en;q=0.5', 'nl', 'Bright &amp; Co vraagt toegang', 'zien wat je huis verbruikt'],
    ['ja', 'en', 'Bright &amp; Co requests access', 'see what your home uses'],
  ])('is in the language of the browser: %s', async (accepted, language, asks, scope) => {
    const named = await registerApp(api, utility, { name: 'Bright & Co' });
    const cookies = getCookies(await signInBrowser(api, home.userId));
    const { at } = await openConsentPage(api, cookies, await createAppConsentRequest(named));
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { text } = await api.send(at, { headers: { cookie, 'accept-language': accepted } });
    for (const part of [`<html lang="${language}">`, asks, scope]) expect(text).toContain(part);
  });

  test('grants nothing without its own token, from another session or browser, or after 15 minutes', async () => {
    const mine = await newHome();
    const cookies = getCookies(await signInBrowser(api, mine.userId));
    const { at, csrf } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
    const allow = (with_: string, by = cookies) =>
      requestAsBrowser(api, new Map(by), at, { csrf: with_, until: 'month', decision: 'allow' });
    const forged = [...cookies].map(([name, value]): [string, string] => [name, name.endsWith('.sig') ? 'x' : value]);
    expect((await allow(csrf, new Map(forged))).status).toBe(404);
    const foreign = await openConsentPage(api, new Map(cookies), await createAppConsentRequest(app));
    for (const token of ['', 'x', foreign.csrf]) expect((await allow(token)).status).toBe(403);
    const other = getCookies(await signInBrowser(api, home.userId));
    // A consent request belongs to the browser that opened it.
    expect((await allow(csrf, other)).status).toBe(404);
    expect((await allow(csrf, new Map([...cookies, ...other]))).status).toBe(403);
    // A session that was opened from another device does not prove who uses it.
    await rows("UPDATE sessions SET signed_in_by = 'device' WHERE user_id = $1", [mine.userId]);
    expect((await allow(csrf)).status).toBe(403);
    await rows(
      "UPDATE sessions SET signed_in_by = 'mail', created_at = created_at - interval '16 minutes' WHERE user_id = $1",
      [mine.userId],
    );
    expect((await allow(csrf)).status).toBe(403);
    expect((await requestAsBrowser(api, cookies, at)).text).toContain('Sign out to sign in again');
    expect((await list(mine)).json).toEqual([]);
  });

  test('grants access once for two clicks, and a denial returns to the app', async () => {
    const mine = await newHome();
    const cookies = getCookies(await signInBrowser(api, mine.userId));
    const { at, csrf } = await openConsentPage(api, cookies, await createAppConsentRequest(app));
    const press = () => requestAsBrowser(api, cookies, at, { csrf, until: 'unlimited', decision: 'allow' });
    expect([(await press()).status, (await press()).status]).toEqual([303, 303]);
    expect((await list(mine)).json).toMatchObject([{ expires_at: null }]);
    const refused = await openConsentPage(api, cookies, await createAppConsentRequest(app));
    const pressed = await requestAsBrowser(api, cookies, refused.at, { csrf: refused.csrf, decision: 'deny' });
    const { headers } = await requestAsBrowser(api, cookies, String(pressed.headers.location));
    expect(errorOf(new URL(String(headers.location)))).toBe('access_denied');
  });

  test('can be used by homes only, and with no key', async () => {
    const { page } = await openConsentPage(
      api,
      getCookies(await signInBrowser(api, utility.userId)),
      await createAppConsentRequest(app),
    );
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Only the account of a homeowner')]);
    const cookies = new Map<string, string>();
    const consentPage = await requestAsBrowser(api, cookies, (await createAppConsentRequest(app)).url.href);
    const reload = await requestAsBrowser(api, cookies, String(consentPage.headers.location));
    expect(reload.text).toContain('http-equiv="refresh"');
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const byKey = await api.send(`${consentPage.headers.location}?again`, { key: home.key, headers: { cookie } });
    expect(byKey.text).toContain('Sign in first');
  });
});
