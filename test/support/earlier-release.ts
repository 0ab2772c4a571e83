import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Tags begin with the first release that `npm run release` made; before that there is what was before it. */
const BEFORE_TAGS = 'cdcf3f9c9813b20cbb7bb5973f26d6d1870fa476';

/** Whether this is a checkout with its history, by a look at its files. */
export const hasHistory = (): boolean => existsSync(join(ROOT, '.git')) && !existsSync(join(ROOT, '.git/shallow'));

/** Whether this is a checkout at all. */
export const isCheckout = (): boolean => existsSync(join(ROOT, '.git'));

/** The version before this one, as a commit: that of the last tag before it, or where there is none yet, of before the first. */
export function earlierRelease(): string {
  try {
    const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return BEFORE_TAGS;
  }
}

/** Puts the files of a commit into a folder, and its own libraries beside them: those of now are others. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const install = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
