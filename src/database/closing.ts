import type { Pool } from './connect.ts';

// Raw SQL in this file: its statements use settings and the catalogue of the database, whose schema may not exist yet.
/** A pool, or a connection inside a transaction. */
type Client = Pick<Pool, 'query'>;

/** Database setting that makes new sessions read-only. */
const CLOSED = 'default_transaction_read_only';
/** Prefix of `installation_id` in a database into which an installation is being moved. The id of the source follows. */
export const MOVE_TARGET_ID_PREFIX = 'from ';

const MOVED =
  'This database is closed for writing: its installation was moved (energy migrate --to). Set DATABASE_URL to the new ' +
  'one. To go back to this one, without the data that the new one has received since, connect to another database of its server ' +
  'and run: ALTER DATABASE … RESET default_transaction_read_only.';
const HALF_FILLED =
  'This database is closed for writing: the move of an installation into it (energy migrate --to) is not complete. ' +
  'Run that command again, with DATABASE_URL (or DATA_DIR) naming the old database; it continues where it stopped.';

const nameOf = async (client: Client): Promise<string> =>
  (await client.query('SELECT quote_ident(current_database()) AS name')).rows[0].name;

/** Makes the database read-only for new sessions. Existing sessions can still write. */
export async function closeDatabaseForWriting(client: Client): Promise<void> {
  await client.query(`ALTER DATABASE ${await nameOf(client)} SET ${CLOSED} = on`);
}

export async function openDatabaseForWriting(client: Client): Promise<void> {
  await client.query(`ALTER DATABASE ${await nameOf(client)} RESET ${CLOSED}`);
}

/** Whether the database is closed for writing. Reads the setting of the database and not that of this session. */
export async function isClosedForWriting(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
       WHERE datname = current_database() AND setrole = 0 AND '${CLOSED}=on' = ANY (setconfig)) AS closed`,
  );
  return rows[0].closed;
}

/** Whether the role of this session is the database's owner or a superuser, and so may close it for writing. */
export async function canCloseForWriting(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT pg_has_role(datdba, 'USAGE') AS may FROM pg_database WHERE datname = current_database()`,
  );
  return rows[0].may;
}

/** Returns the reason why the database is closed for writing, and the remedy, for operators. */
export async function explainDatabaseClosing(client: Client): Promise<string> {
  const { rows: made } = await client.query(`SELECT to_regclass('installation') IS NOT NULL AS "isMade"`);
  if (!made[0].isMade) return MOVED;
  const { rows } = await client.query('SELECT installation_id LIKE $1 AS filled FROM installation', [
    `${MOVE_TARGET_ID_PREFIX}%`,
  ]);
  return rows[0]?.filled ? HALF_FILLED : MOVED;
}
