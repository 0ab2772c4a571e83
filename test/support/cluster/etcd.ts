import { readFileSync } from 'node:fs';
import { findFreePort } from '../free-port.ts';
import { createDebian13Folder, type NamespacedProgram, startProgramInDebian13 } from './contained-program.ts';

const DEPLOYED = new URL('../../../deploy/cluster/etcd/etcd.env', import.meta.url);

/** An etcd cluster on free loopback ports, configured as in deploy/cluster. */
export interface Etcd {
  /** Host and client port of each node. */
  hosts: string[];
  nodes: readonly NamespacedProgram[];
  stop(): Promise<void>;
}

/** Starts an etcd cluster with this number of nodes, without waiting until it is ready. */
export async function startEtcd({ nodes: count = 1 }: { nodes?: 1 | 3 } = {}): Promise<Etcd> {
  const members: { name: string; client: string; peer: string }[] = [];
  for (let number = 1; number <= count; number++) {
    const [client, peer] = [await findFreePort(), await findFreePort()];
    members.push({ name: `etcd${number}`, client: `127.0.0.1:${client}`, peer: `127.0.0.1:${peer}` });
  }
  const shared = {
    ...deployedVariables(),
    ETCD_INITIAL_CLUSTER: members.map(({ name, peer }) => `${name}=http://${peer}`).join(','),
    // etcd need not flush to disk, because tests never cut the power.
    ETCD_UNSAFE_NO_FSYNC: 'true',
  };
  const started = members.map(({ name, client, peer }) => {
    const folder = createDebian13Folder();
    const env = {
      ...shared,
      ETCD_NAME: name,
      ETCD_DATA_DIR: `${folder.inside}/data`,
      ETCD_LISTEN_CLIENT_URLS: `http://${client}`,
      ETCD_ADVERTISE_CLIENT_URLS: `http://${client}`,
      ETCD_LISTEN_PEER_URLS: `http://${peer}`,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${peer}`,
    };
    return { folder, node: startProgramInDebian13(['etcd'], { env, folder }) };
  });
  return {
    hosts: members.map(({ client }) => client),
    nodes: started.map(({ node }) => node),
    async stop() {
      for (const { node, folder } of started) {
        await node.kill();
        folder.remove();
      }
    },
  };
}

/** Returns etcd's environment variables from a file of deploy/cluster. */
function deployedVariables(): Record<string, string> {
  const lines = readFileSync(DEPLOYED, 'utf8').split('\n');
  return Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
}
