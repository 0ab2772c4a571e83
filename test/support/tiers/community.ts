import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '#src/database/connect.ts';
import { rootPrefix } from '#src/database/postgres-binaries.ts';
import { runServer, type TestServer } from './server.ts';

const INSTALLED = '/usr/lib/postgresql';
const HOW =
  'name a server with the community edition in TIMESCALE_URL (a superuser of it), or install the edition for the PostgreSQL of this machine';

/** The newest PostgreSQL of this machine that has TimescaleDB with its community library; undefined where none has. */
function installed(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  return readdirSync(INSTALLED)
    .filter((version) => existsSync(join(INSTALLED, version, 'bin/initdb')))
    .filter((version) => existsSync(join(INSTALLED, version, 'lib')))
    .filter((version) =>
      readdirSync(join(INSTALLED, version, 'lib')).some((name) => name.startsWith('timescaledb-tsl')),
    )
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
}

/** Why the community tier cannot be had here and how to get it; null where it can. */
export async function communityIsMissing(): Promise<string | null> {
  const url = process.env.TIMESCALE_URL;
  if (!url) return installed() === undefined ? HOW : null;
  const pool = createPool(url, { max: 1 });
  try {
    const { rows } = await pool.query(
      `SELECT current_setting('timescaledb.license', true) AS licence, EXISTS (SELECT FROM pg_available_extensions WHERE name = 'timescaledb') AS offered`,
    );
    const { licence, offered } = rows[0];
    if (!offered) return `the server of TIMESCALE_URL does not offer the extension: ${HOW}`;
    if (licence === 'apache') return `the server of TIMESCALE_URL has the Apache licence: ${HOW}`;
    return null;
  } catch (error) {
    return `TIMESCALE_URL: ${(error as Error).message}`;
  } finally {
    await pool.end();
  }
}

/** The server of TIMESCALE_URL, or one of the tests' own with the machine's PostgreSQL. */
export async function startCommunity(): Promise<TestServer> {
  const given = process.env.TIMESCALE_URL;
  if (given) {
    return {
      urlOf(database) {
        const url = new URL(given);
        url.pathname = `/${database}`;
        return url.href;
      },
      stop: async () => {},
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'energy-test-'));
  return runServer({
    bin: join(INSTALLED, installed() as string, 'bin'),
    prefix: rootPrefix(),
    folder,
    inside: folder,
  });
}
