import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyOperation, getOperationScopes } from '#src/api/operation.ts';
import { OPERATIONS, type OperationName } from '#src/api/v1/operations.ts';
import { createKey } from '#src/auth/keys.ts';
import { APP_SCOPE_NAMES, SCOPES, type Scope } from '#src/auth/scopes.ts';
import { createBatch } from '#src/onboarding/batches.ts';
import { startTestApi, type TestApi, type TestApiResponse, UNLIMITED_REQUEST_COUNTER } from '#test/support/api.ts';
import { registerApp, requestAppTokens } from '#test/support/apps.ts';
import {
  addMember,
  type BrowserHeaders,
  createMemberKeyForHome,
  type Person,
  signInBrowser,
} from '#test/support/members.ts';

/**
 * Expected status of each operation for six callers: the home's own account, a member with `read` access, a member with `manage` access, a
 * stranger, an app that the home has authorized, and an app that another home has authorized. `ok`: the status on success. `own`: the
 * operation is about the caller itself.
 */
const EXPECTED: Record<OperationName, string> = {
  getEnergyInsights: 'ok ok ok 403 ok 403',
  postEnergyInsights: 'ok ok ok 403 ok 403',
  monthlyAnalytics: 'ok ok ok 403 ok 403',
  streamUsage: 'ok ok ok 403 ok 403',
  listRemarks: 'ok ok ok 403 ok 403',
  getForecast: 'ok ok ok 403 ok 403',
  createAlert: 'ok 403 ok 403 ok 403',
  listAlerts: 'ok ok ok 403 ok 403',
  getAlert: 'ok ok ok 404 ok 404',
  updateAlert: 'ok 403 ok 404 ok 404',
  deleteAlert: 'ok 403 ok 404 ok 404',
  previewAlert: 'ok ok ok 403 ok 403',
  createUser: '403 403 403 403 403 403',
  listUsers: 'ok ok ok own 403 403',
  getUser: 'ok ok ok 403 403 403',
  updateUser: 'ok 403 ok 403 403 403',
  deleteUser: 'ok 403 403 403 403 403',
  exportUser: 'ok 403 403 403 403 403',
  createWebhook: 'ok 403 ok own ok own',
  listWebhooks: 'ok ok ok own ok own',
  updateWebhook: 'ok 403 ok 404 ok 404',
  deleteWebhook: 'ok 403 ok 404 ok 404',
  webhookDeliveries: 'ok ok ok 404 ok 404',
  getDelivery: 'ok ok ok 404 ok 404',
  retryDelivery: 'ok 403 ok 404 ok 404',
  testWebhook: 'ok 403 ok 404 ok 404',
  createDevice: 'ok 403 ok 403 403 403',
  listDevices: 'ok ok ok 403 ok 403',
  discoveredDevices: 'ok ok ok 403 ok 403',
  getDevice: 'ok ok ok 404 ok 404',
  updateDevice: 'ok 403 ok 404 403 403',
  deleteDevice: 'ok 403 ok 404 403 403',
  deviceUsage: 'ok ok ok 404 ok 404',
  releaseDevice: 'ok 403 ok 404 403 403',
  listFleetDevices: 'ok ok ok 403 ok 403',
  getFleetSilence: 'ok ok ok own ok own',
  deviceQuality: 'ok ok ok 404 ok 404',
  sendReadings: 'ok 403 ok 404 ok 404',
  createDeviceEdit: 'ok 403 ok 404 403 403',
  listDeviceEdits: 'ok ok ok 404 ok 404',
  revokeDeviceEdit: 'ok 403 ok 404 403 403',
  listDeviceReadings: 'ok ok ok 404 ok 404',
  createGateway: 'ok 403 ok 403 403 403',
  listGateways: 'ok ok ok 403 ok 403',
  updateGateway: 'ok 403 ok 404 403 403',
  decodeMessage: 'ok ok ok 404 ok 404',
  deleteGateway: 'ok 403 ok 404 403 403',
  unreadMessages: 'ok ok ok 404 ok 404',
  createGroup: '403 403 403 403 403 403',
  listGroups: 'ok ok ok 403 403 403',
  getGroup: '404 404 404 404 403 403',
  updateGroup: '404 403 404 404 403 403',
  deleteGroup: '404 403 404 404 403 403',
  listGroupUsers: '404 404 404 404 403 403',
  changeGroupUsers: '404 403 404 404 403 403',
  addGroupUser: '404 403 404 404 403 403',
  removeGroupUser: '404 403 404 404 403 403',
  groupEnergyInsights: '404 404 404 404 404 404',
  createImport: 'ok 403 ok 403 403 403',
  getImport: 'ok ok ok 404 ok 404',
  fetchImportCredentials: 'ok 403 ok 404 403 403',
  createProvisioningBatch: '403 403 403 403 403 403',
  listProvisioningBatches: 'ok ok ok own ok own',
  revokeProvisioningBatch: '404 403 404 404 403 403',
  createBillPeriod: '403 403 403 403 403 403',
  listBillPeriods: 'ok ok ok 403 ok 403',
  getBillPeriod: 'ok ok ok 404 ok 404',
  recordBillVersion: '403 403 403 403 403 403',
  closeBillPeriod: '403 403 403 403 403 403',
  deleteBillPeriod: '403 403 403 403 403 403',
  createTariff: 'ok 403 ok 403 403 403',
  listTariffs: 'ok ok ok 403 403 403',
  getTariff: 'ok ok ok 404 403 403',
  updateTariff: 'ok 403 ok 404 403 403',
  deleteTariff: 'ok 403 ok 404 403 403',
  compareTariffs: 'ok ok ok 403 403 403',
  // 422: the home has no energy data, so there is nothing to calculate.
  whatIf: '422 422 422 403 403 403',
  createPriceSeries: 'ok 403 ok 403 403 403',
  listPriceSeries: 'ok ok ok 403 403 403',
  getPriceSeries: 'ok ok ok 404 403 403',
  deletePriceSeries: 'ok 403 ok 404 403 403',
  updatePriceSeries: 'ok 403 ok 404 403 403',
  deletePrices: 'ok 403 ok 404 403 403',
  listPrices: 'ok ok ok 404 403 403',
  putPrices: 'ok 403 ok 404 403 403',
  createEmissionSeries: 'ok 403 ok 403 403 403',
  listEmissionSeries: 'ok ok ok 403 403 403',
  getEmissionSeries: 'ok ok ok 404 403 403',
  deleteEmissionSeries: 'ok 403 ok 404 403 403',
  updateEmissionSeries: 'ok 403 ok 404 403 403',
  deleteIntensities: 'ok 403 ok 404 403 403',
  listIntensities: 'ok ok ok 404 403 403',
  putIntensities: 'ok 403 ok 404 403 403',
  createKey: 'ok 403 403 403 403 403',
  listKeys: 'ok 403 403 403 403 403',
  updateKey: 'ok 403 403 404 403 403',
  revokeKey: 'ok 403 403 404 403 403',
  rotateKey: 'ok 403 403 404 403 403',
  inviteMember: 'ok 403 403 403 403 403',
  listMembers: 'ok 403 403 403 403 403',
  removeMember: 'ok 403 403 403 403 403',
  // 422: this installation has not created the token.
  acceptMembership: '422 403 403 422 403 403',
  listMemberships: 'ok 403 403 ok 403 403',
  // 404: the membership belongs to another account.
  leaveMembership: '404 403 403 404 403 403',
  createApp: '403 403 403 403 403 403',
  listApps: '403 403 403 403 403 403',
  getApp: '403 403 403 403 403 403',
  updateApp: '403 403 403 403 403 403',
  deleteApp: '403 403 403 403 403 403',
  listAuthorizations: 'ok 403 403 own 403 403',
  // 404: the home has not authorized this app.
  endAuthorization: '404 403 403 404 403 403',
  listAudit: '403 403 403 403 403 403',
};

let api: TestApi;
let utility: Person;
let home: Person;
let otherHome: Person;
/** Members of `home`, by kind of access. The member with `manage` access is also a member of `otherHome`. */
const member: Record<'read' | 'manage', Person & { homeKey: string; browser: BrowserHeaders }> = {} as never;
let otherHomesKey: string;
let stranger: Person;
let memberOfNobody: string;
/** Access tokens: of an app that each of the two homes has authorized, and of the app itself. */
const apps = { home: '', otherHome: '', itself: '' };

beforeAll(async () => {
  // With only one connection, an operation that needs a second one during its transaction never ends.
  api = await startTestApi({ connections: 1, counter: async () => UNLIMITED_REQUEST_COUNTER });
  const scopes = [...SCOPES];
  utility = await api.user('utility', { scopes });
  home = await api.user('homeowner', { enrolledBy: utility.userId, scopes });
  // The first sign-in of an enrolled account revokes its keys, so the test creates a new key.
  await signInBrowser(api, home.userId);
  home.key = (await createKey(api.db, { userId: home.userId, environment: 'live', scopes })).key;
  otherHome = await api.user('homeowner', { scopes });
  stranger = await api.user('homeowner', { scopes });
  for (const access of ['read', 'manage'] as const) {
    const person = await api.user('homeowner', { scopes });
    await addMember(api, home, person, access);
    const all =
      access === 'read' ? SCOPES.filter((one) => one.endsWith(':read')) : SCOPES.filter((one) => one !== 'keys:write');
    const key = await createMemberKeyForHome(api, home, person, { scopes: all });
    member[access] = { ...person, homeKey: key, browser: await signInBrowser(api, person.userId) };
  }
  await addMember(api, otherHome, member.manage, 'manage');
  otherHomesKey = await createMemberKeyForHome(api, otherHome, member.manage);
  const other = await api.user('homeowner', { scopes });
  memberOfNobody = await addMember(api, otherHome, other, 'read');
  const app = await registerApp(api, utility, { scopes: APP_SCOPE_NAMES });
  const scope = APP_SCOPE_NAMES.join(' ');
  // A token expires an hour after its creation, by the real clock.
  const { now } = api;
  api.now = new Date();
  apps.home = (await requestAppTokens(api, app, home, { scope })).access_token;
  apps.otherHome = (await requestAppTokens(api, app, otherHome, { scope })).access_token;
  apps.itself = (await client.clientCredentialsGrant(app.config)).access_token;
  api.now = now;
});
afterAll(() => api.close());

let count = 0;
const day = (at: number) => new Date(Date.UTC(2000, 0, at)).toISOString().slice(0, 10);
const post = async (path: string, body: unknown = {}, by = home) => {
  const { status, json } = await api.send(path, { method: 'POST', key: by.key, body });
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json;
};
const ago = (hours: number) => new Date(api.now.getTime() - hours * 3_600_000).toISOString();
const edit = () => ({ action: 'exclude', start: ago(25), end: ago(24), reason: 'x' });
const hook = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
const rates = () => ({ name: 'x', valid_from: day(++count), currency: 'EUR', import: { per_kwh: '0.3' } });
const series = { name: 'x', currency: 'EUR', resolution_minutes: 60 };
const emissions = { name: 'x', resolution_minutes: 60 };
const bill = () => ({ user_id: home.userId, start: day(++count), end: day(count) });

/** Creates an object of the home or of its utility, by name of the path parameter. */
const MAKE: Record<string, () => Promise<string>> = {
  alert_id: async () =>
    (await post('/v1/alerts', { type: 'daily_usage', threshold_kwh: 5, delivery: 'email' })).alert_id,
  device_id: async () => (await post('/v1/devices', { type: 'smart_meter', location: 'x' })).device_id,
  gateway_id: async () => (await post('/v1/gateways', { name: 'x' })).gateway_id,
  webhook_id: async () => (await post('/v1/webhooks', hook)).webhook_id,
  import_id: async () => (await post('/v1/imports', [{ type: 'plug', location: `${++count}` }])).import_id,
  bill_period_id: async () => (await post('/v1/bill-periods', bill(), utility)).bill_period_id,
  tariff_id: async () => (await post('/v1/tariffs', rates())).tariff_id,
  series_id: async () => (await post('/v1/price-series', series)).series_id,
  emission_series_id: async () => (await post('/v1/emission-series', emissions)).series_id,
  authorization_id: async () => 'aut_00000000000000000000000000',
  app_id: async () => (await post('/v1/apps', program, utility)).app_id,
  key_id: async () => (await post('/v1/keys')).key_id,
  group_id: async () => {
    const { group_id } = await post('/v1/groups', { name: 'x' }, utility);
    await post(`/v1/groups/${group_id}/users`, { add: [home.userId] }, utility);
    return group_id;
  },
  batch_id: async () => {
    const about = { ownerId: null, name: 'x', type: 'x', location: 'x', serials: null, maxDevices: 1 };
    return (await createBatch(api.db, { ...about, userId: utility.userId, expiresAt: new Date('2099-01-01') })).batch
      .batch_id;
  },
  user_id: async () => home.userId,
  member_id: async () => memberOfNobody,
};

/** Registration of an app by a utility. */
const program = {
  name: 'x',
  website: 'https://app.example',
  type: 'public',
  redirect_uris: ['https://app.example/'],
  scopes: ['insights:read'],
};

const BODIES: Partial<Record<OperationName, () => unknown>> = {
  postEnergyInsights: () => ({ user_id: home.userId, interval: 'month' }),
  createAlert: () => ({ user_id: home.userId, type: 'no_data', threshold_hours: 5, delivery: 'email' }),
  updateAlert: () => ({ status: 'paused' }),
  previewAlert: () => ({ user_id: home.userId, type: 'peak_usage', threshold_kwh: 5 }),
  createUser: () => ({ email: `made${++count}@example.net`, role: 'homeowner' }),
  updateUser: () => ({ timezone: 'Europe/Berlin', phone: '+4930123456' }),
  createWebhook: () => hook,
  updateWebhook: () => ({ status: 'paused' }),
  createDevice: () => ({ user_id: home.userId, type: 'smart_meter', location: 'x' }),
  updateDevice: () => ({ location: 'y' }),
  sendReadings: () => ({ ts: ago(++count / 3_600), power_w: 1 }),
  createDeviceEdit: edit,
  createGateway: () => ({ user_id: home.userId, name: 'x' }),
  updateGateway: () => ({ name: 'y' }),
  decodeMessage: () => ({ topic: 'x', payload: '1' }),
  createGroup: () => ({ user_id: home.userId, name: 'x' }),
  updateGroup: () => ({ name: 'y' }),
  changeGroupUsers: () => ({ add: [home.userId] }),
  createImport: () => [{ user_id: home.userId, type: 'plug', location: `${++count}` }],
  createProvisioningBatch: () => ({ name: 'x', max_devices: 1 }),
  createBillPeriod: bill,
  createTariff: () => ({ user_id: home.userId, ...rates() }),
  updateTariff: () => ({ name: 'y' }),
  compareTariffs: () => ({
    user_id: home.userId,
    start: '2026-05-01',
    end: '2026-05-31',
    tariffs: [{ name: 'x', currency: 'EUR', import: { per_kwh: '0.1' } }],
  }),
  whatIf: () => ({ user_id: home.userId, start: '2026-05-01', end: '2026-05-31', production_scale: 2 }),
  createPriceSeries: () => ({ user_id: home.userId, ...series }),
  putPrices: () => [{ starts_at: '2026-06-15T12:00:00Z', per_kwh: '0.1' }],
  updatePriceSeries: () => ({ name: 'y' }),
  updateEmissionSeries: () => ({ name: 'y' }),
  createEmissionSeries: () => ({ user_id: home.userId, ...emissions }),
  putIntensities: () => [{ starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: '212.4' }],
  createKey: () => ({ user_id: home.userId }),
  updateKey: () => ({ allowed_addresses: [] }),
  rotateKey: () => ({}),
  inviteMember: () => ({ email: `invited${++count}@example.net`, access: 'read' }),
  acceptMembership: () => ({ token: 'x' }),
  createApp: () => program,
  updateApp: () => ({ name: 'y' }),
};
const QUERIES: Partial<Record<OperationName, string>> = {
  listDeviceReadings: 'start=2026-05-01&end=2026-06-01',
  deletePrices: 'from=2026-06-15T00:00:00Z&to=2026-06-16T00:00:00Z',
  deleteIntensities: 'from=2026-06-15T00:00:00Z&to=2026-06-16T00:00:00Z',
  getFleetSilence: 'start=2026-06-01&end=2026-06-10',
};
/** Operations on groups and batches, which belong to the utility. */
const isOfUtility = ({ path }: AnyOperation) => /\{(group_id|batch_id)\}/.test(path) && !path.includes('{user_id}');

/** Resources that no allowed call has changed yet, by path parameter. The next call uses them again. */
let unchanged: { name: string; values: Record<string, string> } | undefined;

/**
 * Sends a request with a key or a session, about a resource of the home. If no call has changed this resource since its creation, it is
 * used again.
 */
async function call(
  operation: (typeof OPERATIONS)[number],
  by: { key?: string; browser?: BrowserHeaders },
): Promise<TestApiResponse> {
  const { name, method } = operation;
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const known = unchanged?.name === name ? unchanged.values : undefined;
  const values = known ?? {};
  // Resets the daily limit of invitation mails, which members.test.ts tests.
  if (/member/i.test(name)) await api.database.pool.query(`DELETE FROM events WHERE type = 'member.invited'`);
  for (const parameter of known ? [] : names) {
    const kind = /emission-series/.test(operation.path) && parameter === 'series_id' ? 'emission_series_id' : parameter;
    if (parameter === 'delivery_id')
      values[parameter] = (await post(`/v1/webhooks/${values.webhook_id}/test`)).delivery_id;
    else if (parameter === 'edit_id')
      values[parameter] = (await post(`/v1/devices/${values.device_id}/edits`, edit())).edit_id;
    else if (name === 'removeMember' && parameter === 'member_id')
      values[parameter] = (
        await post(`/v1/users/${home.userId}/members`, { email: `x${++count}@example.net`, access: 'read' })
      ).member_id;
    else values[parameter] = await (MAKE[kind] as () => Promise<string>)();
  }
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '');
  const query = QUERIES[name] ?? (operation.query?.shape.user_id && names.length === 0 ? `user_id=${home.userId}` : '');
  const body = BODIES[name]?.();
  const answer = await api.send(`${by.browser ? '/dashboard' : ''}${path}${query && `?${query}`}`, {
    method,
    ...(by.key === undefined ? {} : { key: by.key }),
    ...(by.browser ? { headers: by.browser } : {}),
    ...(body === undefined ? {} : { body }),
  });
  unchanged = method === 'GET' || answer.status >= 400 ? { name, values } : undefined;
  return answer;
}

const created = ({ method, status = method === 'POST' ? 201 : 200 }: AnyOperation) => status;

describe.each(OPERATIONS.map((one) => [one.name, one] as const))('access to a home: %s', (name, operation) => {
  const [ofOwner = '', ofRead = '', ofManage = '', ofStranger = '', ofApp = '', ofOtherApp = ''] =
    EXPECTED[name].split(' ');
  const namesHome = () =>
    /\{/.test(operation.path) ||
    operation.query?.shape.user_id !== undefined ||
    JSON.stringify(BODIES[name]?.() ?? null).includes(home.userId);
  const expectAnswer = ({ status, text }: TestApiResponse, expected: string, of: string) => {
    if (expected === 'own') expect({ of, hasHome: text.includes(home.userId) }).toEqual({ of, hasHome: false });
    else expect({ of, status }).toEqual({ of, status: expected === 'ok' ? created(operation) : Number(expected) });
  };

  test('is as expected for the owner, except deletion of the account', async () => {
    if (name !== 'deleteUser') expectAnswer(await call(operation, home), ofOwner, 'owner');
    else expect(ofOwner).toBe('ok');
  });

  test('is as expected for members, with a key for the home and in a session', async () => {
    for (const [access, expected] of [
      ['read', ofRead],
      ['manage', ofManage],
    ] as const) {
      const { homeKey: key, browser } = member[access];
      expectAnswer(await call(operation, { key }), expected, `key, ${access}`);
      // In a member's session, an operation is about the member's own account if it names no home, or if only owners may use it.
      const isOwn = operation.forOwnerOnly || !namesHome() || isOfUtility(operation);
      expectAnswer(await call(operation, { browser }), isOwn ? ofStranger : expected, `session, ${access}`);
    }
  });

  test('is as expected for strangers: a homeowner, the member’s other key, and the member’s key for another home', async () => {
    expectAnswer(await call(operation, stranger), ofStranger, 'stranger');
    expectAnswer(
      await call(operation, { browser: await signInBrowser(api, stranger.userId) }),
      ofStranger,
      'strange session',
    );
    expectAnswer(await call(operation, { key: member.manage.key }), ofStranger, 'other key');
    const needsOwner = operation.forOwnerOnly || getOperationScopes(operation).includes('keys:write' as Scope);
    const isReadings = getOperationScopes(operation).some((scope) => scope.startsWith('readings:'));
    expectAnswer(
      await call(operation, { key: otherHomesKey }),
      needsOwner || isReadings ? '403' : ofStranger,
      'key of another home',
    );
  });

  test('is as expected for apps of the home and of another home', async () => {
    expectAnswer(await call(operation, { key: apps.home }), ofApp, 'app');
    expectAnswer(await call(operation, { key: apps.otherHome }), ofOtherApp, 'app of another home');
  });

  test('is refused without credentials, and for an app’s own token', async () => {
    expectAnswer(await call(operation, {}), '401', 'nobody');
    expectAnswer(await call(operation, { key: apps.itself }), '401', 'an app itself');
  });
});

test('a member with the right to manage cannot change the e-mail address, or anything else that is reserved for the owner', async () => {
  const path = `/v1/users/${home.userId}`;
  for (const by of [{ key: member.manage.homeKey }, { headers: member.manage.browser }]) {
    const prefix = 'headers' in by ? '/dashboard' : '';
    const { status } = await api.send(`${prefix}${path}`, {
      method: 'PATCH',
      body: { email: 'taken@example.net' },
      ...by,
    });
    expect(status).toBe(403);
    const role = await api.send(`${prefix}${path}`, { method: 'PATCH', body: { role: 'admin' }, ...by });
    expect(role.status).toBe(403);
  }
});
