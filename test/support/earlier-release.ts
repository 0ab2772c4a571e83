import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Commit that counts as the previous release as long as no tag exists: tags begin with the first release made by `npm run release`. */
const BEFORE_TAGS = 'cdcf3f9c9813b20cbb7bb5973f26d6d1870fa476';

/** Commit of the first version that can still be installed and updated: its schema has the first eleven migrations. */
const FIRST = '3c97f435';

/** Whether this is a git checkout with its full history, judged by its files. */
export const hasHistory = (): boolean => existsSync(join(ROOT, '.git')) && !existsSync(join(ROOT, '.git/shallow'));

/** Whether this is a git checkout. */
export const isCheckout = (): boolean => existsSync(join(ROOT, '.git'));

/**
 * Returns the commit of the previous release: the last tag before this version, or the commit before the first release if there is no tag.
 */
function earlierRelease(): string {
  try {
    const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return BEFORE_TAGS;
  }
}

/** Returns the versions from which an update is tested, by name: the previous release, and the first. */
export const earlierVersions = (): [name: string, commit: string][] => [
  ['the previous release', earlierRelease()],
  ['the first version', FIRST],
];

/** Writes the files of a commit into a folder, with that commit's own dependencies, which differ from the current ones. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const install = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
