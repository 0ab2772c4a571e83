import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOidcProvider } from '#src/auth/oidc/provider.ts';
import { unlinkProviders } from '#src/auth/oidc/sign-in.ts';
import type { OidcConfig } from '#src/config/oidc.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createUser, type Role, updateUser } from '#src/users/store.ts';
import { startTestApi, TEST_URL, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { type OidcServer, startOidcServer } from '#test/support/oidc.ts';

const CALLBACK = `${TEST_URL}/dashboard/sign-in/callback`;
const NOON = new Date('2026-06-15T12:00:00Z');

let provider: OidcServer;
/** Three APIs: with minimal settings (`api`), with a mapping of the provider's roles, and with automatic creation of accounts. */
let api: TestApi;
let withRoles: TestApi;
let withAccounts: TestApi;
beforeAll(async () => {
  provider = await startOidcServer();
  provider.serve(TEST_URL);
  api = await startTestApi({ oidc: readOidcConfig({}) });
  withRoles = await startTestApi({
    oidc: readOidcConfig({ roles: { claim: 'groups', of: { 'energy-admins': 'admin', staff: 'utility' } } }),
    database: api.database,
  });
  withAccounts = await startTestApi({
    oidc: readOidcConfig({ createsAccounts: true, emailDomains: ['example.com'] }),
    database: api.database,
  });
});
afterAll(async () => {
  await Promise.all([withRoles.app.close(), withAccounts.app.close()]);
  await api.close();
  await provider.close();
});
beforeEach(() => {
  api.now = NOON;
  provider.faults.answers.clear();
  provider.faults.idToken = undefined;
  provider.faults.signing = undefined;
});

function readOidcConfig(more: Partial<OidcConfig>) {
  const config: OidcConfig = {
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    scopes: 'openid email',
    label: 'Example',
    roles: undefined,
    verifiedClaim: 'email_verified',
    createsAccounts: false,
    emailDomains: undefined,
    caFile: undefined,
    ...more,
  };
  return { config, provider: createOidcProvider(config, provider.ca) };
}

let number = 0;
/** Creates a person who can sign in at the provider, and an account with the person's e-mail address. */
async function person(claims: Record<string, unknown> = {}, { role = 'homeowner' as Role, hasAccount = true } = {}) {
  const login = `login-${++number}`;
  const email = `person-${number}@example.com`;
  provider.people.set(login, { email, email_verified: true, ...claims });
  const userId = hasAccount ? (await createUser(api.db, { email, role })).user_id : '';
  return { login, email, userId };
}

const setCookies = ({ headers }: TestApiResponse) => [headers['set-cookie'] ?? []].flat();
const cookieOf = (answer: TestApiResponse, name: string) =>
  setCookies(answer)
    .find((one) => one.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';

async function begin(at = api, return_to: unknown = '/dashboard/keys', headers: Record<string, string> = {}) {
  const answer = await at.send('/dashboard/sign-in/provider', { method: 'POST', body: { return_to }, headers });
  expect(answer.status).toBe(200);
  return { location: answer.json.location as string, cookie: cookieOf(answer, '__Host-energy_provider') };
}
/** Follows the provider's redirect to the API, in the browser that started the sign-in. */
const comeBack = (to: string, cookie: string, at = api) =>
  at.send(to.replace(TEST_URL, ''), { headers: cookie === '' ? {} : { cookie } });
async function signIn(login: string, at = api) {
  const { location, cookie } = await begin(at);
  return comeBack(await provider.signIn(location, login), cookie, at);
}
const sessionOf = (answer: TestApiResponse, at = api) =>
  at.send('/dashboard/session', { headers: { cookie: cookieOf(answer, '__Secure-energy_session') } });
const problemOf = ({ status, headers }: TestApiResponse) =>
  status === 303 ? /\?problem=(\w+)$/.exec(String(headers.location))?.[1] : `status ${status}`;
const acts = async (userId: string) =>
  (
    await api.database.pool.query(
      'SELECT action, details FROM audit_log WHERE actor_user_id = $1 OR about_user_id = $1 ORDER BY audit_id',
      [userId],
    )
  ).rows.map(({ action, details }) => [action, details.by]);

describe('a person who signs in at the provider', () => {
  test('gets a session of the account with that verified address, on the requested page', async () => {
    const { login, email, userId } = await person();
    const answer = await signIn(login);
    expect([answer.status, answer.headers.location]).toEqual([303, '/dashboard/keys']);
    const session = await sessionOf(answer);
    expect(session.json.user).toMatchObject({ user_id: userId, email, role: 'homeowner' });
    expect(await acts(userId)).toEqual([
      ['identity.linked', 'provider'],
      ['session.opened', 'provider'],
    ]);
    const cookie = cookieOf(answer, '__Secure-energy_session');
    const headers = { cookie, 'x-csrf-token': session.json.csrf_token };
    const list = await api.send('/dashboard/v1/sessions', { headers });
    expect(list.json).toMatchObject([{ signed_in_by: 'provider', is_current: true }]);
    // Signs the person out of the service and of the provider.
    const out = await api.send('/dashboard/session', { method: 'DELETE', headers });
    const end = new URL(out.json.continue_at);
    expect([end.origin, end.searchParams.get('post_logout_redirect_uri'), end.searchParams.get('client_id')]).toEqual([
      provider.issuer,
      `${TEST_URL}/dashboard/sign-in`,
      'energy',
    ]);
    expect((await sessionOf(answer)).json).toMatchObject({ user: null, provider: 'Example' });
  });

  test('is recognised after a change of address; another person with the account’s address is refused', async () => {
    const { login, email, userId } = await person();
    await signIn(login);
    provider.people.set(login, { email: 'new-name@example.com', email_verified: true });
    expect((await sessionOf(await signIn(login))).json.user.user_id).toBe(userId);
    // From now on, the provider sends only the user's subject (`sub`), which is enough for the second sign-in.
    provider.people.set(login, {});
    expect((await sessionOf(await signIn(login))).json.user.user_id).toBe(userId);
    provider.people.set('who-came-after', { email, email_verified: true });
    expect(problemOf(await signIn('who-came-after'))).toBe('taken');
    expect(await unlinkProviders(api.db, userId)).toBe(1);
    expect((await sessionOf(await signIn('who-came-after'))).json.user.user_id).toBe(userId);
  });

  test.each([
    ['not verified', { email_verified: false }, 'unverified'],
    ['verified by nobody', { email_verified: undefined }, 'unverified'],
    ['verified in words', { email_verified: 'no' }, 'unverified'],
    ['none', { email: undefined }, 'unverified'],
    ['no address', { email: 'admin@localhost' }, 'unverified'],
    ['several', { email: ['a@example.com', 'b@example.com'] }, 'unverified'],
    ['of no account', { email: 'nobody@example.com' }, 'unknown'],
    // The address contains the Kelvin sign (U+212A), whose lower-case form is `k`.
    ['in letters that become others', { email: '\u212Aelvin@example.com' }, 'unverified'],
  ])('cannot sign in with an address that is %s', async (_what, claims, problem) => {
    await createUser(api.db, { email: 'kelvin@example.com', role: 'admin' }).catch(() => {});
    const { login, userId } = await person(claims);
    expect(problemOf(await signIn(login))).toBe(problem);
    expect(await acts(userId)).toEqual([]);
  });

  test('cannot sign in once the account is erased; is linked again after a change of its address', async () => {
    const { login, email, userId } = await person();
    const first = await signIn(login);
    await updateUser(api.db, ALL_ACCOUNTS, userId, { email: `moved-${email}` });
    expect((await sessionOf(first)).json.user).toBeNull();
    expect(problemOf(await signIn(login))).toBe('unknown');
    await updateUser(api.db, ALL_ACCOUNTS, userId, { email });
    expect((await sessionOf(await signIn(login))).json.user.user_id).toBe(userId);
    await eraseUser(api.db, userId);
    expect(problemOf(await signIn(login))).toBe('unknown');
  });

  test('gets one account from two concurrent first sign-ins', async () => {
    const { login, email } = await person({}, { hasAccount: false });
    const answers = await Promise.all([1, 2, 3].map(() => signIn(login, withAccounts)));
    expect(answers.map(problemOf)).toEqual([undefined, undefined, undefined]);
    const { rows } = await api.database.pool.query(
      'SELECT role, count(*)::int AS linked FROM users JOIN identities USING (user_id) WHERE email = $1 GROUP BY role',
      [email],
    );
    expect(rows).toEqual([{ role: 'homeowner', linked: 1 }]);
  });

  test('gets an account if this is enabled, with an address of the allowed domains only', async () => {
    const stranger = await person({}, { hasAccount: false });
    expect(problemOf(await signIn(stranger.login))).toBe('unknown');
    expect((await sessionOf(await signIn(stranger.login, withAccounts))).json.user).toMatchObject({
      email: stranger.email,
      role: 'homeowner',
    });
    for (const email of ['x@example.org', 'x@sub.example.com', 'x@example.com.evil.example', undefined]) {
      const { login } = await person({ email }, { hasAccount: false });
      expect([email, problemOf(await signIn(login, withAccounts))]).toEqual([email, 'domain']);
    }
    // The domain of the person's new address is not allowed, so the person is refused even though the account exists.
    provider.people.set(stranger.login, { email: 'gone@example.org', email_verified: true });
    expect(problemOf(await signIn(stranger.login, withAccounts))).toBe('domain');
  });
});

describe('the role', () => {
  test('follows the mapping at each sign-in; sessions and keys with the previous role end', async () => {
    const { login, userId } = await person({ groups: ['energy-admins', 'others'] });
    const admin = await signIn(login, withRoles);
    const before = await sessionOf(admin);
    expect(before.json.user.role).toBe('admin');
    const headers = {
      cookie: cookieOf(admin, '__Secure-energy_session'),
      'x-csrf-token': before.json.csrf_token as string,
    };
    const make = () =>
      api.send('/dashboard/v1/users', {
        method: 'POST',
        headers,
        body: { email: `made-${Math.random()}@example.com`, role: 'homeowner' },
      });
    expect((await make()).status).toBe(201);
    provider.people.set(login, { email: 'x@example.com', email_verified: true, groups: ['staff'] });
    expect((await sessionOf(await signIn(login, withRoles))).json.user.role).toBe('utility');
    provider.people.set(login, { email: 'x@example.com', email_verified: true, groups: [] });
    await signIn(login, withRoles);
    // The change of role has ended the administrator's session in another browser.
    expect((await make()).status).toBe(401);
    expect((await acts(userId)).filter(([action]) => action === 'user.changed')).toHaveLength(3);
  });

  test.each([
    ['a name that is in no mapping', ['admin']],
    ['the name in another case', ['Energy-Admins']],
    ['a part of it', ['energy-admins-of-another']],
    ['what objects have', ['constructor', '__proto__', 'toString']],
    ['a list in a list', [['energy-admins']]],
    ['an object', { 'energy-admins': true }],
    ['nothing', undefined],
  ])('is “homeowner” with %s', async (_what, groups) => {
    const { login } = await person({ groups }, { role: 'admin' });
    expect((await sessionOf(await signIn(login, withRoles))).json.user.role).toBe('homeowner');
  });

  test('does not change if the token contains only a reference to the groups', async () => {
    const { login, userId } = await person({ _claim_names: { groups: 'src1' } }, { role: 'admin' });
    expect(problemOf(await signIn(login, withRoles))).toBe('roles');
    const { rows } = await api.database.pool.query('SELECT role FROM users WHERE user_id = $1', [userId]);
    expect(rows).toEqual([{ role: 'admin' }]);
  });

  test('does not change without a mapping', async () => {
    const { login } = await person({ groups: ['energy-admins'] }, { role: 'utility' });
    expect((await sessionOf(await signIn(login))).json.user.role).toBe('utility');
  });
});

describe('a sign-in is completed only by the browser that began it', () => {
  test('in another browser, with a foreign cookie, too late, or twice, it fails', async () => {
    const { login } = await person();
    const mine = await begin();
    const other = await begin();
    const to = await provider.signIn(mine.location, login);
    const asked = provider.asked('token');
    expect(problemOf(await comeBack(to, ''))).toBe('over');
    expect(problemOf(await comeBack(to, other.cookie))).toBe('over');
    expect(problemOf(await comeBack(to, mine.cookie.replace(/.{4}$/, 'AAAA')))).toBe('over');
    expect(problemOf(await comeBack(to, '__Host-energy_provider=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))).toBe('over');
    expect(problemOf(await comeBack(to.replace(/state=[^&]+/, 'state=x'), mine.cookie))).toBe('over');
    expect(problemOf(await comeBack(CALLBACK, mine.cookie))).toBe('over');
    api.now = new Date(NOON.getTime() + 11 * 60_000);
    expect(problemOf(await comeBack(to, mine.cookie))).toBe('over');
    api.now = NOON;
    // In all these cases, the service sends no token request to the provider.
    expect(provider.asked('token')).toBe(asked);
    const answer = await comeBack(to, mine.cookie);
    expect(problemOf(answer)).toBeUndefined();
    // The response deletes the state cookie, which cannot be used twice.
    expect(setCookies(answer)).toContainEqual(expect.stringMatching(/^__Host-energy_provider=;.*Max-Age=0$/));
    expect(problemOf(await comeBack(to, mine.cookie))).toBe('failed');
  });

  test('the cookie is limited to this host, hidden from scripts, and sent with links from other sites', async () => {
    const answer = await api.send('/dashboard/sign-in/provider', { method: 'POST', body: {} });
    const [set = ''] = setCookies(answer);
    expect(set.replace(/=[^;]+/, '')).toBe(
      '__Host-energy_provider; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600',
    );
    const url = new URL(answer.json.location);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: CALLBACK,
      scope: 'openid email',
    });
    // The cookie is encrypted, so nobody can read the sign-in's `state` from it.
    expect(Buffer.from(set, 'base64url').includes(url.searchParams.get('state') ?? '')).toBe(false);
  });

  test('a form of another page cannot begin a sign-in', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const headers = { 'content-type': type };
      const answer = await api.send('/dashboard/sign-in/provider', { method: 'POST', raw: '{}', headers });
      expect(answer.status).toBe(400);
    }
  });

  test('a sign-in redirects to no other host', async () => {
    const { login } = await person();
    const { location, cookie } = await begin(api, '//evil.example/dashboard');
    const answer = await comeBack(await provider.signIn(location, login), cookie);
    expect(answer.headers.location).toBe('/dashboard');
  });

  test('a code of another sign-in is useless: it is bound to the secret of the first (PKCE)', async () => {
    const { login } = await person();
    const [victim, thief] = [await begin(), await begin()];
    const stolen = new URL(await provider.signIn(victim.location, login)).searchParams.get('code') ?? '';
    const at = new URL(CALLBACK);
    at.searchParams.set('code', stolen);
    at.searchParams.set('state', new URL(thief.location).searchParams.get('state') ?? '');
    at.searchParams.set('iss', provider.issuer);
    expect(problemOf(await comeBack(at.href, thief.cookie))).toBe('failed');
  });

  test('an answer of another provider is refused (mix-up)', async () => {
    const { login } = await person();
    const { location, cookie } = await begin();
    const to = new URL(await provider.signIn(location, login));
    expect(to.searchParams.get('iss')).toBe(provider.issuer);
    for (const iss of ['https://evil.example', null]) {
      if (iss === null) to.searchParams.delete('iss');
      else to.searchParams.set('iss', iss);
      const asked = provider.asked('token');
      expect([iss, problemOf(await comeBack(to.href, cookie)), provider.asked('token') - asked]).toEqual([
        iss,
        'failed',
        0,
      ]);
    }
  });

  test('a refusal by the person is reported; any other error is a failure', async () => {
    for (const [error, problem] of [
      ['access_denied', 'denied'],
      ['server_error', 'failed'],
      ['<script>', 'failed'],
    ] as const) {
      const { location, cookie } = await begin();
      const state = new URL(location).searchParams.get('state') ?? '';
      const at = `${CALLBACK}?${new URLSearchParams({ error, error_description: 'x', state, iss: provider.issuer })}`;
      expect([error, problemOf(await comeBack(at, cookie))]).toEqual([error, problem]);
    }
  });
});

describe('an ID token', () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>, string | undefined]>([
    ['as it was', (claims) => claims, undefined],
    ['from a clock that is 40 s ahead', (claims) => ({ ...claims, iat: seconds() + 40 }), undefined],
    ['from a clock that is 40 s behind', (claims) => ({ ...claims, exp: seconds() - 40 }), undefined],
    ['that ended two minutes ago', (claims) => ({ ...claims, exp: seconds() - 300 }), 'failed'],
    ['from the future', (claims) => ({ ...claims, nbf: seconds() + 3_600 }), 'failed'],
    ['for another client', (claims) => ({ ...claims, aud: 'another' }), 'failed'],
    ['of another provider', (claims) => ({ ...claims, iss: 'https://evil.example' }), 'failed'],
    ['for another sign-in', (claims) => ({ ...claims, nonce: 'another' }), 'failed'],
    ['for none', ({ nonce: _, ...claims }) => claims, 'failed'],
    ['about another person than the claims are', (claims) => ({ ...claims, sub: 'another' }), 'failed'],
    ['about nobody', ({ sub: _, ...claims }) => claims, 'failed'],
  ])('%s', async (_what, change, problem) => {
    const { login } = await person();
    provider.faults.idToken = change;
    expect(problemOf(await signIn(login))).toBe(problem);
  });

  test.each(['none', 'another key'] as const)('that is signed by %s is refused', async (signing) => {
    const { login } = await person();
    provider.faults.signing = signing;
    expect(problemOf(await signIn(login))).toBe('failed');
  });
});

describe('a faulty provider', () => {
  /** Creates a new API, which has nothing from the provider in its cache. */
  const fresh = () => startTestApi({ oidc: readOidcConfig({}), database: api.database });
  const json = { 'content-type': 'application/json' };
  const huge = 'x'.repeat(1_000_000);

  test('that is unreachable, disconnects or sends nonsense is reported with a hint to sign in by mail; later sign-ins work', async () => {
    const process = await fresh();
    const discovery = 'openid-configuration';
    try {
      for (const fault of [
        (_: unknown, response: ServerResponse) => response.writeHead(500).end('broken'),
        (_: unknown, response: ServerResponse) => response.destroy(),
        (_: unknown, response: ServerResponse) => response.writeHead(200, json).end('{'),
        (_: unknown, response: ServerResponse) => response.writeHead(200, json).end(`{"x":"${huge}"}`),
        (_: unknown, response: ServerResponse) => response.writeHead(302, { location: 'https://evil.example/' }).end(),
        (_: unknown, response: ServerResponse) =>
          response.writeHead(200, json).end(JSON.stringify({ issuer: 'https://evil.example' })),
      ]) {
        provider.faults.answers.set(discovery, fault);
        const answer = await process.send('/dashboard/sign-in/provider', { method: 'POST', body: {} });
        expect([fault.toString(), answer.status]).toEqual([fault.toString(), 503]);
      }
      const { email } = await person();
      const mail = await process.send('/dashboard/sign-in', { method: 'POST', body: { email } });
      expect(mail.status).toBe(202);
      await expect.poll(() => process.mailed.length).toBe(1);
      provider.faults.answers.clear();
      const { login } = await person();
      expect(problemOf(await signIn(login, process))).toBeUndefined();
      // The second sign-in causes no request for the provider's metadata, because the service caches the metadata for an hour.
      const asked = provider.asked(discovery);
      expect(problemOf(await signIn(login, process))).toBeUndefined();
      expect(provider.asked(discovery)).toBe(asked);
    } finally {
      await process.app.close();
    }
  });

  test.each<[string, string, number, string, string]>([
    ['token', 'an error of its own', 500, '{"error":"server_error"}', 'unavailable'],
    ['token', 'no JSON', 200, '<html>', 'unavailable'],
    ['token', 'far too much', 200, `{"x":"${huge}"}`, 'unavailable'],
    ['token', 'a refusal', 400, '{"error":"invalid_grant","error_description":"used"}', 'failed'],
    ['token', 'no ID token', 200, '{"access_token":"x","token_type":"Bearer"}', 'failed'],
    ['me', 'an error of its own', 503, '{}', 'unavailable'],
    [
      'me',
      'claims of another person',
      200,
      '{"sub":"another","email":"x@example.com","email_verified":true}',
      'failed',
    ],
    ['jwks', 'no keys', 200, '{"keys":[]}', 'failed'],
    ['jwks', 'far too much', 200, `{"keys":["${huge}"]}`, 'unavailable'],
  ])('whose %s answers %s signs nobody in', async (path, _what, status, body, problem) => {
    const process = await fresh();
    try {
      const { login, userId } = await person();
      provider.faults.answers.set(path, (_request, response) => response.writeHead(status, json).end(body));
      expect(problemOf(await signIn(login, process))).toBe(problem);
      expect(await acts(userId)).toEqual([]);
    } finally {
      await process.app.close();
    }
  });

  test('is not trusted with an untrusted certificate', async () => {
    const { config } = readOidcConfig({});
    const process = await startTestApi({
      oidc: { config, provider: createOidcProvider(config, undefined) },
      database: api.database,
    });
    const answer = await process.send('/dashboard/sign-in/provider', { method: 'POST', body: {} });
    expect(answer.status).toBe(503);
    await process.app.close();
    expect(() => createOidcProvider(config, 'no certificate')).toThrow();
  });
});

describe('the limits of signing in', () => {
  test('apply to every redirect from the provider; requests beyond them are not recorded, so that the log cannot be filled', async () => {
    const limited = await startTestApi({
      oidc: readOidcConfig({}),
      limits: { free: { minute: 100, day: 100 }, address: { minute: 2, day: 100 } },
    });
    const { login } = await person({ email_verified: false }, { hasAccount: false });
    const problems = [];
    for (let time = 0; time < 3; time++) problems.push(problemOf(await signIn(login, limited)));
    expect(problems).toEqual(['unverified', 'unverified', 'many']);
    const { rows } = await limited.database.pool.query(
      `SELECT details->>'reason' AS reason FROM audit_log WHERE action = 'session.refused' ORDER BY audit_id DESC LIMIT 3`,
    );
    expect(rows.map(({ reason }) => reason)).toEqual(['unverified', 'unverified']);
    await limited.close();
  });

  test('without a provider there is neither a button nor a route', async () => {
    const none = await startTestApi({ database: api.database });
    expect((await none.send('/dashboard/session')).json).toEqual({ user: null, environment: 'live' });
    expect((await none.send('/dashboard/sign-in/provider', { method: 'POST', body: {} })).status).toBe(404);
    expect((await none.send('/dashboard/sign-in/callback?code=x&state=y')).status).toBe(404);
    await none.app.close();
  });
});
