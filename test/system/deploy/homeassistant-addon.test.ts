import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addonConfigSchema, parseAddonOptions } from '#test/support/addon-schema.ts';
import { readImageContents } from '#test/support/compose-file.ts';
import { type ProgramInRootFilesystem, startInRootFilesystem } from '#test/support/root-filesystem.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { sendRequest } from '../../../bench/attack/client.ts';
import { findFreePorts } from '../../../bench/service.ts';

/**
 * Starts the Home Assistant add-on as its container does, with the options file, a test version of the supervisor's API, and a broker. The
 * root file system contains the service of this checkout.
 */
const ADDON = resolve(import.meta.dirname, '../../../deploy/homeassistant-addon');
const TOKEN = 'token-of-the-supervisor';
const EMAIL = 'me@example.com';
/** Login at Home Assistant's broker, with characters that have a special meaning in a URL. */
const LOGIN = { username: 'addons', password: 'p@ss/word:#%' };

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let ports: Awaited<ReturnType<typeof findFreePorts>>;
let config: ReturnType<typeof addonConfigSchema.parse>;
let supervisor: Server;
let broker: Aedes;
let brokerServer: ReturnType<typeof createTcpServer>;
/** Whether the supervisor's API reports an MQTT broker. */
let hasBroker = false;
/** Requests that the supervisor's API received, and topics on which the add-on's login published. */
const requests: string[] = [];
const topics: string[] = [];
let container: ProgramInRootFilesystem | undefined;

const portOf = (server: { address(): unknown }): number => (server.address() as { port: number }).port;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  ports = await findFreePorts();
  config = addonConfigSchema.parse(parse(await readFile(join(ADDON, 'config.yaml'), 'utf8')));
  broker = await Aedes.createBroker({
    authenticate: (_client, username, password, done) =>
      done(null, username === LOGIN.username && password?.toString() === LOGIN.password),
  });
  broker.on('publish', ({ topic }, client) => client && topics.push(topic));
  brokerServer = createTcpServer(broker.handle).listen(0, '127.0.0.1');
  supervisor = createServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url} ${headers.authorization}`);
    const data = {
      addon: 'core_mosquitto',
      host: '127.0.0.1',
      port: portOf(brokerServer),
      ssl: false,
      protocol: '3.1.1',
    };
    response.writeHead(hasBroker ? 200 : 400, { 'Content-Type': 'application/json' });
    const error = { result: 'error', message: 'Service not enabled' };
    response.end(JSON.stringify(hasBroker ? { result: 'ok', data: { ...data, ...LOGIN } } : error));
  }).listen(0, '127.0.0.1');
  await Promise.all([brokerServer, supervisor].map((one) => one.listening || once(one, 'listening')));
});
afterAll(async () => {
  container?.process.kill('SIGKILL');
  await container?.ended;
  await new Promise<void>((done) => broker.close(() => done()));
  brokerServer.close();
  supervisor.close();
  await folder.remove();
});

/** Starts the container, and waits until it has printed the link to sign in. The published ports are replaced by free ones. */
async function start(): Promise<ProgramInRootFilesystem> {
  const [, command = '[]'] = /^CMD (.+)$/m.exec(await readFile(join(ADDON, 'Dockerfile'), 'utf8')) ?? [];
  const [program, script] = JSON.parse(command);
  const started = startInRootFilesystem({
    folder: folder.path,
    copied: readImageContents().folders,
    user: 0,
    capabilities: ['chown', 'setuid', 'setgid'],
    file: join(ADDON, script),
    command: [program, script, 'bin/energy.js'],
    env: {
      ...config.environment,
      ...ports,
      TZ: 'Europe/Berlin',
      SUPERVISOR_TOKEN: TOKEN,
      SUPERVISOR_API: `http://127.0.0.1:${portOf(supervisor)}`,
    },
  });
  container = started;
  const ended = started.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${started.output()}`)));
  ended.catch(() => {});
  await Promise.race([expect.poll(started.output).toMatch(/dashboard\/sign-in#\S+\s*$/), ended]);
  return started;
}

async function stop(started: ProgramInRootFilesystem): Promise<void> {
  started.terminate();
  expect(await started.ended).toBe(0);
}

test('starts from its options, serves the dashboard, and shows the home in Home Assistant once that has a broker', async () => {
  const data = join(folder.path, 'data');
  await mkdir(data);
  const publicUrl = `https://homeassistant.local:${ports.API_PORT}`;
  // The options file, as the supervisor of Home Assistant writes it.
  const options = parseAddonOptions(config, { email: EMAIL, public_url: publicUrl });
  await writeFile(join(data, 'options.json'), JSON.stringify(options), { mode: 0o600 });

  const first = await start();
  expect(first.output()).toContain('Home Assistant has no MQTT broker yet');
  expect(first.output()).toContain(`This link signs you in as ${EMAIL}`);
  expect(first.output()).toContain(`${publicUrl}/dashboard/sign-in#`);
  const ask = (address: string) =>
    sendRequest(
      { host: '127.0.0.1', port: Number(ports.API_PORT) },
      'GET',
      new URL(address.replace(/^.*\]/, 'https://host')).pathname,
    );
  expect(await ask(config.webui)).toMatchObject({ status: 200, text: expect.stringContaining('Energy dashboard') });
  expect((await ask(config.watchdog)).status).toBe(200);
  await stop(first);

  hasBroker = true;
  const second = await start();
  expect(second.output()).not.toContain('eus_live_');
  await expect.poll(second.output).toContain('connected with Home Assistant’s broker');
  await expect.poll(() => topics).toContainEqual(expect.stringMatching(/^energy-usage\/.+\/status$/));
  await stop(second);
  expect(second.output()).not.toMatch(/names an account that is not there/);
  expect(requests).toEqual(Array(2).fill(`GET /services/mqtt Bearer ${TOKEN}`));
});
