import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let api: TestApi;
let streams = () => 0;
beforeAll(async () => {
  api = await startTestApi({
    connections: 11,
    beforeListening: (_app, { live }) => {
      streams = () => live?.count() ?? 0;
    },
  });
});
afterAll(() => api.close());

interface Asked {
  path: string;
  key: string;
  /** Time in ms from sending a request to aborting it. */
  afterMs: number;
}

const head = ({ path, key }: Asked) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
async function overTls(text: string, afterMs: number): Promise<void> {
  const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(text);
  await pause(afterMs);
  socket.destroy();
}

/** Ways to send requests and abort them. Each function sends ten requests and aborts them without waiting for a response. */
const WAYS: Record<string, (asked: Asked) => Promise<void>> = {
  async 'HTTP/2, streams reset'({ path, key, afterMs }) {
    const session = connectHttp2(`https://localhost:${api.port}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    await once(session, 'connect');
    const asked = Array.from({ length: 10 }, () =>
      session.request({ ':path': path, authorization: `Bearer ${key}` }).on('error', () => {}),
    );
    await pause(afterMs);
    for (const stream of asked) stream.close(constants.NGHTTP2_CANCEL);
    await pause(50);
    session.destroy();
  },
  async 'HTTP/2, connection ended'({ path, key, afterMs }) {
    const session = connectHttp2(`https://localhost:${api.port}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    await once(session, 'connect');
    for (let turn = 0; turn < 10; turn++)
      session.request({ ':path': path, authorization: `Bearer ${key}` }).on('error', () => {});
    await pause(afterMs);
    session.destroy();
  },
  async 'HTTP/1.1'(asked) {
    await Promise.all(Array.from({ length: 10 }, () => overTls(head(asked), asked.afterMs)));
  },
  'HTTP/1.1, pipelined': (asked) => overTls(head(asked).repeat(10), asked.afterMs),
};

test.each(Object.keys(WAYS))('aborted requests (%s) cost an account nothing afterwards', async (name) => {
  const { key } = await api.user('homeowner');
  // Delays from 0 to 100 ms abort the requests at different stages.
  for (const afterMs of [0, 2, 5, 15, 30, 100]) await WAYS[name]?.({ path: '/v1/devices', key, afterMs });
  const statuses = async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.send('/v1/devices', { key })));
    return answers.map(({ status }) => status);
  };
  await expect.poll(statuses, { timeout: 4_000 }).toEqual(Array(6).fill(200));
});

test.each(Object.keys(WAYS))('aborted streams (%s) do not use up the limit of open streams', async (name) => {
  const { key } = await api.user('homeowner');
  for (const afterMs of [0, 5, 15, 30]) await WAYS[name]?.({ path: '/v1/usage/stream', key, afterMs });
  await expect.poll(streams).toBe(0);
});

test.each(Object.keys(WAYS))('an aborted export (%s) makes room for the next one', async (name) => {
  const { key, userId } = await api.user('homeowner');
  const path = `/v1/users/${userId}/export`;
  for (const afterMs of [0, 5, 15, 30]) await WAYS[name]?.({ path, key, afterMs });
  await expect.poll(async () => (await api.send(path, { key })).status).toBe(200);
});
