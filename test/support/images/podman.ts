import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder of the tests' own podman storage and settings. Increase the number in its name when the base image changes. */
const FOLDER = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'energy-usage-service', 'images-1');
/** Folder that contains the tests' volumes. */
export const VOLUMES_FOLDER = join(FOLDER, 'storage/volumes');
/** Base image of deploy/Dockerfile, which the tests create instead of pulling it. */
export const BASE_IMAGE = 'docker.io/library/node:24-bookworm-slim';
/** Maximum time to wait for another run. All tests of images take about 15 minutes. */
const MAX_WAIT_SECONDS = 1_200;
/** Marker file. It exists if the base image is complete. */
export const BASE_IMAGE_MARKER = join(FOLDER, 'base-image');

/** Settings of podman. `crun`, the default, fails if cgroups are in hybrid mode. */
const CONTAINERS_CONF = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "${join(FOLDER, 'networks')}"
`;
/** Settings of podman's storage. The state of running containers is in /run, which is empty after the machine restarts. */
const STORAGE_CONF = `[storage]
driver = "overlay"
graphroot = "${join(FOLDER, 'storage')}"
runroot = "/run/energy-usage-service-images"
`;

/** Creates podman's folder and its settings. */
export function preparePodman(): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'containers.conf'), CONTAINERS_CONF);
  writeFileSync(join(FOLDER, 'storage.conf'), STORAGE_CONF);
}

/**
 * Reserves podman's storage for this process, because each run removes all containers. Waits for another run. Returns a function that
 * releases the storage.
 */
export function reservePodmanStorage(): Promise<() => void> {
  const holder = spawn('flock', [`--timeout=${MAX_WAIT_SECONDS}`, join(FOLDER, 'lock'), 'sh', '-c', 'echo; cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return new Promise((done, fail) => {
    holder.stdout.once('data', () => done(() => void holder.stdin.end()));
    holder.once('exit', () =>
      fail(new Error('Another run of test/images has not ended. Wait for it, then try again.')),
    );
  });
}

/** Returns the environment variables for commands that use the tests' podman storage. */
export const createPodmanEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  CONTAINERS_CONF: join(FOLDER, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: join(FOLDER, 'storage.conf'),
  // podman would run health checks with systemd timers. The tests run the checks themselves.
  DISABLE_HC_SYSTEMD: 'true',
});

/** Runs podman and returns its output. Throws an error with the output if it fails. */
export function runPodman(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('podman', args, {
    cwd: FOLDER,
    env: createPodmanEnvironment(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`podman ${args.join(' ')}: ${status}\n${`${stdout}\n${stderr}`.slice(-4_000)}`);
  return stdout.trim();
}

/** Runs podman with these arguments, and returns whether it succeeded. */
export function isPodmanSuccessful(...args: string[]): boolean {
  try {
    runPodman(...args);
    return true;
  } catch {
    return false;
  }
}

/** Whether the base image exists, according to its marker file. */
export const hasBaseImage = (): boolean => existsSync(BASE_IMAGE_MARKER);
