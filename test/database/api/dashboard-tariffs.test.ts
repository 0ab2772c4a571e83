import { beforeAll, describe, expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { type Person, registerDashboardApi } from '#test/support/dashboard-api.ts';
import { addToProfile, FULLY_KNOWN_QUARTER } from '#test/support/load-profile.ts';

const own = registerDashboardApi();
const { ask, sql } = own;
const { utility, stranger } = own.people;

describe('costs', () => {
  const make = async (path: string, key: string, body: unknown, method = 'POST') => {
    const answer = await own.api.send(path, { method, key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  };
  let owner: Person;
  let deviceId: string;
  beforeAll(async () => {
    owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
    const { device } = await createDevice(own.api.db, {
      userId: owner.userId,
      type: 'smart_meter',
      location: 'cellar',
    });
    deviceId = device.device_id;
    await sql(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, 'import', 'register', true, false)`,
      [deviceId],
    );
    const used = (time: string, kwh: number, estimatedKwh = 0) => ({
      deviceId,
      userId: owner.userId,
      startsAtMs: Date.parse(time),
      ...FULLY_KNOWN_QUARTER,
      energyMilliwattHours: kwh * 1e6,
      estimatedMilliwattHours: estimatedKwh * 1e6,
    });
    await addToProfile(own.api.database, [
      used('2026-06-15T10:15Z', 1),
      used('2026-06-14T10:00Z', 2, 1),
      used('2026-05-20T10:00Z', 4),
      used('2026-04-20T10:00Z', 8),
    ]);
  });

  test('series report their number of prices, and the end of them', async () => {
    const body = { name: 'spot', currency: 'EUR', resolution_minutes: 30 };
    const { series_id } = await make('/v1/price-series', utility.key, body);
    const shown = async () =>
      (await ask(`/v1/usable-series?user_id=${owner.userId}`, owner)).json.find(
        (one: { series_id: string }) => one.series_id === series_id,
      );
    expect(await shown()).toEqual({ series_id, user_id: utility.userId, ...body, prices: 0, until: null });
    const prices = ['2026-06-14T23:30Z', '2026-06-15T00:00Z', '2026-06-15T02:30Z'];
    const told = prices.map((starts_at) => ({ starts_at: starts_at.replace('Z', ':00Z'), per_kwh: '0.1' }));
    await make(`/v1/price-series/${series_id}/prices`, utility.key, told, 'PUT');
    expect(await shown()).toMatchObject({ prices: 3, until: '2026-06-15T03:00:00.000Z' });
    expect((await ask(`/v1/usable-series?user_id=${owner.userId}`, stranger)).status).toBe(404);
  });
});
