import { beforeAll, describe, expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { type Person, setUpDashboardApi } from '#test/support/dashboard-api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';

const own = setUpDashboardApi();
const { ask, sql } = own;
const { utility, stranger } = own.people;

describe('prices on the dashboard', () => {
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
      ...COMPLETE_QUARTER_HOUR_MEASURES,
      energyMilliwattHours: kwh * 1e6,
      estimatedMilliwattHours: estimatedKwh * 1e6,
    });
    await addToLoadProfile(own.api.database, [
      used('2026-06-15T10:15Z', 1),
      used('2026-06-14T10:00Z', 2, 1),
      used('2026-05-20T10:00Z', 4),
      used('2026-04-20T10:00Z', 8),
    ]);
  });

  test('include the number of prices of each series, and the time of its last price', async () => {
    const body = { name: 'spot', currency: 'EUR', resolution_minutes: 30 };
    const { series_id } = await make('/v1/price-series', utility.key, body);
    const shown = async () =>
      (await ask(`/v1/usable-series?user_id=${owner.userId}`, owner)).json.find(
        (one: { series_id: string }) => one.series_id === series_id,
      );
    expect(await shown()).toEqual({ series_id, user_id: utility.userId, ...body, prices: 0, until: null });
    const prices = ['2026-06-14T23:30Z', '2026-06-15T00:00Z', '2026-06-15T02:30Z'];
    const expectedHours = prices.map((starts_at) => ({ starts_at: starts_at.replace('Z', ':00Z'), per_kwh: '0.1' }));
    await make(`/v1/price-series/${series_id}/prices`, utility.key, expectedHours, 'PUT');
    expect(await shown()).toMatchObject({ prices: 3, until: '2026-06-15T03:00:00.000Z' });
    expect((await ask(`/v1/usable-series?user_id=${owner.userId}`, stranger)).status).toBe(404);
  });

  test('for a dynamic tariff are returned for each hour of today and tomorrow, null if the series has none', async () => {
    const home = await own.api.user('homeowner');
    const curve = async () => (await ask('/v1/price-curve', home)).json;
    expect(await curve()).toEqual({ currency: null, hours: [] });
    const { series_id } = await make('/v1/price-series', home.key, {
      ...{ name: 'own', currency: 'EUR', resolution_minutes: 30 },
    });
    const tariff = (valid_from: string, rates: object) =>
      make('/v1/tariffs', home.key, { name: valid_from, valid_from, currency: 'EUR', import: rates });
    await tariff('2020-01-01', { per_kwh: '0.3' });
    // A tariff with fixed prices has no curve of prices.
    expect(await curve()).toEqual({ currency: null, hours: [] });
    await tariff('2026-01-01', { series_id, add: '0.15', multiply: '1.2' });
    const prices = ['10:00', '10:30', '11:00'].map((time, at) => ({
      starts_at: `2026-06-15T${time}:00Z`,
      per_kwh: String([0.1, 0.2, -0.05][at]),
    }));
    await make(`/v1/price-series/${series_id}/prices`, home.key, prices, 'PUT');
    const { currency, hours } = await curve();
    expect(currency).toBe('EUR');
    expect(hours).toHaveLength(48);
    expect(hours[0].starts_at).toBe('2026-06-15T00:00:00Z');
    // 0.15 is the mean of the prices of both half-hours. The tariff multiplies it by 1.2 and adds 0.15. In the next hour, one price is
    // unknown, so the hour has no price.
    const known = hours.filter(({ per_kwh }: { per_kwh: string | null }) => per_kwh !== null);
    expect(known).toEqual([{ starts_at: '2026-06-15T10:00:00Z', per_kwh: '0.33000' }]);
    // In a zone whose offset includes half an hour, local hours begin at :30 UTC.
    await sql(`UPDATE users SET timezone = 'Asia/Kolkata' WHERE user_id = $1`, [home.userId]);
    const local = (await curve()).hours;
    expect(local[0].starts_at).toBe('2026-06-15T00:00:00+05:30');
    expect(local).toHaveLength(48);
    expect((await ask(`/v1/price-curve?user_id=${home.userId}`, stranger)).status).toBe(404);
  });
});
