import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runServer, type TestServer, userIn } from './server.ts';

const ROOT = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'energy-usage-service', 'debian-13');
const BIN = '/usr/lib/postgresql/17/bin';

/** Why the Apache tier cannot be had here and how to get it; null where it can. Makes Debian 13 in a folder, once. */
export function apacheIsMissing(): string | null {
  if (existsSync(join(ROOT, BIN, 'postgres')))
    return process.getuid?.() === 0 ? null : 'its folder needs root (chroot)';
  if (process.getuid?.() !== 0)
    return 'Debian 13 in a folder is made by root: run the tests as root, as bash .ci/run does';
  if (spawnSync('debootstrap', ['--version']).error) return 'debootstrap is not installed: apt-get install debootstrap';
  const fresh = `${ROOT}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(dirname(ROOT), { recursive: true });
  console.error(`Making Debian 13 with PostgreSQL 17 and TimescaleDB in ${ROOT}: half a minute, once …`);
  try {
    const packages = '--include=postgresql-17,postgresql-17-timescaledb';
    execFileSync('debootstrap', ['--variant=minbase', packages, 'trixie', fresh], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    return `debootstrap failed: ${String((error as { stderr?: Buffer }).stderr ?? error)
      .trim()
      .split('\n')
      .at(-1)}`;
  }
  renameSync(fresh, ROOT);
  return null;
}

/** Debian 13's PostgreSQL 17 with its TimescaleDB, which carries the Apache licence. */
export async function startApache({ preload = true }: { preload?: boolean } = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(ROOT, 'var/tmp/e-'));
  const { uid, gid } = userIn(ROOT, 'postgres');
  chownSync(folder, uid, gid);
  return runServer({
    bin: BIN,
    prefix: ['chroot', '--userspec=postgres:postgres', ROOT],
    folder,
    inside: folder.slice(ROOT.length),
    preload,
  });
}
