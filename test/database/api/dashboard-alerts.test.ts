import { beforeAll, describe, expect, test } from 'vitest';
import { createId } from '#src/core/ids.ts';
import { setUpDashboardApi } from '#test/support/dashboard-api.ts';

const own = setUpDashboardApi();
const { ask, statuses, sql } = own;
const { admin, utility, stranger, home } = own.people;
const everybody = () => ({ home, utility, stranger, admin });

describe('firings', () => {
  let alertId: string;
  const events = Array.from({ length: 5 }, (_, index) => createId('evt', Date.UTC(2026, 5, 1, index)));
  beforeAll(async () => {
    const made = await own.api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'peak_usage', threshold_kwh: 1, delivery: 'email' },
    });
    alertId = made.json.alert_id;
    // A later firing is about an earlier hour, so the test can distinguish the order of firing from the order of hours.
    for (const [index, event] of events.entries()) {
      await sql(
        `INSERT INTO alert_firings (alert_id, period_start, period_end, total_milliwatt_hours, event_id, fired_at)
         VALUES ($1, $2, $3, 1234567, $4, $5)`,
        [
          ...[alertId, new Date(Date.UTC(2026, 4, 9 - index)), new Date(Date.UTC(2026, 4, 9 - index, 1)), event],
          new Date(Date.UTC(2026, 5, 1, index)),
        ],
      );
    }
  });

  test('are listed latest first, page by page', async () => {
    const all = (await ask(`/v1/alerts/${alertId}/firings`, home)).json;
    expect(all.map(({ event_id }: { event_id: string }) => event_id)).toEqual(events.toReversed());
    expect(all[0]).toEqual({
      fired_at: '2026-06-01T04:00:00.000Z',
      period_start: '2026-05-05T00:00:00.000Z',
      period_end: '2026-05-05T01:00:00.000Z',
      kwh_used: 1.235,
      cost: null,
      currency: null,
      device_id: null,
      event_id: events[4],
    });
    const seen: string[] = [];
    for (let path: string | undefined = `/v1/alerts/${alertId}/firings?limit=2`; path; ) {
      const { json, headers } = await ask(path, home);
      seen.push(...json.map(({ event_id }: { event_id: string }) => event_id));
      path = /<\/own([^>]+)>/.exec(String(headers.link))?.[1];
    }
    expect(seen).toEqual(events.toReversed());
  });

  test('for a silence name the device, and have no end and no energy', async () => {
    const { json } = await own.api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'no_data', threshold_hours: 5, delivery: 'email' },
    });
    await sql(
      `INSERT INTO alert_firings (alert_id, period_start, device_id, event_id, fired_at)
       VALUES ($1, '2026-05-01', 'dev_silent', 'evt_x', '2026-05-02')`,
      [json.alert_id],
    );
    expect((await ask(`/v1/alerts/${json.alert_id}/firings`, home)).json).toMatchObject([
      { period_end: null, kwh_used: null, device_id: 'dev_silent' },
    ]);
  });

  test('for an alert on costs contain the costs of the period, and no energy', async () => {
    const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: 1 } };
    await own.api.send('/v1/tariffs', { key: home.key, method: 'POST', body: tariff });
    const { json } = await own.api.send('/v1/alerts', {
      ...{ key: home.key, method: 'POST' },
      body: { type: 'daily_cost', threshold: '5', delivery: 'email' },
    });
    await sql(
      `INSERT INTO alert_firings (alert_id, period_start, period_end, total_cost, currency, event_id, fired_at)
       VALUES ($1, '2026-05-01', '2026-05-02', '5.10', 'EUR', 'evt_x', '2026-05-01')`,
      [json.alert_id],
    );
    expect((await ask(`/v1/alerts/${json.alert_id}/firings`, home)).json).toMatchObject([
      { kwh_used: null, cost: '5.10', currency: 'EUR', device_id: null },
    ]);
  });

  test('are returned only to callers that reach the alert', async () => {
    expect(await statuses(`/v1/alerts/${alertId}/firings`, everybody())).toEqual({
      ...{ home: 200, utility: 200, admin: 200, stranger: 404 },
    });
    const neighbour = await own.api.user('homeowner', { enrolledBy: utility.userId });
    expect((await ask(`/v1/alerts/${alertId}/firings`, neighbour)).status).toBe(404);
    for (const id of ['alr_none', '%00', "x'", 'x'.repeat(5_000)])
      expect((await ask(`/v1/alerts/${id}/firings`, admin)).status).toBe(404);
    expect((await ask(`/v1/alerts/${alertId}/firings?cursor=%00`, home)).status).toBe(422);
  });
});
