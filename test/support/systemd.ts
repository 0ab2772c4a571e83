import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findProcessTree } from './cluster/namespace.ts';

const repository = resolve(import.meta.dirname, '../..');

/** Path of the checkout for programs in the test's systemd environment. */
export const CHECKOUT_PATH = '/home/me/energy-usage-service';

/** A test instance of this machine's systemd, which runs the service in separate namespaces. */
export interface IsolatedSystemd {
  /** Returns the standard output and standard error of the service so far. */
  output(): string;
  /** Runs `systemctl` in the systemd environment. Throws if it fails. */
  systemctl(...args: string[]): string;
  /** Runs a shell command in the systemd environment, as root in the folder of the checkout. Throws if it fails. */
  type(command: string): string;
  /** Returns the process ids of the service, as numbered outside the namespaces. */
  pids(): number[];
  /** Converts a path inside the systemd environment to the path outside it. */
  path(inside: string): string;
  kill(): Promise<void>;
}

/**
 * Shell command that builds the root file system of the test's systemd: this machine's programs and libraries, and the checkout in a
 * private home folder. /proc/sys and /sys are read-only. `$node`: folder of Node.
 */
const BOOT = `set -e
root=$1 repository=$2 units=$3 settings=$4 node=$5
mount -t tmpfs -o mode=755 root "$root"; cd "$root"
mkdir -p data dev proc sys tmp usr run var/log var/lib var/cache opt/node etc/systemd/system etc/energy-usage .${CHECKOUT_PATH} root boot
for name in bin lib lib64 sbin; do if test -L "/$name"; then cp -P "/$name" "$name"; elif test -d "/$name"; then mkdir "$name"; mount --bind "/$name" "$name"; fi; done
mount --bind /usr usr; mount --bind "$node" opt/node
cp -a /etc/passwd /etc/group /etc/shadow /etc/gshadow /etc/login.defs /etc/nsswitch.conf /etc/ld.so.cache etc/
echo 0123456789abcdef0123456789abcdef > etc/machine-id
mount -t tmpfs -o mode=755 dev dev; mkdir dev/shm dev/pts; mount -t tmpfs -o mode=1777 shm dev/shm
for name in null zero full random urandom tty ptmx; do touch "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
ln -s /proc/self/fd dev/fd
mount -t tmpfs run run; mount -t tmpfs -o mode=1777 tmp tmp; mount -t tmpfs -o mode=755 var var; mkdir -p var/log var/lib var/cache var/tmp; chmod 1777 var/tmp
mount -t proc proc proc; mount --bind proc/sys proc/sys; mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
if test -e /sys/fs/cgroup/cgroup.controllers; then mount -t cgroup2 cgroup2 sys/fs/cgroup
else mount -t tmpfs -o mode=755 cgroups sys/fs/cgroup; mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified; mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd; fi
mount --bind "$repository" .${CHECKOUT_PATH}; mount -o remount,bind,ro .${CHECKOUT_PATH}; chmod 700 home/me
cp -r "$units"/. etc/systemd/system/; cp "$settings" etc/energy-usage/energy.env
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/sbin/chroot "$root" /lib/systemd/systemd --system --unit=test.target --log-target=null --show-status=no`;

/** Returns the cgroup hierarchies that systemd uses. */
const hierarchies = (): string[] =>
  existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? ['/sys/fs/cgroup']
    : ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified'];

/** Whether this process may create cgroups. */
export function hasCgroups(): boolean {
  try {
    for (const path of hierarchies()) accessSync(join(path, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts systemd. `units`: folder of unit files; their `test.target` is started. `settings`: settings file of the service. Needs root. */
export function startSystemd(options: { folder: string; units: string; settings: string }): IsolatedSystemd {
  const { folder, units, settings } = options;
  const mounted = join(folder, 'root');
  mkdirSync(mounted, { recursive: true });
  const cgroup = `energy-${process.pid}`;
  const own = hierarchies().map((path) => join(path, cgroup));
  for (const path of own) mkdirSync(path, { recursive: true });
  const enter = own.map((path) => `echo $$ > ${path}/cgroup.procs`).join('; ');
  const namespaces = 'unshare --mount --pid --cgroup --uts --ipc --fork --kill-child=KILL';
  const args = [mounted, repository, units, settings, dirname(dirname(process.execPath))];
  const child: ChildProcess = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'sh', '-c', `${enter}; exec ${namespaces} -- sh -c "$0" sh "$@"`, BOOT, ...args],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  /** Returns the process id of systemd, which is the first process of its namespaces. */
  const first = (): number => {
    const [, systemd] = findProcessTree(child.pid as number);
    if (systemd === undefined) throw new Error('systemd does not run');
    return systemd;
  };
  const path = (inside: string) => `/proc/${first()}/root${inside}`;
  const inside = (...command: string[]) =>
    execFileSync('nsenter', ['-t', String(first()), '-m', '-p', '-C', '-r', '-w/', ...command], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    path,
    output() {
      try {
        return readFileSync(path('/var/log/out'), 'utf8');
      } catch {
        // systemd has not started yet.
        return '';
      }
    },
    systemctl: (...args) => inside('systemctl', '--no-pager', ...args),
    type: (command) => inside('sh', '-c', `cd ${CHECKOUT_PATH} && ${command}`),
    pids: () => findProcessTree(first()).slice(1),
    async kill() {
      child.kill('SIGKILL');
      await ended;
      // The other processes of the namespace end shortly after systemd.
      execFileSync('sh', [
        '-c',
        `for i in 1 2 3 4 5 6 7 8 9 10; do find ${own.join(' ')} -depth -type d -exec rmdir {} + 2>/dev/null && exit; sleep 0.2; done; exit 0`,
      ]);
    },
  };
}
