import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findProcessTree } from './cluster/namespace.ts';

const root = resolve(import.meta.dirname, '../..');

/** A program that runs in its own root file system, as in a container. */
export interface ProgramInRootFilesystem {
  process: ChildProcess;
  /** Standard output and standard error of the program so far. */
  output(): string;
  /** Resolves with the program's exit code. */
  ended: Promise<number | null>;
  /** Sends SIGTERM to the program but not to its child processes, like `docker stop`. */
  terminate(): void;
}

interface RootFilesystemOptions {
  /** Folder in which the root file system is mounted. Its subfolder `data` is the volume. */
  folder: string;
  /** Folders of the repository that the image contains, in addition to packages. */
  copied: readonly string[];
  /** Numeric user id and group id with which the program runs. */
  user: number;
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Capabilities that the program retains if it runs as root, by their names for `setpriv`. Default: none. */
  capabilities?: readonly string[];
  /** Additional file to copy to the image's folder /app. */
  file?: string;
}

/**
 * Shell command that mounts a read-only root file system: this machine's programs and libraries, /app as in the image, a private /tmp and
 * /dev/shm, and the folder `data` as /data. It then runs the program with only the named capabilities.
 */
const MOUNT = `set -e
root=$1 app=$2 node=$3 data=$4 user=$5 capabilities=$6 file=$7; shift 7
mount -t tmpfs -o mode=755 root "$root"
cd "$root"; mkdir app data dev etc proc tmp usr
for name in bin lib lib64 sbin; do if test -L "/$name"; then cp -P "/$name" "$name"; elif test -d "/$name"; then mkdir "$name"; mount --bind "/$name" "$name"; fi; done
mount --bind /usr usr; mount --bind /etc etc; mount --bind "$node" usr/local/bin
mount -t proc proc proc; mount --rbind /dev dev; mount -t tmpfs -o mode=1777,size=256m shm dev/shm
for name in bin src ingest simulators sql docs node_modules; do mkdir "app/$name"; mount --bind "$app/$name" "app/$name"; mount -o remount,bind,ro "app/$name"; done
mkdir app/deploy; cp "$app/deploy/DEVICES.md" app/deploy/; cp "$app/package.json" app/; if test -n "$file"; then cp "$file" app/; fi
mount --bind "$data" data; mount -t tmpfs -o mode=1777,size=64m tmp tmp
mount -o remount,ro "$root"
cd /; chroot "$root" setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs --inh-caps=-all --bounding-set="$capabilities" --pdeathsig=KILL \\
  sh -c 'cd /app; exec "$@"' sh "$@" && exit 0 || exit $?`;

/** Runs a program of the service in its own root file system. Needs root and permission to mount. */
export function startInRootFilesystem({
  folder,
  copied,
  user,
  command,
  env,
  capabilities = [],
  file = '',
}: RootFilesystemOptions): ProgramInRootFilesystem {
  const capabilityList = ['-all', ...capabilities.map((name) => `+${name}`)].join();
  const known = ['bin', 'src', 'ingest', 'simulators', 'sql', 'docs'];
  if (copied.join() !== known.join())
    throw new Error(`the image copies ${copied.join(', ')}: mount that in root-filesystem.ts, too`);
  const [mounted, data] = [join(folder, 'root'), join(folder, 'data')];
  for (const path of [mounted, data]) mkdirSync(path, { recursive: true });
  chownSync(data, user, user);
  const namespaces = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child=KILL', '--'];
  const args = [mounted, root, dirname(process.execPath), data, String(user), capabilityList, file, ...command];
  const child = spawn('setpriv', [...namespaces, 'sh', '-c', MOUNT, 'sh', ...args], {
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    process: child,
    output: () => output,
    ended: new Promise((done) => child.once('exit', (code) => done(code))),
    terminate() {
      const program = findProcessTree(child.pid as number).find((pid) => isProgram(pid, command));
      if (program === undefined) throw new Error('the program does not run');
      process.kill(program, 'SIGTERM');
    },
  };
}

/** Whether a process is the program itself: it has these arguments, and its root directory is not this machine's. */
function isProgram(pid: number, command: readonly string[]): boolean {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args.join(' ').trim() === command.join(' ') && readlinkSync(`/proc/${pid}/root`) !== '/';
  } catch {
    return false;
  }
}
