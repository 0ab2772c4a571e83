import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { waitUntilReachable } from '../mosquitto.ts';
import { makeInnerFolder } from '../tiers/inner-folder.ts';
import { DEBIAN_13 } from '../tiers/reach.ts';
import { userIn } from '../tiers/server.ts';

const DEPLOYED = new URL('../../../deploy/cells/', import.meta.url);

/** A router of Debian 13's HAProxy on free loopback ports, with the configuration of deploy/cells. */
export interface Router {
  ports: { api: number; http: number; mqtt: number; mqtts: number };
  /** File for `energy cells --file`, with the databases that were given. */
  cellsFile: string;
  /** File of exceptions. */
  exceptions: string;
  log(): string;
  /** Kills HAProxy and starts it again with the same files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Addresses and database of a cell. Ports on the loopback. */
interface RoutedCell {
  api: number;
  mqtt: number;
  database?: string;
  secret?: string;
}

/** Starts a router in front of two cells. `tls`: its certificate for localhost, which the cells also use. */
export async function startRouter(options: {
  tls: { cert: string; key: string };
  first: RoutedCell;
  c2: RoutedCell;
}): Promise<Router> {
  const { tls, first, c2 } = options;
  const folder = makeInnerFolder();
  const { uid, gid } = userIn(DEBIAN_13, 'haproxy');
  const maps = join(folder, 'maps');
  mkdirSync(maps);
  const put = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
    return join(folder, name).slice(DEBIAN_13.length);
  };
  for (const [from, to] of [
    ['haproxy.cfg', 'haproxy.cfg'],
    ['maps/cells.map', 'maps/cells.map'],
    ['maps/exceptions.map', 'maps/exceptions.map'],
  ] as const) {
    copyFileSync(new URL(from, DEPLOYED), join(folder, to));
    chmodSync(join(folder, to), 0o644);
  }
  for (const path of [folder, maps]) chownSync(path, uid, gid);
  const ports = { api: await freePort(), http: await freePort(), mqtt: await freePort(), mqtts: await freePort() };
  const here = (port: number) => `127.0.0.1:${port}`;
  const inside = folder.slice(DEBIAN_13.length);
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    API_BIND: here(ports.api),
    HTTP_BIND: here(ports.http),
    MQTT_BIND: here(ports.mqtt),
    MQTTS_BIND: here(ports.mqtts),
    RUNTIME_BIND: `${inside}/router.sock`,
    MAPS: `${inside}/maps`,
    CELL_NAMES: 'first c2',
    TLS_PEM: put('tls.pem', `${tls.cert}\n${tls.key}`),
    API_CA_FILE: put('ca.pem', tls.cert),
    API_NAME: 'localhost',
    FIRST_API: here(first.api),
    C2_API: here(c2.api),
    FIRST_MQTT: here(first.mqtt),
    C2_MQTT: here(c2.mqtt),
  };
  const cells = Object.entries({ first, c2 }).flatMap(([name, { database, secret }]) => {
    if (database === undefined || secret === undefined) return [];
    writeFileSync(join(folder, `${name}.key`), secret, { mode: 0o600 });
    return [[name, { database, secret_key_file: `${name}.key` }]];
  });
  const cellsFile = join(folder, 'cells.json');
  const routers = [join(folder, 'router.sock')];
  writeFileSync(
    cellsFile,
    JSON.stringify({ routers, exceptions: 'maps/exceptions.map', cells: Object.fromEntries(cells) }),
  );
  const logFile = join(folder, 'log');
  let child: ChildProcess;
  const log = () => readFileSync(logFile, 'utf8');
  const start = async () => {
    const output = openSync(logFile, 'a');
    // Killed with this process (see haproxy.ts).
    const as = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=KILL'];
    child = spawn('chroot', [DEBIAN_13, ...as, 'haproxy', '-db', '-f', `${inside}/haproxy.cfg`], {
      env,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<never>((_resolve, reject) =>
      child.once('exit', () => reject(new Error(`HAProxy ended: ${log()}`))),
    );
    ended.catch(() => {});
    await Promise.race([waitUntilReachable(ports.api), ended]);
  };
  const kill = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    ports,
    cellsFile,
    exceptions: join(maps, 'exceptions.map'),
    log,
    async restart() {
      await kill();
      await start();
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
