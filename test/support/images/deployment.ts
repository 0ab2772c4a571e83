import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, globSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createPodmanEnvironment, runPodman, VOLUMES_FOLDER } from './podman.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Folders that a clone of the repository does not contain. */
const NOT_CLONED = new Set(['.git', 'node_modules', 'artifacts', 'coverage', 'data', 'release']);

/** Arguments of podman commands that remove every container, volume and network from the tests' own storage. */
const REMOVE = ['rm --all --force --time=0 --volumes', 'volume prune --force', 'network prune --force'];

/** A simulated machine for containers, with a copy of the repository, and a network with its own ports. */
interface Deployment {
  /** Address of the simulated machine in the test's network, such as 198.18.0.2. */
  address: string;
  /** Folder with the copy of the repository. */
  folder: string;
  /**
   * Runs a shell command on the simulated machine, in a folder of the repository, and returns its output. Throws an error with the output
   * if it fails.
   */
  type(command: string, folder?: string): string;
  /** Sends SIGTERM to a container. Returns the exit code, and the duration of the stop in seconds. */
  stop(container: string): { code: number; seconds: number };
  /** Removes podman's containers, volumes and networks, and the simulated machine. */
  remove(): void;
}

/**
 * Creates the simulated machine, without Internet access. Its network namespace has a link to this machine, so that tests connect as other
 * devices in a household would. Needs root.
 */
export function createDeployment(): Deployment {
  const name = `energy${process.pid}`;
  // Addresses that RFC 2544 reserves for benchmarks. Each process id gets four of them.
  const block = `198.18.${(process.pid >> 6) & 255}`;
  const first = (process.pid & 63) * 4;
  const [outside, address] = [`${block}.${first + 1}`, `${block}.${first + 2}`];
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  // Removes containers, volumes and networks that a killed run has left behind.
  for (const command of REMOVE) runPodman(...command.split(' '));
  // podman would reuse the folder of a volume that a program still writes to, so it is deleted here.
  for (const left of globSync('*/', { cwd: VOLUMES_FOLDER })) rmSync(join(VOLUMES_FOLDER, left), { recursive: true });
  ip('netns', 'add', name);
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'lan', 'netns', name);
  ip('address', 'add', `${outside}/30`, 'dev', name);
  ip('link', 'set', name, 'up');
  for (const one of [`address add ${address}/30 dev lan`, 'link set lo up', 'link set lan up'])
    ip('-n', name, ...one.split(' '));
  ip('-n', name, 'route', 'add', 'default', 'via', outside);
  const folder = mkdtempSync(join(tmpdir(), 'energy-deployment-'));
  // With the original modification times, podman reuses image layers of unchanged files.
  const cloned = readdirSync(root).filter((entry) => !NOT_CLONED.has(entry));
  execFileSync('cp', ['-a', ...cloned, folder], { cwd: root });
  const log = `${folder}.log`;
  const deployment: Deployment = {
    address,
    folder,
    type(command, within = '.') {
      // The output goes to a file, because a child process inherits it and would keep a pipe open.
      const output = openSync(log, 'w');
      const { status } = spawnSync('nsenter', [`--net=/run/netns/${name}`, 'sh', '-c', command], {
        cwd: join(folder, within),
        env: createPodmanEnvironment(),
        stdio: ['ignore', output, output],
      });
      closeSync(output);
      const text = readFileSync(log, 'utf8').trim();
      if (status !== 0) throw new Error(`${command}: ${status}\n${text.slice(-4_000)}`);
      return text;
    },
    stop(container) {
      const began = performance.now();
      deployment.type(`podman stop --time=60 ${container}`);
      const seconds = (performance.now() - began) / 1_000;
      return { seconds, code: Number(runPodman('inspect', '--format', '{{.State.ExitCode}}', container)) };
    },
    remove() {
      for (const command of REMOVE) deployment.type(`podman ${command}`);
      // Deletes the network namespace and its link.
      ip('netns', 'delete', name);
      rmSync(folder, { recursive: true, force: true });
      rmSync(log, { force: true });
    },
  };
  return deployment;
}

/** Host name of this machine for documented commands with `$(hostname)`. */
export const HOST_NAME = hostname();

/** Returns a container's whole output so far. */
export const getContainerOutput = (container: string): string => {
  const { stdout, stderr } = spawnSync('podman', ['logs', container], {
    env: createPodmanEnvironment(),
    encoding: 'utf8',
  });
  return stdout + stderr;
};

/**
 * Waits until a container has printed a text. Returns the seconds since its last start. After `withinMs`, throws an error with its output.
 */
export async function waitUntilPrinted(container: string, text: RegExp, withinMs: number): Promise<number> {
  const untilMs = Date.now() + withinMs;
  while (!text.test(getContainerOutput(container))) {
    if (Date.now() > untilMs)
      throw new Error(`${container} did not print ${text}: ${getContainerOutput(container).slice(-3_000)}`);
    await new Promise((done) => setTimeout(done, 500));
  }
  const startedMs = Number(runPodman('inspect', '--format', '{{.State.StartedAt.UnixMilli}}', container));
  return (Date.now() - startedMs) / 1_000;
}

/** Returns how often podman has restarted a container. */
export const countRestarts = (container: string): number =>
  Number(runPodman('inspect', '--format', '{{.RestartCount}}', container));

/**
 * Returns the memory use of a container with a memory limit, in MiB. `programsMb`: without the page cache. `peakMb`: maximum, including the
 * page cache. `killed`: number of processes that the kernel killed for lack of memory.
 */
export function readContainerMemory(container: string): { programsMb: number; peakMb: number; killed: number } {
  const group = `libpod_parent/libpod-${runPodman('inspect', '--format', '{{.Id}}', container)}`;
  const isVersion1 = existsSync('/sys/fs/cgroup/memory');
  const folder = isVersion1 ? `/sys/fs/cgroup/memory/${group}` : `/sys/fs/cgroup/${group}`;
  const [peak, kills, programs] = isVersion1
    ? ['memory.max_usage_in_bytes', 'memory.oom_control', ['total_rss', 'total_shmem']]
    : ['memory.peak', 'memory.events', ['anon', 'shmem']];
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const count = (text: string, name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const stat = read('memory.stat');
  const mb = (bytes: number) => Math.round(bytes / 2 ** 20);
  return {
    programsMb: mb(programs.reduce((sum, name) => sum + count(stat, name), 0)),
    peakMb: mb(Number(read(peak))),
    killed: count(read(kills), 'oom_kill'),
  };
}
