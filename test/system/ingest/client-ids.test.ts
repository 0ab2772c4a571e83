import mqtt, { type IClientOptions } from 'mqtt';
import { expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { type IngestProcess, setUpIngestProcess } from '#test/support/ingest-process.ts';

let database: IngestProcess['database'];
let ingest: IngestProcess['ingest'];
setUpIngestProcess((made) => {
  ({ database, ingest } = made);
});

const VERSIONS = [4, 5] as const;
let people = 0;
async function meter(protocolVersion: (typeof VERSIONS)[number]) {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `home${++people}@x.example`, role: 'homeowner' });
  const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'cellar' });
  const deviceId = device.device_id;
  return {
    deviceId,
    topic: `energy/v1/${deviceId}/readings`,
    async connect(options: IClientOptions = {}) {
      const login = { username: deviceId, password: secret, clientId: 'homeassistant', reconnectPeriod: 0 };
      const version = { protocolVersion, properties: { sessionExpiryInterval: options.clean === false ? 60 : 0 } };
      const url = `mqtt://127.0.0.1:${ingest.ready.port}`;
      const client = await mqtt.connectAsync(url, { ...login, ...version, ...options });
      client.on('error', () => {});
      return client;
    },
    readings: async () =>
      (
        await database.pool.query('SELECT count(*) FROM readings JOIN series USING (series_id) WHERE device_id = $1', [
          deviceId,
        ])
      ).rows[0].count as number,
    isFaulty: async () =>
      (await database.pool.query('SELECT is_faulty FROM devices WHERE device_id = $1', [deviceId])).rows[0].is_faulty,
  };
}
type Home = Awaited<ReturnType<typeof meter>>;

const reading = (watts: number) => JSON.stringify({ power_w: watts, ts: Date.now() - watts });

test.each(VERSIONS)(
  'version %i: two logins with the same client id stay connected, and each publishes as itself',
  async (version) => {
    const homes = [await meter(version), await meter(version)] as [Home, Home];
    const [first, second] = [await homes[0].connect(), await homes[1].connect()];
    for (let turn = 1; turn <= 3; turn++) {
      await first.publishAsync(homes[0].topic, reading(turn), { qos: 1 });
      await second.publishAsync(homes[1].topic, reading(turn), { qos: turn === 3 ? 2 : 1 });
    }
    // A third login uses the same client id. The connections of the other logins stay open.
    const third = await (await meter(version)).connect();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([first, second, third].map(({ connected }) => connected)).toEqual([true, true, true]);
    expect(await Promise.all(homes.map((home) => home.readings()))).toEqual([3, 3]);
    // A client with the same login and client id ends the login's earlier connection (MQTT 3.1.1, 3.1.4-2).
    const again = await homes[0].connect();
    await expect.poll(() => first.connected).toBe(false);
    expect([second, again].map(({ connected }) => connected)).toEqual([true, true]);
    await Promise.all([second, third, again].map((client) => client.endAsync()));
  },
);

test.each(VERSIONS)(
  'version %i: a persistent session, its QoS 2 state and its will belong to one login',
  async (version) => {
    const homes = [await meter(version), await meter(version)] as [Home, Home];
    const will = (home: Home) => ({
      will: {
        topic: `energy/v1/${home.deviceId}/status`,
        payload: Buffer.from('faulty'),
        qos: 1 as const,
        retain: false,
      },
    });
    const [first, second] = [
      await homes[0].connect({ clean: false, ...will(homes[0]) }),
      await homes[1].connect({ clean: false, ...will(homes[1]) }),
    ];
    await first.publishAsync(homes[0].topic, reading(1), { qos: 2 });
    await second.publishAsync(homes[1].topic, reading(1), { qos: 2 });
    // The connection of one login is cut. The broker publishes the will of this login only.
    first.stream.destroy();
    await expect.poll(homes[0].isFaulty).toBe(true);
    expect(await homes[1].isFaulty()).toBe(false);
    expect(second.connected).toBe(true);
    // One login reconnects and gets its pending messages, while the other login is connected. A third login starts a clean session with the
    // same client id and gets none of these messages.
    const stranger = await (await meter(version)).connect({ clean: true });
    const back = await homes[0].connect({ clean: false });
    await back.publishAsync(homes[0].topic, reading(2), { qos: 2 });
    await second.publishAsync(homes[1].topic, reading(2), { qos: 2 });
    expect(await Promise.all(homes.map((home) => home.readings()))).toEqual([2, 2]);
    expect([back, second, stranger].map(({ connected }) => connected)).toEqual([true, true, true]);
    await Promise.all([back, second, stranger].map((client) => client.endAsync()));
  },
);
