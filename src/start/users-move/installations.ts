import { createSecretEncrypter } from '#src/core/secrets.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { type DetectedDatabase, detectCapabilities } from '#src/database/capabilities.ts';
import { explainDatabaseClosing, isClosedForWriting, MOVE_TARGET_ID_PREFIX } from '#src/database/closing.ts';
import { createQueryFunctionOnConnection, type Pool, type PoolClient } from '#src/database/connect.ts';
import { assertSchemaNotNewer } from '#src/database/migrate.ts';
import { readSamplesOfEncryptedValues } from '#src/database/sealed.ts';
import { canDecrypt } from '../secret-key.ts';

/** One of the two installations between which accounts move. */
export interface MoveInstallation {
  pool: Pool;
  /** `installation_id`. */
  id: string;
  database: DetectedDatabase;
}

/** The two installations between which accounts move. */
export interface SourceAndTargetInstallations {
  source: MoveInstallation;
  target: MoveInstallation;
}

// Raw SQL in this file: its statements query catalogues and take advisory locks.

/**
 * Opens both installations. Throws an error with the remedy unless they are two different installations, both of this version and both in
 * use.
 */
export async function connectToInstallations(pools: {
  source: Pool;
  target: Pool;
}): Promise<SourceAndTargetInstallations> {
  const ends = {
    source: await openInstallation(pools.source, 'this installation'),
    target: await openInstallation(pools.target, 'the installation of --to'),
  };
  const [mine, theirs] = await Promise.all([schemaOf(pools.source), schemaOf(pools.target)]);
  const missing = [...theirs].filter((name) => !mine.has(name)).concat([...mine].filter((name) => !theirs.has(name)));
  if (missing.length > 0)
    throw new Error(
      `The two installations have different versions (${missing.join(', ')}): update both to this version first. Nothing was changed.`,
    );
  if (ends.source.id === ends.target.id)
    throw new Error('--to names this installation itself, or a copy of it. Nothing was changed.');
  return ends;
}

async function openInstallation(pool: Pool, what: string): Promise<MoveInstallation> {
  const { rows: made } = await pool.query(`SELECT to_regclass('arrivals') IS NOT NULL AS "isMade"`);
  if (!made[0].isMade)
    throw new Error(
      `The database of ${what} has no schema of this version: start the service on it first. Nothing was changed.`,
    );
  await assertSchemaNotNewer(pool);
  const { rows } = await pool.query('SELECT installation_id AS id FROM installation');
  const { id } = rows[0];
  if ((await isClosedForWriting(pool)) || id.startsWith(MOVE_TARGET_ID_PREFIX))
    throw new Error(`Of ${what}: ${await explainDatabaseClosing(pool)}`);
  return { pool, id, database: await detectCapabilities(pool) };
}

async function schemaOf(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query("SELECT name FROM schema_migrations WHERE name LIKE 'schema/%'");
  return new Set(rows.map(({ name }) => name));
}

/**
 * Runs a function while both installations are locked against other moves and against the jobs that pack the load profile or drop old
 * history. Throws if another move is running.
 */
export async function runWithInstallationsLocked<T>(
  { source, target }: { source: Pool; target: Pool },
  run: () => Promise<T>,
): Promise<T> {
  const clients: PoolClient[] = [];
  try {
    for (const pool of [source, target]) {
      const client = await pool.connect();
      clients.push(client);
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS "isMine"', [ADVISORY_LOCKS.usersMove]);
      if (!rows[0].isMine)
        throw new Error(
          'Another move of accounts from or to one of the two installations is in progress. Nothing was changed.',
        );
      // Waits for a running job that holds the lock. Jobs that start later skip their run.
      await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.packing]);
      await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.historyUpkeep]);
    }
    return await run();
  } finally {
    // Releases the locks explicitly, because the server may end a session only some time after its client has disconnected.
    await Promise.allSettled(clients.map((client) => client.query('SELECT pg_advisory_unlock_all()')));
    for (const client of clients) client.release(true);
  }
}

/** Encryption keys of the two installations. */
interface Secrets {
  source: string;
  target: string;
}

/** Throws if an installation has encrypted values, and its key can decrypt none of a sample of them. */
export async function assertSecretKeysDecryptValues(
  { source, target }: SourceAndTargetInstallations,
  secrets: Secrets,
): Promise<void> {
  for (const [{ pool }, secret, what] of [
    [source, secrets.source, 'SECRET_KEY (or secret.key) of this installation'],
    [target, secrets.target, 'The secret key file of --to'],
  ] as const) {
    const samples = await readSamplesOfEncryptedValues(createQueryFunctionOnConnection(pool));
    const box = createSecretEncrypter(secret);
    if (samples.length > 0 && !samples.some((sealed) => canDecrypt(box, sealed)))
      throw new Error(
        `${what} does not decrypt the secrets of the installation: it belongs to another one. Nothing was changed.`,
      );
  }
}

/** Returns a function that decrypts a value with the source's key and encrypts it with the target's. */
export function createReencrypter(secrets: Secrets): (sealed: Buffer) => Buffer {
  const [from, to] = [createSecretEncrypter(secrets.source), createSecretEncrypter(secrets.target)];
  return (sealed) => to.seal(from.open(sealed));
}
