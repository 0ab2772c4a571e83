import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEBIAN_13, DEBIAN_13_BIN } from '../tiers/reach.ts';

const PACKAGES = 'postgresql-17,postgresql-17-timescaledb';

/**
 * Makes Debian 13 with PostgreSQL 17 and TimescaleDB in a folder, where it is not there yet. Needs root and debootstrap.
 * Any number of runs may do so at once: each makes a folder of its own, and the first to be done gives it its name.
 */
export function makeDebian13(): void {
  const isThere = () => existsSync(join(DEBIAN_13, DEBIAN_13_BIN, 'postgres'));
  if (isThere()) return;
  mkdirSync(dirname(DEBIAN_13), { recursive: true });
  const fresh = mkdtempSync(`${DEBIAN_13}.new-`);
  // Its server runs as another user, who must enter it.
  chmodSync(fresh, 0o755);
  console.log(
    `Making Debian 13 with PostgreSQL 17 and its TimescaleDB in ${DEBIAN_13}, for the Apache tier: a minute, once …`,
  );
  try {
    execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'trixie', fresh], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(fresh, DEBIAN_13);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another run was first: its folder is as good.
    if (!isThere()) throw error;
  }
}
