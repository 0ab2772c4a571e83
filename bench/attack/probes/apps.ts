import {
  authorizeApp,
  createAppSettings,
  createCodeExchangeForm,
  createConsentRequest,
  createHomeWithAuthorizedApp,
  getSharedApp,
  openBrowser,
  openConsentPage,
  REDIRECT_URI,
  type RegisteredApp,
  requestTokens,
} from '../app.ts';
import { sendBytesAndReadResponse, sendRequest } from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';
import { type AttackedInstallation, pause } from '../world.ts';

const MAIL = { needs: ['dataDir'] as const };
/** Maximum time in ms until every process must reject reads with a token whose access was ended. */
const REFUSED_WITHIN_MS = 1_000;

const read = (world: AttackedInstallation, key: string, query = '') =>
  world.ask('GET', `/v1/energy-insights${query}`, { key, from: world.address() });

/** Fails unless every process rejects reads with this token one second after its access was ended. */
async function expectRefusedEverywhere(world: AttackedInstallation, key: string): Promise<void> {
  await pause(REFUSED_WITHIN_MS);
  for (const api of world.apis) {
    const { status } = await sendRequest(api, 'GET', '/v1/energy-insights', { key, from: world.address() });
    expectAllowedValue(status, [401], 'a token of an ended access');
  }
}

/** Redirect URIs that a server-side app must not register. Of these, an app without a server may register only the last two. */
const REFUSED_REDIRECTS = [
  'https://bright.example.com/#fragment',
  'https://user@bright.example.com/',
  'http://bright.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'com.example.app:/back',
  'https://bright.example.com/ x',
  '//bright.example.com/',
  'http://127.0.0.1/',
  'http://localhost:80/',
];

/** Redirect URIs that resemble the registered URI but are not equal to it. */
const FORGED_REDIRECTS = [
  'https://evil.example/',
  'https://bright.example.com/',
  'https://bright.example.com/callback/more',
  'https://bright.example.com/callback?next=https://evil.example',
  'https://bright.example.com/callback#x',
  'https://bright.example.com/%63allback',
  'https://bright.example.com/a/../callback',
  'https://bright.example.com:8443/callback',
  'https://BRIGHT.example.com/callback',
  'https://bright.example.com.evil.example/callback',
  'https://bright.example.com@evil.example/callback',
  'https://evil.example\\@bright.example.com/callback',
  'http://bright.example.com/callback',
  'http://127.0.0.1/callback',
];

const REQUESTS: readonly Probe[] = [
  defineProbe(
    'an app registers no redirect address with a fragment, an account, another scheme or without TLS',
    async (world) => {
      const { key } = await world.person('utility');
      for (const uri of REFUSED_REDIRECTS) {
        const { status } = await world.ask('POST', '/v1/apps', {
          key,
          body: createAppSettings({ redirect_uris: [uri] }),
        });
        expectAllowedValue(status, [422], `an app with ${uri}`);
      }
    },
  ),
  defineProbe('homeowners register no apps, and no utility finds another one’s', async (world) => {
    const [home, other, owner] = [
      await world.person('homeowner'),
      await world.person('utility'),
      await world.person('utility'),
    ];
    const refused = await world.ask('POST', '/v1/apps', { key: home.key, body: createAppSettings() });
    expectAllowedValue(refused.status, [403], 'an app of a homeowner');
    const { app_id } = (await world.must('POST', '/v1/apps', { key: owner.key, body: createAppSettings() })).json;
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      const { status } = await world.ask(method, `/v1/apps/${app_id}`, { key: other.key, ...(body && { body }) });
      expectAllowedValue(status, [404], `${method} of another utility’s app`);
    }
  }),
  defineProbe('a request for consent with a forged redirect address redirects nowhere', async (world) => {
    const app = await getSharedApp(world);
    for (const redirect_uri of FORGED_REDIRECTS) {
      const browser = await openBrowser(world);
      const { status, headers } = await browser.open(createConsentRequest(app, { redirect_uri }).path);
      expectAllowedValue(status, [400], redirect_uri);
      assertProbeCondition(headers.location === undefined, `${redirect_uri} leads to ${headers.location}`);
    }
  }),
  defineProbe('no code is issued without PKCE by S256, and no token in an address', async (world) => {
    const app = await getSharedApp(world);
    const tries: Record<string, string>[] = [
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { response_type: 'token' },
      { response_type: 'code id_token' },
      { prompt: 'none' },
    ];
    for (const more of tries) {
      const { headers } = await (await openBrowser(world)).open(createConsentRequest(app, more).path);
      assertProbeCondition(
        /[?&#]error=/.test(String(headers.location)),
        `${JSON.stringify(more)} leads to ${headers.location}`,
      );
    }
    for (const response_mode of ['fragment', 'form_post', 'web_message']) {
      const { status } = await (await openBrowser(world)).open(createConsentRequest(app, { response_mode }).path);
      expectAllowedValue(status, [400], `response_mode ${response_mode}`);
    }
  }),
];

const CONSENT: readonly Probe[] = [
  defineProbe(
    'the page of consent is shown in no frame, and no other site’s form lets an app in',
    async (world) => {
      const app = await getSharedApp(world);
      const [home, other] = [await world.person('homeowner'), await world.person('homeowner')];
      const browser = await openBrowser(world, home);
      const { at, page } = await openConsentPage(browser, createConsentRequest(app));
      assertProbeCondition(
        /frame-ancestors 'none'/.test(String(page.headers['content-security-policy'])),
        'it allows frames',
      );
      const foreign = await openConsentPage(await openBrowser(world, other), createConsentRequest(app));
      for (const csrf of ['', 'x', foreign.csrf]) {
        const { status } = await browser.open(at, { csrf, until: 'unlimited', decision: 'allow' });
        expectAllowedValue(status, [403], 'a form with another token');
      }
      const { json } = await world.ask('GET', '/dashboard/v1/authorizations', { headers: browser.headers });
      expectAllowedValue(json.length, [0], 'apps with access');
    },
    MAIL,
  ),
  defineProbe(
    'the answer to an app names the issuer, against a mix-up of servers',
    async (world) => {
      const app = await getSharedApp(world);
      const back = await authorizeApp(
        await openBrowser(world, await world.person('homeowner')),
        createConsentRequest(app),
      );
      const { json } = await world.ask('GET', '/.well-known/oauth-authorization-server');
      expectAllowedValue(back.searchParams.get('iss'), [json.issuer], 'iss');
    },
    MAIL,
  ),
];

/** Token requests that try to exchange an authorization code and must fail. Each of them gets a new code. */
const FAILING: readonly [
  what: string,
  change: (form: Record<string, string>) => Record<string, string>,
  as?: 'another',
][] = [
  ['without its verifier', ({ code_verifier: _, ...form }) => form],
  ['with the verifier of another request', (form) => ({ ...form, code_verifier: 'x'.repeat(43) })],
  ['with another redirect address', (form) => ({ ...form, redirect_uri: `${REDIRECT_URI}/other` })],
  ['by another app', (form) => form, 'another'],
];

async function anotherApp(world: AttackedInstallation): Promise<RegisteredApp> {
  const { key } = await world.person('utility');
  const { json } = await world.must('POST', '/v1/apps', { key, body: createAppSettings() });
  return { clientId: json.client_id, secret: json.client_secret };
}

const TOKENS: readonly Probe[] = [
  ...FAILING.map(([what, change, as]) =>
    defineProbe(
      `a code is not exchanged ${what}`,
      async (world) => {
        const app = await getSharedApp(world);
        const request = createConsentRequest(app);
        const back = await authorizeApp(await openBrowser(world, await world.person('homeowner')), request);
        const by = as === undefined ? app : await anotherApp(world);
        const { status, json } = await requestTokens(world, by, change(createCodeExchangeForm(back, request)));
        expectAllowedValue(status, [400], 'the exchange');
        assertProbeCondition(json?.access_token === undefined, 'a token was issued');
      },
      MAIL,
    ),
  ),
  defineProbe(
    'a code that is replayed at every process at once gives access to nobody in the end',
    async (world) => {
      const app = await getSharedApp(world);
      const request = createConsentRequest(app);
      const back = await authorizeApp(await openBrowser(world, await world.person('homeowner')), request);
      const tries = [...world.apis, ...world.apis].map((api) =>
        requestTokens(world, app, createCodeExchangeForm(back, request), api),
      );
      const issued = (await Promise.all(tries)).filter(({ status }) => status === 200);
      assertProbeCondition(issued.length <= 1, `${issued.length} exchanges of one code succeeded`);
      for (const { json } of issued) await expectRefusedEverywhere(world, json.access_token);
    },
    MAIL,
  ),
  defineProbe(
    'a stolen refresh token that is used again ends the access at every process',
    async (world) => {
      const { app, tokens } = await createHomeWithAuthorizedApp(world);
      const refresh = (refresh_token: string) =>
        requestTokens(world, app, { grant_type: 'refresh_token', refresh_token });
      const second = (await refresh(tokens.refresh_token)).json;
      const third = (await refresh(second.refresh_token)).json;
      expectAllowedValue((await read(world, third.access_token)).status, [200], 'the app');
      expectAllowedValue((await refresh(tokens.refresh_token)).status, [400], 'the stolen token');
      expectAllowedValue((await refresh(third.refresh_token)).status, [400], 'the token of the app afterwards');
      await expectRefusedEverywhere(world, third.access_token);
    },
    MAIL,
  ),
  defineProbe(
    'no scope grows at a refresh, and a token does no more than its scopes',
    async (world) => {
      const { app, tokens } = await createHomeWithAuthorizedApp(world);
      const { refresh_token } = tokens;
      for (const scope of ['insights:read devices:read', 'keys:write', 'openid']) {
        const { status } = await requestTokens(world, app, { grant_type: 'refresh_token', refresh_token, scope });
        expectAllowedValue(status, [400], `a refresh with ${scope}`);
      }
      for (const [method, path] of [
        ['GET', '/v1/devices'],
        ['POST', '/v1/keys'],
        ['GET', '/v1/authorizations'],
        ['GET', '/v1/apps'],
        ['POST', '/v1/gateways'],
      ] as const) {
        const { status } = await world.ask(method, path, {
          key: tokens.access_token,
          ...(method === 'POST' && { body: {} }),
        });
        expectAllowedValue(status, [403], `${method} ${path}`);
      }
    },
    MAIL,
  ),
  defineProbe(
    'a token reaches its home alone, no page of the dashboard and no tools of assistants',
    async (world) => {
      const { home, tokens } = await createHomeWithAuthorizedApp(world);
      const { access_token: key } = tokens;
      const other = await world.person('homeowner');
      const mine = await read(world, key);
      expectAllowedValue([mine.status, mine.json.user_id].join(' '), [`200 ${home.userId}`], 'the home itself');
      expectAllowedValue((await read(world, key, `?user_id=${other.userId}`)).status, [403], 'another home');
      for (const [method, path] of [
        ['GET', '/dashboard/v1/devices'],
        ['GET', '/dashboard/v1/sessions'],
        ['POST', '/mcp'],
      ] as const) {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const { status } = await world.ask(method, path, {
          key,
          from: world.address(),
          ...(method === 'POST' && { body }),
        });
        expectAllowedValue(status, [401], `${method} ${path}`);
      }
      const { status } = await world.ask('GET', `/v1/energy-insights?access_token=${key}`, { from: world.address() });
      expectAllowedValue(status, [401], 'a token in the address');
    },
    MAIL,
  ),
];

const ENDS: readonly Probe[] = [
  defineProbe(
    'an access that its home ended is refused by every process within a second, also if it was cached',
    async (world) => {
      const { app, browser, tokens } = await createHomeWithAuthorizedApp(world);
      for (const api of world.apis) await sendRequest(api, 'GET', '/v1/energy-insights', { key: tokens.access_token });
      const [{ authorization_id }] = (
        await world.ask('GET', '/dashboard/v1/authorizations', { headers: browser.headers })
      ).json;
      const path = `/dashboard/v1/authorizations/${authorization_id}`;
      expectAllowedValue((await world.ask('DELETE', path, { headers: browser.headers })).status, [200], 'the end');
      await expectRefusedEverywhere(world, tokens.access_token);
      const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      expectAllowedValue((await requestTokens(world, app, again)).status, [400], 'a refresh');
    },
    MAIL,
  ),
  defineProbe(
    'tokens of an erased home, and of an app whose owner was erased, are refused by every process',
    async (world) => {
      const { home, tokens } = await createHomeWithAuthorizedApp(world);
      await world.must('DELETE', `/v1/users/${home.userId}`);
      await expectRefusedEverywhere(world, tokens.access_token);
      const owner = await world.person('utility');
      const { json } = await world.must('POST', '/v1/apps', { key: owner.key, body: createAppSettings() });
      const app = { clientId: json.client_id, secret: json.client_secret };
      const request = createConsentRequest(app);
      const back = await authorizeApp(await openBrowser(world, await world.person('homeowner')), request);
      const { access_token } = (await requestTokens(world, app, createCodeExchangeForm(back, request))).json;
      expectAllowedValue((await read(world, access_token)).status, [200], 'the app before');
      await world.must('DELETE', `/v1/users/${owner.userId}`);
      await expectRefusedEverywhere(world, access_token);
    },
    MAIL,
  ),
];

const GUESSES: readonly Probe[] = [
  defineProbe('guesses of secrets and codes are limited by address, over all processes', async (world) => {
    const app = await getSharedApp(world);
    const from = world.address();
    const form = {
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: REDIRECT_URI,
      code_verifier: 'x'.repeat(43),
    };
    const statuses: number[] = [];
    for (let tried = 0; tried < 13; tried++) {
      const api = world.apis[tried % world.apis.length] ?? world.target.api;
      statuses.push((await requestTokens(world, { ...app, secret: `x${tried}` }, form, api, from)).status);
    }
    expectAllowedValue(statuses[0] as number, [401], 'the first guess');
    expectAllowedValue(statuses.at(-1) as number, [429], 'the thirteenth guess');
  }),
  defineProbe(
    'no token is exchanged without TLS',
    async (world) => {
      const { clientId, secret } = await getSharedApp(world);
      const body = 'grant_type=client_credentials';
      const head = `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${btoa(`${clientId}:${secret}`)}`;
      const type = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close`;
      const to = world.target.plainHttp as { host: string; port: number };
      const { status, text } = await sendBytesAndReadResponse(to, 'tcp', `${head}\r\n${type}\r\n\r\n${body}`);
      assertProbeCondition(status !== 200 && !text.includes('eus_at_'), `the plain port answered ${status}`);
    },
    { needs: ['plainHttp'] },
  ),
];

/** Probes of apps and of the authorization server that authorizes them (RFC 9700). */
export const APP_PROBES: readonly Probe[] = [...REQUESTS, ...CONSENT, ...TOKENS, ...ENDS, ...GUESSES];
