import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEBIAN_13, DEBIAN_13_BIN } from '../tiers/reach.ts';

/** The Apache tier's server; and a cluster's brokers, the manager of its databases with what that keeps its leader in, and its proxy. */
const PACKAGES = 'postgresql-17,postgresql-17-timescaledb,rabbitmq-server,patroni,etcd-server,haproxy';

/**
 * Makes Debian 13 with PostgreSQL 17 and TimescaleDB, RabbitMQ, Patroni, etcd and HAProxy in a folder, where it is not there yet.
 * Needs root and debootstrap.
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
    `Making Debian 13 with PostgreSQL, TimescaleDB, RabbitMQ, Patroni, etcd and HAProxy in ${DEBIAN_13}, for the Apache tier and the cluster: a minute, once …`,
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
