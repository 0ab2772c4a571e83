import { OPERATIONS, type OperationName } from '#src/api/v1/operations.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import type { TestApi } from './api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from './load-profile.ts';

export type Person = Awaited<ReturnType<TestApi['user']>>;
/** The operations that `callEachOperation` calls: all but the stream and the archive, which are no JSON. */
export type CalledOperation = Exclude<OperationName, 'streamUsage' | 'exportUser'>;

/** Days with data of the homes that `createHome` creates, as query parameters. */
export const DAYS_WITH_DATA = 'start=2026-06-01&end=2026-06-14';

/** Creates a home with a meter for each part of the home, with a day of data. */
export async function createHome(
  api: TestApi,
  utility: Person,
  placements: readonly string[],
): Promise<Person & { deviceIds: string[] }> {
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

/** What a group of calls uses. `request` sends a request for the operation. The values of `of` replace the parameters of its path, in order. */
interface Calls {
  api: TestApi;
  home: Person;
  utility: Person;
  /** An administrator whose key may only send readings. */
  writer: Person;
  /** The home's meter. */
  deviceId: string;
  request(
    who: Person,
    name: CalledOperation,
    values?: { of?: readonly string[]; query?: string; body?: unknown },
    // biome-ignore lint/suspicious/noExplicitAny: each operation has another response
  ): Promise<any>;
}

/**
 * Calls each operation at least once, each time with success. `send` sends a request and returns the body of the response. The clock of the
 * API must be that of `startTestApi`.
 */
export async function callEachOperation(
  api: TestApi,
  send: (
    who: Person,
    name: CalledOperation,
    request: { method: string; path: string; body: unknown },
  ) => Promise<unknown>,
): Promise<void> {
  const utility = await api.user('utility');
  const home = await createHome(api, utility, ['grid']);
  const [deviceId = ''] = home.deviceIds;
  const writer = await api.user('admin', { scopes: ['readings:write'] });
  const request: Calls['request'] = async (who, name, { of = [], query = '', body } = {}) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`${name} is no operation`);
    const values = [...of];
    const path = operation.path.replaceAll(/\{\w+\}/g, () => values.shift() ?? '') + (query && `?${query}`);
    return send(who, name, { method: operation.method, path, body });
  };
  const calls = { api, home, utility, writer, deviceId, request };
  for (const callGroup of GROUPS) await callGroup(calls);
}

async function callEnergy({ home, request }: Calls): Promise<void> {
  await request(home, 'getEnergyInsights', { query: DAYS_WITH_DATA });
  await request(home, 'postEnergyInsights', { body: { interval: 'month' } });
  await request(home, 'monthlyAnalytics');
  await request(home, 'listRemarks');
  await request(home, 'getForecast');
}

async function callAlerts({ home, request }: Calls): Promise<void> {
  const alert = { type: 'daily_usage', threshold_kwh: 5 };
  const { alert_id } = await request(home, 'createAlert', { body: { ...alert, delivery: 'email' } });
  await request(home, 'listAlerts', { query: `user_id=${home.userId}` });
  await request(home, 'getAlert', { of: [alert_id] });
  await request(home, 'updateAlert', { of: [alert_id], body: { status: 'paused' } });
  await request(home, 'deleteAlert', { of: [alert_id] });
  await request(home, 'previewAlert', { body: alert });
}

async function callWebhooks({ home, request }: Calls): Promise<void> {
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
}

async function callDevices({ home, utility, writer, deviceId, request }: Calls): Promise<void> {
  const paired = await request(home, 'createDevice', { body: { type: 'smart_meter', location: 'x' } });
  await request(home, 'listDevices');
  await request(home, 'discoveredDevices');
  await request(home, 'getDevice', { of: [deviceId] });
  await request(home, 'updateDevice', { of: [paired.device_id], body: { location: 'y' } });
  await request(home, 'deviceUsage', { of: [deviceId], query: DAYS_WITH_DATA });
  await request(home, 'releaseDevice', { of: [paired.device_id] });
  await request(home, 'listFleetDevices');
  await request(utility, 'getFleetSilence', { query: DAYS_WITH_DATA });
  await request(home, 'deviceQuality', { of: [deviceId], query: DAYS_WITH_DATA });
  // The first reading loads the device's state; for later readings, it is in the cache.
  for (const ts of ['2026-06-15T11:58:00Z', '2026-06-15T11:59:00Z', '2026-06-15T11:59:10Z'])
    await request(writer, 'sendReadings', { of: [deviceId], body: { ts, energy_total_kwh: 1 } });
  const edit = { action: 'exclude', start: '2026-06-14T10:00:00Z', end: '2026-06-14T11:00:00Z', reason: 'x' };
  const { edit_id } = await request(home, 'createDeviceEdit', { of: [deviceId], body: edit });
  await request(home, 'listDeviceEdits', { of: [deviceId] });
  await request(home, 'listDeviceReadings', { of: [deviceId], query: DAYS_WITH_DATA });
  await request(home, 'revokeDeviceEdit', { of: [deviceId, edit_id] });
  await request(home, 'deleteDevice', { of: [paired.device_id] });
}

async function callGateways({ home, request }: Calls): Promise<void> {
  const { gateway_id } = await request(home, 'createGateway', { body: { name: 'x' } });
  await request(home, 'listGateways');
  await request(home, 'updateGateway', { of: [gateway_id], body: { name: 'y' } });
  await request(home, 'decodeMessage', { of: [gateway_id], body: { topic: 'x', payload: '1' } });
  await request(home, 'unreadMessages', { of: [gateway_id] });
  await request(home, 'deleteGateway', { of: [gateway_id] });
}

async function callUsersAndGroups({ home, utility, request }: Calls): Promise<void> {
  const { user_id } = await request(utility, 'createUser', {
    body: { email: 'counted@example.com', role: 'homeowner' },
  });
  await request(utility, 'listUsers');
  await request(utility, 'getUser', { of: [user_id] });
  await request(utility, 'updateUser', { of: [user_id], body: { timezone: 'Europe/Berlin' } });

  const { group_id } = await request(utility, 'createGroup', { body: { name: 'x' } });
  await request(utility, 'listGroups');
  await request(utility, 'getGroup', { of: [group_id] });
  await request(utility, 'updateGroup', { of: [group_id], body: { name: 'y' } });
  await request(utility, 'addGroupUser', { of: [group_id, home.userId] });
  await request(utility, 'listGroupUsers', { of: [group_id] });
  await request(utility, 'groupEnergyInsights', { of: [group_id], query: DAYS_WITH_DATA });
  await request(utility, 'changeGroupUsers', { of: [group_id], body: { add: [user_id] } });
  await request(utility, 'removeGroupUser', { of: [group_id, home.userId] });
  await request(utility, 'deleteGroup', { of: [group_id] });
  await request(utility, 'deleteUser', { of: [user_id] });
}

async function callProvisioning({ utility, request }: Calls): Promise<void> {
  const { import_id } = await request(utility, 'createImport', { body: [{ type: 'smart_meter', location: 'x' }] });
  await request(utility, 'getImport', { of: [import_id] });
  await request(utility, 'fetchImportCredentials', { of: [import_id] });
  const { batch_id } = await request(utility, 'createProvisioningBatch', { body: { name: 'x', max_devices: 1 } });
  await request(utility, 'listProvisioningBatches');
  await request(utility, 'revokeProvisioningBatch', { of: [batch_id] });
}

async function callBills({ home, utility, request }: Calls): Promise<void> {
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
}

async function callTariffs({ home, request }: Calls): Promise<void> {
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
}

async function callSeries({ home, request }: Calls): Promise<void> {
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
}

async function callMembers({ api, home, request }: Calls): Promise<void> {
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
}

async function callApps({ api, home, utility, request }: Calls): Promise<void> {
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
}

async function callKeys({ api, home, request }: Calls): Promise<void> {
  const { key_id } = await request(home, 'createKey', { body: {} });
  await request(home, 'listKeys');
  await request(home, 'updateKey', { of: [key_id], body: { allowed_addresses: [] } });
  const rotated = await request(home, 'rotateKey', { of: [key_id], body: {} });
  await request(home, 'revokeKey', { of: [rotated.key_id] });
  await request(await api.user('admin'), 'listAudit');
}

const GROUPS = [
  callEnergy,
  callAlerts,
  callWebhooks,
  callDevices,
  callGateways,
  callUsersAndGroups,
  callProvisioning,
  callBills,
  callTariffs,
  callSeries,
  callMembers,
  callApps,
  callKeys,
];
