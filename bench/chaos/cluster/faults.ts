import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RabbitNode } from '../../../test/support/cluster/rabbitmq.ts';
import { type Cluster, type ProcessRole, type RoleProcessControl, SMALL_DISK_BROKER_INDEX } from './installation.ts';

/** A fault of the cluster while homes publish. */
export interface ClusterFault {
  name: string;
  /** Maximum time in seconds from the fault until PUBACKs resume, or until readings are stored again. */
  goal: { of: 'acknowledged' | 'stored'; seconds: number };
  /**
   * Whether the fault may interrupt a delivery after the webhook call and before the service recorded it, so that the service repeats the
   * call.
   */
  cutsDeliveries?: boolean;
  /** Minimum duration of the fault in seconds. If it is 0, the fault lasts until readings are stored again. */
  holdS: number;
  harm(): Promise<unknown>;
  /** Restores the part of the cluster that the fault harmed. */
  heal(): Promise<unknown>;
}

const BROKER = { of: 'acknowledged', seconds: 5 } as const;
const DATABASE = { of: 'stored', seconds: 30 } as const;
const WORKER = { of: 'stored', seconds: 10 } as const;
const FROZEN_S = 30;
const FULL_S = 8;
const CUT_S = 20;
const nothing = async () => {};

/**
 * Returns all faults of the cluster: first single faults, then pairs of simultaneous faults. Faults of RabbitMQ are included if the cluster
 * has RabbitMQ. `goesOn`: waits until readings are stored again.
 */
export function createClusterFaults(cluster: Cluster, goesOn: () => Promise<boolean>): ClusterFault[] {
  const { patroni, roles, rabbit } = cluster;
  const nodes = rabbit?.nodes ?? [];
  const [killsNode, killsRole] = [killsNodeOf(cluster), killsRoleOf(cluster)];
  return [
    ...nodes.map((_, index) => killsNode(index)),
    killsPrimary(cluster),
    ...(['ingest', 'api', 'worker'] as const).map((name) => killsRole(name, 0)),
    freezesIngest(cluster),
    ...(rabbit
      ? [
          freezesNode('broker that most ingest workers are at frozen', () => mostUsed(cluster)),
          freezesNode('broker that no ingest worker is at frozen', () => unused(cluster)),
          ...silentLines(cluster),
          fullDisk(cluster, 1),
        ]
      : []),
    ...(cluster.lines ? [reallyFullDisk(cluster)] : []),
    {
      name: 'switchover of the database',
      goal: DATABASE,
      cutsDeliveries: true,
      holdS: 0,
      harm: () => patroni.switchover(),
      heal: nothing,
    },
    // A process that receives SIGTERM finishes the work that it has begun before it is replaced.
    replaces('roles replaced, one after the other', WORKER, Object.values(roles).flat(), goesOn),
    ...(rabbit
      ? [
          replaces('brokers restarted, one after the other', BROKER, nodes, goesOn),
          pair(killsRole('ingest', 1), killsNode(0)),
          pair(killsRole('api', 0), killsNode(2)),
        ]
      : []),
    pair(killsRole('worker', 1), killsPrimary(cluster)),
    killsIngestDuringFailover(cluster),
    ...(rabbit ? [pair(freezesIngest(cluster), killsNode(1)), pair(killsNode(0), killsPrimary(cluster))] : []),
    {
      name: 'an etcd killed, for good',
      goal: DATABASE,
      holdS: 10,
      harm: async () => patroni.etcd.nodes[0]?.kill(),
      heal: nothing,
    },
  ];
}

const killsNodeOf =
  (cluster: Cluster) =>
  (index: number): ClusterFault => {
    const node = nodeOf(cluster, index);
    return {
      name: `broker ${index + 1} killed`,
      goal: BROKER,
      holdS: 0,
      harm: () => node.kill(),
      heal: () => node.start(),
    };
  };

const killsRoleOf =
  ({ roles }: Cluster) =>
  (name: ProcessRole, which: 0 | 1): ClusterFault => {
    const role: RoleProcessControl = roles[name][which];
    return {
      name: `${name} killed`,
      goal: WORKER,
      cutsDeliveries: name === 'worker',
      holdS: 0,
      harm: () => role.kill(),
      heal: () => role.start(),
    };
  };

function killsPrimary({ patroni }: Cluster): ClusterFault {
  let killed: Awaited<ReturnType<typeof patroni.primary>> | undefined;
  return {
    name: 'primary killed with its Patroni',
    goal: DATABASE,
    cutsDeliveries: true,
    holdS: 0,
    async harm() {
      killed = await patroni.primary();
      await killed.kill();
    },
    heal: async () => killed?.start(),
  };
}

/**
 * Kills an ingest worker during a failover of the database. The worker has the readings of the failover only in memory, so it must not have
 * acknowledged them.
 */
function killsIngestDuringFailover(cluster: Cluster): ClusterFault {
  const failover = killsPrimary(cluster);
  const [ingest] = cluster.roles.ingest;
  return {
    ...failover,
    name: 'ingest killed while there is no primary',
    async harm() {
      await failover.harm();
      await pause(5_000);
      await ingest.kill();
    },
    async heal() {
      await failover.heal();
      await ingest.start();
    },
  };
}

const freezesIngest = ({ roles }: Cluster): ClusterFault => ({
  name: 'ingest frozen',
  goal: WORKER,
  holdS: FROZEN_S,
  harm: async () => roles.ingest[1].signal('SIGSTOP'),
  heal: async () => roles.ingest[1].signal('SIGCONT'),
});

function freezesNode(name: string, chosen: () => RabbitNode): ClusterFault {
  let frozen: RabbitNode | undefined;
  return {
    name,
    goal: BROKER,
    holdS: FROZEN_S,
    async harm() {
      frozen = chosen();
      frozen.freeze();
    },
    heal: async () => frozen?.thaw(),
  };
}

/** Stops and starts processes one after the other. Before each further process, waits until readings are stored again. */
const replaces = (
  name: string,
  goal: ClusterFault['goal'],
  processes: readonly { stop(): Promise<void>; start(): Promise<void> }[],
  goesOn: () => Promise<boolean>,
): ClusterFault => ({
  name,
  goal,
  holdS: 0,
  async harm() {
    for (const one of processes) {
      await one.stop();
      await one.start();
      await goesOn();
    }
  },
  heal: nothing,
});

function nodeOf({ rabbit }: Cluster, index: number) {
  const node = rabbit?.nodes[index];
  if (!node) throw new Error(`no broker ${index + 1}`);
  return node;
}

/** Returns the broker that most ingest workers are connected to. */
function mostUsed({ rabbit }: Cluster): RabbitNode {
  const [most] = (rabbit?.nodes ?? []).toSorted((one, other) => workersAt(other) - workersAt(one));
  if (!most || workersAt(most) === 0) throw new Error('no ingest worker is at a broker');
  return most;
}

/**
 * Returns the broker that neither of the two ingest workers is connected to. Like the other two brokers, it leads some shards of the queue.
 */
function unused({ rabbit }: Cluster): RabbitNode {
  const node = rabbit?.nodes.find((one) => workersAt(one) === 0);
  if (!node) throw new Error('an ingest worker is at each broker');
  return node;
}

/** Returns how many ingest workers are connected to a broker, by its AMQP port. */
function workersAt({ ports }: RabbitNode): number {
  // Fields of /proc/net/tcp (proc(5)): local address and port in hexadecimal, remote address and port, state (01: established).
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const port = ports.amqp.toString(16).toUpperCase().padStart(4, '0');
  return lines.filter((line) => new RegExp(`^ *\\d+: \\S+ [0-9A-F]{8}:${port} 01 `).test(line)).length;
}

/** Combines two faults that begin together. The first is healed before the second. The goal is the one that allows more time. */
function pair(one: ClusterFault, other: ClusterFault): ClusterFault {
  return {
    name: `${one.name} + ${other.name}`,
    goal: one.goal.seconds > other.goal.seconds ? one.goal : other.goal,
    cutsDeliveries: (one.cutsDeliveries ?? false) || (other.cutsDeliveries ?? false),
    holdS: Math.max(one.holdS, other.holdS),
    harm: () => Promise.all([one.harm(), other.harm()]),
    async heal() {
      await one.heal();
      await other.heal();
    },
  };
}

/** Returns faults that cut off the broker with the most workers by silently dropping all its packets. */
function silentLines(cluster: Cluster): ClusterFault[] {
  const { lines, rabbit } = cluster;
  if (!lines || !rabbit) return [];
  const silent = (name: string, cut: (index: number, isCut: boolean) => void): ClusterFault => {
    let index = 0;
    return {
      name,
      goal: BROKER,
      holdS: CUT_S,
      async harm() {
        index = rabbit.nodes.indexOf(mostUsed(cluster));
        cut(index, true);
      },
      heal: async () => cut(index, false),
    };
  };
  return [
    silent('lines between a broker with workers and the others silent', lines.cutFromOthers),
    silent('all lines of a broker with workers silent', lines.cutFromAll),
  ];
}

/** Faults that cannot run on a machine without network namespaces and private mounts. */
export const NETWORK_AND_DISK_FAULTS = ['silent lines of a broker', 'a full disk of a broker'] as const;

/** Fills the small disk of one broker to the last byte, and then frees it again. */
function reallyFullDisk(cluster: Cluster): ClusterFault {
  const node = nodeOf(cluster, SMALL_DISK_BROKER_INDEX);
  const filler = join(node.dataFolder, 'filler');
  return {
    name: `broker ${SMALL_DISK_BROKER_INDEX + 1}'s disk full`,
    goal: { of: 'acknowledged', seconds: FULL_S + BROKER.seconds },
    holdS: FULL_S,
    async harm() {
      const file = openSync(filler, 'w');
      try {
        for (const block = Buffer.alloc(2 ** 20); ; ) writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    async heal() {
      rmSync(filler);
      // RabbitMQ continues to run after its process that writes the write-ahead log of quorum queues has ended, so this process is checked
      // separately.
      const writes = (await node.ctl('-q', 'eval', 'is_pid(whereis(ra_log_wal)).').catch(() => '')).trim();
      if (writes === 'true') return;
      await node.kill();
      await node.start();
    },
  };
}

/**
 * Raises RabbitMQ's own disk alarm: the whole cluster stops reading from publishers, except for the first messages of a device that
 * reconnects.
 */
function fullDisk(cluster: Cluster, index: number): ClusterFault {
  const node = nodeOf(cluster, index);
  const alarm = '{resource_limit, disk, node()}';
  return {
    name: `broker ${index + 1}'s disk full (its alarm)`,
    goal: { of: 'acknowledged', seconds: FULL_S + BROKER.seconds },
    holdS: FULL_S,
    async harm() {
      await node.ctl('eval', `rabbit_alarm:set_alarm({${alarm}, []}).`);
      const raised = await node.ctl('-q', 'eval', 'rabbit_alarm:get_alarms().');
      if (!raised.includes('disk')) throw new Error(`no alarm: ${raised}`);
    },
    heal: () => node.ctl('eval', `rabbit_alarm:clear_alarm(${alarm}).`),
  };
}
