import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** How long it takes at most to write a lock that was just made. */
const BEING_WRITTEN_MS = 100;

/**
 * Start time of a living process in clock ticks (field 22 of /proc/pid/stat); tells a process from a later one of its number.
 * Null where it is gone: a zombie is, which nobody may ever reap (in a container without an init).
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

/** The living process that the text of a lock names; null where it is no more. */
function holderIn(text: string): number | null {
  const [pid = '', started = ''] = text.trim().split(' ');
  const now = startOf(Number(pid));
  return now !== null && now === started ? Number(pid) : null;
}

/** The process of the service that runs on a data directory; null where none does. Changes nothing. */
export const runningOn = (dataDir: string): number | null => holderIn(read(join(dataDir, 'service.lock')) ?? '');

/** Text of a lock; null where there is none (any more). */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a lock where there is none; false where there is one. */
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
 * Removes a lock that nobody living holds. Of several that find the same one at once the slower ones find the fresh lock of the
 * fastest instead: so it is taken away first, and looked at then. One that is held is put back; answers by whom it is.
 */
export function removeStale(file: string): number | null {
  const taken = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(file, taken);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const text = readFileSync(taken, 'utf8');
  rmSync(taken);
  const holder = holderIn(text);
  if (holder !== null) put(file, text);
  return holder;
}

/** Folders that contain links to sign in, and the key of the certificate. Earlier versions made them readable for everybody. */
const PRIVATE_FOLDERS = ['mail', 'sms', 'tls'];

/** Narrows the private folders of a data directory to mode 0700, and their files to 0600, as far as they belong to this user. */
async function narrow(dataDir: string): Promise<void> {
  for (const folder of PRIVATE_FOLDERS.map((name) => join(dataDir, name))) {
    if (!(await narrowOne(folder, 0o700))) continue;
    for (const name of await readdir(folder)) await narrowOne(join(folder, name), 0o600);
  }
}

/**
 * False if the path does not exist, belongs to somebody else, or is a link: it may lead to a certificate that other services read, too.
 * A file that its owner made read-only does not become writable.
 */
async function narrowOne(path: string, mode: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  const isFolder = mode === 0o700;
  if (!found || found.uid !== process.getuid?.() || !(isFolder ? found.isDirectory() : found.isFile())) return false;
  // A message may have been removed meanwhile, and a volume may be read-only.
  if ((found.mode & 0o777 & ~mode) !== 0) await chmod(path, found.mode & mode).catch(() => {});
  return true;
}

/**
 * Takes the data directory for this process, and narrows its private folders to this user. Throws where another living service holds it; what a killed one left
 * behind is taken over. Returns how to give it back.
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
    // An empty one is being written; or was, by one that was killed.
    if (read(file) === '') await setTimeout(BEING_WRITTEN_MS);
    const holder = holderIn(read(file) ?? '') ?? removeStale(file);
    if (holder !== null) {
      throw new Error(
        `Another service (process ${holder}) already runs on ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      );
    }
  }
  throw new Error(`Could not take ${file}. Remove it if no service runs on ${dataDir}.`);
}
