import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { waitUntilReachable } from '../mosquitto.ts';
import { DEBIAN_13_FOLDER } from '../tiers/available-tiers.ts';
import { createDebian13TemporaryFolder } from '../tiers/debian-13-folders.ts';
import { findUnixUserIds } from '../tiers/server.ts';

const DEPLOYED = new URL('../../../deploy/cluster/', import.meta.url);

/** An ingest process behind HAProxy, with its MQTT_PORT and OPERATOR_PORT. */
export interface ProxiedIngest {
  mqtt: number;
  operator: number;
}

/** HAProxy of Debian 13 on free loopback ports, with the configuration of deploy/cluster. */
export interface HAProxy {
  pid: number;
  ports: { api: number; http: number; mqtt: number; mqtts: number };
  /** Waits until HAProxy's log no longer reports a server, such as `api/api1`, as down. */
  isUp(server: string): Promise<void>;
  /** HAProxy's log so far. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy. `tls`: certificate for localhost. `api`, `brokers`: loopback ports of the servers; a broker without a port is down.
 * `clientCa`: CA certificate (PEM text) of the clients.
 */
export async function startHAProxy(options: {
  tls: { cert: string; key: string };
  api: readonly [number, number];
  brokers?: readonly { mqtt: number; mqtts?: number }[];
  ingest?: readonly [ProxiedIngest, ProxiedIngest];
  clientCa?: string;
}): Promise<HAProxy> {
  const { tls, api, brokers = [], ingest, clientCa } = options;
  const folder = createDebian13TemporaryFolder();
  const { uid, gid } = findUnixUserIds(DEBIAN_13_FOLDER, 'haproxy');
  const put = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
    return join(folder, name).slice(DEBIAN_13_FOLDER.length);
  };
  chownSync(folder, uid, gid);
  const files = ['haproxy.cfg', ...(ingest ? ['mqtt.cfg'] : []), ...(options.brokers ? ['rabbitmq/mqtt.cfg'] : [])];
  const loaded = files.map((file) => put(file.replace('/', '-'), readFileSync(new URL(file, DEPLOYED), 'utf8')));
  const ports = {
    api: await findFreePort(),
    http: await findFreePort(),
    mqtt: await findFreePort(),
    mqtts: await findFreePort(),
  };
  const here = (port: number) => `127.0.0.1:${port}`;
  const nobody = here(1);
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    API_BIND: here(ports.api),
    HTTP_BIND: here(ports.http),
    MQTT_BIND: here(ports.mqtt),
    MQTTS_BIND: here(ports.mqtts),
    TLS_PEM: put('tls.pem', `${tls.cert}\n${tls.key}`),
    API_CA_FILE: put('ca.pem', tls.cert),
    API_NAME: 'localhost',
    API_1: here(api[0]),
    API_2: here(api[1]),
    ...(ingest ? ingestEnvironment(ingest) : {}),
    ...(clientCa === undefined ? {} : { MQTTS_CLIENT_CA: put('clients.pem', clientCa) }),
    ...Object.fromEntries(
      [1, 2, 3].flatMap((number) => {
        const { mqtt, mqtts } = brokers[number - 1] ?? {};
        return [
          [`BROKER_${number}`, mqtt ? here(mqtt) : nobody],
          [`BROKER_${number}_TLS`, mqtts ? here(mqtts) : nobody],
        ];
      }),
    ),
  };
  const output = openSync(join(folder, 'log'), 'a');
  // HAProxy is killed when this process ends. A change of user clears this setting, so `setpriv` sets it again after the change.
  const child: ChildProcess = spawn(
    'chroot',
    [
      ...[DEBIAN_13_FOLDER, 'setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=KILL'],
      ...['haproxy', '-db', ...loaded.flatMap((file) => ['-f', file])],
    ],
    { env, stdio: ['ignore', output, output] },
  );
  const log = () => readFileSync(join(folder, 'log'), 'utf8');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([
    waitUntilReachable(ports.api),
    ended.then(() => {
      throw new Error(`HAProxy ended: ${log()}`);
    }),
  ]);
  return {
    pid: child.pid as number,
    ports,
    log,
    async isUp(server) {
      const last = () => [...log().matchAll(new RegExp(`Server ${server} is (UP|DOWN)`, 'g'))].at(-1)?.[1];
      while (last() === 'DOWN') await new Promise((resolve) => setTimeout(resolve, 50));
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Chooses free ports for an ingest process behind HAProxy. */
export const findFreeIngestPorts = async (): Promise<ProxiedIngest> => ({
  mqtt: await findFreePort(),
  operator: await findFreePort(),
});

const ingestEnvironment = (ingest: readonly ProxiedIngest[]): Record<string, string> =>
  Object.fromEntries(
    ingest.flatMap(({ mqtt, operator }, index) => [
      [`INGEST_${index + 1}`, `127.0.0.1:${mqtt}`],
      [`INGEST_${index + 1}_HEALTH`, String(operator)],
    ]),
  );
