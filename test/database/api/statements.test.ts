import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS, type OperationName } from '#src/api/v1/operations.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';

/**
 * Number of SQL statements that each operation executes for one small request, including BEGIN and COMMIT. A number may increase only for a
 * good reason. The cached check of the key and the count of requests are excluded.
 */
const STATEMENTS: Record<Exclude<OperationName, 'streamUsage' | 'exportUser'>, number> = {
  getEnergyInsights: 1,
  postEnergyInsights: 2,
  monthlyAnalytics: 2,
  listRemarks: 4,
  getForecast: 3,
  createAlert: 7,
  listAlerts: 1,
  getAlert: 1,
  updateAlert: 9,
  deleteAlert: 7,
  previewAlert: 3,
  createUser: 8,
  listUsers: 1,
  getUser: 1,
  updateUser: 10,
  deleteUser: 32,
  createWebhook: 8,
  listWebhooks: 1,
  updateWebhook: 10,
  deleteWebhook: 7,
  webhookDeliveries: 2,
  getDelivery: 1,
  retryDelivery: 8,
  testWebhook: 10,
  createDevice: 7,
  listDevices: 1,
  discoveredDevices: 1,
  getDevice: 2,
  updateDevice: 8,
  deleteDevice: 10,
  deviceUsage: 4,
  releaseDevice: 9,
  listFleetDevices: 1,
  getFleetSilence: 4,
  deviceQuality: 8,
  sendReadings: 12,
  createDeviceEdit: 12,
  listDeviceEdits: 3,
  revokeDeviceEdit: 12,
  listDeviceReadings: 6,
  createGateway: 7,
  listGateways: 1,
  updateGateway: 8,
  decodeMessage: 3,
  deleteGateway: 9,
  unreadMessages: 2,
  createGroup: 9,
  listGroups: 1,
  getGroup: 1,
  updateGroup: 9,
  deleteGroup: 10,
  listGroupUsers: 2,
  changeGroupUsers: 12,
  addGroupUser: 12,
  removeGroupUser: 12,
  groupEnergyInsights: 5,
  createImport: 12,
  getImport: 1,
  fetchImportCredentials: 8,
  createProvisioningBatch: 6,
  listProvisioningBatches: 1,
  revokeProvisioningBatch: 7,
  createBillPeriod: 27,
  listBillPeriods: 1,
  getBillPeriod: 9,
  recordBillVersion: 25,
  closeBillPeriod: 30,
  deleteBillPeriod: 10,
  createTariff: 10,
  listTariffs: 1,
  getTariff: 1,
  updateTariff: 9,
  deleteTariff: 8,
  compareTariffs: 6,
  whatIf: 6,
  createPriceSeries: 10,
  listPriceSeries: 2,
  getPriceSeries: 2,
  updatePriceSeries: 8,
  deletePriceSeries: 9,
  listPrices: 2,
  putPrices: 9,
  deletePrices: 10,
  createEmissionSeries: 10,
  listEmissionSeries: 2,
  getEmissionSeries: 2,
  updateEmissionSeries: 8,
  deleteEmissionSeries: 9,
  listIntensities: 2,
  putIntensities: 9,
  deleteIntensities: 10,
  createKey: 7,
  listKeys: 1,
  updateKey: 8,
  revokeKey: 7,
  rotateKey: 12,
  inviteMember: 11,
  listMembers: 2,
  removeMember: 12,
  acceptMembership: 15,
  listMemberships: 1,
  leaveMembership: 14,
  createApp: 8,
  listApps: 1,
  getApp: 1,
  updateApp: 8,
  deleteApp: 9,
  listAuthorizations: 1,
  endAuthorization: 10,
  listAudit: 1,
};

/** Numbers of SQL statements of further requests for insights: of homes with a meter or solar panels, and with other query parameters. */
const STATEMENTS_OF_MORE: Record<string, number> = {
  'one meter ': 1,
  'one meter &group_by=hour': 1,
  'one meter &group_by=month': 1,
  'one meter &include=grid_import,coverage': 2,
  'one meter, 30 days': 1,
  'solar ': 3,
  'solar &group_by=hour': 3,
  'solar &group_by=month': 3,
  'solar &include=grid_import,coverage': 2,
  'solar, 30 days': 3,
};

const SHARED = /where "key_sha256" = |^update "api_keys" set "last_used_at"|FROM add_request_counts\(/;

let api: TestApi;
let seen: string[] = [];
beforeAll(async () => {
  const database = await createTestDatabase();
  database.pool.on('connect', (client) => countOn(client));
  api = await startTestApi({ database });
});
afterAll(() => api.close());

/** Records each SQL statement that is sent on this connection. */
function countOn(client: PoolClient): void {
  const query = client.query.bind(client) as (...all: unknown[]) => unknown;
  const counted = (...all: unknown[]) => {
    const [statement] = all as [string | { text: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (!SHARED.test(text)) seen.push(text);
    return query(...all);
  };
  Object.assign(client, { query: counted });
}

type Person = Awaited<ReturnType<TestApi['user']>>;

/** Sends a request. Returns the response, and the number of SQL statements that it caused. */
async function counted(who: Person, method: string, path: string, body?: unknown): Promise<[TestApiResponse, number]> {
  // This request loads the key and starts the account's rate-limit windows, so that the next one does neither.
  await api.send('/v1/nothing', { key: who.key });
  seen = [];
  const answer = await api.send(path, { method, key: who.key, body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.text}`);
  return [answer, seen.length];
}

/** Creates a home with a meter for each part of the home, with a day of data. */
async function homeWith(utility: Person, placements: readonly string[]): Promise<Person & { deviceIds: string[] }> {
  const home = await api.user('homeowner', { enrolledBy: utility.userId, scopes: [...SCOPES] });
  const deviceIds: string[] = [];
  for (const placement of placements) {
    const body = { type: 'smart_meter', location: placement, placement };
    const { device_id: deviceId } = (await api.send('/v1/devices', { method: 'POST', key: home.key, body })).json;
    deviceIds.push(deviceId);
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, 'import', 'register', true, false), ($1, 'export', 'register', false, true)`,
      [deviceId],
    );
    await addToLoadProfile(
      api.database,
      Array.from({ length: 96 }, (_, at) => ({
        deviceId,
        userId: home.userId,
        startsAtMs: Date.parse('2026-06-10') + at * 900_000,
        energyMilliwattHours: 1_000 * (at % 7),
        exportMilliwattHours: 500 * (at % 3),
        exportCoveredMs: 900_000,
        ...COMPLETE_QUARTER_HOUR_MEASURES,
      })),
    );
  }
  return { ...home, deviceIds };
}

const DAYS = 'start=2026-06-01&end=2026-06-14';

test('each operation executes exactly its recorded number of statements', async () => {
  const utility = await api.user('utility');
  const home = await homeWith(utility, ['grid']);
  const [deviceId = ''] = home.deviceIds;
  const writer = await api.user('admin', { scopes: ['readings:write'] });
  const found: Partial<Record<OperationName, number>> = {};
  /** Sends a request for the operation. The values replace the parameters of its path, in order. */
  const request = async (
    who: Person,
    name: OperationName,
    { of = [], query = '', body }: { of?: readonly string[]; query?: string; body?: unknown } = {},
  ) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`${name} is no operation`);
    const values = [...of];
    const path = operation.path.replaceAll(/\{\w+\}/g, () => values.shift() ?? '') + (query && `?${query}`);
    const [answer, count] = await counted(who, operation.method, path, body);
    found[name] = count;
    return answer.json;
  };

  await request(home, 'getEnergyInsights', { query: DAYS });
  await request(home, 'postEnergyInsights', { body: { interval: 'month' } });
  await request(home, 'monthlyAnalytics');
  await request(home, 'listRemarks');
  await request(home, 'getForecast');

  const alert = { type: 'daily_usage', threshold_kwh: 5 };
  const { alert_id } = await request(home, 'createAlert', { body: { ...alert, delivery: 'email' } });
  await request(home, 'listAlerts', { query: `user_id=${home.userId}` });
  await request(home, 'getAlert', { of: [alert_id] });
  await request(home, 'updateAlert', { of: [alert_id], body: { status: 'paused' } });
  await request(home, 'deleteAlert', { of: [alert_id] });
  await request(home, 'previewAlert', { body: alert });

  const { user_id } = await request(utility, 'createUser', {
    body: { email: 'counted@example.com', role: 'homeowner' },
  });
  await request(utility, 'listUsers');
  await request(utility, 'getUser', { of: [user_id] });
  await request(utility, 'updateUser', { of: [user_id], body: { timezone: 'Europe/Berlin' } });

  const webhook = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
  const { webhook_id } = await request(home, 'createWebhook', { body: webhook });
  await request(home, 'listWebhooks');
  await request(home, 'updateWebhook', { of: [webhook_id], body: { status: 'paused' } });
  await request(home, 'updateWebhook', { of: [webhook_id], body: { status: 'active' } });
  const { delivery_id } = await request(home, 'testWebhook', { of: [webhook_id] });
  await request(home, 'webhookDeliveries', { of: [webhook_id] });
  await request(home, 'getDelivery', { of: [webhook_id, delivery_id] });
  await request(home, 'retryDelivery', { of: [webhook_id, delivery_id] });
  await request(home, 'deleteWebhook', { of: [webhook_id] });

  const paired = await request(home, 'createDevice', { body: { type: 'smart_meter', location: 'x' } });
  await request(home, 'listDevices');
  await request(home, 'discoveredDevices');
  await request(home, 'getDevice', { of: [deviceId] });
  await request(home, 'updateDevice', { of: [paired.device_id], body: { location: 'y' } });
  await request(home, 'deviceUsage', { of: [deviceId], query: DAYS });
  await request(home, 'releaseDevice', { of: [paired.device_id] });
  await request(home, 'listFleetDevices');
  await request(utility, 'getFleetSilence', { query: DAYS });
  await request(home, 'deviceQuality', { of: [deviceId], query: DAYS });
  // The first reading loads the device's state; for later readings, it is in the cache.
  for (const ts of ['2026-06-15T11:58:00Z', '2026-06-15T11:59:00Z', '2026-06-15T11:59:10Z'])
    await request(writer, 'sendReadings', { of: [deviceId], body: { ts, energy_total_kwh: 1 } });
  const edit = { action: 'exclude', start: '2026-06-14T10:00:00Z', end: '2026-06-14T11:00:00Z', reason: 'x' };
  const { edit_id } = await request(home, 'createDeviceEdit', { of: [deviceId], body: edit });
  await request(home, 'listDeviceEdits', { of: [deviceId] });
  await request(home, 'listDeviceReadings', { of: [deviceId], query: DAYS });
  await request(home, 'revokeDeviceEdit', { of: [deviceId, edit_id] });
  await request(home, 'deleteDevice', { of: [paired.device_id] });

  const { gateway_id } = await request(home, 'createGateway', { body: { name: 'x' } });
  await request(home, 'listGateways');
  await request(home, 'updateGateway', { of: [gateway_id], body: { name: 'y' } });
  await request(home, 'decodeMessage', { of: [gateway_id], body: { topic: 'x', payload: '1' } });
  await request(home, 'unreadMessages', { of: [gateway_id] });
  await request(home, 'deleteGateway', { of: [gateway_id] });

  const { group_id } = await request(utility, 'createGroup', { body: { name: 'x' } });
  await request(utility, 'listGroups');
  await request(utility, 'getGroup', { of: [group_id] });
  await request(utility, 'updateGroup', { of: [group_id], body: { name: 'y' } });
  await request(utility, 'addGroupUser', { of: [group_id, home.userId] });
  await request(utility, 'listGroupUsers', { of: [group_id] });
  await request(utility, 'groupEnergyInsights', { of: [group_id], query: DAYS });
  await request(utility, 'changeGroupUsers', { of: [group_id], body: { add: [user_id] } });
  await request(utility, 'removeGroupUser', { of: [group_id, home.userId] });
  await request(utility, 'deleteGroup', { of: [group_id] });
  await request(utility, 'deleteUser', { of: [user_id] });

  const { import_id } = await request(utility, 'createImport', { body: [{ type: 'smart_meter', location: 'x' }] });
  await request(utility, 'getImport', { of: [import_id] });
  await request(utility, 'fetchImportCredentials', { of: [import_id] });
  const { batch_id } = await request(utility, 'createProvisioningBatch', { body: { name: 'x', max_devices: 1 } });
  await request(utility, 'listProvisioningBatches');
  await request(utility, 'revokeProvisioningBatch', { of: [batch_id] });

  const bill = { user_id: home.userId, start: '2026-06-01', end: '2026-06-10' };
  const { bill_period_id } = await request(utility, 'createBillPeriod', { body: bill });
  await request(utility, 'listBillPeriods');
  await request(utility, 'getBillPeriod', { of: [bill_period_id] });
  await request(utility, 'recordBillVersion', { of: [bill_period_id] });
  await request(utility, 'closeBillPeriod', { of: [bill_period_id] });
  const next = await request(utility, 'createBillPeriod', {
    body: { ...bill, start: '2026-06-11', end: '2026-06-12' },
  });
  await request(utility, 'deleteBillPeriod', { of: [next.bill_period_id] });

  const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: '0.3' } };
  const { tariff_id } = await request(home, 'createTariff', { body: tariff });
  await request(home, 'listTariffs');
  await request(home, 'getTariff', { of: [tariff_id] });
  await request(home, 'updateTariff', { of: [tariff_id], body: { name: 'y' } });
  const days = { start: '2026-06-01', end: '2026-06-14' };
  const offer = { name: 'x', currency: 'EUR', import: { per_kwh: '0.2' } };
  await request(home, 'compareTariffs', { body: { ...days, tariffs: [offer] } });
  const battery = { capacity_kwh: 5, charge_kw: 2, discharge_kw: 2, round_trip_efficiency: 0.9 };
  await request(home, 'whatIf', { body: { ...days, battery } });
  await request(home, 'deleteTariff', { of: [tariff_id] });
  const series = { name: 'x', currency: 'EUR', resolution_minutes: 60 };
  const { series_id } = await request(home, 'createPriceSeries', { body: series });
  await request(home, 'listPriceSeries');
  await request(home, 'getPriceSeries', { of: [series_id] });
  await request(home, 'putPrices', { of: [series_id], body: [{ starts_at: '2026-06-15T12:00:00Z', per_kwh: '0.1' }] });
  await request(home, 'listPrices', { of: [series_id] });
  await request(home, 'updatePriceSeries', { of: [series_id], body: { name: 'Other' } });
  await request(home, 'deletePrices', { of: [series_id], query: '?from=2026-06-15&to=2026-06-16' });
  await request(home, 'deletePriceSeries', { of: [series_id] });
  const emissions = { name: 'x', resolution_minutes: 60 };
  const { series_id: emissionId } = await request(home, 'createEmissionSeries', { body: emissions });
  await request(home, 'listEmissionSeries');
  await request(home, 'getEmissionSeries', { of: [emissionId] });
  const intensities = [{ starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: '212.4' }];
  await request(home, 'putIntensities', { of: [emissionId], body: intensities });
  await request(home, 'listIntensities', { of: [emissionId] });
  await request(home, 'updateEmissionSeries', { of: [emissionId], body: { name: 'Other' } });
  await request(home, 'deleteIntensities', { of: [emissionId], query: '?from=2026-06-15&to=2026-06-16' });
  await request(home, 'deleteEmissionSeries', { of: [emissionId] });

  const invited = { of: [home.userId], body: { email: 'a.member@example.com', access: 'manage' } };
  const { member_id } = await request(home, 'inviteMember', invited);
  await request(home, 'listMembers', { of: [home.userId] });
  const member = await api.user('homeowner');
  await api.database.pool.query('UPDATE users SET signed_in_at = now() WHERE user_id = $1', [member.userId]);
  const token = createMailedToken('the secret of the tests', 'member', member_id);
  await request(member, 'acceptMembership', { body: { token } });
  await request(member, 'listMemberships');
  await request(member, 'leaveMembership', { of: [member_id] });
  const withdrawn = await request(home, 'inviteMember', invited);
  await request(home, 'removeMember', { of: [home.userId, withdrawn.member_id] });

  const program = {
    name: 'x',
    website: 'https://app.example',
    type: 'public',
    redirect_uris: ['https://app.example/'],
    scopes: ['insights:read'],
  };
  const { app_id } = await request(utility, 'createApp', { body: program });
  await request(utility, 'listApps');
  await request(utility, 'getApp', { of: [app_id] });
  await request(utility, 'updateApp', { of: [app_id], body: { name: 'y' } });
  await api.database.pool.query(
    `INSERT INTO authorizations VALUES ('aut_of_statements', $1, $2, '{insights:read}', now(), NULL, NULL)`,
    [app_id, home.userId],
  );
  await request(home, 'listAuthorizations');
  await request(home, 'endAuthorization', { of: ['aut_of_statements'] });
  await request(utility, 'deleteApp', { of: [app_id] });

  const { key_id } = await request(home, 'createKey', { body: {} });
  await request(home, 'listKeys');
  await request(home, 'updateKey', { of: [key_id], body: { allowed_addresses: [] } });
  const rotated = await request(home, 'rotateKey', { of: [key_id], body: {} });
  await request(home, 'revokeKey', { of: [rotated.key_id] });
  await request(await api.user('admin'), 'listAudit');
  expect(found).toEqual(STATEMENTS);
});

test('a request about a home with several devices executes its recorded number of statements', async () => {
  const utility = await api.user('utility');
  const [plain, solar] = [await homeWith(utility, ['grid']), await homeWith(utility, ['grid', 'production'])];
  const insights = (more: string) => `/v1/energy-insights?${DAYS}${more}`;
  const found: Record<string, number> = {
    'one meter ': 3,
    'one meter &group_by=hour': 3,
    'one meter &group_by=month': 3,
    'one meter &include=grid_import,coverage': 4,
    'one meter, 30 days': 3,
    'solar ': 5,
    'solar &group_by=hour': 4,
    'solar &group_by=month': 4,
    'solar &include=grid_import,coverage': 3,
    'solar, 30 days': 4,
  };
  for (const [home, name] of [
    [plain, 'one meter'],
    [solar, 'solar'],
  ] as const) {
    for (const more of ['', '&group_by=hour', '&group_by=month', '&include=grid_import,coverage'])
      [, found[`${name} ${more}`]] = await counted(home, 'GET', insights(more));
    [, found[`${name}, 30 days`]] = await counted(home, 'GET', '/v1/energy-insights');
  }
  expect(found).toEqual(STATEMENTS_OF_MORE);
});
