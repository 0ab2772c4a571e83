import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../free-port.ts';
import { DEBIAN_13_FOLDER } from '../tiers/available-tiers.ts';
import { createDebian13TemporaryFolder } from '../tiers/debian-13-folders.ts';
import { findUnixUserIds } from '../tiers/server.ts';
import { findProcessTree, startInNamespace } from './namespace.ts';

const DEPLOYED = resolve(import.meta.dirname, '../../../deploy/cluster/rabbitmq');
const SERVER = '/usr/lib/rabbitmq/lib/rabbitmq_server-4.0.5/sbin/rabbitmq-server';
/** User name with which the service connects to the broker. */
const USER = 'energy-ingest';
const PASSWORD = 'own secret/@';

/** Location of a node in a separate network. */
export interface NodeNetworkLocation {
  /** Address of the node. */
  host: string;
  /** Address of this process in the node's network. */
  gateway: string;
  /** File of the node's network namespace. */
  network: string;
}

/** A node of the RabbitMQ cluster, with its own loopback ports. */
export interface RabbitNode {
  name: string;
  host: string;
  /** Folder of the node's data. */
  dataFolder: string;
  ports: { amqp: number; amqps: number; mqtt: number; mqtts: number };
  /** Processes of the node, including its Erlang VM (beam). */
  pids(): number[];
  /** Sends SIGKILL to all processes of the node. */
  kill(): Promise<void>;
  /** Sends SIGSTOP (`freeze`) or SIGCONT (`thaw`) to all processes of the node. */
  freeze(): void;
  thaw(): void;
  /** Starts the node with its existing data. Resolves when the node accepts MQTT connections. */
  start(): Promise<void>;
  /** Stops the node gracefully. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Runs `rabbitmqctl` on this node without blocking this process. Each call needs a second of CPU time. */
  ctl(...args: string[]): Promise<string>;
  log(): string;
}

export interface RabbitCluster {
  nodes: RabbitNode[];
  /** Returns the MQTT_URL of the cluster. `secure`: whether to use TLS. `nodes`: in the order of the URL's hosts. */
  url(own?: { secure?: boolean; nodes?: readonly RabbitNode[] }): string;
  /** Path of the CA certificate (PEM) that signed the nodes' certificate. */
  caFile: string;
  /** Runs `rabbitmqctl` on the first node. Each call needs a second of CPU time. */
  ctl(...args: string[]): string;
  /** Distributes the leaders of the queues over the running nodes. */
  rebalance(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts RabbitMQ 4 of Debian 13: one to three nodes with the files of `deploy/cluster/rabbitmq`. `operator`: URL at which the service
 * authorises clients, or one for each node. `places`: network location of each node that does not use the loopback interface. `prepare`:
 * receives the nodes' data folders before the start. Each node ends with this process.
 */
export async function startRabbitMq({
  count = 3,
  operator = 'http://127.0.0.1:9',
  places,
  prepare,
}: {
  count?: number;
  operator?: string | readonly string[];
  places?: readonly NodeNetworkLocation[] | undefined;
  prepare?: (nodes: readonly RabbitNode[]) => void;
} = {}): Promise<RabbitCluster> {
  const operators = [operator].flat();
  const folder = createDebian13TemporaryFolder();
  const inside = folder.slice(DEBIAN_13_FOLDER.length);
  const { uid, gid } = findUnixUserIds(DEBIAN_13_FOLDER, 'rabbitmq');
  const own = (path: string) => chownSync(path, uid, gid);
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    own(path);
  };
  const make = (path: string) => {
    mkdirSync(path);
    own(path);
  };
  own(folder);
  write(join(folder, '.erlang.cookie'), 'not a secret: this cluster is a test');
  chmodSync(join(folder, '.erlang.cookie'), 0o400);
  make(join(folder, 'tls'));
  const hosts = Array.from({ length: count }, (_, index) => places?.[index]?.host ?? '127.0.0.1');
  makeCertificate(join(folder, 'tls'), hosts, own);
  const deployed = readFileSync(join(DEPLOYED, 'rabbitmq.conf'), 'utf8');
  // If the cluster has fewer nodes than the configuration, removes the missing ones from the configuration.
  const configuration = deployed
    .split('\n')
    .filter((line) => Number(/classic_config\.nodes\.(\d)/.exec(line)?.[1] ?? 0) <= count);
  const here = (text: string) => text.replaceAll('/etc/rabbitmq/', `${inside}/`);
  write(join(folder, 'rabbitmq.conf'), here(configuration.join('\n')));
  for (const name of ['inter_node_tls.config', 'rabbitmq-env.conf'])
    write(join(folder, name), here(readFileSync(join(DEPLOYED, name), 'utf8')));
  copyFileSync(join(DEPLOYED, 'enabled_plugins'), join(folder, 'enabled_plugins'));
  own(join(folder, 'enabled_plugins'));

  const names = hosts.map((host, index) => `e${index + 1}@${host}`);
  const epmdPort = await findFreePort();
  const common = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: inside,
    ERL_EPMD_PORT: String(epmdPort),
    RABBITMQ_USE_LONGNAME: 'true',
    RABBITMQ_CONF_ENV_FILE: `${inside}/rabbitmq-env.conf`,
  };
  const epmds = (places ?? [undefined]).map((place) => {
    const env = { ...common, ERL_EPMD_ADDRESS: place?.host ?? '127.0.0.1' };
    return startInNamespace(DEBIAN_13_FOLDER, 'rabbitmq', ['epmd'], env, place?.network);
  });
  const nodes = await Promise.all(names.map(makeNode));

  async function makeNode(name: string, index: number): Promise<RabbitNode> {
    const place = places?.[index];
    const host = place?.host ?? '127.0.0.1';
    const at = join(folder, name.slice(0, 2));
    for (const path of [at, `${at}/conf`, `${at}/data`, `${at}/log`]) make(path);
    const [amqp, amqps, mqtt, mqtts, distribution] = await Promise.all(Array.from({ length: 5 }, findFreePort));
    if (!amqp || !amqps || !mqtt || !mqtts) throw new Error('no ports');
    write(
      `${at}/conf/own.conf`,
      [
        `listeners.tcp.default = ${host}:${amqp}`,
        `listeners.ssl.default = ${host}:${amqps}`,
        `mqtt.listeners.tcp.default = ${host}:${mqtt}`,
        `mqtt.listeners.ssl.default = ${host}:${mqtts}`,
        'disk_free_limit.absolute = 50MB',
        '',
      ].join('\n'),
    );
    const from = `${inside}/${name.slice(0, 2)}`;
    const env = {
      ...common,
      ERL_EPMD_ADDRESS: host,
      RABBITMQ_SERVER_START_ARGS: `-kernel inet_dist_use_interface {${host.replaceAll('.', ',')}}`,
      RABBITMQ_NODENAME: name,
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_CONFIG_FILE: `${inside}/rabbitmq.conf`,
      RABBITMQ_CONFIG_FILES: `${from}/conf/*.conf`,
      RABBITMQ_ENABLED_PLUGINS_FILE: `${inside}/enabled_plugins`,
      RABBITMQ_MNESIA_BASE: `${from}/data`,
      RABBITMQ_LOG_BASE: `${from}/log`,
      RABBITMQ_LOGS: `${from}/log/log`,
      ENERGY_NODE_1: names[0],
      ENERGY_NODE_2: names[1],
      ENERGY_NODE_3: names[2],
      ENERGY_USER: USER,
      ENERGY_PASSWORD: PASSWORD,
      ENERGY_OPERATOR: operators[index % operators.length]?.replace('127.0.0.1', place?.gateway ?? '127.0.0.1'),
    };
    let child: ChildProcess | undefined;
    const pids = () => (child?.pid === undefined || child.exitCode !== null ? [] : findProcessTree(child.pid));
    const signal = (name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL') => {
      for (const pid of pids()) {
        try {
          process.kill(pid, name);
        } catch {
          // The process has already ended.
        }
      }
    };
    const ends = async (end: () => unknown) => {
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((done) => running.once('exit', done));
      const all = pids();
      await end();
      await ended;
      // A process with many threads needs some time to release its ports.
      while (all.some((pid) => existsSync(`/proc/${pid}`))) await new Promise((done) => setTimeout(done, 10));
    };
    const node: RabbitNode = {
      name,
      host,
      dataFolder: `${at}/data`,
      ports: { amqp, amqps, mqtt, mqtts },
      pids,
      async kill() {
        await ends(() => signal('SIGKILL'));
      },
      async stop() {
        await ends(() => node.ctl('stop'));
      },
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      async start() {
        child = startInNamespace(DEBIAN_13_FOLDER, 'rabbitmq', [SERVER], env, place?.network);
        await Promise.all([amqp, mqtt].map((port) => opened(port, child as ChildProcess, node)));
      },
      ctl: async (...args) =>
        (await promisify(execFile)('chroot', ctlArguments(name, args), { ...CTL_OPTIONS, env: common })).stdout,
      log: () => readFileSync(join(at, 'log/log'), 'utf8'),
    };
    return node;
  }

  const cluster: RabbitCluster = {
    nodes,
    url({ secure = false, nodes: wanted = nodes } = {}) {
      const at = wanted.map(({ host, ports }) => `${host}:${secure ? ports.amqps : ports.amqp}`).join(',');
      return `${secure ? 'amqps' : 'amqp'}://${USER}:${encodeURIComponent(PASSWORD)}@${at}`;
    },
    caFile: join(folder, 'tls/ca.crt'),
    ctl: (...args) => execFileSync('chroot', ctlArguments(names[0] ?? '', args), { env: common, encoding: 'utf8' }),
    async rebalance() {
      await nodes[0]?.ctl('eval', 'rabbit_amqqueue:rebalance(quorum, <<".*">>, <<".*">>).');
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      for (const epmd of epmds) epmd.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    prepare?.(nodes);
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

const CTL = '/usr/lib/rabbitmq/lib/rabbitmq_server-4.0.5/sbin/rabbitmqctl';

/** The commands have a time limit, because a frozen node does not respond. */
const CTL_OPTIONS = { encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' } as const;

/** Returns the arguments of chroot that run `rabbitmqctl` on a node. */
const ctlArguments = (node: string, args: readonly string[]): string[] => [
  ...['--userspec=rabbitmq:rabbitmq', DEBIAN_13_FOLDER, 'sh', '-c', 'cd; exec "$@"', 'sh', CTL, '-n', node],
  ...args,
];

/** Creates a certificate authority, and one certificate for all nodes. */
function makeCertificate(folder: string, hosts: readonly string[], own: (path: string) => void): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=authority of a test');
  const each = [...new Set(hosts)].map((host) => `,DNS:${host},IP:${host}`).join('');
  const names = ['-addext', `subjectAltName=DNS:localhost${each}`];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'node.key',
    '-out',
    'node.crt',
    '-subj',
    '/CN=localhost',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    ...names,
  );
  for (const name of ['ca.crt', 'node.crt', 'node.key']) own(join(folder, name));
}

/** Maximum time in ms until a node has opened its ports. */
const MAX_START_MS = 300_000;

/** Waits until the port of a node is open. If the node has ended, throws an error with the reason. */
async function opened(port: number, child: ChildProcess, node: RabbitNode): Promise<void> {
  for (const untilMs = Date.now() + MAX_START_MS; Date.now() < untilMs; ) {
    if (child.exitCode !== null) throw new Error(`${node.name} ended: ${node.log().slice(-2_000)}`);
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, node.host, () => done(true));
      socket.on('error', () => done(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${node.name} did not open port ${port}: ${node.log().slice(-2_000)}`);
}
