import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';
import { TESTED_PROGRAM } from '../../test/support/program.ts';
import { findFreePorts, startService } from '../service.ts';
import { describeTimeout, scaleTimeLimitMs } from '../time-limits.ts';
import { type ServerAddress, sendRequest } from './client.ts';

/** The installation under attack. If a part is missing, probes that need it are skipped, and the run reports this. */
export interface AttackTarget {
  api: ServerAddress;
  /** Another API process, which uses the same database as `api`. */
  otherApi?: ServerAddress;
  adminKey: string;
  mqtt?: ServerAddress;
  mqtts?: ServerAddress;
  plainHttp?: ServerAddress;
  operator?: ServerAddress;
  /** Data directory of the installation, with captured mails and keys. */
  dataDir?: string;
  /** Stops and removes everything that was started for the attack. */
  remove(): Promise<void>;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1)$/;

/** Resolves a URL to a loopback address. Throws for any other address, so that this tool cannot attack another installation. */
export async function resolveLoopbackUrl(url: string): Promise<ServerAddress> {
  if (!URL.canParse(url)) throw new Error(`${url} is no URL.`);
  const { hostname, port, protocol } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const host = isIP(name) ? name : await lookup(name, { family: 4 }).then(({ address }) => address);
  if (!LOOPBACK.test(host))
    throw new Error(`${hostname} is not on the loopback: only your own installation is attacked.`);
  const standard = { 'https:': 443, 'http:': 80, 'mqtt:': 1883, 'mqtts:': 8883 }[protocol];
  return { host, port: Number(port) || (standard ?? 0) };
}

/** Returns a running installation as a target: its API, an administrator's key, and the other parts that may be attacked. */
export async function useRunningInstallation(options: {
  api: string;
  key: string;
  mqtt?: string | undefined;
  mqtts?: string | undefined;
  http?: string | undefined;
}): Promise<AttackTarget> {
  const { api, key: adminKey, mqtt, mqtts, http } = options;
  return {
    api: await resolveLoopbackUrl(api),
    adminKey,
    ...(mqtt === undefined ? {} : { mqtt: await resolveLoopbackUrl(mqtt) }),
    ...(mqtts === undefined ? {} : { mqtts: await resolveLoopbackUrl(mqtts) }),
    ...(http === undefined ? {} : { plainHttp: await resolveLoopbackUrl(http) }),
    remove: async () => {},
  };
}

/** Rate limits for attackers, so high that no attack is limited. One plan has the usual limits, which a probe tests. */
const UNLIMITED = { minute: 1_000_000, day: 1_000_000 };
const PLAN_LIMITS = { free: { minute: 30, day: 5_000 }, developer: UNLIMITED, enterprise: UNLIMITED };

/**
 * Starts a service for the attack, and a second API process on its database. `checkout`: folder of another version of this repository.
 * `env`: variables that weaken the service, so that probes fail.
 */
export async function startInstallation(
  options: { checkout?: string | undefined; env?: Record<string, string> } = {},
): Promise<AttackTarget> {
  const checkout = options.checkout === undefined ? undefined : resolve(options.checkout);
  const folder = await mkdtemp(join(tmpdir(), 'energy-attack-'));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const ports = await findFreePorts();
  const adminKey = `eus_live_${randomBytes(24).toString('hex')}`;
  const env = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    BOOTSTRAP_ADMIN_KEY: adminKey,
    PLAN_LIMITS: JSON.stringify(PLAN_LIMITS),
    ...ports,
    ...options.env,
  };
  const log = join(folder, 'service.log');
  const service = await startService(env, checkout === undefined ? { log } : { log, checkout });
  const at = (port: string) => ({ host: '127.0.0.1', port: Number(port) });
  const other = { API_PORT: String(await findFreePort()), HTTP_PORT: '0', OPERATOR_PORT: '0' };
  const program = checkout === undefined ? TESTED_PROGRAM : join(checkout, 'bin/energy.js');
  const second = spawn(process.execPath, [program, 'api'], {
    env: { TMPDIR: process.env.TMPDIR, ...env, ...other },
    cwd: checkout ?? join(import.meta.dirname, '../..'),
    stdio: 'ignore',
  });
  const remove = async () => {
    await ended(second);
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const otherApi = at(other.API_PORT);
  try {
    await answering(otherApi);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    api: at(ports.API_PORT),
    otherApi,
    adminKey,
    mqtt: at(ports.MQTT_PORT),
    mqtts: at(ports.MQTTS_PORT),
    plainHttp: at(ports.HTTP_PORT),
    operator: at(ports.OPERATOR_PORT),
    dataDir,
    remove,
  };
}

/** Time within which the second API process must be ready. */
const MAX_START_MS = 30_000;

async function answering(api: ServerAddress): Promise<void> {
  const fromMs = performance.now();
  for (;;) {
    const isThere = await sendRequest(api, 'GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isThere) return;
    if (performance.now() - fromMs > scaleTimeLimitMs(MAX_START_MS))
      throw new Error(describeTimeout('the second API process did not get ready', MAX_START_MS));
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
}
