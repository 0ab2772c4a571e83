import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createBatch, revokeBatch } from '#src/onboarding/batches.ts';
import { releaseDevice } from '#src/onboarding/claims.ts';
import { createUser } from '#src/users/store.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type SignedCertificate,
} from '#test/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

let database: TestDatabase;
let db: Database;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let ours: CertificateAuthority;
let foreign: CertificateAuthority;
let role: RoleProcess;
let userId: string;
const clients: MqttClient[] = [];
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  db = createDatabase(database.pool);
  [ours, foreign] = await Promise.all([
    createCertificateAuthority(folder.path, 'ours'),
    createCertificateAuthority(folder.path, 'foreign'),
  ]);
  userId = (await createUser(db, { email: 'home@example.com', role: 'homeowner' })).user_id;
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    MQTTS_CLIENT_CA_FILE: ours.file,
    LOG_LEVEL: 'error',
  };
  role = await startRole('ingest', env);
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.endAsync(true))));
afterAll(async () => {
  await role.stop();
  await database.drop();
  await folder.remove();
});

async function connect(options: IClientOptions = {}, isTls = true): Promise<MqttClient> {
  const url = isTls ? `mqtts://localhost:${role.ready.tlsPort}` : `mqtt://localhost:${role.ready.port}`;
  const more = { reconnectPeriod: 0, connectTimeout: 5_000, rejectUnauthorized: false, ...options };
  const client = await connectAsync(url, more, false);
  client.on('error', () => {});
  clients.push(client);
  return client;
}
const withCertificate = ({ cert, key }: SignedCertificate, more: IClientOptions = {}) =>
  connect({ cert, key, ...more });
const pair = async (more: object = {}) => {
  const { device, secret } = await createDevice(db, { userId, type: 'meter', location: 'x', ...more });
  return { deviceId: device.device_id, secret };
};
const send = (client: MqttClient, deviceId: string) =>
  client.publishAsync(getReadingsTopic(deviceId), JSON.stringify({ energy_total_kwh: 1 }), { qos: 1 });
const closing = (client: MqttClient) => new Promise<void>((done) => client.once('close', () => done()));
const hasReported = async (deviceId: string) => {
  const { rows } = await database.pool.query('SELECT seen_at FROM device_heads WHERE device_id = $1', [deviceId]);
  return rows[0]?.seen_at !== null;
};

describe('a device with a client certificate', () => {
  test.each([
    ['names it as its common name', (id: string) => ours.sign(id)],
    ['names it as an alternative name', (id: string) => ours.sign('meter', { names: `DNS:${id}` })],
  ])('logs in by a certificate that %s, and publishes', async (_name, sign) => {
    const { deviceId } = await pair();
    const client = await withCertificate(await sign(deviceId));
    await send(client, deviceId);
    expect(await hasReported(deviceId)).toBe(true);
  });

  test('logs in by a registered certificate, whatever its name, and by no other; connections end with their credentials', async () => {
    const { deviceId } = await pair();
    const [registered, named] = [await ours.sign('serial 42'), await ours.sign(deviceId)];
    await expect(withCertificate(registered)).rejects.toThrow();
    const before = closing(await withCertificate(named));
    const sha256 = Buffer.from(registered.fingerprint.replaceAll(':', ''), 'hex');
    await updateDevice(db, ALL_ACCOUNTS, deviceId, { certificate_sha256: sha256 });
    await send(await withCertificate(registered), deviceId);
    await expect(withCertificate(named)).rejects.toThrow();

    const deleted = await pair();
    const certificate = await ours.sign(deleted.deviceId);
    const connected = closing(await withCertificate(certificate));
    await deleteDevice(db, ALL_ACCOUNTS, deleted.deviceId);
    await expect(withCertificate(certificate)).rejects.toThrow();

    const released = await pair();
    const byPassword = closing(await connect({ username: released.deviceId, password: released.secret }));
    const byCertificate = await withCertificate(await ours.sign(released.deviceId));
    await releaseDevice(db, ALL_ACCOUNTS, released.deviceId);
    await Promise.all([before, connected, byPassword]);
    await send(byCertificate, released.deviceId);
    expect(await hasReported(deviceId)).toBe(true);
  });

  test('can act only as that device: it cannot publish for, or log in as, another one', async () => {
    const [mine, other] = [await pair(), await pair()];
    const certificate = await ours.sign(mine.deviceId);
    await expect(withCertificate(certificate, { username: other.deviceId, password: other.secret })).rejects.toThrow();
    const client = await withCertificate(certificate, { username: mine.deviceId });
    client.publish(getReadingsTopic(other.deviceId), '{"energy_total_kwh":1}', { qos: 1 });
    await closing(client);
    expect(await hasReported(other.deviceId)).toBe(false);
    await expect(withCertificate(await ours.sign(`${mine.deviceId}, ${other.deviceId}`))).rejects.toThrow();
    await expect(
      withCertificate(await ours.sign('two', { names: `DNS:${mine.deviceId},DNS:${other.deviceId}` })),
    ).rejects.toThrow();
  });

  test('keeps its login if its certificate names it, whoever registered that certificate, and does not block clients with a password', async () => {
    const [mine, named, own] = [await pair(), await pair(), await pair()];
    const register = async (deviceId: string, { fingerprint }: SignedCertificate) =>
      updateDevice(db, ALL_ACCOUNTS, deviceId, {
        certificate_sha256: Buffer.from(fingerprint.replaceAll(':', ''), 'hex'),
      });
    const certificate = await ours.sign(named.deviceId);
    const ofBefore = await withCertificate(certificate);
    await register(mine.deviceId, certificate);
    await send(await withCertificate(certificate), named.deviceId);
    await send(ofBefore, named.deviceId);
    await expect(withCertificate(certificate, { username: mine.deviceId })).rejects.toThrow();
    expect(await hasReported(mine.deviceId)).toBe(false);

    // A client certificate that contains no device id of the service belongs to the device for which it is registered. The client cannot
    // use it to log in as another device.
    const stolen = await ours.sign('serial 43');
    await register(mine.deviceId, stolen);
    const login = { username: own.deviceId, password: own.secret };
    await send(await withCertificate(stolen, login), own.deviceId);
    await expect(withCertificate(stolen, { ...login, password: mine.secret })).rejects.toThrow();
    await send(await withCertificate(stolen), mine.deviceId);
  });

  test('is refused if the certificate has expired or another authority signed it, even with a valid password', async () => {
    const { deviceId, secret } = await pair();
    for (const bad of [await ours.sign(deviceId, { days: -1 }), await foreign.sign(deviceId)]) {
      await expect(withCertificate(bad)).rejects.toThrow();
      await expect(withCertificate(bad, { username: deviceId, password: secret })).rejects.toThrow();
    }
  });

  test('resumes no earlier TLS session: an expiry since then is checked', async () => {
    const { deviceId } = await pair();
    const { cert, key } = await ours.sign(deviceId);
    const options = { port: role.ready.tlsPort as number, host: 'localhost', cert, key, rejectUnauthorized: false };
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const first = connectTls({ ...options, maxVersion });
      let session: Buffer | undefined;
      first.on('session', (one) => (session = one));
      await once(first, 'secureConnect');
      session ??= first.getSession();
      first.destroy();
      const again = connectTls({ ...options, maxVersion, ...(session ? { session } : {}) });
      await once(again, 'secureConnect');
      expect(again.isSessionReused()).toBe(false);
      again.destroy();
    }
  });

  test('can be used next to passwords, with TLS and without', async () => {
    const { deviceId, secret } = await pair();
    const login = { username: deviceId, password: secret };
    await send(await connect(login), deviceId);
    await send(await connect(login, false), deviceId);
    // A certificate from the service's own authority that contains no device id is no login by itself. The client can still log in with a
    // password.
    await send(await withCertificate(await ours.sign('somebody'), login), deviceId);
    await expect(connect({ ...login, password: 'wrong' })).rejects.toThrow();
    await expect(connect()).rejects.toThrow();
  });
});

describe('a meter with the secret of its batch', () => {
  const makeBatch = async (more: object = {}) => {
    const { batch, secret } = await createBatch(db, {
      userId: (await createUser(db, { email: `${Math.random()}@example.com`, role: 'admin' })).user_id,
      ownerId: null,
      name: 'lot',
      type: 'meter',
      location: 'home',
      serials: null,
      maxDevices: 10,
      expiresAt: new Date(Date.now() + 60_000),
      ...more,
    });
    return { batchId: batch.batch_id, login: { username: batch.batch_id, password: secret } };
  };
  let serials = 0;
  const waiting = async () => {
    const serial = `M-${++serials}`;
    return { serial, ...(await pair({ external_id: serial })) };
  };
  const claim = async (client: MqttClient, message: unknown, qos: 0 | 1 | 2 = 1) => {
    const answer = new Promise<[string, Buffer]>((done) =>
      client.once('message', (topic, payload) => done([topic, payload])),
    );
    await client.publishAsync('energy/v1/claim', typeof message === 'string' ? message : JSON.stringify(message), {
      qos,
    });
    const [topic, payload] = await answer;
    expect(topic).toBe('energy/v1/claim/reply');
    return JSON.parse(String(payload));
  };

  test.each([0, 1, 2] as const)(
    'gets its device and its own password with QoS %i, and uses these from then on',
    async (qos) => {
      const { login } = await makeBatch();
      const { serial, deviceId, secret } = await waiting();
      const client = await connect(login);
      expect(await client.subscribeAsync('energy/v1/claim/reply')).toMatchObject([{ qos: 0 }]);
      const answer = await claim(client, { serial }, qos);
      expect(answer).toEqual({
        device_id: deviceId,
        username: deviceId,
        password: expect.any(String),
        topic: getReadingsTopic(deviceId),
      });
      await send(await connect({ username: answer.username, password: answer.password }), deviceId);
      expect(await hasReported(deviceId)).toBe(true);
      await expect(connect({ username: deviceId, password: secret })).rejects.toThrow();
    },
  );

  test('is the only recipient of its response: another meter with the same secret receives nothing', async () => {
    const { login } = await makeBatch();
    const { serial } = await waiting();
    const [meter, hostile] = [await connect(login), await connect(login)];
    const received: string[] = [];
    hostile.on('message', (topic) => received.push(topic));
    await hostile.subscribeAsync('energy/v1/claim/reply');
    for (const filter of ['energy/v1/claim', 'energy/#', '#', '+/v1/claim/reply'])
      await expect(hostile.subscribeAsync(filter)).rejects.toThrow();
    expect(await claim(meter, { serial })).toMatchObject({ device_id: expect.any(String) });
    expect(await claim(hostile, { serial })).toEqual({ error: 'The claim is refused', status: 403 });
    expect(received).toEqual(['energy/v1/claim/reply']);
  });

  test('can do nothing else: it can publish no readings and no responses', async () => {
    const { login } = await makeBatch();
    const { deviceId } = await waiting();
    for (const topic of [getReadingsTopic(deviceId), 'energy/v1/claim/reply', `energy/v1/${login.username}/readings`]) {
      const client = await connect(login);
      client.publish(topic, '{"energy_total_kwh":1}', { qos: 1 });
      await closing(client);
    }
    expect(await hasReported(deviceId)).toBe(false);
  });

  test('is rejected with a reason, and has a limited number of attempts', async () => {
    const { login } = await makeBatch();
    const client = await connect(login);
    expect(await claim(client, 'rubbish')).toMatchObject({ status: 422 });
    expect(await claim(client, { serial: 1 })).toMatchObject({ status: 422 });
    expect(await claim(client, { serial: 'unknown' })).toMatchObject({ status: 403 });
    expect(await claim(client, { serial: 'x'.repeat(201) })).toMatchObject({ status: 422 });
    expect(await claim(client, { serial: 'unknown too' })).toMatchObject({ status: 403 });
    client.publish('energy/v1/claim', '{"serial":"one more"}', { qos: 1 });
    await closing(client);
    const another = await connect(login);
    another.publish('energy/v1/claim', 'x'.repeat(5_000), { qos: 1 });
    await closing(another);
  });

  test('cannot log in with a wrong secret, or after its batch is revoked or has expired', async () => {
    const { batchId, login } = await makeBatch();
    await expect(connect({ ...login, password: 'wrong' })).rejects.toThrow();
    const client = await connect(login);
    await revokeBatch(db, ALL_ACCOUNTS, batchId, new Date());
    await expect(connect(login)).rejects.toThrow();
    const { serial } = await waiting();
    expect(await claim(client, { serial })).toMatchObject({ status: 403 });
    await expect(connect((await makeBatch({ expiresAt: new Date() })).login)).rejects.toThrow();
  });
});
