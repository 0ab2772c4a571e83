import { describe, expect, test } from 'vitest';
import { evaluateChangedHours } from '#src/alerts/evaluate-changes.ts';
import type { AlertEvaluator } from '#src/alerts/pool.ts';
import { castToBillionths, parseDecimal } from '#src/core/decimal.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { publishUsageUpdates } from '#src/delivery/usage-updated.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createDevice } from '#src/devices/store.ts';
import { packPrices } from '#src/tariffs/packed-days.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { storePrices } from '#src/tariffs/prices.ts';
import { createTariff, deleteTariff, updateTariff } from '#src/tariffs/store.ts';
import type { TariffPriceTerms } from '#src/tariffs/terms.ts';
import { updateUser } from '#src/users/store.ts';
import { setUpHomeWithAlerts } from '#test/support/alerting-home.ts';
import { createAlert } from '#test/support/alerts.ts';
import type { TestDatabase } from '#test/support/database.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
let db: Database;
let evaluator: AlertEvaluator;
let home: TestMeter;
/** A Wednesday, noon UTC. */
const NOW = new Date('2026-06-17T12:00:00Z');
const at = (text: string) => new Date(`2026-06-${text}Z`);

setUpHomeWithAlerts(NOW, (made) => {
  ({ database, db, evaluator, home } = made);
});

/** Evaluates all changed hours that are pending. Returns the ids of users whose costs could not be computed. */
async function evaluate(now = NOW, of: AlertEvaluator = evaluator): Promise<string[]> {
  const failed: string[] = [];
  for (;;) {
    const { changes, faults } = await evaluateChangedHours(database.pool, of, now);
    failed.push(...faults.map(({ userId }) => userId));
    if (changes === 0) return failed;
  }
}

const alert = (type: 'daily_cost' | 'monthly_cost', threshold: string, userId = home.userId) =>
  createAlert(db, { userId, delivery: 'webhook', type, threshold });
const tariff = (terms: TariffPriceTerms, { valid_from = '2026-01-01', currency = 'EUR', userId = home.userId } = {}) =>
  createTariff(db, { userId, name: 'x', valid_from, currency, terms });
/** Sends register readings for `kwh` hours with one kWh each, from midnight on the 17th. */
const use = (kwh: number, of = home) =>
  of.read(
    [
      [at('17T00:00'), 100],
      [at(`17T${String(kwh).padStart(2, '0')}:00`), 100 + kwh],
    ],
    NOW,
  );
async function firedAlerts(userId = home.userId) {
  const { rows } = await database.pool.query(
    "SELECT data FROM events WHERE user_id = $1 AND type = 'alert.triggered' ORDER BY event_id",
    [userId],
  );
  return rows.map(({ data }) => data);
}
const costs = async (userId = home.userId) => (await firedAlerts(userId)).map(({ type, cost }) => [type, cost]);

describe('an alert on costs', () => {
  test('fires as soon as the total exceeds the threshold, once, with the usage of each device', async () => {
    await tariff({ import: { per_kwh: '0.30' }, standing_per_day: '2.40' });
    const { alert_id } = await alert('daily_cost', '2.725');
    await use(5);
    await evaluate();
    // Standing charge of 12¼ h plus the cost of 5 kWh: 1.225 + 1.50 = 2.725, rounded to 2.73.
    expect(await firedAlerts()).toEqual([
      {
        alert_id,
        user_id: home.userId,
        type: 'daily_cost',
        threshold: '2.725',
        cost: '2.73',
        currency: 'EUR',
        period_start: '2026-06-17T00:00:00.000Z',
        period_end: '2026-06-18T00:00:00.000Z',
        devices: [{ device_id: home.deviceId, kwh_used: 5 }],
      },
    ]);
    await home.read([[at('17T08:00'), 110]], NOW);
    await evaluate();
    expect(await firedAlerts()).toHaveLength(1);
    const { rows } = await database.pool.query(
      'SELECT total_milliwatt_hours, total_cost, currency FROM alert_firings WHERE alert_id = $1',
      [alert_id],
    );
    expect(rows).toEqual([{ total_milliwatt_hours: null, total_cost: '2.73', currency: 'EUR' }]);
  });

  test('does not fire at exactly its threshold, unlike a comparison of doubles', async () => {
    // In floating-point numbers, 3 × 0.1 is 0.30000000000000004.
    await tariff({ import: { per_kwh: '0.1' } });
    await alert('daily_cost', '0.3');
    await use(3);
    await evaluate();
    expect(await firedAlerts()).toEqual([]);
    await home.read([[at('17T03:30'), 103.1]], NOW);
    await evaluate();
    expect(await costs()).toEqual([['daily_cost', '0.31']]);
  });

  test('compares amounts beyond 64 bits of billionths', async () => {
    await tariff({ import: { per_kwh: '999999999.999999999' } });
    await alert('daily_cost', '999999999.999999999');
    await use(11);
    await evaluate();
    expect(await costs()).toEqual([['daily_cost', '11000000000.00']]);
  });

  test('of a month includes all of it, with the capacity charge; of a day only the day', async () => {
    await tariff({ import: { per_kwh: '1' }, capacity: { per_kw_month: '10' } });
    await alert('monthly_cost', '20');
    await alert('daily_cost', '20');
    // 8 kWh within eight hours do not determine a peak. Half a kWh within a quarter-hour is a peak of 2 kW.
    await home.read(
      [
        [at('15T00:00'), 100],
        [at('15T08:00'), 108],
        [at('17T03:00'), 108],
        [at('17T03:15'), 108.5],
      ],
      NOW,
    );
    await evaluate();
    // Cost of 8.5 kWh and of a peak of 2 kW.
    expect(await costs()).toEqual([['monthly_cost', '28.50']]);
  });

  test('uses days of its user’s time zone', async () => {
    await updateUser(db, ALL_ACCOUNTS, home.userId, { timezone: 'Asia/Kolkata' });
    await tariff({ import: { per_kwh: '1' } });
    await alert('daily_cost', '2');
    await home.read(
      [
        [at('16T18:30'), 100],
        [at('16T21:30'), 103],
      ],
      NOW,
    );
    await evaluate();
    expect(await firedAlerts()).toMatchObject([
      { cost: '3.00', period_start: '2026-06-16T18:30:00.000Z', period_end: '2026-06-17T18:30:00.000Z' },
    ]);
  });

  test('waits for the export if the meter reports it later', async () => {
    await tariff({ import: { per_kwh: '1' }, export: { per_kwh: '1' } });
    await alert('daily_cost', '4');
    const exported = { channel: 'export' };
    await home.read(
      [
        [at('17T10:00'), 100],
        [at('17T11:00'), 101],
      ],
      NOW,
    );
    await home.read(
      [
        [at('17T10:00'), 50],
        [at('17T11:10'), 50],
      ],
      NOW,
      exported,
    );
    // The meter reports 9 kWh more import. It has not reported the export of 8 kWh yet.
    await home.read([[at('17T11:50'), 110]], NOW);
    await evaluate();
    expect(await firedAlerts()).toEqual([]);
    await home.read([[at('17T11:50'), 58]], NOW, exported);
    await evaluate();
    expect(await firedAlerts()).toEqual([]);
  });

  test('computes the costs of a period once for all of its alerts', async () => {
    await tariff({ import: { per_kwh: '1' } });
    for (const threshold of ['1', '2', '3', '4', '5']) await alert('daily_cost', threshold);
    await use(4);
    const statements: string[] = [];
    await evaluateChangedHours(listening(statements), evaluator, NOW);
    expect(statements.filter((text) => text.includes('from "tariffs"'))).toHaveLength(1);
    expect((await firedAlerts()).map(({ threshold }) => threshold).sort()).toEqual(['1', '2', '3']);
  });
});

describe('changed prices and tariffs', () => {
  const hours = (perKwh: string, from: Date, count: number) =>
    packPrices(
      Array.from({ length: count }, (_, hour) => ({
        startsAtMs: from.getTime() + hour * 3_600_000,
        perKwh: parseDecimal(perKwh) ?? castToBillionths(0n),
      })),
      60,
    );

  test('are evaluated without any reading, once a period, and not reported as usage', async () => {
    const { series_id } = await createSeries(db, {
      kind: 'price',
      userId: home.userId,
      name: 'x',
      currency: 'EUR',
      resolution_minutes: 60,
    });
    await tariff({ import: { series_id } });
    await alert('daily_cost', '3');
    await use(5);
    await evaluate();
    // Without a known price, there are no costs.
    expect(await firedAlerts()).toEqual([]);
    const webhook = {
      events: ['usage.updated'] as const,
      url: 'https://example.com/x',
      authToken: 'a token of the receiver',
    };
    await createWebhook(db, createSecretEncrypter('x'), home.userId, webhook);
    await storePrices(db, series_id, hours('0.5', at('17T00:00'), 24));
    await evaluate();
    expect(await firedAlerts()).toEqual([]);
    await storePrices(db, series_id, hours('0.7', at('17T00:00'), 24));
    await evaluate();
    expect(await costs()).toEqual([['daily_cost', '3.50']]);
    await storePrices(db, series_id, hours('0.9', at('17T00:00'), 24));
    await evaluate();
    expect(await firedAlerts()).toHaveLength(1);
    expect(await publishUsageUpdates(database.pool, NOW)).toBe(0);
  });

  test('are evaluated for yesterday while its alert may still fire, and for last month, too', async () => {
    const firstOfMonth = new Date('2026-07-01T12:00:00Z');
    await alert('daily_cost', '3');
    await alert('monthly_cost', '3');
    await home.read(
      [
        [at('30T00:00'), 100],
        [at('30T04:00'), 104],
      ],
      firstOfMonth,
    );
    await evaluate(firstOfMonth);
    const { tariff_id } = await tariff({ import: { per_kwh: '0.5' } });
    await evaluate(firstOfMonth);
    expect(await firedAlerts()).toEqual([]);
    await updateTariff(db, ALL_ACCOUNTS, tariff_id, { terms: { import: { per_kwh: '1' } } });
    await evaluate(new Date('2026-07-02T00:00:00Z'));
    expect(await firedAlerts()).toEqual([]);
    await updateTariff(db, ALL_ACCOUNTS, tariff_id, { terms: { import: { per_kwh: '1' } } });
    await evaluate(firstOfMonth);
    expect((await costs()).sort()).toEqual([
      ['daily_cost', '4.00'],
      ['monthly_cost', '4.00'],
    ]);
  });

  test('of a past day include late readings, even if they precede all earlier received ones', async () => {
    await tariff({ import: { per_kwh: '1' } });
    await alert('daily_cost', '1.5');
    const { device } = await createDevice(db, { userId: home.userId, type: 'smart_plug', location: 'x' });
    // Sends readings of the home's meter and of a plug behind it. Both measure all imported energy, which is paid only once.
    const bought = async (from: string, to: string, kwh: number) => {
      for (const deviceId of [home.deviceId, device.device_id]) {
        await home.read(
          [
            [at(from), kwh],
            [at(to), kwh + 1],
          ],
          NOW,
          { deviceId },
        );
      }
      await evaluate();
    };
    await bought('16T09:00', '16T10:00', 100);
    expect(await firedAlerts()).toEqual([]);
    await bought('16T07:00', '16T08:00', 99);
    expect(await costs()).toEqual([['daily_cost', '2.00']]);
  });

  test('include those of a first tariff from its first day on', async () => {
    await alert('daily_cost', '3');
    await use(5);
    await evaluate();
    await tariff({ import: { per_kwh: '1' } });
    await evaluate();
    expect(await costs()).toEqual([['daily_cost', '5.00']]);
  });

  test('of a removed tariff are replaced by those of the tariff before it', async () => {
    await tariff({ import: { per_kwh: '1' } });
    const { tariff_id } = await tariff({ import: { per_kwh: '0.1' } }, { valid_from: '2026-06-17' });
    await alert('daily_cost', '3');
    await use(5);
    await evaluate();
    expect(await firedAlerts()).toEqual([]);
    expect(await deleteTariff(db, ALL_ACCOUNTS, tariff_id)).toBe(true);
    await evaluate();
    expect(await costs()).toEqual([['daily_cost', '5.00']]);
  });

  test('record nothing for users without alerts on costs', async () => {
    await createAlert(db, { userId: home.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'webhook' });
    await tariff({ import: { per_kwh: '1' } });
    const { rows } = await database.pool.query('SELECT FROM usage_changes');
    expect(rows).toEqual([]);
  });
});

describe('costs that cannot be computed', () => {
  test('fire no alert for a month with two currencies, but fire those of its days', async () => {
    await tariff({ import: { per_kwh: '1' } });
    await tariff({ import: { per_kwh: '100' } }, { valid_from: '2026-06-17', currency: 'JPY' });
    await alert('monthly_cost', '1');
    await alert('daily_cost', '1');
    await use(5);
    expect(await evaluate()).toEqual([]);
    expect(await firedAlerts()).toMatchObject([{ type: 'daily_cost', cost: '500', currency: 'JPY' }]);
  });

  test('without a tariff no longer fire an alert', async () => {
    await alert('daily_cost', '1');
    await use(5);
    expect(await evaluate()).toEqual([]);
    expect(await firedAlerts()).toEqual([]);
  });

  test('because of unreadable terms do not block other users’ alerts of any type', async () => {
    const broken = await createTestMeter(database);
    await alert('daily_cost', '1', broken.userId);
    await tariff({ import: { per_kwh: '1' } }, { userId: broken.userId });
    await tariff({ import: { per_kwh: '1' } });
    await database.pool.query(`UPDATE tariffs SET terms = '{"import": {"per_kwh": "rubbish"}}' WHERE user_id = $1`, [
      broken.userId,
    ]);
    await createAlert(db, { userId: broken.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'webhook' });
    await alert('daily_cost', '1');
    await use(5, broken);
    await use(5);
    expect(new Set(await evaluate())).toEqual(new Set([broken.userId]));
    expect((await firedAlerts(broken.userId)).map(({ type }) => type)).toEqual(['daily_usage']);
    expect(await costs()).toEqual([['daily_cost', '5.00']]);
  });

  test('because of a failing statement do not block other users’ alerts', async () => {
    const broken = await createTestMeter(database);
    await tariff({ import: { per_kwh: '1' } }, { userId: broken.userId });
    await tariff({ import: { per_kwh: '1' } });
    for (const { userId } of [broken, home]) await alert('daily_cost', '1', userId);
    await use(5, broken);
    await use(5);
    const [fails] = await raisedWith(broken.userId, 'SELECT 1 / 0');
    expect(fails).toMatchObject({ userId: broken.userId, error: { message: 'division by zero' } });
    expect(await costs()).toEqual([['daily_cost', '5.00']]);
  });

  test.each([
    ['that is going away', 'SELECT pg_terminate_backend(pg_backend_pid())'],
    ['that is short of something', `DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53200'; END $$`],
  ])('because of a database %s leave all alerts for later', async (_, statement) => {
    await tariff({ import: { per_kwh: '1' } });
    await alert('daily_cost', '1');
    await use(5);
    await expect(raisedWith(home.userId, statement)).rejects.toThrow();
    // The evaluation is repeated, because it skips locked rows, and PostgreSQL releases the locked rows only some time after the session
    // has ended.
    const next = () => evaluate().then(() => costs());
    await expect.poll(next).toEqual([['daily_cost', '5.00']]);
  });
});

/** Returns a pool that records each of its statements. */
function listening(statements: string[]) {
  return {
    async connect() {
      const client = await database.pool.connect();
      const query = (asked: string | { text: string }, values?: unknown[]) => {
        statements.push(typeof asked === 'string' ? asked : asked.text);
        return client.query(asked as string, values);
      };
      return { query, release: () => client.release() };
    },
  } as unknown as typeof database.pool;
}

/**
 * Runs an evaluation in which `text` replaces every statement about one user's costs. Returns the ids of users whose costs could not be
 * computed.
 */
async function raisedWith(userId: string, text: string) {
  const pool = {
    async connect() {
      const client = await database.pool.connect();
      const query = (asked: string | { text: string; values: unknown[] }, values?: unknown[]) =>
        typeof asked !== 'string' && asked.values.includes(userId)
          ? client.query(text)
          : client.query(asked as string, values);
      return { query, release: (isBroken: boolean) => client.release(isBroken) };
    },
  } as unknown as typeof database.pool;
  return (await evaluateChangedHours(pool, evaluator, NOW)).faults;
}

test('if the costs of all homes exceed the time of one transaction, the next transactions compute the rest, each home once', async () => {
  const homes = await Promise.all(Array.from({ length: 7 }, () => createTestMeter(database)));
  for (const one of homes) {
    await tariff({ import: { per_kwh: '1' } }, { userId: one.userId });
    await alert('daily_cost', '1', one.userId);
    await use(3, one);
  }
  const first = await evaluateChangedHours(database.pool, evaluator, NOW, 5_000, 0);
  expect(first).toMatchObject({ fired: 1, hasMore: true });
  // Deferred homes are evaluated first, even if other homes had an earlier change.
  for (const { userId } of homes) await alert('daily_cost', '100', userId);
  await database.pool.query(
    'UPDATE alerts SET delivery = delivery WHERE user_id IN (SELECT unnest(user_ids) FROM usage_changes WHERE costs_only)',
  );
  await database.pool.query(
    'INSERT INTO usage_changes (change_id, hour, user_ids) OVERRIDING SYSTEM VALUE VALUES (0, $1, $2)',
    [at('17T04:00'), homes.map(({ userId }) => userId)],
  );
  expect(await evaluateChangedHours(database.pool, evaluator, NOW, 5_000, 0)).toMatchObject({
    fired: 1,
    hasMore: true,
  });
  await Promise.all(Array.from({ length: 4 }, () => evaluate()));
  const { rows } = await database.pool.query(
    "SELECT count(*)::int AS events, count(DISTINCT user_id)::int AS users FROM events WHERE type = 'alert.triggered' AND user_id = ANY ($1)",
    [homes.map(({ userId }) => userId)],
  );
  expect(rows).toEqual([{ events: 7, users: 7 }]);
  await database.pool.query('DELETE FROM users WHERE user_id = ANY ($1)', [homes.map(({ userId }) => userId)]);
});

test('homes without alerts on costs are not computed', async () => {
  await tariff({ import: { per_kwh: '1' } });
  await createAlert(db, { userId: home.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'webhook' });
  await use(3);
  const statements: string[] = [];
  await evaluateChangedHours(listening(statements), evaluator, NOW);
  expect(await firedAlerts()).toMatchObject([{ type: 'daily_usage' }]);
  expect(statements.filter((text) => /tariffs|savepoint/i.test(text))).toEqual([]);
  expect(statements.filter((text) => text.includes('alert_firings f'))).toHaveLength(1);
});

test('a worker that fails before its commit changes nothing', async () => {
  await tariff({ import: { per_kwh: '1' } });
  await alert('daily_cost', '1');
  await use(3);
  const broken: AlertEvaluator = { ...evaluator, candidates: () => Promise.reject(new Error('the thread is gone')) };
  await expect(evaluateChangedHours(database.pool, broken, NOW)).rejects.toThrow('the thread is gone');
  expect(await firedAlerts()).toEqual([]);
  await Promise.all(Array.from({ length: 4 }, () => evaluate()));
  expect(await firedAlerts()).toHaveLength(1);
});
