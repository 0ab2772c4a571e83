import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readComposeFile, readImageContents } from '#test/support/compose-file.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { type ProgramInRootFilesystem, startInRootFilesystem } from '#test/support/root-filesystem.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

/**
 * Tests deploy/home/compose.yaml without Docker, with the compose file's command, environment and user. The root file system is read-only
 * and also contains this machine's libraries.
 */
const NODE_USER = 1000;
const GRACE_MS = 60_000;

const PORTS = { 8443: 'API_PORT', 8080: 'HTTP_PORT', 8883: 'MQTTS_PORT', 1883: 'MQTT_PORT', 9464: 'OPERATOR_PORT' };
const { energy } = readComposeFile({ HOST_NAME: 'localhost' }, 'home/').services;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let ports: Record<string, string>;
let container: ProgramInRootFilesystem | undefined;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  ports = Object.fromEntries(
    await Promise.all(Object.values(PORTS).map(async (name) => [name, String(await findFreePort())] as const)),
  );
});
afterAll(async () => {
  container?.process.kill('SIGKILL');
  await container?.ended;
  await folder.remove();
});

/** Starts the container with the command of its image. The published ports are replaced by free ones. */
async function start(): Promise<ProgramInRootFilesystem> {
  expect([energy?.read_only, energy?.tmpfs, energy?.volumes]).toEqual([
    true,
    ['/tmp:mode=1777,size=64m'],
    ['data:/data'],
  ]);
  const { entrypoint, folders } = readImageContents();
  const started = startInRootFilesystem({
    folder: folder.path,
    copied: folders,
    user: NODE_USER,
    command: [...entrypoint, ...(energy?.command ?? [])],
    env: { ...energy?.environment, PUBLIC_URL: `https://localhost:${ports.API_PORT}`, ...ports },
  });
  container = started;
  const ended = started.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${started.output()}`)));
  ended.catch(() => {});
  await Promise.race([expect.poll(() => started.output()).toMatch(/Ready/), ended]);
  return started;
}

/** Runs the compose file's health check with the port that the test uses. */
function isHealthy(): boolean {
  const [kind, command = ''] = energy?.healthcheck?.test ?? [];
  expect([kind, command]).toEqual(['CMD-SHELL', expect.stringMatching(/^node -e "[^"$`\\]+"$/)]);
  const here = command.replace('9464', ports.OPERATOR_PORT ?? '').replace(/^node/, process.execPath);
  try {
    execFileSync('sh', ['-c', here], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const ask = (path: string, key: string, body?: unknown) =>
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  new Promise<any>((done, failed) => {
    const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const options = { port: ports.API_PORT, path, method: body ? 'POST' : 'GET', rejectUnauthorized: false, headers };
    const outgoing = request({ host: 'localhost', ...options }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      if ((response.statusCode ?? 0) >= 300) failed(new Error(`${path}: ${response.statusCode} ${text}`));
      else done(/json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : text);
    });
    outgoing.on('error', failed);
    outgoing.end(body && JSON.stringify(body));
  });

test('one container starts on an empty volume, prints its key once, computes usage, stops cleanly, and continues after a restart', async () => {
  expect(isHealthy()).toBe(false);
  const first = await start();
  const [key = ''] = /eus_live_\w+/.exec(first.output()) ?? [];
  expect(first.output()).toContain(`https://localhost:${ports.API_PORT}/dashboard/sign-in#`);
  expect(isHealthy()).toBe(true);
  // All stored data is in the volume, and only the container's user can read it.
  const data = join(folder.path, 'data');
  expect(new Set(readdirSync(data).map((name) => statSync(join(data, name)).uid))).toEqual(new Set([NODE_USER]));
  expect(existsSync(join(data, 'postgres/PG_VERSION'))).toBe(true);

  expect(await ask('/docs', key)).toContain('/docs/devices');
  const ca = await ask('/certificate.pem', key);
  const { user_id } = await ask('/v1/users', key, { email: 'anna@example.com', role: 'homeowner' });
  const meter = await ask('/v1/devices', key, { user_id, type: 'smart_meter', location: 'Cellar' });
  const { username, password, topic } = meter.mqtt;
  const device = await mqtt.connectAsync(`mqtts://localhost:${ports.MQTTS_PORT}`, { username, password, ca });
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  for (const [hour, kwh] of [
    [1, 100],
    [2, 101.5],
  ] as const)
    await device.publishAsync(topic, JSON.stringify({ ts: `${day}T0${hour}:00:00Z`, energy_total_kwh: kwh }), {
      qos: 1,
    });
  await device.endAsync();
  const used = async () =>
    (await ask(`/v1/energy-insights?user_id=${user_id}&start=${day}&end=${day}&group_by=day`, key)).data;
  await expect.poll(used).toMatchObject([{ kwh_used: 1.5 }]);

  const stoppedAt = Date.now();
  first.terminate();
  expect(await first.ended).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(GRACE_MS);
  expect(existsSync(join(data, 'postgres/postmaster.pid'))).toBe(false);
  expect(isHealthy()).toBe(false);

  const second = await start();
  expect(second.output()).not.toContain('eus_live_');
  expect(await used()).toMatchObject([{ kwh_used: 1.5 }]);
});
