import { chownSync } from 'node:fs';
import { createTemporarySubfolder } from './inner-folder.ts';
import { DEBIAN_13, DEBIAN_13_POSTGRESQL_BIN } from './reach.ts';
import { findUnixUserIds, runServer, type TestServer } from './server.ts';

/** Starts PostgreSQL 17 of Debian 13 with Debian's Apache-licensed TimescaleDB. */
export async function startTimescaleApache({ preload = true }: { preload?: boolean } = {}): Promise<TestServer> {
  const folder = createTemporarySubfolder();
  const { uid, gid } = findUnixUserIds(DEBIAN_13, 'postgres');
  chownSync(folder, uid, gid);
  return runServer({
    bin: DEBIAN_13_POSTGRESQL_BIN,
    prefix: ['chroot', '--userspec=postgres:postgres', DEBIAN_13],
    folder,
    inside: folder.slice(DEBIAN_13.length),
    preload,
  });
}
