import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/database.ts';
import {
  type CalledOperation,
  callEachOperation,
  createHome,
  DAYS_WITH_DATA,
  type Person,
} from '#test/support/each-operation.ts';

/**
 * Number of SQL statements that each operation executes for one small request, including BEGIN and COMMIT. A number may increase only for a
 * good reason. The cached check of the key and the count of requests are excluded.
 */
const STATEMENTS: Record<CalledOperation, number> = {
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

/** Sends a request. Returns the response, and the number of SQL statements that it caused. */
async function counted(who: Person, method: string, path: string, body?: unknown): Promise<[TestApiResponse, number]> {
  // This request loads the key and starts the account's rate-limit windows, so that the next one does neither.
  await api.send('/v1/nothing', { key: who.key });
  seen = [];
  const answer = await api.send(path, { method, key: who.key, body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.text}`);
  return [answer, seen.length];
}

test('each operation executes exactly its recorded number of statements', async () => {
  const found: Partial<Record<CalledOperation, number>> = {};
  await callEachOperation(api, async (who, name, { method, path, body }) => {
    const [answer, count] = await counted(who, method, path, body);
    found[name] = count;
    return answer.json;
  });
  expect(found).toEqual(STATEMENTS);
});

test('a request about a home with several devices executes its recorded number of statements', async () => {
  const utility = await api.user('utility');
  const [plain, solar] = [
    await createHome(api, utility, ['grid']),
    await createHome(api, utility, ['grid', 'production']),
  ];
  const insights = (more: string) => `/v1/energy-insights?${DAYS_WITH_DATA}${more}`;
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
