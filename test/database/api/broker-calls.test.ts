import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBrokerAuthRoutes } from '#src/api/broker-calls.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createBrokerAccess } from '#src/devices/broker-access.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let app: FastifyInstance;
let device: { id: string; secret: string };
let gateway: { id: string; secret: string };
let userId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const db = createDatabase(database.pool);
  ({ user_id: userId } = await createUser(db, { email: 'home@example.com', role: 'homeowner' }));
  const paired = await createDevice(db, { userId, type: 'smart_meter', location: 'x' });
  device = { id: paired.device.device_id, secret: paired.secret };
  const made = await createGateway(db, { userId, name: 'home' });
  gateway = { id: made.gateway.gateway_id, secret: made.secret };
  app = Fastify();
  addBrokerAuthRoutes(app, createBrokerAccess(db, 'mqtt://energy-ingest:own%20secret@broker:1883'));
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const json = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await app.inject({ method: 'POST', url: `/internal/mqtt/${path}`, payload: body, headers });
  const answerBody: Record<string, unknown> = answer.json();
  return { ...answerBody, status: answer.statusCode } as { status: number; result?: unknown; ok?: unknown };
};
const form = async (path: string, body: Record<string, string>) => {
  const answer = await app.inject({
    method: 'POST',
    url: `/internal/mqtt/${path}`,
    payload: new URLSearchParams(body).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return answer.body;
};

test('only devices, gateways and the service can log in, each with its own secret', async () => {
  const ask = async (username: string, password: string) =>
    (await json('authenticate', { username, password, clientid: 'any' })).result;
  expect(await ask(device.id, device.secret)).toBe('allow');
  expect(await ask(gateway.id, gateway.secret)).toBe('allow');
  expect(await ask('energy-ingest', 'own secret')).toBe('allow');
  for (const [username, password] of [
    [device.id, gateway.secret],
    [gateway.id, device.secret],
    ['energy-ingest', ''],
    ['energy-ingest', device.secret],
    ['gwy_nobody', ''],
    ['dev_nobody', ''],
    ['', ''],
    ['dev_\0', 'x'],
  ] as const) {
    expect([username, await ask(username, password)]).toEqual([username, 'deny']);
  }
  expect(await json('authenticate', {})).toMatchObject({ status: 200, result: 'deny' });
  expect(await json('authenticate', [1, 2])).toMatchObject({ status: 200, result: 'deny' });
});

test('a deleted device may not log in', async () => {
  const db = createDatabase(database.pool);
  const { device: one, secret } = await createDevice(db, { userId, type: 'smart_meter', location: 'x' });
  await deleteDevice(db, ALL_ACCOUNTS, one.device_id);
  expect(await json('authenticate', { username: one.device_id, password: secret })).toMatchObject({ result: 'deny' });
});

describe('the rights of a login', () => {
  const ask = async (username: string, action: string, topic: string) =>
    (await json('authorize', { username, action, topic })).result;

  test('devices and gateways can only publish below their own topics; the service may do everything', async () => {
    expect(await ask(device.id, 'publish', `energy/v1/${device.id}/readings`)).toBe('allow');
    expect(await ask(device.id, 'publish', `energy/v1/${device.id}/status`)).toBe('allow');
    expect(await ask(gateway.id, 'publish', `gw/${gateway.id}/tele/plug/SENSOR`)).toBe('allow');
    expect(await ask('energy-ingest', 'subscribe', '$share/energy/gw/#')).toBe('allow');
    for (const [username, action, topic] of [
      [device.id, 'publish', 'energy/v1/dev_other/readings'],
      [device.id, 'publish', `energy/v1/${device.id}/readings/more`],
      [device.id, 'publish', `gw/${gateway.id}/x`],
      [device.id, 'subscribe', `energy/v1/${device.id}/readings`],
      [gateway.id, 'publish', `gw/${gateway.id}`],
      [gateway.id, 'publish', 'gw/gwy_other/x'],
      [gateway.id, 'publish', `energy/v1/${gateway.id}/readings`],
      [gateway.id, 'publish', `gw/${gateway.id}/#`],
      [gateway.id, 'subscribe', `gw/${gateway.id}/#`],
      [device.id, '', `energy/v1/${device.id}/readings`],
      ['', 'publish', 'energy/v1//readings'],
    ] as const) {
      expect([username, action, topic, await ask(username, action, topic)]).toEqual([username, action, topic, 'deny']);
    }
    expect(await json('authorize', { username: device.id, action: 'publish' })).toMatchObject({ result: 'deny' });
  });

  test('VerneMQ is answered in its own format', async () => {
    const hook = (name: string) => ({ 'vernemq-hook': name });
    expect(
      await json('authenticate', { username: device.id, password: device.secret }, hook('auth_on_register')),
    ).toEqual({ status: 200, result: 'ok' });
    expect(await json('authenticate', { username: device.id, password: 'x' }, hook('auth_on_register'))).toEqual({
      status: 200,
      result: { error: 'not_allowed' },
    });
    const topic = `energy/v1/${device.id}/readings`;
    expect(await json('authorize', { username: device.id, topic }, hook('auth_on_publish'))).toMatchObject({
      result: 'ok',
    });
    const topics = [{ topic, qos: 1 }];
    expect(await json('authorize', { username: device.id, topics }, hook('auth_on_subscribe'))).toMatchObject({
      result: { error: 'not_allowed' },
    });
    expect(await json('authorize', { username: 'energy-ingest', topics }, hook('auth_on_subscribe'))).toMatchObject({
      result: 'ok',
    });
  });

  test('a session is bound to login and client id if the broker allows it; no client can use the client id of another login', async () => {
    const login = { username: device.id, password: device.secret };
    expect(await json('authenticate', { ...login, clientid: 'homeassistant' })).toMatchObject({
      result: 'allow',
      clientid_override: `${device.id}/homeassistant`,
    });
    const hook = { 'vernemq-hook': 'auth_on_register_m5' };
    expect(await json('authenticate', { ...login, client_id: 'homeassistant', mountpoint: '' }, hook)).toEqual({
      status: 200,
      result: 'ok',
      modifiers: { subscriber_id: { client_id: `${device.id}/homeassistant`, mountpoint: '' } },
    });
    const own = { username: 'energy-ingest', password: 'own secret', clientid: 'energy-1' };
    expect(await json('authenticate', own)).toMatchObject({ result: 'allow', clientid_override: 'energy-1' });
    const asked = async (clientid: string) => (await json('authenticate', { ...login, clientid })).result;
    expect(await asked(device.id)).toBe('allow');
    expect(await asked(`${device.id}-1`)).toBe('allow');
    expect(await asked(gateway.id)).toBe('deny');
    expect(await asked(`${gateway.id}-1`)).toBe('deny');
    expect(await form('authenticate', { ...login, client_id: gateway.id })).toBe('deny');
    expect(await form('authenticate', { ...login, client_id: device.id })).toBe('allow');
  });

  test('RabbitMQ is answered in its own format', async () => {
    expect(await form('authenticate', { username: gateway.id, password: gateway.secret })).toBe('allow');
    expect(await form('authenticate', { username: gateway.id, password: 'x' })).toBe('deny');
    // A device must use its login as its client id, and a gateway is refused.
    const own = { username: device.id, client_id: device.id, vhost: '/', ip: '::1' };
    expect(await form('authorize', own)).toBe('allow');
    expect(await form('authorize', { ...own, client_id: `${device.id}-1` })).toBe('allow');
    expect(await form('authorize', { ...own, client_id: 'homeassistant' })).toBe('deny');
    expect(await form('authorize', { ...own, username: gateway.id, client_id: gateway.id })).toBe('deny');
    const service = { username: 'energy-ingest', client_id: 'any', vhost: '/', ip: '::1' };
    expect(await form('authorize', service)).toBe('allow');
    const way = { username: device.id, vhost: '/' };
    expect(await form('authorize', { ...way, resource: 'exchange', name: 'amq.topic', permission: 'write' })).toBe(
      'allow',
    );
    expect(await form('authorize', { ...way, resource: 'exchange', name: 'amq.fanout', permission: 'write' })).toBe(
      'deny',
    );
    expect(await form('authorize', { ...way, resource: 'queue', name: 'q', permission: 'configure' })).toBe('deny');
    expect(await form('authorize', { ...way, resource: 'exchange', name: 'energy.mqtt', permission: 'write' })).toBe(
      'allow',
    );
    const queue = { vhost: '/', resource: 'queue', name: 'q', permission: 'configure' };
    expect(await form('authorize', { ...queue, username: 'energy-ingest' })).toBe('allow');
    const topic = { ...way, resource: 'topic', name: 'energy.mqtt', permission: 'write' };
    expect(await form('authorize', { ...topic, routing_key: `energy.v1.${device.id}.readings` })).toBe('allow');
    expect(await form('authorize', { ...topic, routing_key: 'energy.v1.dev_other.readings' })).toBe('deny');
    const below = { ...topic, username: gateway.id, routing_key: `gw.${gateway.id}.tele.plug.SENSOR` };
    expect(await form('authorize', below)).toBe('deny');
    expect(
      await form('authorize', { ...topic, permission: 'read', routing_key: `energy.v1.${device.id}.readings` }),
    ).toBe('deny');
  });

  test('mosquitto-go-auth is answered in its own format; acc 2 is writing', async () => {
    const topic = `energy/v1/${device.id}/readings`;
    expect(await json('authorize', { username: device.id, clientid: 'c', topic, acc: 2 })).toMatchObject({ ok: true });
    expect(await json('authorize', { username: device.id, clientid: 'c', topic, acc: 4 })).toMatchObject({ ok: false });
  });
});

test('only a gateway can read its own home’s usage, by the exact topic, and it can read nothing else', async () => {
  const db = createDatabase(database.pool);
  const { user_id: other } = await createUser(db, { email: 'other@example.com', role: 'homeowner' });
  const topic = (id: string) => `energy/v1/homes/${id}/usage`;
  const may = async (username: string, on: string) => {
    const emqx = (await json('authorize', { username, action: 'subscribe', topic: on })).result === 'allow';
    // Access codes of mosquitto-go-auth: 1 means read, 4 means subscribe.
    const goAuth = await Promise.all(
      [1, 4].map(async (acc) => (await json('authorize', { username, acc, topic: on })).ok),
    );
    const body = { username, topics: [{ topic: on, qos: 1 }] };
    const vernemq = (await json('authorize', body, { 'vernemq-hook': 'auth_on_subscribe' })).result === 'ok';
    expect([...goAuth, vernemq]).toEqual([emqx, emqx, emqx]);
    return emqx;
  };
  expect(await may(gateway.id, topic(userId))).toBe(true);
  expect(await may('energy-ingest', topic(userId))).toBe(true);
  for (const on of [
    topic(other),
    topic('+'),
    topic('#'),
    'energy/v1/homes/#',
    'energy/v1/+/+/usage',
    '#',
    topic(`${userId}\n`),
  ])
    expect(await may(gateway.id, on), on).toBe(false);
  for (const username of [device.id, 'gwy_nobody', '', `${gateway.id}x`])
    expect(await may(username, topic(userId)), username).toBe(false);
  // A request that names several topics is allowed only if each topic is allowed.
  const both = { username: gateway.id, topics: [{ topic: topic(userId) }, { topic: topic(other) }] };
  expect((await json('authorize', both, { 'vernemq-hook': 'auth_on_subscribe' })).result).not.toBe('ok');
  // Only the service itself may publish messages about a home's usage.
  expect((await json('authorize', { username: gateway.id, action: 'publish', topic: topic(userId) })).result).toBe(
    'deny',
  );
});
