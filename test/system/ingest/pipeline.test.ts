import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

const HOUR_MS = 3_600_000;
/** Start of an hour of yesterday. No reading of the tests is earlier. */
const BASE_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 24 * HOUR_MS;

for (const broker of ['embedded', 'mosquitto'] as const) {
  describe(`the pipeline over the ${broker} broker`, () => {
    let database: TestDatabase;
    let mosquitto: Mosquitto | undefined;
    let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
    let ingest: RoleProcess;
    let worker: RoleProcess;
    let env: Record<string, string>;
    const clients: MqttClient[] = [];

    beforeAll(async () => {
      database = await createTestDatabase();
      folder = await createTemporaryFolder();
      env = { DATABASE_URL: database.url, DATA_DIR: folder.path };
      if (broker === 'mosquitto') {
        mosquitto = await startMosquitto();
        env.MQTT_URL = mosquitto.url;
      } else {
        // The port is fixed, so that publishers find the broker again after the broker was killed.
        env.MQTT_PORT = String(await findFreePort());
      }
      ingest = await startRole('ingest', env);
      worker = await startRole('worker', { DATABASE_URL: database.url, DATA_DIR: folder.path });
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.endAsync(true);
    });
    afterAll(async () => {
      await ingest.stop();
      await worker.stop();
      await mosquitto?.stop();
      await database.drop();
      await folder.remove();
    });

    async function device(): Promise<{ deviceId: string; userId: string; client: MqttClient; topic: string }> {
      const db = createDatabase(database.pool);
      const email = `${Math.random().toString(36).slice(2)}@example.com`;
      const { user_id: userId } = await createUser(db, { email, role: 'homeowner' });
      const { device, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'test' });
      const { device_id: deviceId } = device;
      const url = mosquitto?.url ?? `mqtt://127.0.0.1:${env.MQTT_PORT}`;
      const client = await mqtt.connectAsync(url, { username: deviceId, password: secret, reconnectPeriod: 100 });
      client.on('error', () => {});
      clients.push(client);
      return { deviceId, userId, client, topic: `energy/v1/${deviceId}/readings` };
    }

    const register = (minutes: number, kwh: number) => ({
      ts: new Date(BASE_MS + minutes * 60_000).toISOString(),
      energy_total_kwh: kwh,
    });

    const publish = ({ client, topic }: { client: MqttClient; topic: string }, payload: unknown) =>
      client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1 });

    async function hours(userId: string): Promise<[number, number][]> {
      const { rows } = await database.pool.query(
        'SELECT hour, energy_milliwatt_hours FROM user_hourly WHERE user_id = $1 ORDER BY 1',
        [userId],
      );
      return rows.map((row) => [(row.hour.getTime() - BASE_MS) / HOUR_MS, row.energy_milliwatt_hours]);
    }

    /** Repeats a check until it succeeds. An external broker acknowledges a message before the worker has stored it. */
    async function eventually(check: () => Promise<void>, withinMs = 300_000): Promise<void> {
      const untilMs = Date.now() + withinMs;
      for (;;) {
        try {
          return await check();
        } catch (error) {
          if (Date.now() > untilMs) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    }

    test('counts registers, whatever their order, and however often they are sent', async () => {
      const meter = await device();
      await publish(meter, [register(90, 11.5), register(0, 10)]);
      await publish(meter, register(60, 11));
      await publish(meter, [register(0, 10), register(90, 11.5)]);
      await eventually(async () =>
        expect(await hours(meter.userId)).toEqual([
          [0, 1_000_000],
          [1, 500_000],
        ]),
      );
    });

    test('shows current readings within 5 s, and a correction of the past', async () => {
      const meter = await device();
      const days = (count: number) => count * 24 * 60;
      await publish(meter, [register(-days(60), 100), register(-days(40), 200)]);
      const past = async () => (await hours(meter.userId)).filter(([hour]) => hour < 0);
      await eventually(async () => expect((await past()).length).toBe(20 * 24));
      await publish(meter, [register(0, 300), register(30, 301)]);
      await eventually(
        async () => expect((await hours(meter.userId)).at(-1)).toEqual([0, 1_000_000]),
        scaleTimeLimitMs(5_000),
      );
      await publish(meter, register(-days(50), 190));
      await eventually(async () => {
        const middle = -50 * 24;
        const sum = (rows: [number, number][]) => rows.reduce((total, [, milliwattHours]) => total + milliwattHours, 0);
        const of20Days = (await past()).filter(([hour]) => hour < -40 * 24);
        expect(sum(of20Days.filter(([hour]) => hour < middle))).toBe(90_000_000);
        expect(sum(of20Days)).toBe(100_000_000);
      });
    });

    test('stores the other elements of a message with an invalid one, and the invalid one with its reason', async () => {
      const meter = await device();
      await publish(meter, [register(0, 1), { energy_total_kwh: 'two' }, register(30, 1.25)]);
      await publish(meter, '{"energy_total_kwh": 1e999');
      await publish(meter, { ts: new Date(Date.now() + 10 * 60_000).toISOString(), energy_total_kwh: 5 });
      await eventually(async () => {
        expect(await hours(meter.userId)).toEqual([[0, 250_000]]);
        const { rows } = await database.pool.query(
          'SELECT element, reason, topic FROM rejected_messages WHERE device_id = $1 ORDER BY rejected_id',
          [meter.deviceId],
        );
        expect(rows.map((row) => [row.element, row.reason])).toEqual([
          [1, expect.stringContaining('energy_total_kwh')],
          [null, 'payload is not JSON'],
          [0, 'time is more than 5 minutes in the future'],
        ]);
        expect(rows[0].topic).toBe(meter.topic);
      });
    });

    test('processes hundreds of messages of one connection at once', async () => {
      const meter = await device();
      await Promise.all(
        Array.from({ length: 800 }, (_, index) => publish(meter, register(index / 20, 100 + index / 1_000))),
      );
      await eventually(async () => expect(await hours(meter.userId)).toEqual([[0, 799_000]]));
    });

    test('loses no acknowledged message, and counts nothing twice, across three SIGKILLs during a stream', async () => {
      const meter = await device();
      let acknowledged = 0;
      let sent = 0;
      let over = false;
      const stream = (async () => {
        const underWay = new Set<Promise<void>>();
        // The number of messages is limited, because an external broker acknowledges messages faster than a busy machine stores them.
        while (!over && sent < 20_000) {
          const index = sent++;
          // Repeats a message until it is acknowledged, as a device does. After a lost connection, mqtt.js would drop the pending messages.
          const untilAcknowledged = async () => {
            while (
              !(await publish(meter, register(index / 100, 500 + index / 1_000)).then(
                () => true,
                () => false,
              ))
            );
            acknowledged++;
          };
          const one = untilAcknowledged().finally(() => underWay.delete(one));
          underWay.add(one);
          if (underWay.size >= 200) await Promise.race(underWay);
          if (index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await Promise.all(underWay);
      })();
      for (let kill = 0; kill < 3; kill++) {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await ingest.kill();
        ingest = await startRole('ingest', env);
      }
      await new Promise((resolve) => setTimeout(resolve, 400));
      over = true;
      await stream;
      expect(acknowledged).toBeGreaterThan(100);
      expect(acknowledged).toBe(sent);
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `SELECT count(*) AS n, count(DISTINCT read_at) AS distinct FROM readings JOIN series USING (series_id) WHERE device_id = $1`,
          [meter.deviceId],
        );
        expect(rows[0]).toEqual({ n: sent, distinct: sent });
        const total = (await hours(meter.userId)).reduce((sum, [, milliwattHours]) => sum + milliwattHours, 0);
        expect(total).toBe((sent - 1) * 1_000);
      });
    });

    if (broker === 'embedded') {
      test('acknowledges only after the commit', async () => {
        const meter = await device();
        await publish(meter, register(0, 1));
        const blocker = await database.pool.connect();
        await blocker.query('BEGIN; LOCK TABLE readings IN ACCESS EXCLUSIVE MODE');
        let acknowledged = false;
        const one = publish(meter, register(30, 2)).then(() => {
          acknowledged = true;
        });
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(acknowledged).toBe(false);
        await blocker.query('ROLLBACK');
        blocker.release();
        await one;
        expect(await hours(meter.userId)).toEqual([[0, 1_000_000]]);
      });

      test('refuses a wrong password, and another device’s topic without harm to that device', async () => {
        const [mine, other] = [await device(), await device()];
        const url = `mqtt://127.0.0.1:${env.MQTT_PORT}`;
        await expect(
          mqtt.connectAsync(url, { username: other.deviceId, password: 'wrong', reconnectPeriod: 0 }),
        ).rejects.toThrow(/not authorized|bad user/i);
        mine.client.options.reconnectPeriod = 0;
        const closed = new Promise((resolve) => mine.client.once('close', () => resolve(null)));
        mine.client.publish(other.topic, JSON.stringify(register(0, 9)), { qos: 1 });
        await closed;
        await publish(other, [register(0, 1), register(60, 1.5)]);
        expect(await hours(other.userId)).toEqual([[0, 500_000]]);
      });
    }

    test('drains and ends within 10 s on SIGTERM', async () => {
      const startedAt = performance.now();
      expect(await ingest.stop()).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimitMs(10_000));
      ingest = await startRole('ingest', env);
    });
  });
}
