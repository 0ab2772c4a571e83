import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { freePort } from '../free-port.ts';
import { DEBIAN_13_BIN } from '../tiers/reach.ts';
import { type Contained, type InnerFolder, innerFolder, startContained } from './contained.ts';
import { type Etcd, startEtcd } from './etcd.ts';

const DEPLOYED = new URL('../../../deploy/cluster/patroni/', import.meta.url);
const PASSWORD = 'of-the-tests';
const READY_MS = 60_000;

/** A PostgreSQL with its Patroni. */
interface DatabaseNode {
  name: string;
  /** Where its PostgreSQL listens. */
  host: string;
  /** Of the service's database on this node alone. */
  url: string;
  /** kill -9 of Patroni and PostgreSQL at once. */
  kill(): Promise<void>;
  /** The same programs on the same folder again. */
  start(): void;
  freeze(): void;
  continue(): void;
  /** What Patroni says of it; null while it says nothing. */
  state(): Promise<{ role: string; state: string; pause?: boolean } | null>;
  output(): string;
}

/** Two PostgreSQL 17 under Patroni, one of them the synchronous standby, with etcd, on free ports of the loopback. */
export interface PatroniCluster {
  etcd: Etcd;
  nodes: readonly [DatabaseNode, DatabaseNode];
  /** All hosts, as DATABASE_URL takes them. */
  url: string;
  superuserUrl(node: DatabaseNode): string;
  /** The node that says that it takes writes; waits for one. */
  primary(): Promise<DatabaseNode>;
  standby(): Promise<DatabaseNode>;
  /** Waits until one is primary and the other its synchronous standby. */
  ready(): Promise<void>;
  /** The standby takes over in good order; resolves when Patroni says that it has. */
  switchover(): Promise<void>;
  /** Patroni decides nothing (nor lets a standby go on whose replay was paused) until it is told to go on. */
  maintenance(isOn: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** `etcdNodes`: three where one of them is to fail, too. */
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
      // Refused while etcd is choosing a leader of its own.
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
  /** Where its Patroni is asked. */
  api: string;
  remove(): Promise<void>;
}

async function makeNode(name: string, etcd: Etcd): Promise<OwnNode> {
  const folder = innerFolder();
  const [host, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  configure(folder);
  const env = {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: api,
    PATRONI_RESTAPI_CONNECT_ADDRESS: api,
    PATRONI_POSTGRESQL_LISTEN: host,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: host,
    PATRONI_POSTGRESQL_DATA_DIR: `${folder.inside}/data`,
    PATRONI_POSTGRESQL_BIN_DIR: DEBIAN_13_BIN,
    PATRONI_POSTGRESQL_PGPASS: `${folder.inside}/pgpass`,
    PATRONI_ETCD3_HOSTS: etcd.hosts.join(','),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
    ENERGY_PASSWORD: PASSWORD,
  };
  let running: Contained | undefined;
  return {
    name,
    host,
    api,
    url: `postgres://energy:${PASSWORD}@${host}/energy`,
    start() {
      running = startContained(['patroni', `${folder.inside}/patroni.yml`], { env, folder });
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
        const said = (await answer.json()) as { role: string; state: string; sync_standby?: boolean; pause?: boolean };
        return { ...said, role: said.sync_standby ? 'sync_standby' : said.role };
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

/** The files of deploy/cluster, and what only tests want. */
function configure(folder: InnerFolder): void {
  const script = join(folder.path, 'post-bootstrap.sh');
  copyFileSync(new URL('post-bootstrap.sh', DEPLOYED), script);
  const given = parse(readFileSync(new URL('patroni.yml', DEPLOYED), 'utf8'));
  given.bootstrap.post_bootstrap = `${folder.inside}/post-bootstrap.sh`;
  // A machine that runs tests is not to be restarted by them.
  given.watchdog.mode = 'off';
  given.postgresql.parameters = { fsync: 'off', shared_buffers: '64MB', log_min_messages: 'panic' };
  writeFileSync(join(folder.path, 'patroni.yml'), stringify(given));
}
