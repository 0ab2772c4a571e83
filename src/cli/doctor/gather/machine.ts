import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { freeSpace } from '#src/jobs/disk-watch.ts';
import type { Facts } from '../facts.ts';
import { within } from './within.ts';

/** Space of the disk that a folder lies on, or will lie on. */
export function gatherDisk(dataDir: string): Promise<NonNullable<Facts['disk']>> {
  return within(async () => {
    let folder = resolve(dataDir);
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return { folder: dataDir, ...(await freeSpace(folder)) };
  });
}

/** How many files a process may open: the service, or one of this user. Null where /proc does not tell. */
export async function gatherDescriptors(servicePid: number | null): Promise<Facts['descriptors']> {
  for (const pid of servicePid === null ? ['self'] : [servicePid, 'self']) {
    const text = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(text) ?? [];
    if (soft)
      return { limit: soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft), ofService: pid !== 'self' };
  }
  return null;
}
