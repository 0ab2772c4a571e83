import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandPrefixForRoot } from '#src/database/postgres-binaries.ts';
import { findCommunityPrograms } from './reach.ts';
import { runServer, type TestServer } from './server.ts';

/** Connects to the server at TIMESCALE_URL. If that variable is not set, starts this machine's PostgreSQL. */
export async function startTimescaleCommunity(): Promise<TestServer> {
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
  const bin = findCommunityPrograms();
  if (bin === undefined) throw new Error('this machine has no PostgreSQL with the community edition of TimescaleDB');
  const folder = mkdtempSync(join(tmpdir(), 'energy-test-'));
  return runServer({ bin, prefix: commandPrefixForRoot(), folder, inside: folder });
}
