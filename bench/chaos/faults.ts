import { connectAsync, type MqttClient } from 'mqtt';
import { generate } from 'mqtt-packet';
import type { PairedDevice } from '../support.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import { CLOCK_FAULTS } from './clocks.ts';
import type { Fault } from './fault.ts';
import { fillDisk, type Installation } from './installation.ts';

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Intensity of the faults. */
interface FaultIntensity {
  floodS: number;
  queuedMessages: number;
  apiKills: number;
  /** Number of MQTT sessions, in each of which 50 QoS 2 messages of 1 MB are never released. */
  unreleasedSessions: number;
}

/**
 * Delays in ms from the moment at which readings are stored again until the next kill. They differ, so that the kills hit different stages
 * of requests and transactions.
 */
const KILL_AFTER_MS = [2_700, 1_310, 2_530, 1_190, 3_870, 2_430, 1_250, 3_610];

/** Resolves when the database contains more readings than at the time of the call. After each further kill, this may take 10 s longer. */
async function untilMoreReadings({ pool }: Installation): Promise<void> {
  const count = async () => (await pool.query('SELECT count(*)::int AS n FROM readings')).rows[0].n as number;
  const before = await count();
  const untilMs = performance.now() + scaleTimeLimitMs(60_000);
  while ((await count()) <= before) {
    if (performance.now() > untilMs) throw new Error(describeTimeout('no reading is stored after a kill', 60_000));
    await wait(50);
  }
}

/** Connects an additional device, whose readings are not included in the comparison. */
async function connectDevice(installation: Installation) {
  const [{ deviceId, secret }] = (await installation.players(1)) as [PairedDevice];
  const client = await connectAsync(installation.brokerUrl, { username: deviceId, password: secret });
  return { client, deviceId };
}

/** Number of messages that are published before the client waits for their acknowledgements. */
const BURST = 1_000;

/** Publishes readings whose times begin at `startMs`. Resolves when all are acknowledged. */
async function publishBurst(client: MqttClient, deviceId: string, startMs: number, stepMs: number): Promise<void> {
  const publish = (ts: number) =>
    client.publishAsync(`energy/v1/${deviceId}/readings`, JSON.stringify({ ts, power_w: 100 }), { qos: 1 });
  await Promise.all(Array.from({ length: BURST }, (_, each) => publish(startMs + each * stepMs)));
}

/** Kills the API repeatedly while it stores readings that it receives over HTTPS. */
const killsApi = (apiKills: number): Fault => ({
  name: `API killed ${apiKills} times, readings over HTTPS`,
  broker: 'embedded',
  transport: 'https',
  perSecond: 500,
  async harm(installation) {
    for (let time = 0; time < apiKills; time++) {
      await untilMoreReadings(installation);
      await wait(KILL_AFTER_MS[time % KILL_AFTER_MS.length] as number);
      installation.kill('energy api');
    }
  },
});

const killsIngest = (name: string, broker: Fault['broker']): Fault => ({
  name,
  broker,
  async harm(installation) {
    for (let time = 0; time < 3; time++) {
      installation.kill('energy ingest');
      await wait(1_500);
    }
  },
});

const killsPostgres = (broker: Fault['broker']): Fault => ({
  name: 'PostgreSQL killed',
  broker,
  async harm(installation) {
    installation.kill('postgres');
  },
});

const SILENT_POSTGRES: Fault = {
  name: 'PostgreSQL does not answer for 15 s',
  broker: 'embedded',
  async harm(installation) {
    const pids = installation.pidsOf('postgres');
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await wait(15_000);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  },
};

const FULL_DISK: Fault = {
  name: 'disk full for 10 s',
  broker: 'embedded',
  diskMb: 700,
  async harm({ folder }) {
    const free = await fillDisk(folder);
    await wait(10_000);
    await free();
  },
};

const EVERYTHING_KILLED: Fault = {
  name: 'everything killed, and started again',
  broker: 'embedded',
  async harm(installation) {
    installation.kill('energy supervisor');
    installation.kill('energy ingest');
    installation.kill('postgres');
    await wait(500);
    await installation.start();
  },
};

const STOPPED: Fault = {
  name: 'stopped (SIGTERM) amid a batch, and started again',
  broker: 'embedded',
  async harm(installation) {
    await installation.stop();
    await installation.start();
  },
};

const RUBBISH = [
  Buffer.from([0, 255, 254, 0, 1]),
  Buffer.alloc(1_000_000, 'x'),
  Buffer.from('{"energy_total_kwh": 1'),
  Buffer.from(JSON.stringify({ ts: '2099-01-01T00:00:00Z', energy_total_kwh: 1 })),
  Buffer.from(JSON.stringify({ ts: 0, energy_total_kwh: 1 })),
  Buffer.from('[]'),
  Buffer.from(`[${'{"power_w":1},'.repeat(20_000)}{"power_w":1}]`),
];

const SENDS_RUBBISH: Fault = {
  name: 'rubbish from a device: binary, 1 MiB, wrong clock, half JSON',
  broker: 'embedded',
  async harm(installation) {
    const { client, deviceId } = await connectDevice(installation);
    client.on('error', () => {});
    const topic = `energy/v1/${deviceId}/readings`;
    for (let round = 0; round < 20; round++)
      for (const payload of RUBBISH) await client.publishAsync(topic, payload, { qos: 1 });
    await client.endAsync(true);
  },
};

/** Number of QoS 2 messages that a session never releases. */
const UNRELEASED = 50;

/** Sends QoS 2 messages in a session of its own and never releases them (sends no PUBREL). */
async function leaveUnreleased(brokerUrl: string, { deviceId, secret }: PairedDevice, clientId: string): Promise<void> {
  const client = await connectAsync(brokerUrl, {
    username: deviceId,
    password: secret,
    clientId,
    clean: false,
    reconnectPeriod: 0,
  });
  client.on('error', () => {});
  const payload = Buffer.alloc(1_000_000, ' ');
  // mqtt.js would answer each PUBREC with a PUBREL. This client never does.
  let received = 0;
  client.on('packetreceive', ({ cmd }) => {
    if (cmd === 'pubrec') received++;
  });
  for (let messageId = 1; messageId <= UNRELEASED; messageId++) {
    const topic = messageId === 1 ? '$SYS/broker/connection/x' : `energy/v1/${deviceId}/readings`;
    client.stream.write(generate({ cmd: 'publish', topic, payload, qos: 2, messageId, dup: false, retain: false }));
  }
  const untilMs = performance.now() + 10_000;
  while (received < UNRELEASED && client.connected && performance.now() < untilMs) await wait(25);
  client.stream.destroy();
}

const fillsMemory = (sessions: number): Fault => ({
  name: 'QoS 2 memory: messages of a login that are never released',
  broker: 'embedded',
  maxGrowthMib: 300,
  async harm(installation) {
    const [device] = (await installation.players(1)) as [PairedDevice];
    for (let session = 0; session < sessions; session++)
      await leaveUnreleased(installation.brokerUrl, device, `never${session}`);
  },
});

/** Lets an additional device publish as fast as it can. Its readings are not included in the comparison. */
const floods = (broker: Fault['broker'], floodS: number): Fault => ({
  name: `a device floods for ${floodS} s`,
  broker,
  async harm(installation) {
    const { client, deviceId } = await connectDevice(installation);
    const until = Date.now() + floodS * 1_000;
    const startMs = Date.now() - 20 * 3_600_000;
    for (let index = 0; Date.now() < until; index += BURST)
      await publishBurst(client, deviceId, startMs + index * 50, 50);
    await client.endAsync();
  },
});

/** Restarts mosquitto. `persistence`: whether it stores sessions and messages on disk. */
const restartsBroker = (persistence: boolean): Fault => ({
  name: `broker restarted, ${persistence ? 'with its persistence' : 'without persistence'}`,
  broker: 'mosquitto',
  ...(!persistence && { persistence, brokerForgets: true }),
  async harm({ mosquitto }) {
    await mosquitto.stop('SIGTERM');
    await wait(1_000);
    await mosquitto.start();
  },
});

const staysAway = (queuedMessages: number): Fault => ({
  name: `service away while ${queuedMessages.toLocaleString('en')} messages queue`,
  broker: 'mosquitto',
  async harm(installation) {
    const [{ deviceId }] = (await installation.players(1)) as [PairedDevice];
    await installation.stop();
    const client = await connectAsync(installation.brokerUrl);
    const startMs = Date.now() - 20 * 3_600_000;
    for (let from = 0; from < queuedMessages; from += BURST)
      await publishBurst(client, deviceId, startMs + from * 500, 500);
    await client.endAsync();
    await installation.start();
  },
});

export const createFaults = ({
  floodS,
  queuedMessages,
  apiKills,
  unreleasedSessions,
}: FaultIntensity): readonly Fault[] => [
  ...CLOCK_FAULTS,
  killsApi(apiKills),
  killsIngest('ingest (with its broker) killed, three times', 'embedded'),
  killsPostgres('embedded'),
  SILENT_POSTGRES,
  FULL_DISK,
  EVERYTHING_KILLED,
  STOPPED,
  SENDS_RUBBISH,
  fillsMemory(unreleasedSessions),
  floods('embedded', floodS),
  floods('mosquitto', floodS),
  killsIngest('ingest killed, three times', 'mosquitto'),
  killsPostgres('mosquitto'),
  restartsBroker(true),
  restartsBroker(false),
  staysAway(queuedMessages),
];
