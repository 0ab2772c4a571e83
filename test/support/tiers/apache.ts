import { chownSync } from 'node:fs';
import { DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN } from './available-tiers.ts';
import { createDebian13TemporaryFolder } from './debian-13-folders.ts';
import { findUnixUserIds, runPostgresServer, type TestPostgresServer } from './server.ts';

/** Starts PostgreSQL 17 of Debian 13 with Debian's Apache-licensed TimescaleDB. */
export async function startTimescaleApache({
  preload = true,
}: {
  preload?: boolean;
} = {}): Promise<TestPostgresServer> {
  const folder = createDebian13TemporaryFolder();
  const { uid, gid } = findUnixUserIds(DEBIAN_13_FOLDER, 'postgres');
  chownSync(folder, uid, gid);
  return runPostgresServer({
    bin: DEBIAN_13_POSTGRESQL_BIN,
    prefix: ['chroot', '--userspec=postgres:postgres', DEBIAN_13_FOLDER],
    folder,
    inside: folder.slice(DEBIAN_13_FOLDER.length),
    preload,
  });
}
