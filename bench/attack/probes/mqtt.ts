import mqtt, { type MqttClient } from 'mqtt';
import { measureMsUntilClosed, openSocket, type ServerAddress } from '../client.ts';
import {
  assertProbeCondition,
  expectAllowedValue,
  defineProbe as general,
  type Probe,
  ProbeFailedError,
  type defineProbe as Probing,
} from '../probe.ts';
import { type AttackedInstallation, type Device, pause } from '../world.ts';

const probe: typeof Probing = (name, run, more = {}) => general(name, run, { needs: ['mqtt'], ...more });

const reading = (watts = 100) => JSON.stringify({ power_w: watts });
const broker = (world: AttackedInstallation) => world.target.mqtt as ServerAddress;

/** Returns the time until a reading of a device is acknowledged, in ms. Rejects after ten seconds. */
export async function measurePubackMs(
  client: MqttClient,
  topic: string,
  payload: string | Buffer = reading(),
): Promise<number> {
  const fromMs = performance.now();
  const late = pause(10_000).then(() => {
    throw new ProbeFailedError('no PUBACK in 10 s');
  });
  await Promise.race([client.publishAsync(topic, payload, { qos: 1 }), late]);
  return performance.now() - fromMs;
}

/** Connects a device that the attack must not affect, and waits until one of its readings is acknowledged. */
async function victim(world: AttackedInstallation, options: Parameters<AttackedInstallation['connect']>[1] = {}) {
  const device = await world.device();
  const client = await world.connect(device, options);
  await measurePubackMs(client, device.topic);
  return { device, client };
}

async function expectUnharmed({ device, client }: Awaited<ReturnType<typeof victim>>, withinMs = 5_000): Promise<void> {
  assertProbeCondition(client.connected, 'a neighbour’s connection was ended');
  const ms = await measurePubackMs(client, device.topic);
  if (ms > withinMs) throw new ProbeFailedError(`a neighbour’s PUBACK took ${Math.round(ms)} ms`);
}

const stateOf = async (world: AttackedInstallation, { deviceId }: Device) =>
  (await world.must('GET', `/v1/devices/${deviceId}`)).json;

/** Publishes a message and waits 400 ms, because the message may never be acknowledged. */
async function tryPublish(client: MqttClient, topic: string, payload: string | Buffer, qos: 0 | 1 | 2 = 1) {
  client.publish(topic, payload, { qos }, () => {});
  await pause(400);
}

/** Returns the CONNACK code of a login: 0 if the login is accepted. */
async function refusal(
  world: AttackedInstallation,
  username: string | undefined,
  password: string | undefined,
): Promise<number> {
  const { host, port } = broker(world);
  const login = { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
  try {
    const client = await mqtt.connectAsync(`mqtt://${host}:${port}`, {
      ...login,
      reconnectPeriod: 0,
      connectTimeout: 5_000,
    });
    await client.endAsync(true);
    return 0;
  } catch (error) {
    return (error as { code?: number }).code ?? -1;
  }
}

const LOGINS: readonly Probe[] = [
  probe('nobody logs in without a name and the right password', async (world) => {
    const device = await world.device();
    const other = await world.device();
    const tries: [string, string | undefined, string | undefined][] = [
      ['nobody', undefined, undefined],
      ['no password', device.username, undefined],
      ['an empty password', device.username, ''],
      ['a wrong password', device.username, 'x'],
      ['another device’s password', device.username, other.password],
      ['the name in capitals', device.username.toUpperCase(), device.password],
      ['a wildcard as the name', '#', device.password],
      ['quotes as the name', "' OR 1=1 --", device.password],
      ['NUL behind the name', `${device.username}\0`, device.password],
    ];
    for (const [what, name, password] of tries)
      assertProbeCondition((await refusal(world, name, password)) !== 0, `${what} was let in`);
    expectAllowedValue(await refusal(world, device.username, device.password), [0], 'the right login');
  }),
  probe(
    'a deleted device is disconnected within 15 s, and comes back no more',
    async (world) => {
      const { device, client } = await victim(world);
      await world.must('DELETE', `/v1/devices/${device.deviceId}`);
      assertProbeCondition((await refusal(world, device.username, device.password)) !== 0, 'it logged in again');
      for (let turn = 0; client.connected && turn < 60; turn++) await pause(250);
      assertProbeCondition(!client.connected, 'it was still connected after 15 s');
    },
    { kind: 'waits' },
  ),
];

const SESSIONS: readonly Probe[] = [
  probe('a stranger with a victim’s client id does not end its connection', async (world) => {
    const one = await victim(world, { clientId: 'the-victim' });
    await world.connect(await world.device(), { clientId: 'the-victim' });
    await pause(500);
    await expectUnharmed(one);
  }),
  probe('two homes called homeassistant stay connected beside each other', async (world) => {
    const homes = [
      await victim(world, { clientId: 'homeassistant' }),
      await victim(world, { clientId: 'homeassistant' }),
    ];
    for (let turn = 0; turn < 3; turn++) for (const home of homes) await expectUnharmed(home);
  }),
  probe('a stranger with a victim’s client id and login as its id does not end its connection', async (world) => {
    const device = await world.device();
    for (const clientId of [device.username, `${device.username}/x`]) {
      const client = await world.connect(device, { clientId });
      await world.connect(await world.device(), { clientId });
      await pause(300);
      await expectUnharmed({ device, client });
    }
  }),
  probe('a stranger’s clean session does not take a victim’s persistent one away', async (world) => {
    const device = await world.device();
    const options = { clientId: 'kept', clean: false };
    const first = await world.connect(device, options);
    await measurePubackMs(first, device.topic);
    await world.connect(await world.device(), { clientId: 'kept', clean: true });
    await first.endAsync(true);
    const back = await world.connect(device, options);
    await expectUnharmed({ device, client: back });
  }),
];

const TOPICS: readonly Probe[] = [
  probe('a reading on a stranger’s topic is not taken, in any quality of service', async (world) => {
    const target = await world.device();
    for (const qos of [0, 1, 2] as const) {
      const stranger = await world.connect(await world.device());
      await tryPublish(stranger, target.topic, reading(), qos);
    }
    const { last_seen_at, status } = await stateOf(world, target);
    assertProbeCondition(
      last_seen_at === null && status === 'inactive',
      `the stranger’s reading made it ${status}, seen ${last_seen_at}`,
    );
  }),
  probe('nothing is read by subscribing', async (world) => {
    const spy = await world.connect(await world.device());
    const received: string[] = [];
    spy.on('message', (topic) => received.push(topic));
    const { device, client } = await victim(world);
    for (const topic of [
      '#',
      '+/#',
      'energy/v1/+/readings',
      'gw/#',
      '$SYS/#',
      '$share/spies/#',
      device.topic,
      '$share/ingest/energy/#',
    ])
      await spy.subscribeAsync(topic, { qos: 1 }).catch(() => {});
    for (let turn = 0; turn < 3; turn++) await measurePubackMs(client, device.topic);
    await pause(500);
    assertProbeCondition(received.length === 0, `it heard ${received[0]}`);
  }),
  probe('a will on a stranger’s topic is not published', async (world) => {
    const target = await victim(world);
    const topic = target.device.topic.replace(/readings$/, 'status');
    const stranger = await world.device();
    const will = { topic, payload: Buffer.from('faulty'), qos: 1 as const, retain: true };
    const client = await world.connect(stranger, { will }).catch(() => null);
    client?.stream.destroy();
    await pause(700);
    assertProbeCondition((await stateOf(world, target.device)).status !== 'faulty', 'it made the device faulty');
    await expectUnharmed(target);
  }),
  probe('a gateway publishes below its own prefix alone', async (world) => {
    const owner = await world.person('homeowner');
    const made = async (key: string) => (await world.must('POST', '/v1/gateways', { key, body: { name: 'x' } })).json;
    const own = await made(owner.key);
    const stranger = await made((await world.person('homeowner')).key);
    const client = await world.connect({ ...stranger.mqtt, deviceId: '', topic: '' });
    const telemetry = JSON.stringify({ Time: new Date().toISOString(), ENERGY: { Total: 1, Power: 1 } });
    const prefix = String(own.mqtt.topic_prefix).replace(/\/?(#)?$/, '');
    for (const topic of [`${prefix}/tele/plug/SENSOR`, `gw/${own.gateway_id}/tele/plug/SENSOR`])
      await tryPublish(client, topic, telemetry);
    const { json } = await world.must('GET', '/v1/devices/discovered', { key: owner.key });
    expectAllowedValue(json.length, [0], 'devices discovered behind the victim’s gateway');
  }),
  probe('topics with wildcards, NUL, broken UTF-8 or 65,535 bytes harm nobody', async (world) => {
    const target = await victim(world);
    const attacker = await world.device();
    const topics = [
      Buffer.from(`${attacker.topic}/#`),
      Buffer.from('+'),
      Buffer.from(`${attacker.topic}\0`),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.alloc(65_535, 'x'),
      Buffer.from(`energy/v1/${'x/'.repeat(30_000)}`),
      Buffer.alloc(0),
    ];
    for (const topic of topics) {
      const socket = await rawLogin(world, attacker);
      socket.write(publishPacket(topic, Buffer.from(reading())));
      await pause(100);
      socket.destroy();
    }
    await expectUnharmed(target);
  }),
];

const PAYLOADS: readonly Probe[] = [
  probe('rubbish, retained or not, is acknowledged and harms nobody', async (world) => {
    const target = await victim(world);
    const { device, client } = await victim(world);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const rubbish = [
      '',
      '{',
      'null',
      '"x"',
      '[[[]]]',
      deep,
      '{"power_w":"NaN"}',
      '{"power_w":1e999}',
      '{"energy_total_kwh":-1}',
      '\0'.repeat(10_000),
      JSON.stringify({ power_w: 1, channel: '\0' }),
      JSON.stringify({ power_w: 1, ts: 'yesterday' }),
      JSON.stringify({ power_w: 1, ts: 8.64e15 + 1 }),
      JSON.stringify({ power_w: 1, channel: "'; DROP TABLE users; --" }),
      '{"__proto__":{"power_w":1}}',
    ];
    for (const payload of [...rubbish.map((text) => Buffer.from(text)), Buffer.from([0xff, 0xfe, 0x00, 0xd8])]) {
      const acknowledged = client.publishAsync(device.topic, payload, { qos: 1, retain: true });
      const late = pause(10_000).then(() => {
        throw new ProbeFailedError(`no PUBACK for ${payload.toString().slice(0, 30)}`);
      });
      await Promise.race([acknowledged, late]);
    }
    await expectUnharmed(target);
    await expectUnharmed({ device, client });
  }),
  probe('a payload of 1 MiB is taken, a longer one ends its own connection alone', async (world) => {
    const target = await victim(world);
    const { device, client } = await victim(world);
    await measurePubackMs(client, device.topic, `{"power_w":1}${' '.repeat(1_048_576 - 13)}`);
    await tryPublish(client, device.topic, Buffer.alloc(2_000_000, ' '));
    for (let turn = 0; client.connected && turn < 20; turn++) await pause(100);
    assertProbeCondition(!client.connected, 'a payload of 2 MB did not end its connection');
    await expectUnharmed(target);
  }),
  probe(
    'messages with ten thousand elements that are none leave a neighbour’s PUBACK',
    async (world) => {
      const target = await victim(world);
      const { device, client } = await victim(world);
      const elements = Array.from({ length: 10_000 }, (_, index) => ({ power_w: 'x', channel: `c${index}` }));
      for (let turn = 0; turn < 5; turn++) client.publish(device.topic, JSON.stringify(elements), { qos: 1 });
      for (let turn = 0; turn < 5; turn++) await expectUnharmed(target, 2_000);
    },
    { kind: 'alone' },
  ),
  probe('a device gets 64 channels and no more', async (world) => {
    const { device, client } = await victim(world);
    const payload = JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ power_w: 1, channel: `c${index}` })));
    await measurePubackMs(client, device.topic, payload);
    const { channels } = await stateOf(world, device);
    assertProbeCondition(Array.isArray(channels), 'GET of the device names no channels');
    assertProbeCondition(channels.length <= 64, `it has ${channels.length}`);
    await measurePubackMs(client, device.topic);
  }),
];

/** Encodes the field "remaining length" of an MQTT packet (MQTT 3.1.1, section 2.2.3). */
function remaining(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; bytes.length === 0 || rest > 0; rest >>>= 7)
    bytes.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Buffer.from(bytes);
}
function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}
const packet = (type: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type]), remaining(body.length), body]);
};
const connectPacket = ({ username, password }: Device) =>
  packet(0x10, field('MQTT'), Buffer.from([4, 0xc2, 0, 60]), field('raw'), field(username), field(password));
const publishPacket = (topic: Buffer, payload: Buffer) => packet(0x32, field(topic), Buffer.from([0, 1]), payload);

/** Opens a raw connection that is logged in as a device. */
async function rawLogin(world: AttackedInstallation, device: Device) {
  const socket = openSocket(broker(world), 'tcp');
  socket.write(connectPacket(device));
  await new Promise((resolve) => {
    socket.once('data', resolve);
    socket.once('close', resolve);
  });
  return socket;
}

const PACKETS: readonly Probe[] = [
  probe('a packet that is announced with 256 MiB ends its connection, before the login and after it', async (world) => {
    const target = await victim(world);
    const huge = Buffer.concat([Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(100_000)]);
    const before = openSocket(broker(world), 'tcp');
    before.write(huge);
    assertProbeCondition((await measureMsUntilClosed(before, 5_000)) !== null, 'it was open 5 s later');
    const after = await rawLogin(world, await world.device());
    after.write(Buffer.concat([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(100_000)]));
    assertProbeCondition((await measureMsUntilClosed(after, 5_000)) !== null, 'after the login it was open 5 s later');
    await expectUnharmed(target);
  }),
  probe('packets that are none end their own connection alone', async (world) => {
    const target = await victim(world);
    const attacker = await world.device();
    for (const bytes of [
      Buffer.from([0, 0]),
      Buffer.from([0xf0, 0]),
      Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80, 1]),
      connectPacket(attacker),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      packet(0x82, Buffer.from([0, 1])),
      packet(0x62, Buffer.from([0, 9])),
      packet(0x32, Buffer.from([0, 200])),
    ]) {
      const socket = await rawLogin(world, attacker);
      socket.write(bytes);
      await pause(50);
      socket.destroy();
    }
    await expectUnharmed(target);
  }),
  probe('two hundred half packets keep nobody from a PUBACK', async (world) => {
    const target = await victim(world);
    const whole = connectPacket(await world.device());
    const sockets = Array.from({ length: 200 }, (_, index) => {
      const socket = openSocket(broker(world), 'tcp');
      socket.write(whole.subarray(0, 1 + (index % (whole.length - 1))));
      return socket;
    });
    await pause(300);
    await expectUnharmed(target);
    for (const socket of sockets) socket.destroy();
  }),
  ...(['half a CONNECT', 'nothing at all'] as const).map((what) =>
    probe(
      `a connection to the broker that says ${what} is ended within 40 s`,
      async (world) => {
        const socket = openSocket(broker(world), 'tcp');
        if (what === 'half a CONNECT') socket.write(connectPacket(await world.device()).subarray(0, 10));
        assertProbeCondition((await measureMsUntilClosed(socket, 45_000)) !== null, 'it was still open after 45 s');
      },
      { kind: 'waits' },
    ),
  ),
  probe(
    'a TCP socket on the broker’s TLS port that never says anything is ended within 15 s',
    async (world) => {
      const ms = await measureMsUntilClosed(openSocket(world.target.mqtts as ServerAddress, 'tcp'), 20_000);
      assertProbeCondition(ms !== null, 'it was still open after 20 s');
    },
    { kind: 'waits', needs: ['mqtts'] },
  ),
];

export const MQTT_PROBES: readonly Probe[] = [...LOGINS, ...SESSIONS, ...TOPICS, ...PAYLOADS, ...PACKETS];
