import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * The content of a file that is made where it is missing. Of several processes that start at once, in containers with a
 * volume in common, too, one makes it, whole, and all of them get that one.
 * `mode`: rights of a file that is made.
 */
export async function makeOnce(file: string, mode: number, make: () => string | Promise<string>): Promise<string> {
  const known = await readFile(file, 'utf8').catch(missing);
  if (known !== null && known !== '') return known;
  // Not by the process id: in containers all of them have the same one.
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(mine, await make(), { mode, flag: 'wx' });
    // A power cut can leave a file without its content.
    if (known === '') await rm(file, { force: true });
    await link(mine, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(mine, { force: true });
  }
  return readFile(file, 'utf8');
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
