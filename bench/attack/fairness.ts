import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import { startWebhookReceiver } from '../../test/support/receiver.ts';
import { computeQuantile } from '../support.ts';
import { type ServerAddress, sendRequest } from './client.ts';
import { OVERLOADING_ACCOUNTS, type OverloadingAccountTask } from './overloading-accounts.ts';
import { publishHourlyReadings } from './probes/load.ts';
import { startInstallation } from './target.ts';
import { type AttackedInstallation, createAttackedInstallation, type Device, type Person, pause } from './world.ts';

const PHASE_MS = 5_000;
const ROUNDS = 3;
const EVERY_MS = 40;
const HOUR_MS = 3_600_000;
const YEAR_HOURS = 364 * 24;

/**
 * Waiting times (p99, in ms) of a neighbour: another account of the same service. They are measured in the same run, without and with a hog
 * (an account that overloads the service).
 */
interface Waits {
  without: number;
  with: number;
  ratio: number;
}

/** Result of the measurement of one hog (an account that overloads the service). */
export interface OverloadingAccountResult {
  hog: string;
  puback: Waits;
  answer: Waits;
  /** Time from `POST .../test` on a neighbour's subscription until the receiver of its webhooks is called. */
  webhook: Waits;
}

interface Neighbour {
  person: Person;
  client: MqttClient;
  device: Device;
  webhookId: string;
  received(): number;
}

interface Measured {
  puback: number[];
  answer: number[];
  webhook: number[];
}

/**
 * Measures how long a neighbour waits for a PUBACK, a response and a webhook, with and without each kind of hog (an account that overloads
 * the service).
 */
export async function measureFairness(
  print: (line: string) => void,
  options: { checkout?: string | undefined } = {},
): Promise<OverloadingAccountResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'energy-fairness-'));
  const [fast, slow] = [await startWebhookReceiver(), await startWebhookReceiver()];
  slow.answer = () => null;
  const ca = join(folder, 'receivers.pem');
  await writeFile(ca, `${fast.ca}\n${slow.ca}`);
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: ca };
  const target = await startInstallation({ ...options, env });
  const world = createAttackedInstallation(target);
  try {
    const neighbour = await neighbourOf(world, fast.url, () => fast.calls.length);
    const results: OverloadingAccountResult[] = [];
    for (const kind of Object.keys(OVERLOADING_ACCOUNTS) as OverloadingAccountTask['kind'][]) {
      print(kind);
      const task = await taskOf(world, kind, slow.url);
      const [without, hogged] = [empty(), empty()];
      for (let round = 0; round < ROUNDS; round++) {
        await measure(world, neighbour, without);
        const child = fork(join(import.meta.dirname, 'hogs.ts'), [JSON.stringify(task)], { stdio: 'ignore' });
        await once(child, 'message');
        await measure(world, neighbour, hogged);
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
        await pause(1_000);
      }
      const waits = (of: keyof Measured, share: number): Waits => {
        const [before, during] = [computeQuantile(without[of], share), computeQuantile(hogged[of], share)];
        return { without: round(before), with: round(during), ratio: Math.round((during / before) * 10) / 10 };
      };
      results.push({
        hog: kind,
        puback: waits('puback', 0.99),
        answer: waits('answer', 0.99),
        webhook: waits('webhook', 1),
      });
    }
    return results;
  } finally {
    await world.end();
    await target.remove();
    await Promise.all([fast.close(), slow.close(), rm(folder, { recursive: true })]);
  }
}

const empty = (): Measured => ({ puback: [], answer: [], webhook: [] });
const round = (ms: number) => Math.round(ms * 10) / 10;

async function subscribe(world: AttackedInstallation, key: string, url: string): Promise<string> {
  const body = { event: 'usage.updated', url, auth_token: 'a secret of the bench' };
  return (await world.must('POST', '/v1/webhooks', { key, body })).json.webhook_id;
}

async function neighbourOf(world: AttackedInstallation, url: string, received: () => number): Promise<Neighbour> {
  const person = await world.person('homeowner');
  const device = await world.device(person);
  const client = await world.connect(device);
  return { person, device, client, received, webhookId: await subscribe(world, person.key, url) };
}

async function taskOf(
  world: AttackedInstallation,
  kind: OverloadingAccountTask['kind'],
  url: string,
): Promise<OverloadingAccountTask> {
  const { userId, key } = await world.person('homeowner');
  const firstMs = /year/.test(kind) ? await publishHourlyReadings(world, userId, YEAR_HOURS) : Date.now();
  const [start, end] = [firstMs, firstMs + YEAR_HOURS * HOUR_MS - 1].map((ms) =>
    new Date(ms).toISOString().slice(0, 10),
  );
  const webhookIds = [];
  for (let count = /webhook/.test(kind) ? 100 : 0; count > 0; count--)
    webhookIds.push(await subscribe(world, key, url));
  const { username, password, topic } = await world.device({ userId });
  const path = `/v1/energy-insights?group_by=hour&start=${start}&end=${end}`;
  const { api, mqtt } = world.target;
  return { kind, api, mqtt: mqtt as ServerAddress, key, path, webhookIds, login: { username, password, topic } };
}

/** Measures a neighbour's waiting times during normal use, for the length of one phase. */
async function measure(
  world: AttackedInstallation,
  { person, client, device, webhookId, received }: Neighbour,
  into: Measured,
) {
  const untilMs = performance.now() + PHASE_MS;
  const timed = async (list: number[], one: () => Promise<unknown>, everyMs: number) => {
    while (performance.now() < untilMs) {
      const fromMs = performance.now();
      await one();
      list.push(performance.now() - fromMs);
      await pause(everyMs);
    }
  };
  let watts = 0;
  const publish = () => client.publishAsync(device.topic, JSON.stringify({ power_w: ++watts }), { qos: 1 });
  const ask = () => sendRequest(world.target.api, 'GET', '/v1/devices', { key: person.key });
  const notify = async () => {
    const before = received();
    await world.must('POST', `/v1/webhooks/${webhookId}/test`, { key: person.key });
    for (let turn = 0; received() === before && turn < 3_000; turn++) await pause(5);
  };
  await Promise.all([
    timed(into.puback, publish, EVERY_MS),
    timed(into.answer, ask, EVERY_MS),
    timed(into.webhook, notify, 500),
  ]);
}
