import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../free-port.ts';
import { DEBIAN_13_POSTGRESQL_BIN } from '../tiers/available-tiers.ts';
import {
  createDebian13Folder,
  type Debian13Folder,
  type NamespacedProgram,
  startProgramInDebian13,
} from './contained-program.ts';
import { type Etcd, startEtcd } from './etcd.ts';

const DEPLOYED = new URL('../../../deploy/cluster/patroni/', import.meta.url);
const PASSWORD = 'of-the-tests';
const READY_MS = 60_000;

/** A PostgreSQL server and the Patroni that manages it. */
interface DatabaseNode {
  name: string;
  /** Host and port of the node's PostgreSQL. */
  host: string;
  /** URL of the service's database on this node only. */
  url: string;
  /** Sends SIGKILL to Patroni and PostgreSQL of this node at once. */
  kill(): Promise<void>;
  /** Starts Patroni and PostgreSQL again on the existing data. */
  start(): void;
  freeze(): void;
  continue(): void;
  /** Status of the node as Patroni reports it; null if Patroni does not respond. */
  state(): Promise<{ role: string; state: string; pause?: boolean } | null>;
  output(): string;
}

/** Two PostgreSQL 17 servers managed by Patroni, one of them a synchronous standby, and etcd. */
export interface PatroniCluster {
  etcd: Etcd;
  nodes: readonly [DatabaseNode, DatabaseNode];
  /** URL with all hosts of the cluster, in the form of DATABASE_URL. */
  url: string;
  superuserUrl(node: DatabaseNode): string;
  /** Waits for a node that accepts writes, and returns it. */
  primary(): Promise<DatabaseNode>;
  standby(): Promise<DatabaseNode>;
  /** Waits until one node is primary and the other its synchronous standby. */
  ready(): Promise<void>;
  /** Makes the standby the primary. */
  switchover(): Promise<void>;
  /** Pauses or resumes Patroni. If a test has paused the replay of a standby, a paused Patroni does not resume the replay. */
  maintenance(isOn: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the cluster. `etcdNodes`: number of etcd nodes; 3 for a test in which an etcd node fails. */
export async function startPatroni({ etcdNodes = 1 }: { etcdNodes?: 1 | 3 } = {}): Promise<PatroniCluster> {
  const etcd = await startEtcd({ nodes: etcdNodes });
  const nodes = [await makeNode('pg1', etcd), await makeNode('pg2', etcd)] as const;
  for (const node of nodes) node.start();
  const having = async (is: (state: Awaited<ReturnType<DatabaseNode['state']>>) => boolean, what: string) => {
    const until = Date.now() + READY_MS;
    while (Date.now() < until) {
      for (const node of nodes) if (is(await node.state())) return node;
      await pause(100);
    }
    throw new Error(`no ${what} within ${READY_MS} ms\n${nodes.map((node) => node.output().slice(-1_500)).join('\n')}`);
  };
  const primary = () => having((state) => state?.role === 'primary' && state.state === 'running', 'primary');
  const standby = () => having((state) => state?.role === 'sync_standby' && state.state === 'running', 'standby');
  return {
    etcd,
    nodes: [nodes[0], nodes[1]],
    url: `postgres://energy:${PASSWORD}@${nodes.map(({ host }) => host).join(',')}/energy`,
    superuserUrl: ({ host }) => `postgres://postgres:${PASSWORD}@${host}/energy`,
    primary,
    standby,
    async ready() {
      await primary();
      await standby();
    },
    async switchover() {
      const [from, to] = [await primary(), await standby()];
      const body = JSON.stringify({ leader: from.name, candidate: to.name });
      // Patroni refuses the request while etcd elects a leader.
      for (const until = Date.now() + READY_MS; ; await pause(500)) {
        const answer = await fetch(`http://${from.api}/switchover`, { method: 'POST', body });
        if (answer.ok) return;
        if (answer.status !== 503 || Date.now() > until)
          throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
      }
    },
    async maintenance(isOn) {
      const { api } = await primary();
      await fetch(`http://${api}/config`, { method: 'PATCH', body: JSON.stringify({ pause: isOn || null }) });
      for (const node of nodes) while (((await node.state())?.pause ?? false) !== isOn) await pause(100);
    },
    async stop() {
      for (const node of nodes) await node.remove();
      await etcd.stop();
    },
  };
}

interface OwnNode extends DatabaseNode {
  /** Address of the node's Patroni API. */
  api: string;
  remove(): Promise<void>;
}

async function makeNode(name: string, etcd: Etcd): Promise<OwnNode> {
  const folder = createDebian13Folder();
  const [host, api] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
  configure(folder);
  const env = {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: api,
    PATRONI_RESTAPI_CONNECT_ADDRESS: api,
    PATRONI_POSTGRESQL_LISTEN: host,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: host,
    PATRONI_POSTGRESQL_DATA_DIR: `${folder.inside}/data`,
    PATRONI_POSTGRESQL_BIN_DIR: DEBIAN_13_POSTGRESQL_BIN,
    PATRONI_POSTGRESQL_PGPASS: `${folder.inside}/pgpass`,
    PATRONI_ETCD3_HOSTS: etcd.hosts.join(','),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
    ENERGY_PASSWORD: PASSWORD,
  };
  let running: NamespacedProgram | undefined;
  return {
    name,
    host,
    api,
    url: `postgres://energy:${PASSWORD}@${host}/energy`,
    start() {
      running = startProgramInDebian13(['patroni', `${folder.inside}/patroni.yml`], { env, folder });
    },
    async kill() {
      await running?.kill();
    },
    freeze: () => running?.freeze(),
    continue: () => running?.continue(),
    output: () => running?.output() ?? '',
    async state() {
      try {
        const answer = await fetch(`http://${api}/patroni`, { signal: AbortSignal.timeout(1_000) });
        const status = (await answer.json()) as {
          role: string;
          state: string;
          sync_standby?: boolean;
          pause?: boolean;
        };
        return { ...status, role: status.sync_standby ? 'sync_standby' : status.role };
      } catch {
        return null;
      }
    },
    async remove() {
      await running?.kill();
      folder.remove();
    },
  };
}

/** Installs the files of deploy/cluster, with changes that only tests need. */
function configure(folder: Debian13Folder): void {
  const script = join(folder.path, 'post-bootstrap.sh');
  copyFileSync(new URL('post-bootstrap.sh', DEPLOYED), script);
  const settings = parse(readFileSync(new URL('patroni.yml', DEPLOYED), 'utf8'));
  settings.bootstrap.post_bootstrap = `${folder.inside}/post-bootstrap.sh`;
  // The watchdog is off, because it would restart the machine that runs the tests.
  settings.watchdog.mode = 'off';
  settings.postgresql.parameters = { fsync: 'off', shared_buffers: '64MB', log_min_messages: 'panic' };
  writeFileSync(join(folder.path, 'patroni.yml'), stringify(settings));
}
