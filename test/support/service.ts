import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapEnvironment, getHeapFlags } from '#src/start/children.ts';
import { TESTED_PROGRAM } from './program.ts';

/** A role of the service that runs in a separate process, as in production. */
export interface RoleProcess {
  process: ChildProcess;
  /** Ports that the role reported when it became ready. */
  ready: Record<string, number>;
  /** Sends SIGKILL to the process, and waits until it has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM to the process. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts `energy <role>` and waits until the role is ready. The operating system chooses missing ports. `program`: program of another
 * version.
 */
export async function startRole(
  role: 'ingest' | 'api' | 'worker',
  env: Record<string, string>,
  program = TESTED_PROGRAM,
): Promise<RoleProcess> {
  const ports = { MQTT_PORT: '0', MQTTS_PORT: '0', API_PORT: '0', HTTP_PORT: '0', OPERATOR_PORT: '0' };
  const child = fork(program, [role], {
    env: {
      ...getHeapEnvironment(role),
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      LOG_LEVEL: 'warn',
      ...ports,
      ...env,
    },
    execArgv: getHeapFlags(role),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const ready = await Promise.race([
    new Promise<Record<string, number>>((done) =>
      child.once('message', (message) => done(message as Record<string, number>)),
    ),
    ended.then((code) => {
      throw new Error(`energy ${role} ended with ${code} before it was ready`);
    }),
  ]);
  return {
    process: child,
    ready,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Creates a temporary folder. `remove` deletes it. */
export async function createTemporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'energy-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
