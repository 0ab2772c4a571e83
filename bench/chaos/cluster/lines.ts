import { execFileSync, spawn } from 'node:child_process';
import { accessSync, writeFileSync } from 'node:fs';
import type { Place } from '../../../test/support/cluster/rabbitmq.ts';

/** Says to the process within that it is. */
const WITHIN = 'CHAOS_WITHIN';
const IP = '/usr/sbin/ip';
const NOBODY = '02:00:00:00:00:99';

/** A network and mounts of the run's own, in which each broker has a line of its own to all that is not a broker, and by it to the others. */
export interface Lines {
  places: readonly Place[];
  /** What goes between this broker and the others is dropped, without a word to either; devices and workers reach it. */
  cutFromOthers(index: number, isCut: boolean): void;
  /** All that goes to this broker and comes from it is dropped, without a word. */
  cutFromAll(index: number, isCut: boolean): void;
}

/** Why there can be no such network here; null where there can be. */
export function linesAreMissing(): string | null {
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

export const isWithin = (): boolean => process.env[WITHIN] === '1';

/** Runs this very program again in a network and with mounts of its own, which end with it. Answers its exit code. */
export async function runWithin(): Promise<number> {
  const [node, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const command = ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--', node, ...args];
  const child = spawn('setpriv', command, { stdio: 'inherit', env: { ...process.env, [WITHIN]: '1' } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Lays the lines, in a process that is within. */
export function layLines(count: number): Lines {
  ip('link set lo up');
  // Where namespaces have their files: of this run alone, as all its mounts are.
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
      const { host, gateway } = places[index] as Place;
      // What is sent has the address of a card that nobody has.
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

function layLine(index: number): Place {
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
