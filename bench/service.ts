import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findFreePort } from '../test/support/free-port.ts';
import { TESTED_PROGRAM } from '../test/support/program.ts';
import { describeTimeout, scaleTimeLimitMs } from './time-limits.ts';

const HERE = resolve(import.meta.dirname, '..');
const MAX_START_MS = 60_000;
const PORTS = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'] as const;

/** Returns free ports, keyed by the environment variables that set them. `more`: variables for the ports of other programs. */
export async function findFreePorts<More extends string = never>(
  ...more: More[]
): Promise<Record<(typeof PORTS)[number] | More, string>> {
  const names: string[] = [...PORTS, ...more];
  const ports = await Promise.all(names.map(async (name) => [name, String(await findFreePort())] as const));
  return Object.fromEntries(ports) as Record<(typeof PORTS)[number] | More, string>;
}

/** The running service, which `npm start` started in a separate process. */
export interface StartedService {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it is ready. `log`: file for the logs of its processes. `checkout`: folder of another version of this
 * repository to start instead.
 */
export async function startService(
  env: Record<string, string>,
  { log, checkout }: { log: string; checkout?: string },
): Promise<StartedService> {
  const file = openSync(log, 'a');
  const options = {
    env: { TMPDIR: process.env.TMPDIR, ...env },
    cwd: checkout ?? HERE,
    stdio: ['ignore', 'pipe', file] as ['ignore', 'pipe', number],
  };
  const program = checkout === undefined ? TESTED_PROGRAM : join(checkout, 'bin/energy.js');
  const child = spawn(process.execPath, [program, 'start'], options);
  closeSync(file);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const fromMs = performance.now();
  while (!output.includes('Ready.')) {
    if (hasEnded()) throw new Error(`the service ended: ${output}${lastOf(log)}`);
    if (performance.now() - fromMs > scaleTimeLimitMs(MAX_START_MS)) {
      child.kill('SIGKILL');
      throw new Error(`${describeTimeout('the service is not ready', MAX_START_MS)}: ${output}${lastOf(log)}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    pid: child.pid as number,
    kill: (signal) => void child.kill(signal),
    async stop() {
      if (!hasEnded()) child.kill('SIGTERM');
      await ended;
    },
  };
}

const LOG_SHOWN = 4_000;
/** Returns the last lines of a log, which an error message contains because the log's folder is removed after a failed test. */
const lastOf = (log: string) => readFileSync(log, 'utf8').slice(-LOG_SHOWN);
