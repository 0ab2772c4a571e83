import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a message that would have been sent to a file, whole or not at all. */
export async function keepWhole(folder: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${name}.${process.pid}`);
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
}
