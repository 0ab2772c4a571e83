import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Waits until no process uses a database cluster. After SIGKILL of the server's first process the others end by
 * themselves after a while, and PostgreSQL does not start while one of them holds its shared memory.
 */
export async function waitUntilClusterUnused(cluster: string): Promise<void> {
  const folder = realpathSync(cluster);
  const worksThere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // Not a process, or a process that has ended in the meantime.
      return false;
    }
  };
  await expect.poll(() => readdirSync('/proc').filter(worksThere)).toEqual([]);
}
