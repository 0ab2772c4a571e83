import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { DATABASE_TIERS } from '#src/database/capabilities.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { computeFingerprint } from '#src/database/copy/copy-rows.ts';
import { getSuperuserUrl, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { LOAD_PROFILE_LEVEL, PACKED_DAYS_TABLE, ROLLUP_LEVELS, STORED_HOURS_TABLE } from '#src/rollups/levels.ts';
import { MOVED_RELATIONS } from '#src/start/move.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTemporaryFolder } from './service.ts';

/** Default arguments of a move, with callbacks that do nothing. */
export const DEFAULT_MOVE_OPTIONS = { timescale: 'auto' } as const;
export const NO_OP_CALLBACKS = { step: () => {}, progress: () => {} };

/** An embedded installation, and a database of the tier (kind of database server) under test. Both are created for each test. */
interface TwoDatabases {
  source: TestDatabase;
  target: TestDatabase;
  /** Creates a migrated database on the embedded server. Its role is not a superuser, and owns the database unless `owned` is false. */
  embeddedDatabase(options?: { owned?: boolean }): Promise<TestDatabase>;
}

/** Registers hooks that create and remove the two databases. They can be used only inside a test. */
export function setUpTwoDatabases(): TwoDatabases {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let embedded: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let made = 0;
  /** Name of the migrated template. Databases that the role must own are copies of it. */
  let template: string | undefined;
  const two = { embeddedDatabase } as TwoDatabases;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    embedded = await startEmbeddedPostgres({ dataDir: folder.path, sharedBuffersMb: 128 });
    const admin = createPool(getSuperuserUrl(folder.path, 'postgres'), { max: 1 });
    await admin.query('CREATE ROLE tenant LOGIN');
    // No test that moves accounts kills this server, so it need not flush to disk.
    for (const setting of ['fsync', 'full_page_writes']) await admin.query(`ALTER SYSTEM SET ${setting} = off`);
    await admin.query('SELECT pg_reload_conf()');
    await admin.end();
    const { url, drop } = await embeddedDatabase();
    await drop();
    template = new URL(url).pathname.slice(1);
  });
  afterAll(async () => {
    await embedded.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    two.source = await embeddedDatabase();
    two.target = await createTestDatabase();
  });
  afterEach(async () => {
    await two.source.drop();
    await two.target.drop();
  });

  async function embeddedDatabase({ owned = true } = {}): Promise<TestDatabase> {
    const name = `move_${++made}`;
    const copied = owned ? template : undefined;
    const origin = copied ? `TEMPLATE ${copied} STRATEGY FILE_COPY` : '';
    const admin = createPool(getSuperuserUrl(folder.path, 'postgres'), { max: 1 });
    await admin.query(`CREATE DATABASE ${name} ${owned ? 'OWNER tenant' : ''} ${origin}`);
    await admin.end();
    if (!owned) {
      const inside = createPool(getSuperuserUrl(folder.path, name), { max: 1 });
      await inside.query('GRANT ALL ON SCHEMA public TO tenant');
      await inside.end();
    }
    const url = getSuperuserUrl(folder.path, name).replace('//postgres@', '//tenant@');
    const pool = createPool(url);
    if (copied) await pool.query('UPDATE installation SET installation_id = DEFAULT');
    else await migrate(pool);
    return {
      tier: 'plain',
      capabilities: DATABASE_TIERS.plain,
      pool,
      url,
      settle: async () => {},
      drop: () => pool.end(),
    };
  }
  return two;
}

/**
 * Relations to compare. The load profile is compared through its view, because one of the databases may store packed days and the other may
 * not.
 */
const COMPARED = [
  ...MOVED_RELATIONS.map(({ relation }) => relation).filter(
    (relation) => relation !== STORED_HOURS_TABLE.relation && relation !== PACKED_DAYS_TABLE.relation,
  ),
  ...[LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS].map(({ relation }) => relation),
];

/** Returns the relations whose rows differ between two databases. */
export async function findDifferingRelations(one: Pool, other: Pool): Promise<string[]> {
  const clients = [await one.connect(), await other.connect()];
  const different: string[] = [];
  for (const relation of COMPARED) {
    const [mine, theirs] = await Promise.all(clients.map((client) => computeFingerprint(client, relation)));
    if (mine !== theirs) different.push(`${relation}: ${mine}, ${theirs}`);
  }
  for (const client of clients) client.release();
  return different;
}

export const countRows = async (pool: Pool, relation: string): Promise<number> =>
  (await pool.query(`SELECT count(*) AS n FROM ${relation}`)).rows[0].n;
