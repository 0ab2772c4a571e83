import { afterAll, beforeAll, expect, test } from 'vitest';
import { EnergyService } from '#clients/typescript/client.ts';
import { type TestApi, testApi, writeProfile } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
}, 180_000);
afterAll(() => api.close());

/** The generated client; its fetch goes to the API of the test, whose certificate nobody else knows. */
function clientWith(key: string): EnergyService<string> {
  const client = new EnergyService<string>({
    securityWorker: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
    async customFetch(url, init) {
      const { pathname, search } = new URL(String(url));
      const { status, text, headers } = await api.send(`${pathname}${search}`, {
        method: init?.method ?? 'GET',
        headers: Object.fromEntries(
          Object.entries(init?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        ...(init?.body === undefined || init.body === null ? {} : { raw: String(init.body) }),
      });
      return new Response(text, { status, headers: { 'content-type': String(headers['content-type']) } });
    },
  });
  client.setSecurityData(key);
  return client;
}

test('the typed client enrols a home, sets it up, and reads its usage', async () => {
  const admin = clientWith((await api.user('admin')).key);
  const { data: created } = await admin.v1.createUser({ email: 'typed@example.com', role: 'homeowner' });
  const { user_id } = created;
  await writeProfile(api, user_id, new Map([[Date.UTC(2026, 5, 14, 18), 1_500_000]]));

  const { data: device } = await admin.v1.createDevice({ user_id, type: 'electricity_meter', location: 'cellar' });
  expect(device.mqtt?.topic).toBe(`energy/v1/${device.device_id}/readings`);
  const { data: updated } = await admin.v1.updateDevice({ deviceId: device.device_id }, { location: 'hall' });
  expect(updated.location).toBe('hall');

  const range = { user_id, start: '2026-06-14', end: '2026-06-14' };
  const { data: insights } = await admin.v1.getEnergyInsights(range);
  expect(insights).toEqual({ user_id, data: [{ date: '2026-06-14', kwh_used: 1.5, peak_hour: '18:00' }] });

  const { data: alert } = await admin.v1.createAlert({
    user_id,
    type: 'daily_usage',
    threshold_kwh: 2,
    delivery: 'email',
  });
  const { data: alerts } = await admin.v1.listAlerts({ user_id });
  expect(alerts.map(({ alert_id }) => alert_id)).toEqual([alert.alert_id]);
  await admin.v1.deleteAlert({ alertId: alert.alert_id });
  expect((await admin.v1.listAlerts({ user_id })).data).toEqual([]);

  const { data: key } = await admin.v1.createKey({ user_id, name: 'own', scopes: ['insights:read'] });
  const own = await clientWith(key.key).v1.postEnergyInsights({ interval: 'month' });
  expect(own.data.summary.total_kwh).toBe(1.5);

  await expect(clientWith(key.key).v1.listDevices()).rejects.toMatchObject({
    status: 403,
    error: { error: 'Forbidden', status: 403 },
  });
});
