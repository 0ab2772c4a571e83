import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createUser } from '#src/users/store.ts';
import {
  findFreeIngestPorts,
  type HAProxy,
  type ProxiedIngest,
  startHAProxy,
} from '../../../test/support/cluster/haproxy.ts';
import { type PatroniCluster, startPatroni } from '../../../test/support/cluster/patroni.ts';
import { type RabbitCluster, type RabbitNode, startRabbitMq } from '../../../test/support/cluster/rabbitmq.ts';
import { findFreePort } from '../../../test/support/free-port.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/support/receiver.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '../../../test/support/service.ts';
import { type BrokerNetwork, isRunningInNetworkNamespace, setUpBrokerNetwork } from './network-links.ts';

const SECRET_KEY = 'the secret of this installation';
/** Secret with which the service signs webhooks. */
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Index of the broker whose data directory is on a separate small disk (`SMALL_MB`). */
export const SMALL_DISK_BROKER_INDEX = 1;
const SMALL_MB = 384;

export type ProcessRole = 'ingest' | 'api' | 'worker';

/** One of the two processes of a role (process type). A fault can stop it and start it again. */
export interface RoleProcessControl {
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/**
 * A complete installation as in deploy/cluster on the loopback interface: three etcd nodes, two databases, two processes of each role,
 * three RabbitMQ nodes or HAProxy, and a receiver of webhooks.
 */
export interface Cluster {
  /** The RabbitMQ cluster; null if the broker is inside the ingest processes. */
  rabbit: RabbitCluster | null;
  /** Addresses to which devices connect: the nodes of RabbitMQ, or HAProxy in front of the ingest processes. */
  entrances: readonly { host?: string; ports: { mqtt: number } }[];
  patroni: PatroniCluster;
  pool: Pool;
  receiver: WebhookReceiver;
  roles: Record<ProcessRole, readonly [RoleProcessControl, RoleProcessControl]>;
  /**
   * Network links of the brokers. Null if this machine does not allow private networks, or if the cluster has no RabbitMQ. Only a broker
   * with such a link can have a small disk.
   */
  lines: BrokerNetwork | null;
  remove(): Promise<void>;
}

export async function installCluster({ isEmbedded }: { isEmbedded: boolean }): Promise<Cluster> {
  await using undo = new AsyncDisposableStack();
  const receiver = undo.adopt(await startWebhookReceiver(), (one) => one.close());
  const operatorPorts = [await findFreePort(), await findFreePort()] as const;
  const lines = isRunningInNetworkNamespace() && !isEmbedded ? setUpBrokerNetwork(3) : null;
  const startingDatabase = startPatroni({ etcdNodes: 3 });
  undo.defer(async () => (await startingDatabase).stop());
  const startingBrokers = isEmbedded ? null : startBrokers(operatorPorts, lines, undo);
  undo.defer(async () => (await startingBrokers)?.stop());
  const [patroni, rabbit] = await Promise.all([startingDatabase, startingBrokers]);
  await patroni.ready();
  const many = { minute: 1_000_000, day: 1_000_000 };
  const env = {
    DATABASE_URL: patroni.url,
    DATABASE_READ_URL: patroni.url,
    ...(rabbit ? { MQTT_URL: rabbit.url() } : {}),
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    PLAN_LIMITS: JSON.stringify({ free: many, developer: many, enterprise: many }),
    LOG_LEVEL: process.env.CHAOS_LOG ?? 'silent',
  };
  const ingestPorts = [await findFreeIngestPorts(), await findFreeIngestPorts()] as const;
  const portsOf = (role: ProcessRole, which: 0 | 1) => {
    const { mqtt, operator } = ingestPorts[which];
    // Brokers connect to the operator endpoint through their own network link, so the endpoint must not listen on the loopback interface
    // only.
    const host = lines ? { OPERATOR_HOST: '0.0.0.0' } : {};
    if (role === 'api') return { OPERATOR_PORT: String(operatorPorts[which]), ...host };
    return role === 'ingest' && isEmbedded
      ? { MQTT_PORT: String(mqtt), OPERATOR_PORT: String(operator), TRUST_PROXY: '127.0.0.1', DRAIN_SECONDS: '6' }
      : {};
  };
  const make = (role: ProcessRole, which: 0 | 1) =>
    createRole(role, { ...env, ...portsOf(role, which) }, receiver.ca, undo);
  const both = async (role: ProcessRole) => [await make(role, 0), await make(role, 1)] as const;
  const roles = { ingest: await both('ingest'), api: await both('api'), worker: await both('worker') };
  // The first worker creates the schema.
  await roles.worker[0].start();
  const others = [roles.worker[1], ...roles.api, ...roles.ingest];
  await Promise.all(others.map((role) => role.start()));
  const entrances = rabbit?.nodes ?? [undo.adopt(await startProxy(ingestPorts), (one) => one.stop())];
  const pool = undo.adopt(createPool(patroni.url, { max: 3 }), (one) => one.end());
  const db = createDatabase(pool);
  const { user_id: adminId } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const webhook = { events: ['alert.triggered'], url: receiver.url, authToken: WEBHOOK_SECRET } as const;
  await createWebhook(db, createSecretEncrypter(SECRET_KEY), adminId, webhook);
  const installed = undo.move();
  return { rabbit, entrances, patroni, pool, receiver, roles, lines, remove: () => installed.disposeAsync() };
}

/**
 * Starts three nodes of RabbitMQ. Each asks one API process about logins. If the nodes have separate network links, one node has its data
 * on a small disk.
 */
function startBrokers(
  operatorPorts: readonly number[],
  lines: BrokerNetwork | null,
  undo: AsyncDisposableStack,
): Promise<RabbitCluster> {
  const prepare = (nodes: readonly RabbitNode[]) => {
    const node = nodes[SMALL_DISK_BROKER_INDEX];
    if (!lines || !node) return;
    const { uid, gid } = statSync(node.dataFolder);
    const options = `size=${SMALL_MB}m,mode=755,uid=${uid},gid=${gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'data', node.dataFolder]);
    undo.defer(() => void execFileSync('umount', ['--lazy', node.dataFolder]));
  };
  const operator = operatorPorts.map((port) => `http://127.0.0.1:${port}`);
  return startRabbitMq({ operator, places: lines?.places, prepare });
}

/** Returns a process of a role (process type) with its own data folder. The process is not started yet. */
async function createRole(
  role: ProcessRole,
  env: Record<string, string>,
  ca: Buffer | string,
  undo: AsyncDisposableStack,
): Promise<RoleProcessControl> {
  const folder = undo.adopt(await createTemporaryFolder(), (one) => one.remove());
  const caFile = join(folder.path, 'ca.pem');
  await writeFile(caFile, ca);
  let running: RoleProcess | undefined;
  undo.defer(async () => running?.kill());
  return {
    async start() {
      running = await startRole(role, { ...env, DATA_DIR: folder.path, WEBHOOK_CA_FILE: caFile });
    },
    kill: async () => running?.kill(),
    async stop() {
      await running?.stop();
    },
    signal: (name) => void running?.process.kill(name),
  };
}

async function startProxy(ingest: readonly [ProxiedIngest, ProxiedIngest]): Promise<HAProxy> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  return startHAProxy({ tls: { cert, key }, api: [1, 1], ingest });
}
