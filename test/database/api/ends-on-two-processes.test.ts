import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '#src/auth/scopes.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { sendApiRequest } from '#test/support/api-request.ts';
import { registerApp, requestAppTokens } from '#test/support/apps.ts';
import { addMember, createMemberKeyForHome, type Person } from '#test/support/members.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

/** Maximum time until every process refuses an authorization or membership that has ended. */
const BOUND_MS = 1_000;

let api: TestApi;
let other: RoleProcess;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let port: number;
let home: Person;
beforeAll(async () => {
  api = await startTestApi();
  api.now = new Date();
  folder = await createTemporaryFolder();
  const many = '{"minute":1000000,"day":1000000}';
  other = await startRole('api', {
    DATABASE_URL: api.database.url,
    DATA_DIR: folder.path,
    PLAN_LIMITS: `{"free":${many},"developer":${many},"enterprise":${many}}`,
  });
  port = other.ready.https_port as number;
  home = await api.user('homeowner', { scopes: [...SCOPES] });
});
afterAll(async () => {
  await other?.stop();
  await api.close();
  await folder.remove();
});

const here = (key: string) => api.send('/v1/energy-insights', { key }).then(({ status }) => status);
const there = (key: string) => sendApiRequest(port, '/v1/energy-insights', { key }).then(({ status }) => status);

/**
 * Expects that the process accepts the key, calls `end`, which revokes the access, and expects that the process refuses the key within the
 * bound.
 */
async function expectRefused(ask: (key: string) => Promise<number>, key: string, end: () => Promise<number>) {
  expect(await ask(key)).toBe(200);
  let ended = Number.POSITIVE_INFINITY;
  const ending = end().then((status) => {
    ended = performance.now();
    return status;
  });
  let latestAccepted = Number.NEGATIVE_INFINITY;
  while (performance.now() < ended + 2 * BOUND_MS) {
    const asked = performance.now();
    if ((await ask(key)) === 200) latestAccepted = asked;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await ending).toBe(200);
  expect(latestAccepted - ended).toBeLessThan(BOUND_MS);
  // After ten refused requests in a minute, the service responds to this address with 429 instead of 401.
  expect([401, 429]).toContain(await ask(key));
}

test('an authorization that one process ended is refused by both within a second', async () => {
  const app = await registerApp(api, await api.user('utility'));
  for (const [askEach, endBy] of [
    [there, 'here'],
    [here, 'there'],
  ] as const) {
    const { access_token } = await requestAppTokens(api, app, home);
    const [{ authorization_id }] = (await api.send('/v1/authorizations', { key: home.key })).json;
    const sent = { method: 'DELETE', key: home.key };
    const path = `/v1/authorizations/${authorization_id}`;
    await expectRefused(askEach, access_token, async () =>
      endBy === 'here' ? (await api.send(path, sent)).status : (await sendApiRequest(port, path, sent)).status,
    );
  }
});

test('a membership that one process ended is refused by both within a second', async () => {
  const member = await api.user('homeowner', { scopes: [...SCOPES] });
  for (const [askEach, endBy] of [
    [there, 'here'],
    [here, 'there'],
  ] as const) {
    const memberId = await addMember(api, home, member, 'read');
    const key = await createMemberKeyForHome(api, home, member, { scopes: ['insights:read'] });
    const path = `/v1/users/${home.userId}/members/${memberId}`;
    const sent = { method: 'DELETE', key: home.key };
    await expectRefused(askEach, key, async () =>
      endBy === 'here' ? (await api.send(path, sent)).status : (await sendApiRequest(port, path, sent)).status,
    );
  }
});
