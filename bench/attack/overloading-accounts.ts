import mqtt from 'mqtt';
import { openSocket, type ServerAddress, sendRequest } from './client.ts';

/**
 * The task of a hog process (an account that overloads the service): the service's address, the account to use, and the paths to request.
 */
export interface OverloadingAccountTask {
  kind: keyof typeof OVERLOADING_ACCOUNTS;
  api: ServerAddress;
  mqtt: ServerAddress;
  key: string;
  login: { username: string; password: string; topic: string };
  /** Path of a slow request. */
  path: string;
  webhookIds: string[];
}

const CHANNELS = 20_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function device({ mqtt: { host, port }, login: { username, password } }: OverloadingAccountTask) {
  const client = await mqtt.connectAsync(`mqtt://${host}:${port}`, { username, password, reconnectPeriod: 100 });
  client.on('error', () => {});
  return client;
}

/** Kinds of hogs: accounts that overload the service until their process is ended. Each function resolves when the load has begun. */
export const OVERLOADING_ACCOUNTS = {
  async 'a device with 20,000 channels'(task: OverloadingAccountTask) {
    const client = await device(task);
    const { topic } = task.login;
    const elements = Array.from({ length: CHANNELS }, (_, index) => ({ power_w: 1, channel: `c${index}` }));
    for (let at = 0; at < CHANNELS; at += 2_000)
      await client.publishAsync(topic, JSON.stringify(elements.slice(at, at + 2_000)), { qos: 1 });
    setInterval(() => client.publish(topic, '{"power_w":1,"channel":"c1"}', { qos: 1 }), 200);
  },
  async 'a flood of readings'(task: OverloadingAccountTask) {
    const client = await device(task);
    let second = Math.floor(Date.now() / 1_000) - 20 * 86_400;
    const publish = async () => {
      for (;;) {
        const reading = { ts: second++, energy_total_kwh: 1_000 + (second % 1e8) / 1e6 };
        await client.publishAsync(task.login.topic, JSON.stringify(reading), { qos: 1 }).catch(() => pause(100));
      }
    };
    for (let underWay = 0; underWay < 500; underWay++) void publish();
  },
  async '110 questions of a year of hours by one account'({ api, key, path }: OverloadingAccountTask) {
    const ask = async () => {
      for (;;) await sendRequest(api, 'GET', path, { key, isDiscarded: true }).catch(() => pause(100));
    };
    for (let underWay = 0; underWay < 110; underWay++) void ask();
    // Wait until all connections are open. Otherwise the measurement would include the cost of 110 TLS handshakes.
    await pause(1_500);
  },
  async 'slow bodies and silent sockets'({ api, key }: OverloadingAccountTask) {
    const head = `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const hold = (index: number) => {
      const socket = openSocket(api, index % 3 === 0 ? 'tcp' : 'tls');
      if (index % 3 === 1) socket.write(head);
      const dripping = setInterval(() => index % 3 === 1 && socket.writable && socket.write(' '), 500);
      socket.once('close', () => {
        clearInterval(dripping);
        setTimeout(hold, 100, index);
      });
    };
    for (let index = 0; index < 300; index++) hold(index);
    await pause(1_000);
  },
  async 'a hundred slow webhook receivers'({ api, key, webhookIds }: OverloadingAccountTask) {
    const everyMs = 5_000;
    // Spread the test calls over time. The responses overlap nevertheless, because the receivers are slow.
    const test = (id: string, index: number) => {
      const post = () => sendRequest(api, 'POST', `/v1/webhooks/${id}/test`, { key }).catch(() => {});
      setTimeout(() => setInterval(post, everyMs), (index * everyMs) / webhookIds.length);
      return post();
    };
    for (const [index, id] of webhookIds.entries()) await test(id, index);
  },
};

if (import.meta.main) {
  const task = JSON.parse(process.argv[2] ?? '') as OverloadingAccountTask;
  await OVERLOADING_ACCOUNTS[task.kind](task);
  process.send?.('begun');
}
