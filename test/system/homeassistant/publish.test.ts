import { connectAsync, type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createPool } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { readHomeUsageReport } from '#src/homeassistant/home-report.ts';
import { startHomeAssistantPublisher } from '#src/homeassistant/publish.ts';
import { createTariff } from '#src/tariffs/store.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import {
  computeEntityState,
  LongTermStatistics,
  listSensors,
  parseHomeAssistantAnnouncement,
} from '#test/support/homeassistant.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, startRole } from '#test/support/service.ts';

const ZONE = 'Europe/Berlin';
const SECRET = 'the secret of the tests';
const WAIT = { interval: 30 };

let api: TestApi;
let mosquitto: Mosquitto;
let writer: TestMeter;
let listener: MqttClient;
let stop: () => Promise<void>;
let home: { userId: string; key: string; email: string; meterId: string; plugId: string };
/** Retained messages of the broker, by topic, which a newly connected Home Assistant receives. An empty payload deletes a message. */
const onBroker = new Map<string, string>();
const published: string[] = [];

const publisher = (options: { users?: string[]; pool?: TestApi['database']['pool']; secret?: string } = {}) =>
  startHomeAssistantPublisher(
    { url: mosquitto.url, prefix: 'homeassistant', users: options.users ?? [home.email], publicUrl: null },
    {
      pool: options.pool ?? api.database.pool,
      clock: () => api.now,
      log: pino({ level: 'silent' }),
      secret: options.secret ?? SECRET,
      everyMs: 100,
    },
  );

beforeAll(async () => {
  [api, mosquitto] = await Promise.all([startTestApi(), startMosquitto()]);
  const { db, database } = api;
  writer = await createTestMeter(database);
  const { userId, key } = await api.user('homeowner');
  const { email } = await db
    .updateTable('users')
    .set({ timezone: ZONE })
    .where('user_id', '=', userId)
    .returning('email')
    .executeTakeFirstOrThrow();
  const device = async (type: string, location: string) =>
    (await createDevice(db, { userId, type, location })).device.device_id;
  home = {
    userId,
    key,
    email,
    meterId: await device('smart_meter', 'Cellar'),
    plugId: await device('smart_plug', 'Desk'),
  };
  const terms = { import: { per_kwh: '0.317' }, standing_per_day: '0.40' };
  await createTariff(db, { userId, name: 'x', valid_from: '2026-10-01', currency: 'EUR', terms });
  listener = await connectAsync(mosquitto.url);
  listener.on('message', (topic, payload) => {
    published.push(topic);
    if (payload.length === 0) onBroker.delete(topic);
    else onBroker.set(topic, payload.toString());
  });
  await listener.subscribeAsync(['homeassistant/device/#', 'energy-usage/#']);
});
afterAll(async () => {
  await stop?.();
  await listener.endAsync();
  await api.close();
  await mosquitto.stop();
});

const configOf = (id: string) => `homeassistant/device/energy_usage_${id}/config`;
/** Returns the entities that Home Assistant creates for a device; null if the device was not announced. */
function entitiesOf(id: string) {
  const payload = onBroker.get(configOf(id));
  if (payload === undefined) return null;
  const announcement = parseHomeAssistantAnnouncement('homeassistant', configOf(id), payload);
  const state = onBroker.get(announcement.state_topic);
  return Object.fromEntries(
    Object.entries(listSensors(announcement)).map(([key, sensor]) => [
      key,
      state ? computeEntityState(sensor, state) : null,
    ]),
  );
}
const shownBy = (id: string, key: string) => entitiesOf(id)?.[key]?.value;
const availability = () => [...onBroker].find(([topic]) => topic.endsWith('/status'))?.[1];

const ask = async (query: string) => (await api.send(`/v1/energy-insights?${query}`, { key: home.key })).json;
/** Returns the daily rows of the API's response. */
const days = async (start: string, end: string) =>
  (await ask(`start=${start}&end=${end}&group_by=day&tz=${ZONE}&include=grid_import,grid_export,cost`)).data as Day[];
interface Day {
  kwh_used: number;
  grid_import_kwh: number;
  cost: { total: string };
}
const inKwh = (value: number) => Math.round(value * 1_000) / 1_000;
const sum = (rows: { kwh_used: number }[]) =>
  Math.round(rows.reduce((all, row) => all + row.kwh_used * 1_000, 0)) / 1_000;

/** Sets the clock to a time, and sends the meter's readings up to that time. */
async function at(time: string, readings: readonly (readonly [string, number])[] = [], of = home.meterId) {
  api.now = new Date(time);
  if (readings.length > 0) await writer.read(readings, api.now, { deviceId: of });
}

describe('a home in Home Assistant', () => {
  test('shows the same usage of a day as the API, across the end of a month and a late correction', async () => {
    const statistics = new LongTermStatistics();
    const sums: Record<string, number> = {};
    /** Waits until the published sum equals the sum of the days in the API's response. */
    const settle = async (name: string, start: string, end: string) => {
      const expected = sum(await days(start, end));
      await expect.poll(() => shownBy(home.userId, 'used'), WAIT).toBe(expected);
      sums[name] = statistics.take(entitiesOf(home.userId)?.used as never);
    };
    await at('2026-10-30T23:59:50+01:00', [
      ['2026-10-29T12:00:00+01:00', 4_711],
      ['2026-10-30T12:00:00+01:00', 4_720.25],
      ['2026-10-30T23:59:45+01:00', 4_724.5],
    ]);
    stop = publisher();
    await settle('30', '2026-10-01', '2026-10-30');
    await at('2026-10-31T12:00:00+01:00', [
      ['2026-10-31T00:00:00+01:00', 4_724.5],
      ['2026-10-31T11:59:50+01:00', 4_733],
    ]);
    await settle('31 noon', '2026-10-01', '2026-10-31');
    // The next readings are lower, which shows that the last reading was false. Home Assistant must not take the lower sum for
    // the start of a new period.
    await at('2026-10-31T19:10:00+01:00', [
      ['2026-10-31T18:00:00+01:00', 4_732],
      ['2026-10-31T18:30:00+01:00', 4_732.2],
      ['2026-10-31T19:00:00+01:00', 4_732.4],
    ]);
    await settle('31 evening', '2026-10-01', '2026-10-31');
    expect(sums['31 evening']).toBeLessThan(sums['31 noon'] as number);
    await at('2026-10-31T23:59:50+01:00', [['2026-10-31T23:59:49+01:00', 4_736.75]]);
    await settle('31', '2026-10-01', '2026-10-31');
    // Readings in the first hour of November include the last energy of October. This energy counts for October.
    await at('2026-11-01T00:30:00+01:00', [
      ['2026-11-01T00:00:00+01:00', 4_737],
      ['2026-11-01T00:29:00+01:00', 4_737.5],
    ]);
    await settle('closed', '2026-10-01', '2026-10-31');
    await at('2026-11-01T02:00:00+01:00', [['2026-11-01T01:59:00+01:00', 4_738.5]]);
    await settle('1 early', '2026-11-01', '2026-11-01');
    await at('2026-11-01T23:59:50+01:00', [['2026-11-01T23:59:40+01:00', 4_744]]);
    await settle('1', '2026-11-01', '2026-11-01');
    const [last, next] = (await days('2026-10-31', '2026-11-01')).map((row) => [row]) as [Day[], Day[]];
    const shown = (from: string, to: string) => inKwh((sums[to] ?? 0) - (sums[from] ?? 0));
    expect([sum(last), sum(next)]).toEqual([12.5, 7]);
    // Energy of 31 October that is measured after midnight is published once, in the first hour of November.
    expect(shown('30', '31')).toBe(inKwh(sum(last) - 0.25));
    expect(shown('31', 'closed')).toBe(0.25);
    expect(shown('30', '1')).toBe(inKwh(sum(last) + sum(next)));

    const today = (await days('2026-11-01', '2026-11-01'))[0];
    expect(shownBy(home.userId, 'used_today')).toBe(today?.kwh_used);
    expect(shownBy(home.userId, 'grid_import')).toBe(today?.grid_import_kwh);
    await expect.poll(() => shownBy(home.userId, 'cost_today'), WAIT).toBe(Number(today?.cost.total));
    expect(entitiesOf(home.userId)?.used_today?.lastReset).toBe('2026-11-01T00:00:00+01:00');
    const month = (await ask(`start=2026-11-01&end=2026-11-01&group_by=month&tz=${ZONE}&include=cost`)).data[0];
    expect(shownBy(home.userId, 'cost')).toBe(Number(month.cost.total));
  });

  test('does not count years of imported history as consumption of this hour', async () => {
    const before = shownBy(home.userId, 'used');
    const past = Array.from(
      { length: 30 },
      (_, day) => [`2026-09-${String(day + 1).padStart(2, '0')}T12:00:00Z`, 4_000 + 10 * day] as const,
    );
    await at('2026-11-01T23:59:55+01:00', past);
    expect(sum(await days('2026-09-01', '2026-09-30'))).toBeGreaterThan(280);
    const countBefore = published.length;
    await at('2026-11-01T23:59:57+01:00', [['2026-11-01T23:59:56+01:00', 4_744.5]]);
    await expect.poll(() => published.length, WAIT).toBeGreaterThan(countBefore);
    await expect.poll(() => shownBy(home.userId, 'used'), WAIT).toBe((before as number) + 0.5);
  });

  test('announces its devices, each linked to the home, and removes them when they are deleted', async () => {
    await at(
      '2026-11-02T12:00:00+01:00',
      [
        ['2026-11-02T10:00:00+01:00', 10],
        ['2026-11-02T11:00:00+01:00', 10.4],
      ],
      home.plugId,
    );
    await expect.poll(() => shownBy(home.plugId, 'import'), WAIT).toBe(0.4);
    const { json } = await api.send(
      `/v1/devices/${home.plugId}/usage?start=2026-11-01&end=2026-11-02&group_by=month&tz=${ZONE}`,
      { key: home.key },
    );
    expect(json.data[0].kwh_used).toBe(0.4);
    const announcement = parseHomeAssistantAnnouncement(
      'homeassistant',
      configOf(home.plugId),
      onBroker.get(configOf(home.plugId)) ?? '',
    );
    expect(announcement.device).toMatchObject({ name: 'Desk', via_device: `energy_usage_${home.userId}` });
    expect((await api.send(`/v1/devices/${home.plugId}`, { method: 'DELETE', key: home.key })).status).toBe(200);
    await expect.poll(() => onBroker.has(configOf(home.plugId)), WAIT).toBe(false);
    await expect.poll(() => onBroker.has(announcement.state_topic), WAIT).toBe(false);
    expect(entitiesOf(home.userId)).not.toBeNull();
  });

  test('publishes solar, battery, gas and power as the API returns them; a currently unknown value is unknown', async () => {
    const { db, database } = api;
    const of = async (type: string) =>
      (await createDevice(db, { userId: home.userId, type, location: type })).device.device_id;
    const [inverter, battery] = [await of('solar_inverter'), await of('home_battery')];
    await at('2026-11-02T12:30:00+01:00');
    const sendReadings = (id: string, ...readings: object[]) => {
      const payload = Buffer.from(JSON.stringify(readings));
      const message = { topic: getReadingsTopic(id), payload, receivedAtMs: api.now.getTime(), replayed: false };
      return [createIncomingMessage(message)].filter((one) => one !== null);
    };
    const [ten, twelve] = ['2026-11-02T10:00:00+01:00', '2026-11-02T12:00:00+01:00'];
    const register = (ts: string, energy_total_kwh: number, channel = 'import') => ({ ts, energy_total_kwh, channel });
    const written = await createReadingBatchWriter(database.pool, { now: () => api.now.getTime() }).write([
      ...sendReadings(inverter, register(ten, 50, 'export'), register(twelve, 53.25, 'export'), {
        ts: '2026-11-02T12:20:00+01:00',
        power_w: -1800.5,
      }),
      ...sendReadings(
        battery,
        register(ten, 5),
        register(twelve, 5.5),
        register(ten, 2, 'export'),
        register(twelve, 2.25, 'export'),
      ),
      ...sendReadings(home.meterId, register(ten, 700, 'gas/m3'), register(twelve, 701.125, 'gas/m3')),
    ]);
    expect(written).toMatchObject({ rejected: 0 });
    const query = `start=2026-11-01&end=2026-11-02&group_by=month&tz=${ZONE}`;
    const [flows] = (await ask(`${query}&include=production,charged,discharged`)).data;
    const [gas] = (await ask(`${query}&commodity=gas`)).data;
    await expect.poll(() => shownBy(home.userId, 'production'), WAIT).toBe(3.25);
    const shown = ['production', 'charged', 'discharged', 'gas_m3'].map((key) => shownBy(home.userId, key));
    expect(shown).toEqual([flows.production_kwh, flows.charged_kwh, flows.discharged_kwh, gas.m3_used]);
    expect(shown).toEqual([3.25, 0.5, 0.25, 1.125]);
    // The states of the devices are published after the home's state, so wait for them.
    await expect.poll(() => ['export', 'power'].map((key) => shownBy(inverter, key)), WAIT).toEqual([3.25, -1800.5]);
    await at('2026-11-02T12:36:00+01:00');
    await expect.poll(() => shownBy(inverter, 'power'), WAIT).toBeNull();
    // The home's power is known only when each of its devices has sent its power.
    const power = (ts: string, power_w: number) => ({ ts, power_w });
    const [first, now] = ['2026-11-02T12:35:30+01:00', '2026-11-02T12:35:50+01:00'];
    await createReadingBatchWriter(database.pool, { now: () => api.now.getTime() }).write([
      ...sendReadings(inverter, power(first, -1_500), power(now, -1_800)),
      ...sendReadings(battery, power(first, 300), power(now, 300)),
      ...sendReadings(home.meterId, power(first, -900), power(now, -1_000)),
    ]);
    await expect.poll(() => shownBy(home.userId, 'power'), WAIT).toBe(500);
    expect(await readHomeUsageReport(db, home.userId, api.now)).toMatchObject({
      power_w: 500,
      power_mean_minutes: null,
    });
  });

  test('publishes everything again when Home Assistant starts, and after a broker lost it', async () => {
    const lose = async () => {
      for (const topic of [...onBroker.keys()]) await listener.publishAsync(topic, '', { retain: true, qos: 1 });
      return onBroker.size;
    };
    await expect.poll(lose, WAIT).toBe(0);
    await listener.publishAsync('homeassistant/status', 'online', { qos: 1 });
    await expect.poll(() => shownBy(home.userId, 'used'), WAIT).toBeGreaterThan(0);
  });

  test('never publishes an account that is not listed, and removes one that was listed', async () => {
    const other = await api.user('homeowner');
    const both = publisher({ users: [home.userId, other.userId], secret: 'another installation' });
    // The first worker still holds the lock, so the second one does not publish.
    const before = shownBy(home.userId, 'used');
    await at('2026-11-02T12:40:00+01:00', [['2026-11-02T12:39:00+01:00', 4_745]]);
    await expect.poll(() => shownBy(home.userId, 'used'), WAIT).not.toBe(before);
    expect(onBroker.has(configOf(other.userId))).toBe(false);
    await stop();
    await expect.poll(() => onBroker.has(configOf(other.userId)), WAIT).toBe(true);
    expect(onBroker.has(configOf(writer.userId))).toBe(false);
    await both();
    stop = publisher({ users: [home.userId], secret: 'another installation' });
    await expect.poll(() => onBroker.has(configOf(other.userId)), WAIT).toBe(false);
    await expect.poll(() => shownBy(home.userId, 'used'), WAIT).toBeGreaterThan(0);
  });

  test('one worker at a time publishes; a second one takes over', async () => {
    const pool = createPool(api.database.url, { max: 4 });
    const second = publisher({ pool });
    await stop();
    stop = async () => {};
    await expect.poll(() => availability(), WAIT).toBe('online');
    const before = shownBy(home.userId, 'used') as number;
    await at('2026-11-02T13:00:00+01:00', [['2026-11-02T12:59:00+01:00', 4_746]]);
    await expect.poll(() => shownBy(home.userId, 'used'), WAIT).toBeGreaterThan(before);
    await second();
    await pool.end();
    const ours = () => [...onBroker].filter(([topic]) => topic.endsWith('/status')).map(([, word]) => word);
    await expect.poll(() => new Set(ours()), WAIT).toEqual(new Set(['offline']));
  });

  test('a worker is configured by its environment, and when it is killed the broker reports it as offline', async () => {
    const folder = await createTemporaryFolder();
    const worker = await startRole('worker', {
      DATABASE_URL: api.database.url,
      DATA_DIR: folder.path,
      SECRET_KEY: 'the secret of a worker of its own',
      HOMEASSISTANT_MQTT_URL: mosquitto.url,
      HOMEASSISTANT_USERS: ` ${home.email.toUpperCase()} `,
      HOMEASSISTANT_DISCOVERY_PREFIX: 'ha',
      PUBLIC_URL: 'https://energy.example.com',
    });
    await listener.subscribeAsync(['ha/#']);
    const config = `ha/device/energy_usage_${home.userId}/config`;
    await expect.poll(() => onBroker.get(config), WAIT).toBeDefined();
    const announcement = parseHomeAssistantAnnouncement('ha', config, onBroker.get(config) ?? '');
    await expect.poll(() => onBroker.get(announcement.availability_topic), WAIT).toBe('online');
    await worker.kill();
    await expect.poll(() => onBroker.get(announcement.availability_topic), WAIT).toBe('offline');
    await folder.remove();
  });
});
