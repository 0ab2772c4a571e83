import { connect as connectTcp } from 'node:net';
import { generate, type Packet } from 'mqtt-packet';
import { expect, test } from 'vitest';
import {
  CONNECT_FIELDS,
  connectMqtt5Client,
  connectWithRawBytes,
  DEVICE_ID,
  encodeConnectPacket,
  encodePublishPacket,
  GATEWAY_ID,
  MQTT5_OPTIONS,
  READINGS_TOPIC,
  STATUS_TOPIC,
  startBrokerWithControlledCommits,
  USAGE_TOPIC,
} from '#test/support/mqtt5.ts';

test.each([
  ['a topic of too many levels', encodePublishPacket({ topic: `energy/v1/${DEVICE_ID}${'/x'.repeat(99)}` }), 0x90],
  ['a wildcard in a topic', encodePublishPacket({ topic: 'energy/v1/+/readings' }), 0x90],
  ['a payload of more than 1 MiB', encodePublishPacket({ payload: Buffer.alloc(1_048_577) }), 0x95],
  // The length alone decides.
  ['a packet longer than announced', encodePublishPacket({ payload: Buffer.alloc(2_000_000) }).subarray(0, 100), 0x95],
  ['a SUBSCRIBE of more than 16 KiB', Buffer.from([0x82, 0x81, 0x80, 0x01]), 0x95],
  ['a topic alias of 0', encodePublishPacket({ properties: { topicAlias: 0 } }), 0x94],
  ['a topic alias without a topic', encodePublishPacket({ topic: '', properties: { topicAlias: 1 } }), 0x94],
  [
    'a subscription identifier',
    generate(
      {
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: [{ topic: USAGE_TOPIC, qos: 0 }],
        properties: { subscriptionIdentifier: 1 },
      },
      MQTT5_OPTIONS,
    ),
    0xa1,
  ],
  [
    'a wrong filter',
    generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a/#/b', qos: 0 }] }, MQTT5_OPTIONS),
    0x8f,
  ],
  ['an AUTH', generate({ cmd: 'auth', reasonCode: 0x18 }, MQTT5_OPTIONS), 0x82],
  ['a second CONNECT', encodeConnectPacket(), 0x82],
  ['a packet of servers only', Buffer.from([0xd0, 0]), 0x82],
  [
    'an expiry at the end only',
    generate({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 9 } }, MQTT5_OPTIONS),
    0x82,
  ],
])('ends a connection with the reason: %s', async (_what, bytes, reasonCode) => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const raw = await connectWithRawBytes(broker, encodeConnectPacket());
  await expect.poll(() => raw.replies.length).toBe(1);
  raw.socket.write(bytes);
  await raw.closed;
  expect(raw.replies).toMatchObject([
    { cmd: 'connack', reasonCode: 0 },
    { cmd: 'disconnect', reasonCode },
  ]);
  expect(texts()).toEqual([]);
});

test('ends only connections that send malformed packets', async () => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const neighbour = await connectMqtt5Client(broker, { username: GATEWAY_ID, clientId: 'neighbour' });
  const publish = (properties: readonly number[], payload = '') => {
    const topic = Buffer.from(READINGS_TOPIC);
    const rest = Buffer.from([...properties, ...Buffer.from(payload)]);
    return Buffer.from([0x30, 2 + topic.length + rest.length, 0, topic.length, ...topic, ...rest]);
  };
  const malformed: Record<string, Buffer> = {
    'unknown property': publish([2, 0x7f, 0]),
    'property 0': publish([2, 0, 0]),
    'property of another packet': publish([5, 0x11, 0, 0, 0, 1]),
    'property of servers only': publish([2, 0x0b, 1]),
    'doubled property': publish([10, 0x02, 0, 0, 0, 0, 0x02, 0, 0, 0, 0]),
    'doubled alias': publish([6, 0x23, 0, 0, 0x23, 0, 1]),
    'flag of 2': publish([2, 0x01, 2]),
    'string beyond the properties': publish([4, 0x03, 0, 9, 0x61], 'xxxxxxxxxxxx'),
    'string beyond the packet': publish([4, 0x03, 0xff, 0xff, 0x61]),
    'number cut off': publish([3, 0x02, 0, 0]),
    'properties beyond the packet': publish([100, 0x26, 0]),
    'length of five bytes': publish([0x80, 0x80, 0x80, 0x80, 1]),
    'no length': publish([]),
    'pair without a value': publish([4, 0x26, 0, 1, 0x61]),
    'reserved bits of SUBSCRIBE': Buffer.from([0x80, 6, 0, 1, 0, 0, 1, 0x61]),
    'reserved bits of a filter': Buffer.from([0x82, 7, 0, 1, 0, 0, 1, 0x61, 0xc0]),
    'retain handling 3': Buffer.from([0x82, 7, 0, 1, 0, 0, 1, 0x61, 0x30]),
    'QoS 3': Buffer.from([0x36, 3, 0, 1, 0x61]),
    'unknown reason code': Buffer.from([0x62, 3, 0, 1, 0x42]),
    'packet 0': Buffer.from([0, 0]),
  };
  for (const [what, bytes] of Object.entries(malformed)) {
    const raw = await connectWithRawBytes(broker, encodeConnectPacket());
    await expect.poll(() => raw.replies.length).toBe(1);
    // A second message follows in the same write. The broker must not process it.
    raw.socket.write(Buffer.concat([bytes, publish([0], 'after')]));
    await raw.closed;
    expect(raw.replies[1], what).toMatchObject({ cmd: 'disconnect', reasonCode: 0x81 });
  }
  for (const properties of [
    [5, 0x02, 0, 0, 0, 1],
    [4, 0x21, 0, 1, 0x21, 0, 1],
    [1, 0x26],
    [3, 0x21, 0, 0],
  ]) {
    const rest = [...Buffer.from('\0\x04MQTT\x05\x02\0\x3c'), ...properties, 0, 1, 0x61];
    const raw = await connectWithRawBytes(broker, Buffer.from([0x10, rest.length, ...rest]));
    await raw.closed;
  }
  await neighbour.client.publishAsync(`gw/${GATEWAY_ID}/x`, 'alive', { qos: 1 });
  expect(texts()).toEqual(['alive']);
});

test('survives random bytes in any packet of version 5', async () => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const neighbour = await connectMqtt5Client(broker, { username: GATEWAY_ID, clientId: 'neighbour' });
  const properties = { userProperties: { a: 'b' }, messageExpiryInterval: 7, contentType: 'c' };
  const whole = [
    encodeConnectPacket({
      properties: { sessionExpiryInterval: 5, userProperties: { a: 'b' } },
      will: {
        topic: STATUS_TOPIC,
        payload: Buffer.from('faulty'),
        qos: 1,
        retain: true,
        properties: { willDelayInterval: 1 },
      },
    }),
    encodePublishPacket({ properties }),
    encodePublishPacket({ qos: 2, messageId: 2, properties }),
    generate({ cmd: 'pubrel', messageId: 2 } as Packet, MQTT5_OPTIONS),
    generate(
      { cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: USAGE_TOPIC, qos: 1, rh: 1, nl: true, rap: true }] },
      MQTT5_OPTIONS,
    ),
    generate(
      { cmd: 'unsubscribe', messageId: 4, unsubscriptions: [USAGE_TOPIC, 'constructor', '__proto__'] },
      MQTT5_OPTIONS,
    ),
    generate({ cmd: 'disconnect', reasonCode: 4, properties: { sessionExpiryInterval: 2 } }, MQTT5_OPTIONS),
  ];
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let turn = 0; turn < 300; turn++) {
    const bytes = Buffer.concat(whole);
    for (let change = random(4); change >= 0; change--) bytes[random(bytes.length)] = random(256);
    const socket = connectTcp(broker.port, '127.0.0.1').on('error', () => {});
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 2));
    socket.destroy();
  }
  await neighbour.client.publishAsync(`gw/${GATEWAY_ID}/x`, 'alive', { qos: 1 });
  expect(texts().at(-1)).toBe('alive');
});

test.each([4, 5] as const)('version %i: contains every fix of aedes 1.2.0', async (protocolVersion) => {
  const { broker, texts } = await startBrokerWithControlledCommits();
  const version = { protocolVersion };
  const session = (clean: boolean, packets: readonly object[]) =>
    connectWithRawBytes(
      broker,
      Buffer.concat(
        [{ ...CONNECT_FIELDS, ...version, clean }, ...packets].map((packet) => generate(packet as Packet, version)),
      ),
      version,
    );
  const message = (payload: string) => ({
    cmd: 'publish',
    topic: READINGS_TOPIC,
    payload,
    qos: 2,
    messageId: 7,
    dup: false,
    retain: false,
  });
  const release = { cmd: 'pubrel', messageId: 7 };
  // aedes 1.2.0 crashed if a topic was an inherited property name of JavaScript objects, or if a second PUBREL arrived.
  const first = await session(false, [
    { cmd: 'unsubscribe', messageId: 1, unsubscriptions: ['constructor', '__proto__'] },
    message('one'),
  ]);
  await expect.poll(() => first.replies.length).toBe(3);
  first.socket.write(Buffer.concat([release, release].map((packet) => generate(packet as Packet, version))));
  await expect.poll(() => first.replies.length).toBe(5);
  first.socket.write(generate({ ...message('two') } as Packet, version));
  await expect.poll(() => first.replies.length).toBe(6);
  first.socket.destroy();
  await first.closed;
  // An earlier version of the broker dropped a message of a clean session if an earlier session had used its packet id.
  const second = await session(true, [message('three')]);
  await expect.poll(texts).toEqual(['one', 'two', 'three']);
  second.socket.destroy();
});
