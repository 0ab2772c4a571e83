import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import type { LocalCertificate } from '../local-certificate.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '../service.ts';
import { findFreeIngestPorts, type HAProxy, type ProxiedIngest, startHAProxy } from './haproxy.ts';

type Role = Parameters<typeof startRole>[0];

/** A process of a cell. Its ports never change. */
interface CellProcess {
  pid(): number;
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/** A cell (an independent installation with its own database): an API process, and one or two ingest processes with the embedded broker. */
export interface Cell {
  /** Name of the cell: `first`, or the value of its CELL. */
  name: string;
  env: Record<string, string>;
  /** Ports of the cell. `mqtt`: the port of its ingest process or, if there are two, of the HAProxy in front of them. */
  ports: { api: number; mqtt: number };
  adminKey: string;
  processes: readonly CellProcess[];
  /** Returns the process with this role and number. Numbers start at 0. */
  of(role: Role, number?: number): CellProcess;
  /** Starts all processes of the cell again. */
  start(): Promise<void>;
  /** Sends SIGKILL to all processes of the cell. */
  kill(): Promise<void>;
  /** Ends all processes of the cell, and removes their folder. */
  remove(): Promise<void>;
}

/**
 * Starts the processes of a cell. `name`: `first`, or the value of CELL. `url`: URL of the cell's database. `env`: additional environment
 * variables. `roles`: roles in the order of their start. HAProxy runs in front of two ingest processes.
 */
export async function startCell({
  name,
  url,
  tls,
  env: more = {},
  roles = ['api', 'ingest'],
}: {
  name: string;
  url: string;
  tls: LocalCertificate;
  env?: Record<string, string>;
  roles?: readonly Role[];
}): Promise<Cell> {
  const folder = await createTemporaryFolder();
  const ports = { api: await findFreePort(), mqtt: await findFreePort() };
  const adminKey = `eus_live_${name === 'first' ? '' : `${name}_`}${'a'.repeat(42)}`;
  const many = { minute: 1_000_000, day: 1_000_000 };
  const file = (of: string) => join(folder.path, of);
  await Promise.all([writeFile(file('cert.pem'), tls.cert), writeFile(file('key.pem'), tls.key)]);
  const env = {
    ...(name === 'first' ? {} : { CELL: name }),
    DATABASE_URL: url,
    DATA_DIR: folder.path,
    SECRET_KEY: `the secret of the cell ${name}, which is its own`,
    TLS_CERT_FILE: file('cert.pem'),
    TLS_KEY_FILE: file('key.pem'),
    API_PORT: String(ports.api),
    MQTT_PORT: String(ports.mqtt),
    TRUST_PROXY: '127.0.0.1',
    BOOTSTRAP_ADMIN_KEY: adminKey,
    PLAN_LIMITS: JSON.stringify({ free: many, developer: many, enterprise: many }),
    LOG_LEVEL: 'error',
    ...more,
  };
  const ingest =
    roles.filter((role) => role === 'ingest').length > 1
      ? [await findFreeIngestPorts(), await findFreeIngestPorts()]
      : [];
  const made = new Map<Role, CellProcess[]>();
  for (const role of roles) {
    const same = made.get(role) ?? [];
    const place = role === 'ingest' ? ingest[same.length] : undefined;
    same.push(makeProcess(role, { ...env, ...(place ? behindProxy(place) : {}) }));
    made.set(role, same);
  }
  const all = [...made.values()].flat();
  const of = (role: Role, number = 0): CellProcess => {
    const process = made.get(role)?.[number];
    if (!process) throw new Error(`the cell ${name} has no ${role} ${number}`);
    return process;
  };
  const kill = async () => void (await Promise.all(all.map((one) => one.kill())));
  const start = async () => {
    for (const one of all) await one.start();
  };
  await start();
  const [one, other] = ingest;
  const proxy: HAProxy | undefined =
    one && other && (await startHAProxy({ tls, api: [ports.api, ports.api], ingest: [one, other] }));
  return {
    ...{ name, env, ports: { ...ports, mqtt: proxy?.ports.mqtt ?? ports.mqtt }, adminKey },
    ...{ processes: all, of, start, kill },
    async remove() {
      await proxy?.stop();
      await kill();
      await folder.remove();
    },
  };
}

/** Returns the environment variables of an ingest process behind HAProxy. */
const behindProxy = ({ mqtt, operator }: ProxiedIngest): Record<string, string> => ({
  MQTT_PORT: String(mqtt),
  OPERATOR_PORT: String(operator),
  DRAIN_SECONDS: '6',
});

function makeProcess(role: Role, env: Record<string, string>): CellProcess {
  let running: RoleProcess | undefined;
  return {
    pid: () => running?.process.pid ?? 0,
    async start() {
      running = await startRole(role, env);
    },
    kill: async () => running?.kill(),
    signal: (name) => void running?.process.kill(name),
  };
}
