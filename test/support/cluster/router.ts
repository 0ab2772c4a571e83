import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { waitUntilReachable } from '../mosquitto.ts';
import { DEBIAN_13_FOLDER } from '../tiers/available-tiers.ts';
import { createDebian13TemporaryFolder } from '../tiers/debian-13-folders.ts';
import { findUnixUserIds } from '../tiers/server.ts';
import type { Cell } from './cell.ts';

const DEPLOYED = new URL('../../../deploy/cells/', import.meta.url);

/** A router (HAProxy) that forwards clients to the cell (installation) of their account, with the configuration of deploy/cells. */
export interface Router {
  ports: { api: number; http: number; mqtt: number; mqtts: number };
  /** Path of the socket of HAProxy's runtime API. */
  socket: string;
  pid(): number;
  log(): string;
  kill(): Promise<void>;
  /** Starts the router again with its existing configuration files. */
  start(): Promise<void>;
}

/** Several routers with a common file of accounts that have moved to another cell. */
export interface RouterGroup {
  all: readonly [Router, ...Router[]];
  /** Path of the file for `energy cells --file`. */
  cellsFile: string;
  exceptions: string;
  stop(): Promise<void>;
}

/** A cell that a router forwards to: its loopback ports, and its database. */
interface RoutedCell {
  api: number;
  mqtt: number;
  database?: string;
  secret?: string;
}

/** Returns the URLs, database and secret of a cell. */
export const getRoutedCell = ({ ports, env }: Cell): RoutedCell => ({
  ...ports,
  ...(env.DATABASE_URL === undefined ? {} : { database: env.DATABASE_URL }),
  ...(env.SECRET_KEY === undefined ? {} : { secret: env.SECRET_KEY }),
});

/** Starts routers in front of two cells. `tls`: certificate for localhost. `clientCa`: CA certificate (PEM text) of the clients. */
export async function startRouters(options: {
  tls: { cert: string; key: string };
  first: RoutedCell;
  c2: RoutedCell;
  count?: number;
  clientCa?: string;
}): Promise<RouterGroup> {
  const { tls, first, c2, count = 1, clientCa } = options;
  const folder = createDebian13TemporaryFolder();
  const { uid, gid } = findUnixUserIds(DEBIAN_13_FOLDER, 'haproxy');
  const maps = join(folder, 'maps');
  mkdirSync(maps);
  const put = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
    return join(folder, name).slice(DEBIAN_13_FOLDER.length);
  };
  for (const name of ['haproxy.cfg', 'maps/cells.map', 'maps/exceptions.map']) {
    copyFileSync(new URL(name, DEPLOYED), join(folder, name));
    chmodSync(join(folder, name), 0o644);
  }
  for (const path of [folder, maps]) chownSync(path, uid, gid);
  const inside = folder.slice(DEBIAN_13_FOLDER.length);
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    MAPS: `${inside}/maps`,
    CELL_NAMES: 'first c2',
    TLS_PEM: put('tls.pem', `${tls.cert}\n${tls.key}`),
    API_CA_FILE: put('ca.pem', tls.cert),
    API_NAME: 'localhost',
    FIRST_API: here(first.api),
    C2_API: here(c2.api),
    FIRST_MQTT: here(first.mqtt),
    C2_MQTT: here(c2.mqtt),
    ...(clientCa === undefined ? {} : { MQTTS_CLIENT_CA: put('clients.pem', clientCa) }),
  };
  const all: Router[] = [];
  for (let number = 1; number <= count; number++) all.push(await makeRouter({ folder, env, uid, gid, number }));
  const stop = async () => {
    await Promise.all(all.map((router) => router.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const router of all) await router.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const cells = Object.entries({ first, c2 }).flatMap(([name, { database, secret }]) => {
    if (database === undefined || secret === undefined) return [];
    writeFileSync(join(folder, `${name}.key`), secret, { mode: 0o600 });
    return [[name, { database, secret_key_file: `${name}.key` }]];
  });
  const cellsFile = join(folder, 'cells.json');
  const routers = all.map(({ socket }) => socket);
  writeFileSync(
    cellsFile,
    JSON.stringify({ routers, exceptions: 'maps/exceptions.map', cells: Object.fromEntries(cells) }),
  );
  return { all: all as [Router, ...Router[]], cellsFile, exceptions: join(maps, 'exceptions.map'), stop };
}

const here = (port: number) => `127.0.0.1:${port}`;

/** Creates a router without starting it. `number` distinguishes its files. */
async function makeRouter(options: {
  folder: string;
  env: Record<string, string>;
  uid: number;
  gid: number;
  number: number;
}): Promise<Router> {
  const { folder, env, uid, gid, number } = options;
  const ports = {
    api: await findFreePort(),
    http: await findFreePort(),
    mqtt: await findFreePort(),
    mqtts: await findFreePort(),
  };
  const inside = folder.slice(DEBIAN_13_FOLDER.length);
  const socket = `router-${number}.sock`;
  const binds = {
    API_BIND: here(ports.api),
    HTTP_BIND: here(ports.http),
    MQTT_BIND: here(ports.mqtt),
    MQTTS_BIND: here(ports.mqtts),
    RUNTIME_BIND: `${inside}/${socket}`,
  };
  const logFile = join(folder, `log-${number}`);
  let child: ChildProcess | undefined;
  const log = () => readFileSync(logFile, 'utf8');
  return {
    ports,
    socket: join(folder, socket),
    pid: () => child?.pid ?? 0,
    log,
    async start() {
      const output = openSync(logFile, 'a');
      // The router is killed when this process ends (see haproxy.ts).
      const as = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=KILL'];
      const started = spawn('chroot', [DEBIAN_13_FOLDER, ...as, 'haproxy', '-db', '-f', `${inside}/haproxy.cfg`], {
        env: { ...env, ...binds },
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      child = started;
      const ended = new Promise<never>((_resolve, reject) =>
        started.once('exit', () => reject(new Error(`HAProxy ended: ${log()}`))),
      );
      ended.catch(() => {});
      await Promise.race([waitUntilReachable(ports.api), ended]);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}
