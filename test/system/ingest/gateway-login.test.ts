import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway, deleteGateway, listDiscoveredDevices } from '#src/devices/gateways.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type Mosquitto, startMosquitto } from '#test/support/mosquitto.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

describe.each(['embedded', 'mosquitto'] as const)('a gateway at the %s broker', (broker) => {
  let database: TestDatabase;
  let db: Database;
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let mosquitto: Mosquitto | undefined;
  let ingest: RoleProcess;
  let url: string;
  const clients: MqttClient[] = [];

  beforeAll(async () => {
    [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
    db = createDatabase(database.pool);
    mosquitto = broker === 'mosquitto' ? await startMosquitto() : undefined;
    const env = { DATABASE_URL: database.url, DATA_DIR: folder.path, LOG_LEVEL: 'error' };
    ingest = await startRole('ingest', { ...env, ...(mosquitto ? { MQTT_URL: mosquitto.url } : {}) });
    url = mosquitto?.url ?? `mqtt://127.0.0.1:${ingest.ready.port}`;
  });
  afterAll(async () => {
    for (const client of clients) await client.endAsync(true);
    await ingest.stop();
    await mosquitto?.stop();
    await database.drop();
    await folder.remove();
  });

  async function gateway() {
    const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
    const { gateway, secret } = await createGateway(db, { userId, name: 'home' });
    return { userId, username: gateway.gateway_id, password: secret };
  }
  async function connect(login: { username: string; password: string }): Promise<MqttClient> {
    const client = await mqtt.connectAsync(url, { ...login, reconnectPeriod: 0 });
    client.on('error', () => {});
    clients.push(client);
    return client;
  }
  const discovered = async (userId: string) =>
    (await listDiscoveredDevices(db, ALL_ACCOUNTS, userId, { limit: 10 })).map(({ native_id }) => native_id);
  const PLUG = JSON.stringify({ ENERGY: { Total: 1 } });

  test('can publish below its prefix', async () => {
    const home = await gateway();
    const client = await connect(home);
    await client.publishAsync(`gw/${home.username}/tele/plug/SENSOR`, PLUG, { qos: 1 });
    await expect.poll(() => discovered(home.userId)).toEqual(['plug']);
  });

  // The following tests do not apply to an external broker, which checks logins itself or by a call to the service
  // (test/database/api/broker-calls.test.ts).
  if (broker === 'mosquitto') return;

  test('can log in with its own secret only', async () => {
    const [home, other] = [await gateway(), await gateway()];
    await expect(connect({ ...home, password: other.password })).rejects.toThrow();
    await expect(connect({ username: 'gwy_nobody', password: home.password })).rejects.toThrow();
  });

  test('can publish nowhere else; the status messages of a bridge are ignored', async () => {
    const [home, other] = [await gateway(), await gateway()];
    const client = await connect(home);
    await client.publishAsync(`$SYS/broker/connection/${home.username}/state`, '1', { qos: 1, retain: true });
    for (const topic of [`gw/${other.username}/tele/plug/SENSOR`, `energy/v1/${home.username}/readings`, 'anything']) {
      const intruder = await connect(home);
      const closed = new Promise<void>((resolve) => intruder.once('close', () => resolve()));
      intruder.publish(topic, PLUG, { qos: 1 });
      await closed;
    }
    expect(await discovered(other.userId)).toEqual([]);
    // The gateway's connection is still open, and its messages arrive.
    await client.publishAsync(`gw/${home.username}/tele/lamp/SENSOR`, PLUG, { qos: 1 });
    await expect.poll(() => discovered(home.userId)).toEqual(['lamp']);
  });

  test('is disconnected when it is deleted', async () => {
    const home = await gateway();
    const client = await connect(home);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    await deleteGateway(db, ALL_ACCOUNTS, home.username);
    await closed;
    await expect(connect(home)).rejects.toThrow();
  });
});
