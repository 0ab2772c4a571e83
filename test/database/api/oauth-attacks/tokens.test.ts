import * as client from 'openid-client';
import { describe, expect, test } from 'vitest';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import type { AnyOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createSecret, hashApiKey } from '#src/auth/key-format.ts';
import { startTestApi } from '#test/support/api.ts';
import {
  authorizeApp,
  createAppConsentRequest,
  exchangeAuthorizationCode,
  registerApp,
  requestAppTokens,
} from '#test/support/apps.ts';
import {
  api,
  app,
  createBasicAuthorization,
  createHomeowner,
  FORM_HEADERS,
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
import { UNREACHABLE_RATE_LIMITS } from '#test/support/dashboard-sessions.ts';
import { addMember } from '#test/support/members.ts';

/**
 * Attacks on tokens and secrets. A number at the start of a test's name is a section of RFC 9700 or, after "RFC 6819", of that RFC.
 */
setUpAttackedServer();

test('4.3.2, RFC 6819, 4.1.3 a token in an address or a form is no credential', async () => {
  const { access_token } = await requestAppTokens(api, app, await createHomeowner());
  expect((await api.send(`/v1/energy-insights?access_token=${access_token}`)).status).toBe(401);
  const raw = `access_token=${access_token}`;
  expect((await api.send('/v1/energy-insights', { method: 'POST', raw, headers: FORM_HEADERS })).status).toBe(401);
});

test('2.3, 4.9, 4.10, RFC 6819, 4.6.4 and 4.6.5 codes, refresh tokens and secrets are not accepted as access tokens, nor is another home’s token', async () => {
  const [home, other] = [await createHomeowner(), await createHomeowner()];
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, home, asked);
  expect((await requestInsights(getAuthorizationCode(back))).status).toBe(401);
  const { access_token, refresh_token = '' } = await exchangeAuthorizationCode(app, back, asked);
  for (const text of [refresh_token, app.secret ?? '', `${access_token}x`, access_token.toUpperCase()])
    expect((await requestInsights(text)).status).toBe(401);
  expect((await requestToken({ grant_type: 'refresh_token', refresh_token: access_token })).json).toMatchObject(
    INVALID_GRANT_BODY,
  );
  expect((await requestInsights(access_token, `?user_id=${other.userId}`)).status).toBe(403);
  // The endpoint for AI assistants' tools accepts API keys, but no access tokens.
  const call = { method: 'POST', key: access_token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
  expect((await api.send('/mcp', call)).status).toBe(401);
});

describe('2.2.2, 4.14, RFC 6819, 4.1.2 and 4.5.1 refresh tokens', () => {
  test('of another app, without the secret, or with a wrong one, are refused without ending the authorization', async () => {
    const home = await createHomeowner();
    const { refresh_token = '' } = await requestAppTokens(api, app, home);
    const form = { grant_type: 'refresh_token', refresh_token };
    const other = await registerApp(api, utility);
    expect((await requestToken(form, { authorization: createBasicAuthorization(other) })).json).toMatchObject(
      INVALID_GRANT_BODY,
    );
    expect((await requestToken({ ...form, client_id: app.appId }, {})).status).toBe(401);
    expect(
      (await requestToken(form, { authorization: createBasicAuthorization({ ...app, secret: 'eus_cs_wrong' }) }))
        .status,
    ).toBe(401);
    expect((await requestToken({ ...form, client_id: app.appId, client_secret: app.secret ?? '' }, {})).status).toBe(
      200,
    );
    // A repeated request gets the same tokens, but only from the app that received them first.
    expect((await requestToken(form, { authorization: createBasicAuthorization(other) })).json).toMatchObject(
      INVALID_GRANT_BODY,
    );
    expect((await requestToken(form)).status).toBe(200);
    expect(await listAuthorizations(home)).toHaveLength(1);
  });

  test('reused by a thief end the authorization, and the app is informed at its next refresh', async () => {
    const home = await createHomeowner();
    const { refresh_token: stolen = '' } = await requestAppTokens(api, app, home);
    const second = await client.refreshTokenGrant(app.config, stolen);
    await client.refreshTokenGrant(app.config, second.refresh_token ?? '');
    await expect(client.refreshTokenGrant(app.config, stolen)).rejects.toMatchObject(INVALID_GRANT_BODY);
    expect(await listAuthorizations(home)).toEqual([]);
    const { rows } = await api.database.pool.query(
      `SELECT data ->> 'because' AS because FROM events WHERE user_id = $1 AND type = 'authorization.ended'`,
      [home.userId],
    );
    expect(rows).toEqual([{ because: 'reuse' }]);
  });

  test('that are revoked just after their use end the authorization', async () => {
    const home = await createHomeowner();
    const { refresh_token = '' } = await requestAppTokens(api, app, home);
    await client.refreshTokenGrant(app.config, refresh_token);
    await client.tokenRevocation(app.config, refresh_token);
    expect(await listAuthorizations(home)).toEqual([]);
  });

  test('never give more scopes than the home consented to', async () => {
    const { refresh_token = '' } = await requestAppTokens(api, app, await createHomeowner(), {
      scope: 'insights:read',
    });
    for (const scope of ['insights:read devices:read', 'devices:read', 'keys:write', 'openid offline_access'])
      expect((await requestToken({ grant_type: 'refresh_token', refresh_token, scope })).json.error).toBe(
        'invalid_scope',
      );
  });
});

test('2.4, 4.15, RFC 6819, 4.2.1, 4.4.3 and 4.4.4 no app acts as a home: grants without a home’s consent do not exist', async () => {
  for (const grant_type of [
    'client_credentials',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])
    expect((await requestToken({ grant_type, username: 'a', password: 'b', scope: 'insights:read' })).status).toBe(400);
  // A token that an app gets without a user (client credentials) is valid only for the app's Green Button resources. It has no scopes for homes
  // (green-button.test.ts).
  const { json } = await requestToken({ grant_type: 'client_credentials', scope: 'FB=34_35 insights:read' });
  expect(json).toMatchObject({ error: 'invalid_scope', scope: 'insights:read' });
});

test('RFC 6819, 4.1.1, 4.3.2, 4.3.4, 4.4.1.2 and 4.5.2 the database contains no secret, code or token that can be used', async () => {
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, await createHomeowner(), asked);
  const first = await exchangeAuthorizationCode(app, back, asked);
  const second = await client.refreshTokenGrant(app.config, first.refresh_token ?? '');
  const { access_token: own } = await client.clientCredentialsGrant(app.config);
  const secrets = [app.secret, getAuthorizationCode(back), asked.verifier, own];
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
  const home = await createHomeowner();
  const { access_token, refresh_token = '' } = await requestAppTokens(api, app, home);
  const refreshed = await requestToken({ grant_type: 'refresh_token', refresh_token });
  expect([refreshed.status, refreshed.headers['cache-control']]).toEqual([200, 'no-store']);
  expect((await requestInsights(access_token)).headers['cache-control']).toBe('no-store');
  const { json } = await api.send('/.well-known/oauth-authorization-server');
  for (const name of ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
    expect(json[name]).toMatch(/^https:/);
});

test('tokens of each kind are refused by every operation but those of their home: IDOR', async () => {
  const [ended, erased, live] = [await createHomeowner(), await createHomeowner(), await createHomeowner()];
  const asked = await createAppConsentRequest(app);
  const back = await authorizeApp(api, live, asked);
  const { access_token: ofLive, refresh_token = '' } = await exchangeAuthorizationCode(app, back, asked);
  const { access_token: ofEnded } = await requestAppTokens(api, app, ended);
  const { access_token: ofErased } = await requestAppTokens(api, app, erased);
  const [{ authorization_id }] = await listAuthorizations(ended);
  await api.send(`/v1/authorizations/${authorization_id}`, { method: 'DELETE', key: ended.key });
  await api.send(`/v1/users/${erased.userId}`, { method: 'DELETE', key: erased.key });
  const expired = await requestAppTokens(api, app, await createHomeowner());
  await api.database.pool.query(`UPDATE oauth_tokens SET expires_at = now() - interval '1 s' WHERE token_sha256 = $1`, [
    hashApiKey(expired.access_token),
  ]);
  const { access_token: ofApp } = await client.clientCredentialsGrant(app.config);
  await pauseForMs();
  const kinds = {
    ofEnded,
    ofErased,
    expired: expired.access_token,
    refresh_token,
    code: getAuthorizationCode(back),
    ofApp,
  };
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
  expect((await requestInsights(ofLive)).status).toBe(200);
});

describe('access that has ended', () => {
  test('after a membership: the former member’s app reaches only the member’s own home', async () => {
    const [home, member] = [await createHomeowner(), await createHomeowner()];
    const memberId = await addMember(api, home, member, 'manage');
    const { access_token: key } = await requestAppTokens(api, app, member);
    expect((await requestInsights(key, `?user_id=${home.userId}`)).status).toBe(403);
    await api.send(`/v1/memberships/${memberId}`, { method: 'DELETE', key: member.key });
    expect((await requestInsights(key, `?user_id=${home.userId}`)).status).toBe(403);
    expect((await requestInsights(key)).json.user_id).toBe(member.userId);
    expect(await listAuthorizations(home)).toEqual([]);
  });

  test('ends if the home or the app’s owner is erased, or a role changes', async () => {
    const admin = await api.user('admin');
    const registrar = await api.user('utility');
    const theirs = await registerApp(api, registrar);
    const homes = [await createHomeowner(), await createHomeowner(), await createHomeowner()] as const;
    const [ofErased, ofOwner, ofRole] = await Promise.all([
      requestAppTokens(api, app, homes[0]),
      requestAppTokens(api, theirs, homes[1]),
      requestAppTokens(api, app, homes[2]),
    ]);
    await api.send(`/v1/users/${homes[0].userId}`, { method: 'DELETE', key: homes[0].key });
    await api.send(`/v1/users/${registrar.userId}`, { method: 'DELETE', key: admin.key });
    const role = { method: 'PATCH', key: admin.key, body: { role: 'utility' } };
    expect((await api.send(`/v1/users/${homes[2].userId}`, role)).status).toBe(200);
    await pauseForMs();
    for (const { access_token, refresh_token = '' } of [ofErased, ofOwner, ofRole]) {
      expect((await requestInsights(access_token)).status).toBe(401);
      expect((await requestToken({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
    }
    expect(await listAuthorizations(homes[1])).toEqual([]);
    expect((await requestAuthorization({}, theirs)).status).toBe(400);
  });
});

test('RFC 6819, 4.3.5, 4.4.1.3, 4.4.1.11, 4.4.1.12, 4.5.3 and 4.6.3: guesses of secrets, codes and tokens are limited by address, and so are requests for consent', async () => {
  const limited = await startTestApi({
    limits: {
      free: UNREACHABLE_RATE_LIMITS,
      developer: UNREACHABLE_RATE_LIMITS,
      enterprise: UNREACHABLE_RATE_LIMITS,
      address: { minute: 10, day: 1_000 },
    },
  });
  try {
    const form = { grant_type: 'refresh_token', refresh_token: 'eus_rt_x' };
    const guess = () =>
      requestToken(form, { authorization: createBasicAuthorization({ ...app, secret: 'x' }) }, limited);
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
