import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';

/** A mosquitto broker on a free loopback port that a test has started. */
export interface Mosquitto {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts mosquitto. Throws an error with instructions if it is not installed. */
export async function startMosquitto({
  configuration,
  port: wanted,
}: {
  configuration?: string;
  port?: number;
} = {}): Promise<Mosquitto> {
  const program = ['mosquitto', '/usr/sbin/mosquitto'].find((path) => spawnSync(path, ['-h']).error === undefined);
  if (!program)
    throw new Error('mosquitto is not installed; on Debian: apt-get install mosquitto (npm run test:setup does so)');
  const folder = await mkdtemp(join(tmpdir(), 'energy-mosquitto-'));
  const port = wanted ?? (await findFreePort());
  const settings = ['allow_anonymous true', 'persistence false', 'max_queued_messages 0', 'max_inflight_messages 0'];
  const ownConfiguration = configuration?.replace(/^listener 1883$/m, `listener ${port} 127.0.0.1`);
  // Default folder of persistent data.
  const persistenceLine = ownConfiguration?.includes('persistence_location') ? '' : `persistence_location ${folder}/\n`;
  // As root, mosquitto would switch to a user without access to the folder.
  await writeFile(
    join(folder, 'conf'),
    ownConfiguration
      ? `${ownConfiguration}\nuser root\n${persistenceLine}`
      : [`listener ${port} 127.0.0.1`, 'user root', ...settings, ''].join('\n'),
  );
  const child: ChildProcess = spawn(program, ['-c', join(folder, 'conf')], { stdio: 'ignore' });
  await waitUntilReachable(port);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    pid: child.pid as number,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function waitUntilReachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`mosquitto did not open port ${port}`);
}
