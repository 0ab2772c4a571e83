import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, type Pool } from '#src/database/connect.ts';
import { getEmbeddedDatabaseUrl } from '#src/database/embedded-postgres.ts';
import { waitUntilReachable } from '../../test/support/mosquitto.ts';
import { findFreePorts, type StartedService, startService } from '../service.ts';
import { type PairedDevice, pairDevices } from '../support.ts';

/** A complete service for the chaos test (`npm start`), with a mosquitto next to it if requested. */
export interface Installation {
  folder: string;
  /** Folder of the processes' logs. */
  logs: string;
  pool: Pool;
  brokerUrl: string;
  /** Port of the API, HTTPS. */
  apiPort: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Sends SIGKILL to a process of the service, selected by the beginning of its title, or to the database. */
  kill(which: 'energy ingest' | 'energy api' | 'energy supervisor' | 'postgres'): void;
  pidsOf(title: string): number[];
  mosquitto: { start(): Promise<void>; stop(signal: NodeJS.Signals): Promise<void> };
  /** Sets the clock of the processes, in seconds ahead of the machine's clock. Requires `hasClock`. */
  setClock(seconds: number): Promise<void>;
  players(count: number): Promise<PairedDevice[]>;
  remove(): Promise<void>;
}

/** Maximum number of requests of an account per minute and per day. A device of the chaos test sends more requests than any plan allows. */
const UNLIMITED = { minute: 1_000_000, day: 100_000_000 };

/** Path of libfaketime in Debian's package for this architecture. */
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
/** Environment variables with which libfaketime sets the clock of a process. It reads the time from a file each second. */
const FAKE_CLOCK = { LD_PRELOAD: FAKETIME, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };

/**
 * Starts an installation. `diskMb`: size of a separate disk for the data (needs root). `hasClock`: gives the processes a separate clock
 * (needs faketime). `env`: further variables of the service.
 */
export async function startChaosInstallation(options: {
  broker: 'embedded' | 'mosquitto';
  persistence?: boolean;
  diskMb?: number;
  hasClock?: boolean;
  env?: Record<string, string>;
}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'energy-chaos-'));
  // The logs are in a separate folder, because a fault may fill the disk of the data directory.
  const logs = await mkdtemp(join(tmpdir(), 'energy-chaos-logs-'));
  const { broker, persistence = true, diskMb, hasClock = false } = options;
  if (diskMb !== undefined) sh('mount', '-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder);
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const ports = await findFreePorts('BROKER');
  const brokerUrl = `mqtt://127.0.0.1:${broker === 'mosquitto' ? ports.BROKER : ports.MQTT_PORT}`;
  const clockFile = join(logs, 'clock');
  const setClock = (seconds: number) => writeFile(clockFile, `${seconds < 0 ? '' : '+'}${seconds}`);
  await setClock(0);
  const env = {
    ...environmentOf(dataDir, ports, hasClock ? clockFile : null),
    ...options.env,
    ...(broker === 'mosquitto' ? { MQTT_URL: brokerUrl } : {}),
  };
  const pool = createPool(getEmbeddedDatabaseUrl(dataDir), { max: 3 });
  let service: StartedService | undefined;
  const mosquitto = createMosquitto(folder, logs, ports.BROKER, persistence);
  const installation: Installation = {
    folder,
    logs,
    pool,
    brokerUrl,
    apiPort: Number(ports.API_PORT),
    mosquitto,
    pidsOf: (title) => findPids(dataDir, title),
    async start() {
      // The service writes its logs to a file, because they are needed to diagnose missing readings.
      service = await startService(env, { log: join(logs, 'service.log') });
    },
    stop: async () => service?.stop(),
    kill(which) {
      if (which === 'energy supervisor') return service?.kill('SIGKILL');
      for (const pid of which === 'postgres' ? [postmasterPid(dataDir)] : findPids(dataDir, which))
        process.kill(pid, 'SIGKILL');
    },
    setClock,
    players: (count) => pairDevices(pool, count),
    async remove() {
      await installation.stop();
      await mosquitto.stop('SIGTERM');
      await pool.end();
      if (diskMb !== undefined) sh('umount', '-l', folder);
      await rm(folder, { recursive: true, force: true });
      await rm(logs, { recursive: true, force: true });
    },
  };
  if (broker === 'mosquitto') await mosquitto.start();
  await installation.start();
  return installation;
}

/** Returns the environment of the service's processes. `clockFile`: file with their clock; null: they use the machine's clock. */
const environmentOf = (dataDir: string, ports: Record<string, string>, clockFile: string | null) => ({
  ...(clockFile === null ? {} : { ...FAKE_CLOCK, FAKETIME_TIMESTAMP_FILE: clockFile }),
  PATH: process.env.PATH ?? '',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'warn',
  PLAN_LIMITS: JSON.stringify({ free: UNLIMITED, developer: UNLIMITED, enterprise: UNLIMITED }),
  ...ports,
});

function createMosquitto(folder: string, logs: string, port: string, persistence: boolean): Installation['mosquitto'] {
  let running: ChildProcess | undefined;
  return {
    async start() {
      const lines = [
        `listener ${port} 127.0.0.1`,
        'user root',
        'allow_anonymous true',
        'max_queued_messages 0',
        'max_inflight_messages 0',
        `persistence ${persistence}`,
        `persistence_location ${folder}/`,
        'autosave_interval 1',
        `log_dest file ${logs}/mosquitto.log`,
      ];
      await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
      running = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], {
        stdio: 'ignore',
        env: { PATH: `${process.env.PATH}:/usr/sbin` },
      });
      await waitUntilReachable(Number(port));
    },
    async stop(signal: NodeJS.Signals) {
      const child = running;
      if (!child) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill(signal);
      await ended;
      running = undefined;
    },
  };
}

function sh(...command: string[]): void {
  const [program = '', ...given] = command;
  const { status, stderr } = spawnSync(program, given);
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

/** Returns the running processes whose environment contains the path of the data directory. */
export function listServiceProcesses(dataDir: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}\0`);
      return isOurs && command !== '' ? [{ pid: Number(pid), command }] : [];
    } catch {
      return [];
    }
  });
}

const findPids = (dataDir: string, title: string): number[] =>
  listServiceProcesses(dataDir).flatMap(({ pid, command }) => (command.startsWith(title) ? [pid] : []));

const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** Fills a folder's disk to the last block. Returns a function that frees it again. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'filler');
  // The exit code of dd is ignored, because dd fails when the disk is full.
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k']);
  const { length } = await readFile(file);
  if (length === 0) throw new Error('the disk was full before');
  return () => rm(file);
}
