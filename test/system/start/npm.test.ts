import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });

// npm runs the script in a shell. Some shells (dash in Debian) end at a signal without sending it to the service.
test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to `npm start` stops the service, and npm exits after the service',
  async (signal) => {
    const names = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT'] as const;
    const ports = await Promise.all(names.map(() => findFreePort()));
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      DATABASE_URL: database.url,
      DATA_DIR: folder.path,
      LOG_LEVEL: 'error',
      OPERATOR_PORT: '0',
      ...Object.fromEntries(names.map((name, index) => [name, String(ports[index])])),
    };
    const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((done) => npm.once('exit', (code) => done(code)));
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await expect.poll(() => output).toContain('Ready.');
    expect(await Promise.all(ports.map(isOpen))).toEqual([true, true, true, true]);
    npm.kill(signal);
    expect(await ended).toBe(0);
    expect(await Promise.all(ports.map(isOpen))).toEqual([false, false, false, false]);
    expect(output).toContain('Stopping');
  },
);
