import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { returnNullIfFileMissing } from '#src/core/files.ts';

/** Maximum time between creating a lock file and writing its content, in ms. */
const BEING_WRITTEN_MS = 100;

/**
 * Returns the start time of a running process in clock ticks, which distinguishes it from a later process with the same id. Null if the
 * process has ended. A zombie counts as ended.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZX'.includes(state) ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}

/** Returns the process id in a lock file's text; null if that process has ended. */
function holderIn(text: string): number | null {
  const [pid = '', started = ''] = text.trim().split(' ');
  const now = startOf(Number(pid));
  return now !== null && now === started ? Number(pid) : null;
}

/** Returns the id of the service process that holds the lock of a data directory, or null. */
export const findServiceProcessId = (dataDir: string): number | null =>
  holderIn(read(join(dataDir, 'service.lock')) ?? '');

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return returnNullIfFileMissing(error as NodeJS.ErrnoException);
  }
}

/** Creates a lock file. Returns false if the file already exists. */
function put(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a lock whose process has ended. The file is first renamed and then read. If another process has taken the lock meanwhile, the
 * file is restored. Returns the process that holds the lock, or null.
 */
export function removeStaleLock(file: string): number | null {
  const taken = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(file, taken);
  } catch (error) {
    return returnNullIfFileMissing(error as NodeJS.ErrnoException);
  }
  const text = readFileSync(taken, 'utf8');
  rmSync(taken);
  const holder = holderIn(text);
  if (holder !== null) put(file, text);
  return holder;
}

/** Folders of the data directory that contain sign-in links and the key of the certificate. */
const PRIVATE_FOLDERS = ['mail', 'sms', 'tls'];

/** Restricts the private folders of a data directory to mode 0700 and their files to 0600, if they belong to this user. */
async function narrow(dataDir: string): Promise<void> {
  for (const folder of PRIVATE_FOLDERS.map((name) => join(dataDir, name))) {
    if (!(await narrowOne(folder, 0o700))) continue;
    for (const name of await readdir(folder)) await narrowOne(join(folder, name), 0o600);
  }
}

/** Removes permissions from a path, but never adds any. Returns false if the path does not exist, belongs to another user, or is a link. */
async function narrowOne(path: string, mode: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  const isFolder = mode === 0o700;
  if (!found || found.uid !== process.getuid?.() || !(isFolder ? found.isDirectory() : found.isFile())) return false;
  // Errors are ignored: the file may have been removed, or the volume may be read-only.
  if ((found.mode & 0o777 & ~mode) !== 0) await chmod(path, found.mode & mode).catch(() => {});
  return true;
}

/**
 * Locks the data directory for this process and restricts its private folders to this user. Throws if another running service holds the
 * lock. Returns a function that releases the lock.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'service.lock');
  const mine = `${process.pid} ${startOf(process.pid) ?? ''}\n`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (put(file, mine)) {
      await narrow(dataDir);
      return () => {
        if (read(file) === mine) rmSync(file, { force: true });
      };
    }
    // An empty lock file is being written, or its process was killed.
    if (read(file) === '') await setTimeout(BEING_WRITTEN_MS);
    const holder = holderIn(read(file) ?? '') ?? removeStaleLock(file);
    if (holder !== null) {
      throw new Error(
        `Another service (process ${holder}) already uses ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      );
    }
  }
  throw new Error(`Could not take ${file}. Remove it if no service runs on ${dataDir}.`);
}
