import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { castToBillionths } from '#src/core/decimal.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createDevice } from '#src/devices/store.ts';
import { createEventSchema, type EventType } from '#src/events/bodies.ts';
import { packPrices } from '#src/tariffs/packed-days.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { storePrices } from '#src/tariffs/prices.ts';
import { setSeriesSource } from '#src/tariffs/sources/store.ts';
import { createTariff } from '#src/tariffs/store.ts';
import { createUser } from '#src/users/store.ts';
import { createAlert } from '#test/support/alerts.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

const SECRET_KEY = 'the secret of this installation';
const BOX = createSecretEncrypter(SECRET_KEY);
const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let receiver: WebhookReceiver;
let ingest: RoleProcess;
let worker: RoleProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  [database, folder, receiver] = await Promise.all([
    createTestDatabase(),
    createTemporaryFolder(),
    startWebhookReceiver(),
  ]);
  await writeFile(join(folder.path, 'ca.pem'), receiver.ca);
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: join(folder.path, 'ca.pem'),
  };
  [ingest, worker] = await Promise.all([startRole('ingest', environment), startRole('worker', environment)]);
});
afterAll(async () => {
  await Promise.all([ingest.stop(), worker.stop()]);
  await receiver.close();
  await database.drop();
  await folder.remove();
});

const events = () =>
  receiver.calls
    .filter(({ path }) => path === '/hook')
    .map(({ body, headers }) => new Webhook(TOKEN).verify(body, headers) as { type: EventType; data: never });

test('readings over MQTT reach an HTTPS receiver as events: connected, updated, and a triggered alert', async () => {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: 'told@example.com', role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const { device_id: deviceId } = device;
  for (const event of ['usage.updated', 'alert.triggered', 'device.connected'] as const) {
    await createWebhook(db, BOX, userId, {
      events: [event],
      url: receiver.url,
      authToken: TOKEN,
    });
  }
  const { alert_id } = await createAlert(db, { userId, type: 'peak_usage', thresholdKwh: 0.5, delivery: 'webhook' });

  const url = `mqtt://127.0.0.1:${ingest.ready.port}`;
  const client = await mqtt.connectAsync(url, { username: deviceId, password: secret });
  const sendReading = (reading: object) =>
    client.publishAsync(`energy/v1/${deviceId}/readings`, JSON.stringify(reading), { qos: 1 });
  const hourMs = 3_600_000;
  const startMs = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  await sendReading({ ts: startMs, energy_total_kwh: 100 });
  const publishedMs = Date.now();
  await sendReading({ ts: startMs + hourMs / 2, energy_total_kwh: 100.75 });

  await expect
    .poll(() => new Set(events().map(({ type }) => type)), { interval: 50 })
    .toEqual(new Set(['device.connected', 'usage.updated', 'alert.triggered']));
  for (const event of events()) expect(createEventSchema(event.type).parse(event)).toEqual(event);
  const fired = receiver.calls.find(({ body }) => body.includes('"alert.triggered"'));
  expect((fired?.atMs ?? Number.POSITIVE_INFINITY) - publishedMs).toBeLessThan(scaleTimeLimitMs(5_000));

  const dataOf = (type: EventType) => events().find((one) => one.type === type)?.data;
  expect(dataOf('device.connected')).toMatchObject({ device_id: deviceId, type: 'smart_meter', status: 'active' });
  expect(dataOf('alert.triggered')).toEqual({
    alert_id,
    user_id: userId,
    type: 'peak_usage',
    threshold_kwh: 0.5,
    kwh_used: 0.75,
    period_start: new Date(startMs).toISOString(),
    period_end: new Date(startMs + hourMs).toISOString(),
    devices: [{ device_id: deviceId, kwh_used: 0.75 }],
  });
  const hour = new Date(startMs).toISOString();
  expect(dataOf('usage.updated')).toMatchObject({
    user_id: userId,
    hours: [{ date: hour.slice(0, 10), hour: hour.slice(11, 16), kwh_used: 0.75 }],
  });
  // The event about a second change in the same minute is created at the end of the minute.
  await sendReading({ ts: startMs + hourMs * 0.75, energy_total_kwh: 101 });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(events().filter(({ type }) => type === 'usage.updated')).toHaveLength(1);
  expect(events().filter(({ type }) => type === 'alert.triggered')).toHaveLength(1);
  await client.endAsync();
});

/** Creates a home with a price series, an alert that fires at monthly costs of 1.50 €, and 2 kWh of usage in the current hour. */
async function createPricedHome(email: string) {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const { device_id: deviceId } = device;
  await createWebhook(db, BOX, userId, { events: ['alert.triggered'], url: receiver.url, authToken: TOKEN });
  const series = await createSeries(db, {
    ...{ kind: 'price', userId, name: 'x', currency: 'EUR', resolution_minutes: 60 },
  });
  const terms = { import: { series_id: series.series_id, multiply: '1' } };
  await createTariff(db, { userId, name: 'x', valid_from: '2020-01-01', currency: 'EUR', terms });
  const { alert_id } = await createAlert(db, { userId, type: 'monthly_cost', threshold: '1.5', delivery: 'webhook' });
  const hourMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const url = `mqtt://127.0.0.1:${ingest.ready.port}`;
  const client = await mqtt.connectAsync(url, { username: deviceId, password: secret });
  const reading = { ts: hourMs + 1_000, energy_kwh: 2, interval_s: 1 };
  await client.publishAsync(`energy/v1/${deviceId}/readings`, JSON.stringify(reading), { qos: 1 });
  await client.endAsync();
  const fired = () => events().filter(({ data }) => (data as { alert_id?: string }).alert_id === alert_id);
  const waiting = async () => (await database.pool.query('SELECT count(*)::int AS n FROM usage_changes')).rows[0].n;
  await expect.poll(waiting).toBe(0);
  return { db, series, hourMs, fired, waiting };
}

test('a corrected price triggers an alert on costs without a reading', async () => {
  const { db, series, hourMs, fired, waiting } = await createPricedHome('priced@example.com');
  const price = (perKwh: bigint) =>
    storePrices(db, series.series_id, packPrices([{ startsAtMs: hourMs, perKwh: castToBillionths(perKwh) }], 60));
  await price(750_000_000n);
  await expect.poll(waiting).toBe(0);
  expect(fired()).toEqual([]);
  await price(750_000_000n + 5_000_000n);
  await expect.poll(fired).toHaveLength(1);
  const [event] = fired();
  expect(createEventSchema('alert.triggered').parse(event)).toEqual(event);
  expect(event?.data).toMatchObject({ type: 'monthly_cost', threshold: '1.5', cost: '1.51', currency: 'EUR' });
});

test('only one of two workers fetches a source, and an alert on costs fires within 5 s', async () => {
  const { db, series, hourMs, fired } = await createPricedHome('fetched@example.com');
  const second = await startRole('worker', environment);
  try {
    const row = { from: new Date(hourMs).toISOString(), price: 0.755 };
    receiver.answer = ({ path }) => ({ status: 200, body: path === '/prices' ? JSON.stringify([row]) : '' });
    const paths = { format: 'json', starts_at: '$.from', value: '$.price' } as const;
    // The price source is due in twelve hours. A fetch before then can only be caused by the change of the source.
    const at = [new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16)];
    const source = { url: receiver.url.replace('/hook', '/prices'), timezone: 'UTC', at, ...paths };
    // The series gets a utility as its owner, because only a utility or an administrator may fetch prices from an address of their choice.
    const { user_id } = await createUser(db, { email: 'prices@example.com', role: 'utility' });
    await db.updateTable('price_series').set({ user_id }).where('series_id', '=', series.series_id).execute();
    const setAtMs = Date.now();
    await db
      .transaction()
      .execute((trx) => setSeriesSource(trx, BOX, series, { source, secrets: {} }, new Date(setAtMs)));
    await expect.poll(fired).toHaveLength(1);
    expect(fired()[0]?.data).toMatchObject({ cost: '1.51' });
    const received = receiver.calls.filter(({ body }) => body.includes('"cost":"1.51"')).at(-1);
    expect((received?.atMs ?? Number.POSITIVE_INFINITY) - setAtMs).toBeLessThan(scaleTimeLimitMs(5_000));
    // Wait long enough for the worker to look for due sources again.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(receiver.calls.filter(({ path }) => path === '/prices')).toHaveLength(1);
  } finally {
    receiver.answer = () => ({ status: 200 });
    await second.stop();
  }
});
