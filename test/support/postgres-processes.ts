import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Waits until no process uses a database cluster. After SIGKILL of PostgreSQL's first process, its other processes end by themselves after
 * a while. PostgreSQL does not start while one of them holds its shared memory.
 */
export async function waitUntilClusterUnused(cluster: string): Promise<void> {
  const folder = realpathSync(cluster);
  const worksThere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // The entry is not a process, or its process has ended in the meantime.
      return false;
    }
  };
  await expect.poll(() => readdirSync('/proc').filter(worksThere)).toEqual([]);
}
