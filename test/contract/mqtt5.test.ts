import type { IClientOptions } from 'mqtt';
import { generate } from 'mqtt-packet';
import { expect, test } from 'vitest';
import {
  connectMqtt5Client,
  connectWithRawBytes,
  encodeConnectPacket,
  encodePublishPacket,
  GATEWAY_ID,
  MQTT5_OPTIONS,
  READINGS_TOPIC,
  STATUS_TOPIC,
  startBrokerWithControlledCommits,
  USAGE_TOPIC,
} from '#test/support/mqtt5.ts';

test('announces its limits, and every value that differs from the client’s CONNECT', async () => {
  const { broker } = await startBrokerWithControlledCommits();
  const plain = await connectMqtt5Client(broker, { clientId: 'plain', keepalive: 30 });
  const limits = {
    receiveMaximum: 2_000,
    maximumPacketSize: 1_118_576,
    wildcardSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
  };
  expect(plain.connack).toMatchObject({ reasonCode: 0, sessionPresent: false });
  expect({ ...plain.connack.properties }).toEqual(limits);
  const raw = await connectWithRawBytes(
    broker,
    encodeConnectPacket({ clientId: '', keepalive: 0, properties: { sessionExpiryInterval: 0xffffffff } }),
  );
  await expect
    .poll(() => raw.replies[0])
    .toMatchObject({
      cmd: 'connack',
      properties: {
        ...limits,
        serverKeepAlive: 3_600,
        sessionExpiryInterval: 86_400,
        assignedClientIdentifier: expect.stringMatching(/^auto-/),
      },
    });
  raw.socket.destroy();
});

test.each([0, 1, 2] as const)(
  'takes a message with properties at QoS %i, and acknowledges it after its commit',
  async (qos) => {
    const { broker, texts, held, holding } = await startBrokerWithControlledCommits();
    const { client } = await connectMqtt5Client(broker, {
      clientId: 'one',
      properties: { userProperties: { firmware: ['1', '2'] } },
    });
    holding.isOn = true;
    const properties = {
      userProperties: { a: 'b' },
      messageExpiryInterval: 1,
      contentType: 'application/json',
      responseTopic: 'x',
      correlationData: Buffer.from('y'),
      payloadFormatIndicator: true,
    };
    let isAcknowledged = false;
    const sent = client
      .publishAsync(READINGS_TOPIC, 'first', { qos, retain: true, properties })
      .then(() => (isAcknowledged = true));
    await expect.poll(texts).toEqual(['first']);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAcknowledged).toBe(qos === 0);
    for (const receipt of held.splice(0)) receipt.done();
    await sent;
  },
);

test('states the reason of a refused login', async () => {
  const { broker } = await startBrokerWithControlledCommits({
    findLogin: async (username, secret) => {
      if (secret === 'down') throw new Error('no database');
      return secret === 'x' ? { userId: `usr_${username}`, accountId: 'usr_1' } : null;
    },
  });
  const refusalOf = (more: IClientOptions) =>
    connectMqtt5Client(broker, more).then(
      () => null,
      (error) => error.code,
    );
  expect(await refusalOf({ password: 'wrong' })).toBe(0x86);
  expect(await refusalOf({ password: 'down' })).toBe(0x89);
  expect(await refusalOf({ properties: { authenticationMethod: 'SCRAM' } })).toBe(0x8c);
  const raw = await connectWithRawBytes(broker, encodeConnectPacket({ properties: { receiveMaximum: 0 } }));
  await raw.closed;
  expect(raw.replies).toMatchObject([{ cmd: 'connack', reasonCode: 0x82 }]);
  for (let turn = 0; turn < 120; turn++)
    await connectMqtt5Client(broker, { clientId: 'often' }).then(
      ({ client }) => client.endAsync(true),
      () => {},
    );
  expect(await refusalOf({})).toBe(0x97);
});

test('refuses a message to a foreign topic with a reason code, and keeps the connection open', async () => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const { client, ended, closed } = await connectMqtt5Client(broker);
  for (const qos of [1, 2] as const)
    await expect(client.publishAsync('energy/v1/dev_9/readings', 'x', { qos })).rejects.toMatchObject({ code: 0x87 });
  await client.publishAsync(READINGS_TOPIC, 'own', { qos: 1 });
  expect(texts()).toEqual(['own']);
  client.publish('energy/v1/dev_9/readings', 'x', { qos: 0 });
  await closed;
  expect(ended).toEqual([0x87]);
});

test('a session keeps its QoS 2 ids and its subscription until its expiry', async () => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const session = { username: GATEWAY_ID, clientId: 'lasting', clean: false, properties: { sessionExpiryInterval: 1 } };
  const topic = `gw/${GATEWAY_ID}/x`;
  const first = await connectMqtt5Client(broker, session);
  expect(first.connack.sessionPresent).toBe(false);
  await first.client.subscribeAsync(USAGE_TOPIC, { qos: 1 });
  const raw = (clean: boolean, messageId: number, more: object = {}) =>
    connectWithRawBytes(
      broker,
      Buffer.concat([
        encodeConnectPacket({
          username: GATEWAY_ID,
          clientId: 'lasting',
          clean,
          properties: { sessionExpiryInterval: 1 },
          ...more,
        }),
        encodePublishPacket({ topic, qos: 2, messageId, payload: `qos2 ${clean}` }),
      ]),
    );
  // A second connection with the same login and client id takes over the session.
  const second = await raw(false, 7);
  await first.closed;
  expect(first.ended).toEqual([0x8e]);
  await expect.poll(() => second.replies.map(({ cmd }) => cmd)).toEqual(['connack', 'pubrec']);
  expect(second.replies[0]).toMatchObject({ sessionPresent: true });
  second.socket.destroy();
  await second.closed;
  const third = await raw(false, 7);
  // The resumed session still has its subscription: the client need not send SUBSCRIBE, and the broker does not send retained messages
  // again.
  await expect.poll(() => third.replies.map(({ cmd }) => cmd)).toEqual(['connack', 'pubrec']);
  expect(third.replies[0]).toMatchObject({ sessionPresent: true });
  expect(texts()).toEqual(['qos2 false']);
  third.socket.write(
    generate({ cmd: 'unsubscribe', messageId: 9, unsubscriptions: [USAGE_TOPIC, 'other'] }, MQTT5_OPTIONS),
  );
  await expect.poll(() => third.replies[2]).toMatchObject({ cmd: 'unsuback', granted: [0, 0x11] });
  third.socket.destroy();
  await third.closed;
  // A clean start discards the session, so a message with the same packet id is a new message.
  const fourth = await raw(true, 7);
  await expect.poll(() => fourth.replies.length).toBe(2);
  expect(fourth.replies[0]).toMatchObject({ sessionPresent: false });
  expect(texts()).toEqual(['qos2 false', 'qos2 true']);
  // A client may end its session when it disconnects.
  fourth.socket.write(
    generate({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } }, MQTT5_OPTIONS),
  );
  await fourth.closed;
  const fifth = await raw(false, 7);
  await expect.poll(() => fifth.replies.length).toBe(2);
  expect(fifth.replies[0]).toMatchObject({ sessionPresent: false });
  fifth.socket.destroy();
  await fifth.closed;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const late = await connectMqtt5Client(broker, session);
  expect(late.connack.sessionPresent).toBe(false);
});

test('sends retained usage according to the options of the subscription, and refuses foreign topics', async () => {
  const { broker } = await startBrokerWithControlledCommits({ homesEveryMs: 20 });
  const messages = async (rh: 0 | 1 | 2, times = 1) => {
    const { client } = await connectMqtt5Client(broker, { username: GATEWAY_ID });
    const retainFlags: boolean[] = [];
    client.on('message', (_topic, _payload, { retain }) => retainFlags.push(retain));
    for (let time = 0; time < times; time++) await client.subscribeAsync(USAGE_TOPIC, { qos: 0, rh });
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { client, retained: retainFlags.filter(Boolean).length };
  };
  const first = await messages(0);
  expect((await messages(0)).retained).toBe(1);
  expect((await messages(1, 2)).retained).toBe(1);
  expect((await messages(2)).retained).toBe(0);
  await expect(first.client.subscribeAsync('energy/v1/homes/usr_other/usage')).rejects.toMatchObject({
    packet: { granted: [0x87] },
  });
});

test('publishes a will after its delay unless the client reconnects, at once if the client requests it, and never after a normal disconnect', async () => {
  const { broker, received } = await startBrokerWithControlledCommits();
  const wills = () => received.filter(({ topic }) => topic === STATUS_TOPIC).map(({ text }) => text);
  const withWill = (text: string, willDelayInterval: number, more: object = {}) =>
    connectWithRawBytes(
      broker,
      encodeConnectPacket({
        clean: false,
        properties: { sessionExpiryInterval: 60 },
        will: {
          topic: STATUS_TOPIC,
          payload: Buffer.from(text),
          qos: 1,
          retain: true,
          properties: { willDelayInterval },
        },
        ...more,
      }),
    );
  const accepted = async (raw: Awaited<ReturnType<typeof withWill>>) => {
    await expect.poll(() => raw.replies.length).toBe(1);
    return raw;
  };
  (await accepted(await withWill('returns', 1))).socket.destroy();
  const again = await accepted(await withWill('taken over', 1));
  const over = await accepted(await withWill('asked', 1));
  await again.closed;
  over.socket.write(
    generate({ cmd: 'disconnect', reasonCode: 4, properties: { sessionExpiryInterval: 0 } }, MQTT5_OPTIONS),
  );
  await expect.poll(wills).toEqual(['asked']);
  const normal = await accepted(await withWill('normal', 0));
  normal.socket.write(Buffer.from([0xe0, 0]));
  await normal.closed;
  (await accepted(await withWill('delayed', 1))).socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(wills()).toEqual(['asked']);
  await expect.poll(wills, { timeout: 3_000 }).toEqual(['asked', 'delayed']);
  (await accepted(await withWill('at once', 0))).socket.destroy();
  await expect.poll(wills).toEqual(['asked', 'delayed', 'at once']);
});

test('states the reason when it ends a connection: keep-alive, revoked login, shutdown', async () => {
  let isRevoked = false;
  const { broker } = await startBrokerWithControlledCommits({
    endedLogins: async (logins) => (isRevoked ? logins : []),
    loginsEveryMs: 50,
  });
  const silent = await connectWithRawBytes(broker, encodeConnectPacket({ clientId: 'silent', keepalive: 1 }));
  await silent.closed;
  expect(silent.replies).toMatchObject([{ cmd: 'connack' }, { cmd: 'disconnect', reasonCode: 0x8d }]);
  const revoked = await connectMqtt5Client(broker, { clientId: 'revoked' });
  isRevoked = true;
  await revoked.closed;
  expect(revoked.ended).toEqual([0x87]);
  isRevoked = false;
  const last = await connectMqtt5Client(broker, { clientId: 'last' });
  await broker.close();
  await last.closed;
  expect(last.ended).toEqual([0x8b]);
});
