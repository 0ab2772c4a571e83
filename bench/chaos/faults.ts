import { connectAsync } from 'mqtt';
import { generate } from 'mqtt-packet';
import type { PairedDevice } from '../support.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import { CLOCK_FAULTS } from './clocks.ts';
import type { Fault } from './fault.ts';
import { fillDisk, type Installation } from './installation.ts';

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Intensity of the faults. */
export interface FaultScale {
  floodS: number;
  queuedMessages: number;
  apiKills: number;
  /** Sessions that each leave 50 messages of 1 MB unreleased. */
  unreleasedSessions: number;
}

/**
 * Delays of the kills after the service stores readings again, in ms. They differ, so that the kills hit different stages of requests and
 * transactions.
 */
const KILL_AFTER_MS = [2_700, 1_310, 2_530, 1_190, 3_870, 2_430, 1_250, 3_610];

/** Kills the API, which stores the readings of HTTPS, while it stores them. */
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

/** Resolves once the database contains more readings than now. The supervisor restarts a role ever later, after 10 s at most. */
async function untilMoreReadings({ pool }: Installation): Promise<void> {
  const count = async () => (await pool.query('SELECT count(*)::int AS n FROM readings')).rows[0].n as number;
  const before = await count();
  const untilMs = performance.now() + scaleTimeLimitMs(60_000);
  while ((await count()) <= before) {
    if (performance.now() > untilMs) throw new Error(describeTimeout('no reading is stored after a kill', 60_000));
    await wait(50);
  }
}

/** An additional device, whose readings are not counted, publishes as fast as it can. */
const floods = (broker: Fault['broker'], floodS: number): Fault => ({
  name: `a device floods for ${floodS} s`,
  broker,
  async harm(installation) {
    const [{ deviceId, secret }] = (await installation.players(1)) as [PairedDevice];
    const client = await connectAsync(installation.brokerUrl, { username: deviceId, password: secret });
    const until = Date.now() + floodS * 1_000;
    const startMs = Date.now() - 20 * 3_600_000;
    for (let index = 0; Date.now() < until; index += 1_000) {
      const burst = Array.from({ length: 1_000 }, (_, each) =>
        client.publishAsync(
          `energy/v1/${deviceId}/readings`,
          JSON.stringify({ ts: startMs + (index + each) * 50, power_w: 100 }),
          { qos: 1 },
        ),
      );
      await Promise.all(burst);
    }
    await client.endAsync();
  },
});

export const createFaults = ({
  floodS,
  queuedMessages,
  apiKills,
  unreleasedSessions,
}: FaultScale): readonly Fault[] => [
  ...CLOCK_FAULTS,
  killsApi(apiKills),
  {
    name: 'ingest (with its broker) killed, three times',
    broker: 'embedded',
    async harm(installation) {
      for (let time = 0; time < 3; time++) {
        installation.kill('energy ingest');
        await wait(1_500);
      }
    },
  },
  {
    name: 'PostgreSQL killed',
    broker: 'embedded',
    async harm(installation) {
      installation.kill('postgres');
    },
  },
  {
    name: 'PostgreSQL does not answer for 15 s',
    broker: 'embedded',
    async harm(installation) {
      const pids = installation.pidsOf('postgres');
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await wait(15_000);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
  },
  {
    name: 'disk full for 10 s',
    broker: 'embedded',
    diskMb: 700,
    async harm({ folder }) {
      const free = await fillDisk(folder);
      await wait(10_000);
      await free();
    },
  },
  {
    name: 'everything killed, and started again',
    broker: 'embedded',
    async harm(installation) {
      installation.kill('energy supervisor');
      installation.kill('energy ingest');
      installation.kill('postgres');
      await wait(500);
      await installation.start();
    },
  },
  {
    name: 'stopped (SIGTERM) amid a batch, and started again',
    broker: 'embedded',
    async harm(installation) {
      await installation.stop();
      await installation.start();
    },
  },
  {
    name: 'rubbish from a device: binary, 1 MiB, wrong clock, half JSON',
    broker: 'embedded',
    async harm(installation) {
      // An additional device, whose readings are not counted.
      const [{ deviceId, secret }] = (await installation.players(1)) as [PairedDevice];
      const client = await connectAsync(installation.brokerUrl, { username: deviceId, password: secret });
      client.on('error', () => {});
      const topic = `energy/v1/${deviceId}/readings`;
      const payloads = [
        Buffer.from([0, 255, 254, 0, 1]),
        Buffer.alloc(1_000_000, 'x'),
        Buffer.from('{"energy_total_kwh": 1'),
        Buffer.from(JSON.stringify({ ts: '2099-01-01T00:00:00Z', energy_total_kwh: 1 })),
        Buffer.from(JSON.stringify({ ts: 0, energy_total_kwh: 1 })),
        Buffer.from('[]'),
        Buffer.from(`[${'{"power_w":1},'.repeat(20_000)}{"power_w":1}]`),
      ];
      for (let round = 0; round < 20; round++)
        for (const payload of payloads) await client.publishAsync(topic, payload, { qos: 1 });
      await client.endAsync(true);
    },
  },
  {
    name: 'QoS 2 memory: messages of a login that are never released',
    broker: 'embedded',
    maxGrowthMib: 300,
    async harm(installation) {
      const [{ deviceId, secret }] = (await installation.players(1)) as [PairedDevice];
      const payload = Buffer.alloc(1_000_000, ' ');
      for (let session = 0; session < unreleasedSessions; session++) {
        const client = await connectAsync(installation.brokerUrl, {
          username: deviceId,
          password: secret,
          clientId: `never${session}`,
          clean: false,
          reconnectPeriod: 0,
        });
        client.on('error', () => {});
        // mqtt.js answers a PUBREC with a PUBREL; this client never does.
        let received = 0;
        client.on('packetreceive', ({ cmd }) => {
          if (cmd === 'pubrec') received++;
        });
        for (let messageId = 1; messageId <= 50; messageId++) {
          const topic = messageId === 1 ? '$SYS/broker/connection/x' : `energy/v1/${deviceId}/readings`;
          client.stream.write(
            generate({ cmd: 'publish', topic, payload, qos: 2, messageId, dup: false, retain: false }),
          );
        }
        const untilMs = performance.now() + 10_000;
        while (received < 50 && client.connected && performance.now() < untilMs) await wait(25);
        client.stream.destroy();
      }
    },
  },
  floods('embedded', floodS),
  floods('mosquitto', floodS),
  {
    name: 'ingest killed, three times',
    broker: 'mosquitto',
    async harm(installation) {
      for (let time = 0; time < 3; time++) {
        installation.kill('energy ingest');
        await wait(1_500);
      }
    },
  },
  {
    name: 'PostgreSQL killed',
    broker: 'mosquitto',
    async harm(installation) {
      installation.kill('postgres');
    },
  },
  {
    name: 'broker restarted, with its persistence',
    broker: 'mosquitto',
    async harm({ mosquitto }) {
      await mosquitto.stop('SIGTERM');
      await wait(1_000);
      await mosquitto.start();
    },
  },
  {
    name: 'broker restarted, without persistence',
    broker: 'mosquitto',
    persistence: false,
    brokerForgets: true,
    async harm({ mosquitto }) {
      await mosquitto.stop('SIGTERM');
      await wait(1_000);
      await mosquitto.start();
    },
  },
  {
    name: `service away while ${queuedMessages.toLocaleString('en')} messages queue`,
    broker: 'mosquitto',
    async harm(installation) {
      const [{ deviceId }] = (await installation.players(1)) as [PairedDevice];
      await installation.stop();
      const client = await connectAsync(installation.brokerUrl);
      const startMs = Date.now() - 20 * 3_600_000;
      const publish = (index: number) =>
        client.publishAsync(
          `energy/v1/${deviceId}/readings`,
          JSON.stringify({ ts: startMs + index * 500, power_w: 100 }),
          { qos: 1 },
        );
      for (let from = 0; from < queuedMessages; from += 1_000) {
        await Promise.all(Array.from({ length: 1_000 }, (_, index) => publish(from + index)));
      }
      await client.endAsync();
      await installation.start();
    },
  },
];
