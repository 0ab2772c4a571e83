import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCommandPrefixForRoot } from '#src/database/postgres-binaries.ts';
import { findTimescaleCommunityPrograms } from './available-tiers.ts';
import { runPostgresServer, type TestPostgresServer } from './server.ts';

/** Connects to the server at TIMESCALE_URL. Without that variable, starts this machine's PostgreSQL. */
export async function startTimescaleCommunity(): Promise<TestPostgresServer> {
  const serverUrl = process.env.TIMESCALE_URL;
  if (serverUrl) {
    return {
      urlOf(database) {
        const url = new URL(serverUrl);
        url.pathname = `/${database}`;
        return url.href;
      },
      stop: async () => {},
    };
  }
  const bin = findTimescaleCommunityPrograms();
  if (bin === undefined) throw new Error('this machine has no PostgreSQL with the community edition of TimescaleDB');
  const folder = mkdtempSync(join(tmpdir(), 'energy-test-'));
  return runPostgresServer({ bin, prefix: getCommandPrefixForRoot(), folder, inside: folder });
}
