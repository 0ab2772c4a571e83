import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { generate, type Packet } from 'mqtt-packet';
import { listServiceProcesses } from '../../chaos/installation.ts';
import { scaleTimeLimitMs } from '../../time-limits.ts';
import { measureMsUntilClosed, openSocket, type ServerAddress } from '../client.ts';
import {
  assertProbeCondition,
  defineProbe as general,
  type Probe,
  ProbeSkippedError,
  type defineProbe as Probing,
} from '../probe.ts';
import { type AttackedInstallation, type Device, pause } from '../world.ts';
import { measurePubackMs } from './mqtt.ts';

const probe: typeof Probing = (name, run, more = {}) => general(name, run, { needs: ['mqtt'], ...more });

/** Maximum time for a neighbour's PUBACK during an attack, on a machine of the usual speed, in ms. */
const MAX_PUBACK_MS = 1_000;
const MIB = 1_048_576;

const packet = (one: Partial<Packet> & { cmd: Packet['cmd'] }) =>
  generate({ qos: 1, dup: false, retain: false, length: 0, topic: '', payload: '', ...one } as Packet);

/** Builds a SUBSCRIBE or an UNSUBSCRIBE packet. */
const filters = (cmd: 'subscribe' | 'unsubscribe', topics: readonly string[]) =>
  cmd === 'subscribe'
    ? packet({ cmd, messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 1 as const })) })
    : packet({ cmd, messageId: 1, unsubscriptions: [...topics] });

/** Creates a gateway for the owner of the key, or for a new account if no key is given. */
async function gateway(world: AttackedInstallation, key?: string): Promise<Device & { userId: string }> {
  const owner = key === undefined ? await world.person('homeowner') : { key, userId: '' };
  const { json } = await world.must('POST', '/v1/gateways', { key: owner.key, body: { name: 'bridge' } });
  return { ...json.mqtt, deviceId: '', userId: owner.userId, topic: `gw/${json.gateway_id}/x` };
}

/** Opens a raw connection, logged in under a client id with a persistent session. */
async function login(world: AttackedInstallation, { username, password }: Device, clientId: string): Promise<Socket> {
  const socket = openSocket(world.target.mqtt as ServerAddress, 'tcp');
  const session = { clientId, clean: false, keepalive: 600, protocolId: 'MQTT', protocolVersion: 4 } as const;
  socket.write(packet({ cmd: 'connect', username, password: Buffer.from(password), ...session }));
  await new Promise((resolve) => {
    socket.once('data', resolve);
    socket.once('close', resolve);
  });
  socket.resume();
  return socket;
}

/** Returns a neighbour's slowest PUBACK, in ms, while the hog (a client that overloads the broker) runs. */
async function slowestPubackDuring(world: AttackedInstallation, hog: () => Promise<unknown>): Promise<number> {
  const device = await world.device();
  const client = await world.connect(device);
  await measurePubackMs(client, device.topic);
  let isOver = false;
  const hogging = hog().finally(() => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    slowest = Math.max(slowest, await measurePubackMs(client, device.topic));
    await pause(20);
  }
  await hogging;
  return slowest;
}

async function expectFair(world: AttackedInstallation, hog: () => Promise<unknown>): Promise<void> {
  const ms = await slowestPubackDuring(world, hog);
  assertProbeCondition(ms < scaleTimeLimitMs(MAX_PUBACK_MS), `a neighbour’s PUBACK took ${Math.round(ms)} ms`);
}

/**
 * Builds a topic filter that contains a number. `homes`: like a filter that a gateway may use. `wildcards`: a filter with wildcards.
 * `letters`: a short filter.
 */
const FILTERS: Record<string, (index: number) => string> = {
  homes: (index) => `energy/v1/homes/usr_${String(index).padStart(26, '0')}/usage`,
  wildcards: (index) => `${'+/'.repeat(1 + (index % 90))}${index}/#`,
  letters: (index) => `a${index}`,
};

const SUBSCRIPTIONS: readonly Probe[] = (['subscribe', 'unsubscribe'] as const).map((cmd) =>
  probe(
    `a gateway’s ${cmd.toUpperCase()} of 30,000 filters ends its connection and leaves a neighbour’s PUBACK`,
    (world) =>
      expectFair(world, async () => {
        const hog = await gateway(world);
        for (const [kind, filterOf] of Object.entries(FILTERS)) {
          const socket = await login(world, hog, kind);
          socket.write(
            filters(
              cmd,
              Array.from({ length: 30_000 }, (_, index) => filterOf(index)),
            ),
          );
          assertProbeCondition(
            (await measureMsUntilClosed(socket, 5_000)) !== null,
            `it was open 5 s after ${cmd} of ${kind}`,
          );
        }
      }),
  ),
);

/** Publishes QoS 2 messages without ever sending PUBREL, until all are acknowledged or the broker ends the session. */
async function neverRelease(
  world: AttackedInstallation,
  hog: Device,
  sessions: number,
  messages: number,
): Promise<number> {
  const payload = Buffer.alloc(MIB - 1_000, 'x');
  let sentBytes = 0;
  for (let session = 0; session < sessions; session++) {
    const socket = await login(world, hog, `session${session}`);
    let bytes = 0;
    socket.on('data', (data) => {
      bytes += data.length;
    });
    for (let messageId = 1; messageId <= messages; messageId++) {
      const topic = messageId === 1 ? '$SYS/broker/connection/x' : hog.topic;
      socket.write(packet({ cmd: 'publish', qos: 2, topic, payload, messageId }));
      sentBytes += payload.length;
    }
    for (let turn = 0; bytes < 4 * messages && !socket.destroyed && turn < 400; turn++) await pause(25);
    socket.destroy();
  }
  return sentBytes;
}

/** Returns the resident memory of all processes of a role (process type) in MiB, from /proc/PID/statm. */
export function readResidentMib(world: AttackedInstallation, role: 'ingest' | 'api'): number {
  const processes = listServiceProcesses(world.target.dataDir ?? '').filter(({ command }) =>
    command.startsWith(`energy ${role}`),
  );
  if (processes.length === 0) throw new ProbeSkippedError(`the ${role} process is not to be seen here`);
  const pages = processes.map(({ pid }) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]));
  return pages.reduce((sum, one) => sum + one, 0) / 256;
}

const MEMORY: readonly Probe[] = [
  probe('messages at QoS 2 that are never released leave a neighbour’s PUBACK', (world) =>
    expectFair(world, async () => neverRelease(world, await gateway(world), 5, 4)),
  ),
  probe(
    'thirty sessions of one login with twenty messages at QoS 2 that are never released take no memory',
    async (world) => {
      const before = readResidentMib(world, 'ingest');
      const hog = await gateway(world);
      let sentBytes = 0;
      await expectFair(world, async () => {
        sentBytes = await neverRelease(world, hog, 30, 20);
      });
      const after = readResidentMib(world, 'ingest');
      assertProbeCondition(
        after - before < 300,
        `${Math.round(sentBytes / MIB)} MiB were sent, ${Math.round(after - before)} stayed`,
      );
    },
    { kind: 'alone', needs: ['mqtt', 'dataDir'] },
  ),
  probe('a login that connects under many client ids is refused for a while, and a neighbour is not', (world) =>
    expectFair(world, async () => {
      const hog = await gateway(world);
      let ended = 0;
      for (let index = 0; index < 160; index++) {
        const socket = await login(world, hog, `${index}${'x'.repeat(200)}`);
        if (socket.destroyed || socket.readableEnded) ended++;
        socket.destroy();
      }
      await pause(100);
      const last = await login(world, hog, 'last');
      assertProbeCondition(
        ended > 0 || (await measureMsUntilClosed(last, 2_000)) !== null,
        '160 connections in a row were let in',
      );
    }),
  ),
];

const HOMES: readonly Probe[] = [
  probe('a hundred gateways of a utility’s homes leave another home what it uses, and its PUBACK', async (world) => {
    const utility = await world.person('utility');
    const listen = async (userId: string, key: string) => {
      const client = await world.connect(await gateway(world, key));
      const granted = await client.subscribeAsync(`energy/v1/homes/${userId}/usage`).catch(() => []);
      return granted.some(({ qos }) => qos < 128);
    };
    await expectFair(world, async () => {
      const some = async () => {
        for (let home = 0; home < 10; home++) {
          const { userId, key } = await world.person('homeowner', { enrolledBy: utility });
          await listen(userId, key);
        }
      };
      await Promise.all(Array.from({ length: 10 }, some));
    });
    const { userId, key } = await world.person('homeowner');
    assertProbeCondition(await listen(userId, key), 'another home is told nothing');
  }),
  probe(
    'a hundred gateways of one account that send as fast as they can leave a neighbour’s PUBACK',
    async (world) => {
      const owner = await world.person('homeowner');
      const hogs: { topic: string; client: Awaited<ReturnType<AttackedInstallation['connect']>> }[] = [];
      for (let index = 0; index < 100; index++) {
        const device = await gateway(world, owner.key);
        hogs.push({ topic: `${device.topic}/tele/plug/SENSOR`, client: await world.connect(device) });
      }
      const telemetry = JSON.stringify({
        Time: '2026-01-01T00:00:00',
        ENERGY: { Total: 1, Power: 1 },
        x: 'y'.repeat(2_000),
      });
      const untilMs = performance.now() + 10_000;
      await expectFair(world, () =>
        Promise.all(
          hogs.map(async ({ client, topic }) => {
            while (performance.now() < untilMs)
              await Promise.race([
                Promise.all(Array.from({ length: 20 }, () => client.publishAsync(topic, telemetry, { qos: 1 }))),
                pause(12_000),
              ]);
          }),
        ),
      );
    },
    { kind: 'alone' },
  ),
];

export const BROKER_PROBES: readonly Probe[] = [...SUBSCRIPTIONS, ...MEMORY, ...HOMES];
