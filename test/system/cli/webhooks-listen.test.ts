import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { verifyWebhook } from '#clients/typescript/webhooks.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

const ADMIN = 'admin@listen.example';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let worker: RoleProcess;
let program: Server;
/** Requests that the listener forwarded to the developer's own receiver. */
const received: { headers: IncomingHttpHeaders; body: string; url: string }[] = [];
let status = 204;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  worker = await startRole('worker', environment());
  program = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request), url: request.url ?? '' });
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(program, 'listening');
  await energy('users', 'create', '--email', ADMIN, '--role', 'admin');
});
afterAll(async () => {
  await worker.stop();
  program.close();
  await database.drop();
  await folder.remove();
});

const environment = () => ({ DATABASE_URL: database.url, DATA_DIR: folder.path });
const run = (args: string[]) =>
  spawn(process.execPath, [TESTED_PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...environment() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Runs a command until it ends. Returns the JSON objects that it has printed. */
// biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
async function energy(...args: string[]): Promise<any[]> {
  const child = run([...args, '--json']);
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(child.exitCode).toBe(0);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Starts a listener. The promise resolves when the listener has printed its subscription and secret. */
async function listener(...more: string[]) {
  const { port } = program.address() as AddressInfo;
  const to = `http://127.0.0.1:${port}/hooks?a=1`;
  const child = run(['webhooks', 'listen', '--user', ADMIN, '--forward-to', to, '--json', ...more]);
  // biome-ignore lint/suspicious/noExplicitAny: the command prints lines of several kinds
  const lines: any[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  await vi.waitFor(() => expect(lines).not.toEqual([]), 20_000);
  return { child, lines, webhookId: lines[0].webhook_id as string, secret: lines[0].auth_token as string };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode;
}
const subscriptions = () => energy('webhooks', 'list', '--user', ADMIN);
const until = (count: number) => vi.waitFor(() => expect(received).toHaveLength(count), 15_000);

test('forwards events signed by the printed secret, a failed one again on request, and ends its subscription', async () => {
  const { child, lines, webhookId, secret } = await listener('--events', 'user.created');
  expect(await subscriptions()).toMatchObject([{ webhook_id: webhookId, events: ['user.created'] }]);
  await energy('users', 'create', '--email', 'new@listen.example');
  await until(1);
  const [first] = received;
  const event = await verifyWebhook(first?.body ?? '', first?.headers as Record<string, string>, secret);
  expect(event).toMatchObject({ type: 'user.created', data: { email: 'new@listen.example' } });
  expect(first).toMatchObject({ url: '/hooks?a=1', headers: { 'content-type': 'application/json' } });

  status = 500;
  await energy('webhooks', 'test', webhookId);
  await until(2);
  await vi.waitFor(() => expect(lines).toHaveLength(3), 5_000);
  expect(lines[1]).toMatchObject({ event: 'user.created', event_id: event.id, response_status: 204, error: null });
  expect(lines[2]).toMatchObject({ event: 'webhook.test', response_status: 500 });
  status = 204;
  await energy('webhooks', 'retry', webhookId, lines[2].delivery_id);
  await until(3);
  expect(received[2]?.body).toBe(received[1]?.body);

  await new Promise((done) => program.close(done).closeAllConnections());
  await energy('webhooks', 'test', webhookId);
  await vi.waitFor(() => expect(lines).toHaveLength(5), 15_000);
  expect(lines[4]).toMatchObject({
    response_status: null,
    error: expect.stringMatching(/^nothing listens at the pro/),
  });
  await once(program.listen(0, '127.0.0.1'), 'listening');

  expect(await end(child, 'SIGINT')).toBe(0);
  expect(await subscriptions()).toEqual([]);
  const acts = (await energy('audit', '--limit', '20')).map(({ action }) => action);
  expect(acts).toEqual(expect.arrayContaining(['webhook.created', 'webhook.deleted']));
});

test('ends the subscription of a killed listener, and keeps that of a running one', async () => {
  const killed = await listener();
  const running = await listener();
  await end(killed.child, 'SIGKILL');
  expect(await subscriptions()).toHaveLength(2);
  const third = await listener('--auth-token', 'a secret of my own');
  expect(third.secret).toBe('a secret of my own');
  expect((await subscriptions()).map((one) => one.webhook_id)).toEqual([running.webhookId, third.webhookId]);
  await energy('webhooks', 'delete', third.webhookId, '--yes');
  await vi.waitFor(() => expect(third.child.exitCode).toBe(1), 5_000);
  expect(await end(running.child, 'SIGTERM')).toBe(0);
  expect(await subscriptions()).toEqual([]);
});
