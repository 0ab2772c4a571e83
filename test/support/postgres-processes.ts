import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Waits until no process uses a database cluster. After PostgreSQL's first process has been killed, its other processes end with a delay.
 */
export async function waitUntilDatabaseClusterUnused(cluster: string): Promise<void> {
  const folder = realpathSync(cluster);
  const worksThere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // The entry is not a process, or its process has ended.
      return false;
    }
  };
  await expect.poll(() => readdirSync('/proc').filter(worksThere)).toEqual([]);
}
