import { describe, expect, test } from 'vitest';
import { evaluateChangedHours } from '#src/alerts/evaluate-changes.ts';
import type { AlertEvaluator } from '#src/alerts/pool.ts';
import { fireSilenceAlerts } from '#src/alerts/silence.ts';
import { updateAlert } from '#src/alerts/store.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice } from '#src/devices/store.ts';
import { eraseUser } from '#src/users/erase.ts';
import { updateUser } from '#src/users/store.ts';
import { setUpHomeWithAlerts } from '#test/support/alerting-home.ts';
import { createAlert, type NewAlert } from '#test/support/alerts.ts';
import type { TestDatabase } from '#test/support/database.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
let db: Database;
let evaluator: AlertEvaluator;
let home: TestMeter;
/** Current time of the tests: a Wednesday, noon UTC. */
const NOW = new Date('2026-06-17T12:00:00Z');
const at = (text: string) => new Date(`2026-06-${text}Z`);

setUpHomeWithAlerts(NOW, (made) => {
  ({ database, db, evaluator, home } = made);
});

/** Evaluates all pending changes of usage, after refreshing the aggregates if needed. */
async function evaluate(now = NOW): Promise<void> {
  await database.settle(now);
  while ((await evaluateChangedHours(database.pool, evaluator, now)).changes > 0);
}

const alert = (rule: Omit<NewAlert, 'userId' | 'delivery'>) =>
  createAlert(db, { userId: home.userId, delivery: 'webhook', ...rule });

async function eventsOf(type = 'alert.triggered') {
  const { rows } = await database.pool.query(
    'SELECT data FROM events WHERE user_id = $1 AND type = $2 ORDER BY event_id',
    [home.userId, type],
  );
  return rows.map(({ data }) => data);
}

describe('an alert', () => {
  test('fires as soon as its running period exceeds the threshold, once, with the usage of each device', async () => {
    const { alert_id } = await alert({ type: 'daily_usage', thresholdKwh: 5 });
    await home.read(
      [
        [at('17T00:00'), 100],
        [at('17T06:00'), 105],
      ],
      NOW,
    );
    await evaluate();
    expect(await eventsOf()).toEqual([]);
    await home.read([[at('17T07:00'), 105.001]], NOW);
    await evaluate();
    await home.read([[at('17T08:00'), 107]], NOW);
    await evaluate();
    expect(await eventsOf()).toEqual([
      {
        alert_id,
        user_id: home.userId,
        type: 'daily_usage',
        threshold_kwh: 5,
        kwh_used: 5.001,
        period_start: '2026-06-17T00:00:00.000Z',
        period_end: '2026-06-18T00:00:00.000Z',
        devices: [{ device_id: home.deviceId, kwh_used: 5.001 }],
      },
    ]);
  });

  test('evaluates each clock hour for an hourly alert, and the total for a monthly one', async () => {
    await alert({ type: 'peak_usage', thresholdKwh: 1 });
    await alert({ type: 'monthly_usage', thresholdKwh: 20 });
    // 0.9 kWh in each of 23 hours: no hour exceeds 1 kWh, but the total exceeds 20 kWh.
    await home.read(
      [...Array(24).keys()].map(
        (hour) => [new Date(at('16T12:00').getTime() + hour * 3_600_000), 100 + hour * 0.9] as const,
      ),
      NOW,
    );
    await evaluate();
    expect((await eventsOf()).map(({ type, kwh_used }) => [type, kwh_used])).toEqual([['monthly_usage', 20.7]]);
    await home.read([[at('17T12:00'), 100 + 23 * 0.9 + 1.1]], NOW);
    await evaluate();
    expect((await eventsOf()).slice(1)).toMatchObject([
      { type: 'peak_usage', period_start: '2026-06-17T11:00:00.000Z' },
    ]);
  });

  test.each([
    ['Pacific/Auckland', '2026-06-16T12:00:00.000Z', '2026-06-17T12:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-16T18:30:00.000Z', '2026-06-17T18:30:00.000Z'],
    ['America/Los_Angeles', '2026-06-17T07:00:00.000Z', '2026-06-18T07:00:00.000Z'],
  ])('uses days of its user’s zone: %s', async (timezone, period_start, period_end) => {
    await updateUser(db, ALL_ACCOUNTS, home.userId, { timezone });
    await alert({ type: 'daily_usage', thresholdKwh: 2 });
    // Usage of one kWh an hour, from 16 June 12:00 to 17 June 09:45 UTC.
    await home.read(
      [
        [at('16T12:00'), 100],
        [at('17T09:45'), 121.75],
      ].map(([time, kwh]) => [time as Date, kwh as number] as const),
      NOW,
    );
    await evaluate();
    const periods = (await eventsOf()).map(({ period_start: start, period_end: end }) => [start, end]);
    expect(periods).toContainEqual([period_start, period_end]);
  });

  test('fires late if a correction raises a period that ended less than 24 h ago above the threshold, and never later', async () => {
    await alert({ type: 'peak_usage', thresholdKwh: 3 });
    await alert({ type: 'daily_usage', thresholdKwh: 3 });
    await home.read(
      [
        [at('14T00:00'), 100],
        [at('17T11:00'), 101],
      ],
      NOW,
    );
    await evaluate();
    expect(await eventsOf()).toEqual([]);
    // The hour from 11:00 on the 16th ended 24 h before noon of the 17th. Alerts about this hour are therefore no longer sent.
    await home.read(
      [
        [at('16T11:00'), 100.2],
        [at('16T12:00'), 100.2 + 4],
      ],
      NOW,
    );
    await evaluate();
    expect((await eventsOf()).map(({ type, period_start }) => [type, period_start])).toEqual([
      ['daily_usage', '2026-06-16T00:00:00.000Z'],
    ]);
  });

  test('is not withdrawn when a correction lowers the total below the threshold again', async () => {
    await alert({ type: 'daily_usage', thresholdKwh: 3 });
    await home.read(
      [
        [at('17T00:00'), 100],
        [at('17T06:00'), 104],
      ],
      NOW,
    );
    await evaluate();
    // Of two register values for the same time, the lower counts, so the usage decreases to 2 kWh.
    await home.read([[at('17T06:00'), 102]], NOW);
    await evaluate();
    await home.read([[at('17T09:00'), 104]], NOW);
    await evaluate();
    expect(await eventsOf()).toHaveLength(1);
  });

  test('that is paused, or of another home, does not fire', async () => {
    const { alert_id } = await alert({ type: 'daily_usage', thresholdKwh: 1 });
    await updateAlert(db, ALL_ACCOUNTS, alert_id, { status: 'paused' });
    const other = await createTestMeter(database);
    await createAlert(db, { userId: other.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'email' });
    await home.read(
      [
        [at('17T00:00'), 100],
        [at('17T06:00'), 110],
      ],
      NOW,
    );
    await evaluate();
    const { rows } = await database.pool.query(
      "SELECT FROM events WHERE type = 'alert.triggered' AND user_id = ANY ($1)",
      [[home.userId, other.userId]],
    );
    expect(rows).toHaveLength(0);
  });

  test('fires once, however many workers evaluate it concurrently', async () => {
    await alert({ type: 'daily_usage', thresholdKwh: 1 });
    for (let hour = 0; hour < 10; hour++) await home.read([[at(`17T0${hour}:00`), 100 + hour]], NOW);
    await database.settle(NOW);
    await Promise.all([...Array(6)].map(() => evaluateChangedHours(database.pool, evaluator, NOW, 2)));
    await evaluate();
    expect(await eventsOf()).toHaveLength(1);
  });

  test('by e-mail creates a delivery to its user in addition to the event', async () => {
    await createAlert(db, { userId: home.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'email' });
    await home.read(
      [
        [at('17T00:00'), 100],
        [at('17T06:00'), 110],
      ],
      NOW,
    );
    await evaluate();
    const { rows } = await database.pool.query(
      'SELECT target, webhook_id, status FROM deliveries JOIN events USING (event_id) WHERE user_id = $1',
      [home.userId],
    );
    expect(rows).toEqual([{ target: 'email', webhook_id: null, status: 'pending' }]);
  });
});

describe('no_data', () => {
  const setLastSeen = (time: Date) =>
    database.pool.query('UPDATE device_heads SET seen_at = $2 WHERE device_id = $1', [home.deviceId, time]);

  test('fires once per silence, which begins with the last message', async () => {
    const { alert_id } = await alert({ type: 'no_data', thresholdHours: 3 });
    await fireSilenceAlerts(database.pool, NOW);
    expect(await eventsOf()).toEqual([]);
    await setLastSeen(new Date('2026-06-17T09:00:00.123Z'));
    await fireSilenceAlerts(database.pool, NOW);
    expect(await eventsOf()).toEqual([]);
    for (let index = 0; index < 3; index++) await fireSilenceAlerts(database.pool, at('17T12:00:01'));
    expect(await eventsOf()).toEqual([
      {
        alert_id,
        user_id: home.userId,
        type: 'no_data',
        threshold_hours: 3,
        period_start: '2026-06-17T09:00:00.123Z',
        period_end: null,
        devices: [{ device_id: home.deviceId, kwh_used: 0 }],
      },
    ]);
    await setLastSeen(at('17T13:00'));
    await fireSilenceAlerts(database.pool, at('17T17:00'));
    expect(await eventsOf()).toHaveLength(2);
  });
});

describe('an alert of a home with solar panels', () => {
  const kwhAt = (text: string, kwh: number) => [at(text), kwh] as const;

  test('evaluates usage, not import', async () => {
    const { device } = await createDevice(db, { userId: home.userId, type: 'solar_inverter', location: 'roof' });
    const exported = { channel: 'export' };
    const produced = { deviceId: device.device_id, channel: 'export' };
    await alert({ type: 'daily_usage', thresholdKwh: 5 });
    // The home imports 10 kWh, exports 7 kWh and produces 4 kWh, so it uses 7 kWh.
    await home.read([kwhAt('17T00:00', 100), kwhAt('17T08:00', 110)], at('17T08:00'));
    await home.read([kwhAt('17T00:00', 50)], at('17T08:00'), exported);
    await home.read([kwhAt('17T00:00', 10), kwhAt('17T08:00', 14)], at('17T08:00'), produced);
    // The export register has been silent for more than an hour. Its export counts as unknown.
    await evaluate(at('17T08:00'));
    expect((await eventsOf()).map(({ kwh_used }) => kwh_used)).toEqual([14]);
  });

  test('waits for a backlogged meter', async () => {
    const { device } = await createDevice(db, { userId: home.userId, type: 'solar_inverter', location: 'roof' });
    const exported = { channel: 'export' };
    const produced = { deviceId: device.device_id, channel: 'export' };
    await alert({ type: 'daily_usage', thresholdKwh: 5 });
    await home.read([kwhAt('17T00:00', 100), kwhAt('17T11:50', 101)], NOW);
    // The export readings of an hour have not arrived yet. Without them, usage would appear to be 8 kWh instead of 2 kWh.
    await home.read([kwhAt('17T00:00', 50), kwhAt('17T11:10', 50)], NOW, exported);
    await home.read([kwhAt('17T00:00', 10), kwhAt('17T11:00', 10), kwhAt('17T11:50', 17)], NOW, produced);
    await evaluate();
    expect(await eventsOf()).toEqual([]);
    await home.read([kwhAt('17T11:50', 56)], NOW, exported);
    await evaluate();
    expect(await eventsOf()).toEqual([]);
    await home.read([kwhAt('17T11:55', 105)], NOW);
    await home.read([kwhAt('17T11:55', 56)], NOW, exported);
    await home.read([kwhAt('17T11:55', 17)], NOW, produced);
    await evaluate();
    expect((await eventsOf()).map(({ kwh_used }) => kwh_used)).toEqual([6]);
  });

  test('includes late readings of a past day, even if they precede all earlier received ones', async () => {
    const { device } = await createDevice(db, { userId: home.userId, type: 'solar_inverter', location: 'roof' });
    await alert({ type: 'daily_usage', thresholdKwh: 6 });
    const used = async (from: string, to: string, [bought, made]: readonly [number, number]) => {
      await home.read([kwhAt(from, bought), kwhAt(to, bought + 1)], NOW);
      const inverter = { deviceId: device.device_id, channel: 'export' };
      await home.read([kwhAt(from, made), kwhAt(to, made + 4)], NOW, inverter);
      await evaluate();
    };
    await used('16T09:00', '16T10:00', [100, 10]);
    expect(await eventsOf()).toEqual([]);
    await used('16T07:00', '16T08:00', [99, 6]);
    expect((await eventsOf()).map(({ kwh_used }) => kwh_used)).toEqual([10]);
  });
});

test('a user can be erased while alerts are evaluated and reported: both succeed', async () => {
  const slow: AlertEvaluator = {
    ...evaluator,
    async candidates(...batch) {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return evaluator.candidates(...batch);
    },
  };
  for (const first of ['the worker', 'the erasure'] as const) {
    const gone = await createTestMeter(database);
    await createAlert(db, { userId: gone.userId, type: 'daily_usage', thresholdKwh: 1, delivery: 'email' });
    await gone.read(
      [
        [at('17T00:00'), 100],
        [at('17T06:00'), 110],
      ],
      NOW,
    );
    await database.settle(NOW);
    const raising = evaluateChangedHours(database.pool, slow, NOW);
    await new Promise((resolve) => setTimeout(resolve, first === 'the worker' ? 300 : 0));
    expect(await eraseUser(db, gone.userId)).toBe(true);
    await raising;
    await evaluate();
  }
});

test('a worker that fails before its commit changes nothing', async () => {
  await alert({ type: 'daily_usage', thresholdKwh: 1 });
  await home.read(
    [
      [at('17T00:00'), 100],
      [at('17T06:00'), 110],
    ],
    NOW,
  );
  await database.settle(NOW);
  const broken: AlertEvaluator = { ...evaluator, candidates: () => Promise.reject(new Error('the thread is gone')) };
  await expect(evaluateChangedHours(database.pool, broken, NOW)).rejects.toThrow('the thread is gone');
  expect(await eventsOf()).toEqual([]);
  await evaluate();
  expect(await eventsOf()).toHaveLength(1);
});
