import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Script that Debian's packages call before they start a service. The script can forbid the start. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs Debian packages without starting their services: a broker and Redis would occupy the standard ports, and the tests start their
 * own. Does not change an existing policy script.
 */
export function installPackages(names: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...names);
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
}
