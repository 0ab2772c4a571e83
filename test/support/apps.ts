import * as client from 'openid-client';
import { expect } from 'vitest';
import { TEST_URL, type TestApi, type TestApiResponse } from './api.ts';
import { type BrowserHeaders, type Person, signInBrowser } from './members.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const CALLBACK_URL = 'https://bright.example.com/callback';

export interface TestOAuthApp {
  appId: string;
  secret: string | undefined;
  config: client.Configuration;
}

/** Registers an app. Returns an openid-client for the app, configured from the server's metadata. */
export async function registerApp(api: TestApi, owner: Person, more: object = {}): Promise<TestOAuthApp> {
  const body = {
    name: 'Bright Home',
    website: 'https://bright.example.com',
    type: 'confidential',
    redirect_uris: [CALLBACK_URL],
    scopes: ['insights:read', 'devices:read'],
    ...more,
  };
  const { status, json } = await api.send('/v1/apps', { method: 'POST', key: owner.key, body });
  expect(status).toBe(201);
  const { client_id: appId, client_secret: secret } = json;
  const options = { [client.customFetch]: fetchOf(api), algorithm: 'oauth2' } as const;
  const auth = secret === undefined ? client.None() : client.ClientSecretBasic(secret);
  const config = await client.discovery(new URL(TEST_URL), appId, undefined, auth, options);
  return { appId, secret, config };
}

/** Returns a `fetch` that sends requests for the service's public URL to the test API. */
const fetchOf =
  (api: TestApi): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const raw = body === undefined || body === null ? {} : { raw: String(body) };
    const { status, headers: answered, text } = await api.send(`${pathname}${search}`, { method, headers, ...raw });
    const headerPairs = Object.entries(answered).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(text, { status, headers: headerPairs });
  };

/** Cookies of a browser during redirects, by name. */
type Cookies = Map<string, string>;

/** Sends a request like a browser, with the cookies that earlier responses have set. */
export async function requestAsBrowser(
  api: TestApi,
  cookies: Cookies,
  url: string,
  form?: Record<string, string>,
): Promise<TestApiResponse> {
  const { pathname, search } = new URL(url, TEST_URL);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await api.send(`${pathname}${search}`, {
    headers: { cookie, accept: 'text/html', ...(form && FORM) },
    ...(form && { method: 'POST', raw: new URLSearchParams(form).toString() }),
  });
  for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    cookies.set(name, value);
  }
  return answer;
}

export interface ConsentRequest {
  url: URL;
  verifier: string;
  state: string;
}

/** Returns the URL at which an app asks a home for its consent. */
export async function createAppConsentRequest(
  { config }: TestOAuthApp,
  more: Record<string, string> = {},
): Promise<ConsentRequest> {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK_URL,
    scope: 'insights:read devices:read',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  return { url, verifier, state };
}

export const getCookies = (browser: BrowserHeaders): Cookies => {
  const [name = '', value = ''] = browser.cookie.split('=');
  return new Map([[name, value]]);
};

/** Opens the consent page. Returns the page's URL, the response and the page's CSRF token. */
export async function openConsentPage(api: TestApi, cookies: Cookies, { url }: ConsentRequest) {
  const begun = await requestAsBrowser(api, cookies, url.href);
  expect([begun.status, begun.text]).toEqual([303, expect.anything()]);
  const at = String(begun.headers.location);
  const page = await requestAsBrowser(api, cookies, at);
  return { at, page, csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '' };
}

/** Authorizes an app for a home. Returns the redirect URL, which contains the authorization code. */
export async function authorizeApp(api: TestApi, home: Person, asked: ConsentRequest, until = 'month'): Promise<URL> {
  const cookies = getCookies(await signInBrowser(api, home.userId));
  const { at, csrf } = await openConsentPage(api, cookies, asked);
  const pressed = await requestAsBrowser(api, cookies, at, { csrf, until, decision: 'allow' });
  expect(pressed.status).toBe(303);
  const returned = await requestAsBrowser(api, cookies, String(pressed.headers.location));
  expect(returned.status).toBe(303);
  return new URL(String(returned.headers.location));
}

export const exchangeAuthorizationCode = ({ config }: TestOAuthApp, back: URL, { verifier, state }: ConsentRequest) =>
  client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });

/** Authorizes an app for a home, and returns its tokens. */
export async function requestAppTokens(
  api: TestApi,
  app: TestOAuthApp,
  home: Person,
  more: Record<string, string> = {},
) {
  const asked = await createAppConsentRequest(app, more);
  return exchangeAuthorizationCode(app, await authorizeApp(api, home, asked), asked);
}
