import { execFileSync, spawn } from 'node:child_process';
import { accessSync, writeFileSync } from 'node:fs';
import type { NodeNetworkLocation } from '../../../test/support/cluster/rabbitmq.ts';

/** Environment variable that marks the child process that runs inside its own network and mount namespaces. */
const WITHIN = 'CHAOS_WITHIN';
const IP = '/usr/sbin/ip';
const NOBODY = '02:00:00:00:00:99';

/** Private network and mounts of a run. Each broker has its own network link to the other brokers and to all other processes. */
export interface BrokerNetwork {
  places: readonly NodeNetworkLocation[];
  /** Silently drops all packets between this broker and the other brokers. Devices and workers can still reach this broker. */
  cutFromOthers(index: number, isCut: boolean): void;
  /** Silently drops all packets to and from this broker. */
  cutFromAll(index: number, isCut: boolean): void;
}

/** Returns why this machine does not allow a private network; null if it allows one. */
export function explainMissingNetworkNamespaces(): string | null {
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    accessSync(IP);
  } catch {
    return 'it needs ip of the package iproute2';
  }
  try {
    execFileSync('unshare', ['--net', '--mount', '--', IP, 'link', 'add', 'tried', 'type', 'veth'], {
      stdio: 'ignore',
    });
    return null;
  } catch {
    return 'this kernel or container allows no network of its own (CAP_NET_ADMIN, CAP_SYS_ADMIN, veth)';
  }
}

export const isRunningInNetworkNamespace = (): boolean => process.env[WITHIN] === '1';

/** Runs this program again with its own network and mounts, which are removed when it ends. Returns its exit code. */
export async function rerunInNetworkNamespace(): Promise<number> {
  const [node, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const command = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--', node, ...args];
  const child = spawn('setpriv', command, { stdio: 'inherit', env: { ...process.env, [WITHIN]: '1' } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Creates the network links of the brokers. Must run inside the network namespace of the run. */
export function setUpBrokerNetwork(count: number): BrokerNetwork {
  ip('link set lo up');
  // The names of network namespaces are files in /run. This mount is private to the run.
  execFileSync('mount', ['-t', 'tmpfs', 'run', '/run']);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  const places = Array.from({ length: count }, (_, index) => layLine(index));
  const others = (index: number) => places.map((_, other) => other).filter((other) => other !== index);
  return {
    places,
    cutFromOthers(index, isCut) {
      const what = isCut ? 'add' : 'del';
      for (const other of others(index)) {
        ip(`rule ${what} iif ${lineOf(index)} to ${places[other]?.host} blackhole`);
        ip(`rule ${what} iif ${lineOf(other)} to ${places[index]?.host} blackhole`);
      }
    },
    cutFromAll(index, isCut) {
      const { host, gateway } = places[index] as NodeNetworkLocation;
      // Packets to this address are sent to a hardware address that does not exist, and are thereby dropped.
      const to = (address: string, line: string) =>
        isCut
          ? `neigh replace ${address} lladdr ${NOBODY} nud permanent dev ${line}`
          : `neigh del ${address} dev ${line}`;
      ip(to(host, lineOf(index)));
      ip(`-n ${nameOf(index)} ${to(gateway, 'line')}`);
    },
  };
}

const nameOf = (index: number) => `broker-${index + 1}`;
const lineOf = (index: number) => `to-${nameOf(index)}`;
const ip = (line: string) => execFileSync(IP, line.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });

function layLine(index: number): NodeNetworkLocation {
  const [name, line] = [nameOf(index), lineOf(index)];
  const [gateway, host] = [`10.99.${index + 1}.1`, `10.99.${index + 1}.2`];
  ip(`netns add ${name}`);
  ip(`link add ${line} type veth peer name line netns ${name}`);
  ip(`addr add ${gateway}/30 dev ${line}`);
  ip(`link set ${line} up`);
  ip(`-n ${name} addr add ${host}/30 dev line`);
  for (const end of ['line', 'lo']) ip(`-n ${name} link set ${end} up`);
  ip(`-n ${name} route add default via ${gateway}`);
  return { host, gateway, network: `/run/netns/${name}` };
}
