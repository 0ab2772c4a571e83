import { createHash, randomBytes } from 'node:crypto';
import { type HttpResponse, type ServerAddress, sendRequest } from './client.ts';
import { signIn } from './sign-in.ts';
import type { AttackedInstallation, Person } from './world.ts';

export const REDIRECT_URI = 'https://bright.example.com/callback';

/** A registered app. */
export interface RegisteredApp {
  clientId: string;
  secret: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Returns the settings with which a server-side (confidential) app is registered; `more` replaces some of them. */
export const createAppSettings = (more: object = {}) => ({
  name: 'Bright Home',
  website: 'https://bright.example.com',
  type: 'confidential',
  redirect_uris: [REDIRECT_URI],
  scopes: ['insights:read', 'devices:read'],
  ...more,
});

/** Returns the app that several probes use. The first call registers the app. */
export const getSharedApp = (world: AttackedInstallation): Promise<RegisteredApp> =>
  world.once('an app', async () => {
    const { key } = await world.person('utility');
    const { json } = await world.must('POST', '/v1/apps', { key, body: createAppSettings() });
    return { clientId: json.client_id, secret: json.client_secret };
  });

interface ConsentRequest {
  path: string;
  verifier: string;
}

/**
 * Returns the path at the authorization server to which an app sends a browser. `more` replaces parameters; an empty parameter is omitted.
 */
export function createConsentRequest({ clientId }: RegisteredApp, more: Record<string, string> = {}): ConsentRequest {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'insights:read',
    state: 'a state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return { path: `/oauth/authorize?${new URLSearchParams(given)}`, verifier };
}

/** A browser with its cookies, and with a loopback address that no other client uses. */
interface SimulatedBrowser {
  open(url: string, form?: Record<string, string>): Promise<HttpResponse>;
  /** Headers of a request that a dashboard page sends. */
  headers: Record<string, string>;
}

/** Returns a browser in which `person` has signed in by mail. If `person` is omitted, nobody has signed in. */
export async function openBrowser(world: AttackedInstallation, person?: Person): Promise<SimulatedBrowser> {
  const from = world.address();
  const session = person && (await signIn(world, person.email));
  const cookies = new Map<string, string>();
  const storeCookies = (text: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    cookies.set(name, value);
  };
  if (session) storeCookies(session.cookie);
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    headers: { ...session },
    async open(url, form) {
      const { pathname, search } = new URL(url, 'https://localhost');
      const answer = await sendRequest(world.target.api, form ? 'POST' : 'GET', `${pathname}${search}`, {
        from,
        headers: { cookie: cookie(), accept: 'text/html', ...(form && FORM) },
        ...(form && { raw: new URLSearchParams(form).toString() }),
      });
      for (const set of [answer.headers['set-cookie'] ?? []].flat()) storeCookies(set);
      return answer;
    },
  };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Opens the consent page. Returns the page, its URL, and the token of its form. */
export async function openConsentPage(browser: SimulatedBrowser, { path }: ConsentRequest) {
  const opened = await browser.open(path);
  const at = String(opened.headers.location);
  if (opened.status !== 303 || !at.includes('/dashboard/consent/'))
    throw new Error(`the authorization server answered ${opened.status} ${at}`);
  const page = await browser.open(at);
  return { at, page, csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '' };
}

/** Authorizes an app for a home. Returns the URL to which the browser is redirected, which contains the authorization code. */
export async function authorizeApp(browser: SimulatedBrowser, request: ConsentRequest): Promise<URL> {
  const { at, csrf } = await openConsentPage(browser, request);
  const pressed = await browser.open(at, { csrf, until: 'month', decision: 'allow' });
  const returned = await browser.open(String(pressed.headers.location));
  return new URL(String(returned.headers.location));
}

/** Sends a form with the app's secret to the token endpoint of an API process (default: the first one). */
export const requestTokens = (
  world: AttackedInstallation,
  { clientId, secret }: RegisteredApp,
  form: Record<string, string>,
  to: ServerAddress = world.target.api,
  from = world.address(),
): Promise<HttpResponse> =>
  sendRequest(to, 'POST', '/oauth/token', {
    from,
    headers: { ...FORM, authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    raw: new URLSearchParams(form).toString(),
  });

/** Returns the form with which an app exchanges the authorization code in a redirect URL for tokens. */
export const createCodeExchangeForm = (back: URL, { verifier }: ConsentRequest): Record<string, string> => ({
  grant_type: 'authorization_code',
  code: back.searchParams.get('code') ?? '',
  redirect_uri: REDIRECT_URI,
  code_verifier: verifier,
});

/** Authorizes the shared app for a new home. Returns the app, the home, the home's browser and the tokens. */
export async function createHomeWithAuthorizedApp(world: AttackedInstallation, more: Record<string, string> = {}) {
  const app = await getSharedApp(world);
  const home = await world.person('homeowner');
  const browser = await openBrowser(world, home);
  const request = createConsentRequest(app, more);
  const back = await authorizeApp(browser, request);
  const { status, json, text } = await requestTokens(world, app, createCodeExchangeForm(back, request));
  if (status !== 200) throw new Error(`the code was answered with ${status}: ${text}`);
  return { app, home, browser, tokens: json as Tokens };
}
