import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { evaluateChangedHours } from '#src/alerts/evaluate-changes.ts';
import { type AlertEvaluator, startAlertEvaluator } from '#src/alerts/pool.ts';
import { publishUsageUpdates } from '#src/delivery/usage-updated.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createDevice } from '#src/devices/store.ts';
import { EVENT_BODIES } from '#src/events/bodies.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

let evaluator: AlertEvaluator;
let deliveries: TestDeliveries;
let home: TestMeter;
beforeAll(() => {
  evaluator = startAlertEvaluator(1);
});
afterAll(() => evaluator.close());
beforeEach(async () => {
  deliveries = await createTestDeliveries();
  deliveries.now = new Date('2026-06-17T12:00:00Z');
  home = await createTestMeter(deliveries.database);
});
afterEach(() => deliveries.close());

const at = (time: string) => new Date(`2026-06-17T${time}Z`);
const subscribe = (userId = home.userId) =>
  createWebhook(deliveries.db, deliveries.box, userId, {
    events: ['usage.updated'],
    url: 'https://example.com/x',
    authToken: 'a secret token',
  });
const evaluate = () => evaluateChangedHours(deliveries.database.pool, evaluator, deliveries.now);
const publish = () => publishUsageUpdates(deliveries.database.pool, deliveries.now);
async function publishedEvents() {
  const { rows } = await deliveries.database.pool.query(
    "SELECT data, created_at FROM events WHERE type = 'usage.updated' ORDER BY created_at, event_id",
  );
  return rows.map(({ data }) => EVENT_BODIES['usage.updated'].parse(data));
}

test('usage.updated reports all changed hours with their totals, a minute apart', async () => {
  await subscribe();
  await home.read(
    [
      [at('09:00'), 100],
      [at('10:00'), 101],
    ],
    deliveries.now,
  );
  await evaluate();
  expect(await publish()).toBe(1);
  expect(await publishedEvents()).toEqual([
    {
      user_id: home.userId,
      hours: [{ date: '2026-06-17', hour: '09:00', kwh_used: 1 }],
      updated_at: '2026-06-17T12:00:00.000Z',
    },
  ]);
  // Three changes within a minute lead to one event at the end of the minute. It contains the totals at that time.
  for (const [time, kwh] of [
    ['10:30', 101.5],
    ['11:00', 102],
    ['11:30', 103],
  ] as const) {
    deliveries.later(15);
    await home.read([[at(time), kwh]], deliveries.now);
    await evaluate();
    expect(await publish()).toBe(0);
  }
  deliveries.later(15);
  expect(await publish()).toBe(1);
  expect((await publishedEvents())[1]?.hours).toEqual([
    { date: '2026-06-17', hour: '10:00', kwh_used: 1 },
    { date: '2026-06-17', hour: '11:00', kwh_used: 1 },
  ]);
  deliveries.later(120);
  expect(await publish()).toBe(0);
});

test('usage.updated reports the usage of a home with solar panels', async () => {
  await subscribe();
  const { device } = await createDevice(deliveries.db, {
    userId: home.userId,
    type: 'solar_inverter',
    location: 'roof',
  });
  const hour = (from: number, to: number) => [[at('09:00'), from] as const, [at('10:00'), to] as const];
  await home.read(hour(100, 101), deliveries.now);
  await home.read(hour(50, 53), deliveries.now, { channel: 'export' });
  await home.read(hour(10, 14), deliveries.now, { deviceId: device.device_id, channel: 'export' });
  await evaluate();
  expect(await publish()).toBe(1);
  expect((await publishedEvents())[0]?.hours).toEqual([{ date: '2026-06-17', hour: '09:00', kwh_used: 2 }]);
});

test('usage.updated includes late readings of a home, even if they precede all earlier received ones', async () => {
  await subscribe();
  const { device } = await createDevice(deliveries.db, {
    userId: home.userId,
    type: 'solar_inverter',
    location: 'roof',
  });
  const used = async (from: string, to: string, [bought, made]: readonly [number, number]) => {
    const hour = (start: number, kwh: number) => [[at(from), start] as const, [at(to), start + kwh] as const];
    await home.read(hour(bought, 1), deliveries.now);
    await home.read(hour(made, 4), deliveries.now, { deviceId: device.device_id, channel: 'export' });
    await evaluate();
    deliveries.later(60);
    expect(await publish()).toBe(1);
  };
  await used('09:00', '10:00', [100, 10]);
  await used('07:00', '08:00', [90, 2]);
  expect((await publishedEvents())[1]?.hours).toContainEqual({ date: '2026-06-17', hour: '07:00', kwh_used: 5 });
});

test('usage.updated is sent once, only for users with a subscription, by any number of workers', async () => {
  const other = await createTestMeter(deliveries.database);
  await subscribe();
  for (const one of [home, other])
    await one.read(
      [
        [at('09:00'), 100],
        [at('10:00'), 101],
      ],
      deliveries.now,
    );
  await evaluate();
  const counts = await Promise.all(Array.from({ length: 5 }, publish));
  expect(counts.reduce((sum, one) => sum + one)).toBe(1);
  expect((await publishedEvents()).map(({ user_id }) => user_id)).toEqual([home.userId]);
});

test('a long import is reported in parts, a minute apart', async () => {
  await subscribe();
  const hours = 1_500;
  const start = deliveries.now.getTime() - hours * 3_600_000;
  await home.read(
    Array.from({ length: hours + 1 }, (_, index) => [new Date(start + index * 3_600_000), 100 + index / 10] as const),
    deliveries.now,
  );
  while ((await evaluate()).changes > 0);
  await publish();
  deliveries.later(60);
  await publish();
  const parts = (await publishedEvents()).map(({ hours: list }) => list);
  expect(parts.map((list) => list.length)).toEqual([1_000, 500]);
  expect(new Set(parts.flat().map(({ date, hour }) => `${date} ${hour}`)).size).toBe(hours);
});
