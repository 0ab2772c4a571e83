import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRole } from '../../test/support/service.ts';
import type { ComparedProgramCommand, ComparedProgramInputs } from './programs.ts';

/** A running program that can be killed. */
export interface RunningProgram {
  pid: number;
  kill(): Promise<void>;
}

/** Returns the address to which devices publish: that of mosquitto or of the embedded broker. */
export const getPublishUrl = ({ brokerPort }: ComparedProgramInputs): string => `mqtt://127.0.0.1:${brokerPort}`;

/** Starts one ingest process of this service and waits until it is ready. */
export async function startIngestProcess(
  { databaseUrl, folder }: ComparedProgramInputs,
  env: Record<string, string>,
): Promise<RunningProgram> {
  const role = await startRole('ingest', { DATABASE_URL: databaseUrl, DATA_DIR: folder, LOG_LEVEL: 'error', ...env });
  return { pid: role.process.pid as number, kill: () => role.kill() };
}

/** Starts the naive script with a persistent session. */
export async function startNaiveIngestScript(place: ComparedProgramInputs): Promise<RunningProgram> {
  const child = fork(join(import.meta.dirname, '../ingest-script.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send({ url: getPublishUrl(place), databaseUrl: place.databaseUrl, clientId: 'script' });
  return killable(child);
}

/** Writes a program's files and starts it. Its output goes to the file `log` in its folder. */
export async function startProgram(
  { command, args, files }: ComparedProgramCommand,
  { folder }: ComparedProgramInputs,
): Promise<RunningProgram> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  return killable(child);
}

function killable(child: ChildProcess): RunningProgram {
  const ended = once(child, 'exit');
  return {
    pid: child.pid as number,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
