import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Script by which a Debian system can forbid that packages start their services. */
const POLICY = '/usr/sbin/policy-rc.d';

/** Installs Debian packages without starting their services, which would occupy the standard ports. */
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
