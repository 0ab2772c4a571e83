import { computeQuantile } from '../../support.ts';
import { openSocket } from '../client.ts';
import { assertProbeCondition, defineProbe, type Probe, ProbeFailedError } from '../probe.ts';
import { type AttackedInstallation, type Person, pause } from '../world.ts';
import { measurePubackMs } from './mqtt.ts';

const HOUR_MS = 3_600_000;
const YEAR_HOURS = 364 * 24;

/** Gives an account a meter with `count` hourly register readings. Returns the time of the first reading. */
export async function publishHourlyReadings(
  world: AttackedInstallation,
  userId: string,
  count: number,
): Promise<number> {
  const device = await world.device({ userId });
  const client = await world.connect(device);
  const firstMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - count * HOUR_MS;
  const hours = Array.from({ length: count }, (_, hour) => ({
    ts: firstMs + hour * HOUR_MS,
    energy_total_kwh: 1_000 + hour * 0.25,
  }));
  for (let at = 0; at < hours.length; at += 500)
    await client.publishAsync(device.topic, JSON.stringify(hours.slice(at, at + 500)), { qos: 1 });
  await client.endAsync(true);
  return firstMs;
}

/** Creates a homeowner with a year of hourly data. Returns the account, and the path of a request for the whole year. */
async function homeWithAYear(world: AttackedInstallation): Promise<Person & { path: string }> {
  const owner = await world.person('homeowner');
  const firstMs = await publishHourlyReadings(world, owner.userId, YEAR_HOURS);
  const [start, end] = [firstMs, firstMs + YEAR_HOURS * HOUR_MS - 1].map((ms) =>
    new Date(ms).toISOString().slice(0, 10),
  );
  return { ...owner, path: `/v1/energy-insights?group_by=hour&start=${start}&end=${end}` };
}

/** Returns the 99th percentile of repeated measurements, in ms. */
async function p99(times: number, pauseMs: number, one: () => Promise<number>): Promise<number> {
  const measured: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    measured.push(await one());
    await pause(pauseMs);
  }
  return computeQuantile(measured, 0.99);
}

/** Returns how long a neighbour's request takes, in ms. */
async function answerMs(world: AttackedInstallation, { key }: Person): Promise<number> {
  const fromMs = performance.now();
  const { status } = await world.ask('GET', '/v1/devices', { key });
  if (status !== 200) throw new ProbeFailedError(`a neighbour got ${status}`);
  return performance.now() - fromMs;
}

export const LOAD_PROBES: readonly Probe[] = [
  defineProbe(
    '110 questions of a year of hours by one account leave a neighbour its answers',
    async (world) => {
      const hog = await homeWithAYear(world);
      const neighbour = await world.person('homeowner');
      await answerMs(world, neighbour);
      let isOver = false;
      let answered = 0;
      // While the neighbour's requests run, a hog (an account that overloads the service) always has 110 requests in progress.
      const asked = Array.from({ length: 110 }, async () => {
        while (!isOver)
          if ((await world.ask('GET', hog.path, { key: hog.key, isDiscarded: true })).status === 200) answered++;
      });
      await pause(500);
      const slowest = await p99(20, 50, () => answerMs(world, neighbour));
      isOver = true;
      await Promise.all(asked);
      assertProbeCondition(answered > 0, 'none of the questions was answered');
      assertProbeCondition(slowest < 3_000, `the neighbour waited for ${Math.round(slowest)} ms`);
    },
    { kind: 'alone', needs: ['mqtt'] },
  ),
  defineProbe(
    'an account that asks and hangs up, again and again, leaves a neighbour its answers',
    async (world) => {
      const hog = await homeWithAYear(world);
      const neighbour = await world.person('homeowner');
      const head = `GET ${hog.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hog.key}\r\n\r\n`;
      let isOver = false;
      const asked = Array.from({ length: 60 }, async () => {
        while (!isOver) {
          const socket = openSocket(world.target.api, 'tls');
          socket.write(head);
          await pause(150);
          socket.destroy();
        }
      });
      await pause(500);
      const slowest = await p99(20, 50, () => answerMs(world, neighbour));
      isOver = true;
      await Promise.all(asked);
      assertProbeCondition(slowest < 3_000, `the neighbour waited for ${Math.round(slowest)} ms`);
    },
    { kind: 'alone', needs: ['mqtt'] },
  ),
  defineProbe(
    'five messages a second of a device with 20,000 channels leave a neighbour’s PUBACK',
    async (world) => {
      const [hog, neighbour] = [await world.device(), await world.device()];
      const [hogs, client] = [await world.connect(hog), await world.connect(neighbour)];
      // The message has the maximum number of channels that the service accepts.
      const channels = Array.from({ length: 20_000 }, (_, index) => ({ power_w: 1, channel: `c${index}` }));
      for (let at = 0; at < channels.length; at += 2_000)
        await hogs.publishAsync(hog.topic, JSON.stringify(channels.slice(at, at + 2_000)), { qos: 1 });
      await measurePubackMs(client, neighbour.topic);
      const hogging = setInterval(() => hogs.publish(hog.topic, '{"power_w":1,"channel":"c1"}', { qos: 1 }), 200);
      const slowest = await p99(50, 80, () => measurePubackMs(client, neighbour.topic));
      clearInterval(hogging);
      assertProbeCondition(slowest < 500, `the neighbour’s PUBACK took ${Math.round(slowest)} ms`);
    },
    { kind: 'alone', needs: ['mqtt'] },
  ),
];
