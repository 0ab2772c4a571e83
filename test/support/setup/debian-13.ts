import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN } from '../tiers/available-tiers.ts';

/** Debian 13 packages of the tests: PostgreSQL with Apache-licensed TimescaleDB, and the cluster's RabbitMQ, Patroni, etcd and HAProxy. */
const PACKAGES = 'postgresql-17,postgresql-17-timescaledb,pgbackrest,rabbitmq-server,patroni,etcd-server,haproxy';

/**
 * Creates a folder with Debian 13 and the packages that the tests need, unless it exists. Needs root and debootstrap. Several runs may do
 * this at the same time.
 */
export function makeDebian13(): void {
  const isThere = () => existsSync(join(DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN, 'postgres'));
  if (isThere()) return;
  mkdirSync(dirname(DEBIAN_13_FOLDER), { recursive: true });
  const fresh = mkdtempSync(`${DEBIAN_13_FOLDER}.new-`);
  // PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(fresh, 0o755);
  console.log(
    `Making Debian 13 with PostgreSQL, TimescaleDB, pgBackRest, RabbitMQ, Patroni, etcd and HAProxy in ${DEBIAN_13_FOLDER}, for the Apache tier and the cluster: a minute, once …`,
  );
  try {
    execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'trixie', fresh], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(fresh, DEBIAN_13_FOLDER);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another run has finished an equivalent folder first.
    if (!isThere()) throw error;
  }
}
