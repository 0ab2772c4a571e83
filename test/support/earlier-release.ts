import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DEBIAN_13_FOLDER } from './tiers/available-tiers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Commit that serves as the previous release until a tag exists. */
const BEFORE_TAGS = 'cdcf3f9c9813b20cbb7bb5973f26d6d1870fa476';

/** First commit from which an update is supported. */
const FIRST = '3c97f435';

/** First commit with the command `energy backup`. */
export const FIRST_COMMIT_WITH_BACKUPS = 'e40a14d26';

/** Whether this is a git checkout with its full history. */
export const hasFullGitHistory = (): boolean =>
  existsSync(join(ROOT, '.git')) && !existsSync(join(ROOT, '.git/shallow'));

/** Whether this is a git checkout. */
export const isGitCheckout = (): boolean => existsSync(join(ROOT, '.git'));

/** Returns the commit of the previous release: the last tag before this version, or `BEFORE_TAGS`. */
function earlierRelease(): string {
  try {
    const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return BEFORE_TAGS;
  }
}

/** Returns the versions from which the tests update (name and commit): the previous release, and the first version. */
export const listEarlierVersions = (): [name: string, commit: string][] => [
  ['the previous release', earlierRelease()],
  ['the first version', FIRST],
];

/** Writes the files of a commit to a folder, and installs that commit's dependencies. */
export async function extractCommit(commit: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(await installLibraries(folder), join(folder, 'node_modules'));
}

/**
 * Returns a folder with the dependencies in a checkout's package-lock.json. They are installed once per machine, because this takes npm
 * half a minute.
 */
async function installLibraries(checkout: string): Promise<string> {
  const lock = await readFile(join(checkout, 'package-lock.json'));
  const name = createHash('sha256').update(lock).update(process.version).digest('hex').slice(0, 16);
  const installed = join(dirname(DEBIAN_13_FOLDER), `libraries-${name}`);
  if (!existsSync(installed)) {
    const install = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', install, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    const made = `${installed}-${process.pid}`;
    await cp(join(checkout, 'node_modules'), join(made, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    await rm(join(checkout, 'node_modules'), { recursive: true });
    // The rename fails if another run has installed the same dependencies.
    await rename(made, installed).catch(() => rm(made, { recursive: true }));
  }
  return join(installed, 'node_modules');
}
