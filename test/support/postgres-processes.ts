import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Waits until no process works in a cluster any more. After a kill -9 of the server's first process the others end by themselves a while
 * later, and PostgreSQL does not start as long as one of them has its shared memory.
 */
export async function untilGoneFrom(cluster: string): Promise<void> {
  const folder = realpathSync(cluster);
  const worksThere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // No process, or gone meanwhile.
      return false;
    }
  };
  await expect.poll(() => readdirSync('/proc').filter(worksThere)).toEqual([]);
}
