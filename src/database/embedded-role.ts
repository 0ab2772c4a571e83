import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithSeparatePool } from './connect.ts';

/** Role of the service in its embedded database. The role owns that database, which has the same name, and is not a superuser. */
export const SERVICE_ROLE = 'energy';
export const SERVICE_DATABASE = 'energy';
/** Superuser that initdb creates. Used only to set up the role and the database. */
export const SERVER_SUPERUSER = 'postgres';

/**
 * Creates the role and the database if they are missing, and makes the role the owner of objects that an earlier
 * version created as superuser. `urlOf` returns the URL of a database of the server, for its superuser.
 */
export async function ensureServiceRole(urlOf: (database: string) => string): Promise<void> {
  // Raw SQL: the typed query builder has no statements for roles, databases and their owners.
  await runWithSeparatePool(urlOf('postgres'), { max: 1 }, async (pool) => {
    const { rows } = await pool.query(
      `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = '${SERVICE_ROLE}') AS "hasRole",
         (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '${SERVICE_DATABASE}') AS owner`,
    );
    const [{ hasRole, owner }] = rows;
    if (!hasRole) await pool.query(`CREATE ROLE ${SERVICE_ROLE} LOGIN`);
    if (owner === null) await pool.query(`CREATE DATABASE ${SERVICE_DATABASE} OWNER ${SERVICE_ROLE}`);
    else if (owner !== SERVICE_ROLE) await pool.query(`ALTER DATABASE ${SERVICE_DATABASE} OWNER TO ${SERVICE_ROLE}`);
  });
  await runWithSeparatePool(urlOf(SERVICE_DATABASE), { max: 1 }, (pool) => pool.query(TAKE_OVER));
}

/**
 * SQL that makes the service's role the owner of the objects of initdb's superuser, except system objects. REASSIGN OWNED cannot be used,
 * because that superuser also owns the system objects.
 */
const TAKE_OVER = `DO $$
DECLARE
  command text;
BEGIN
  FOR command IN
    WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname = 'public'),
      superuser AS (SELECT oid FROM pg_roles WHERE rolname = '${SERVER_SUPERUSER}')
    -- Tables before the rest: their sequences and row types follow them.
    SELECT format('ALTER %s %s OWNER TO ${SERVICE_ROLE}', kind, name) FROM (
      SELECT 1 AS place, CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind, c.oid::regclass::text AS name
      FROM pg_class c WHERE relnamespace IN (TABLE ours) AND relowner IN (TABLE superuser) AND relkind IN ('r', 'p', 'v', 'm')
      UNION ALL
      SELECT 2, 'SEQUENCE', c.oid::regclass::text
      FROM pg_class c WHERE relnamespace IN (TABLE ours) AND relowner IN (TABLE superuser) AND relkind = 'S'
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype IN ('a', 'i'))
      UNION ALL
      SELECT 3, 'ROUTINE', p.oid::regprocedure::text
      FROM pg_proc p WHERE pronamespace IN (TABLE ours) AND proowner IN (TABLE superuser)
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
      UNION ALL
      SELECT 4, 'TYPE', t.oid::regtype::text
      FROM pg_type t LEFT JOIN pg_class c ON c.oid = typrelid
      WHERE typnamespace IN (TABLE ours) AND typowner IN (TABLE superuser)
        AND (typtype IN ('e', 'd', 'r') OR typtype = 'c' AND c.relkind = 'c')
    ) owned ORDER BY place
  LOOP
    EXECUTE command;
  END LOOP;
END $$`;

/** Maximum length of a Unix socket's path (sun_path, without its terminating zero). */
const MAX_SOCKET_PATH_BYTES = 107;
export const SOCKET_NAME = '.s.PGSQL.5432';

const fits = (folder: string): boolean => Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
const recordOf = (cluster: string): string => join(cluster, 'socket-folder');

/**
 * Returns the folder of a cluster's socket, whether or not the folder exists. Usually, this is the cluster's own folder, which only its
 * owner can enter. If the path of the cluster's folder is too long, the function returns the folder that `makeSocketFolder` created and
 * recorded, so that every process finds it regardless of its TMPDIR.
 */
export function getSocketFolder(cluster: string): string {
  return fits(cluster) ? cluster : (noted(cluster) ?? inUse(cluster) ?? cluster);
}

/** Creates the folder of a server's socket if it does not exist. Its name is unguessable, and only its owner can enter it. */
export function makeSocketFolder(cluster: string): string {
  if (fits(cluster)) return cluster;
  const known = noted(cluster);
  // If a clean-up of temporary files removed the folder, it is created again under the same name, because processes of the service still
  // use that name.
  if (known !== null && (isOurs(known) || isMadeAgain(known))) return known;
  const base = [tmpdir(), '/tmp'].find((folder) => fits(join(folder, 'energy-XXXXXX'))) ?? '/tmp';
  const made = mkdtempSync(join(base, 'energy-'));
  writeFileSync(recordOf(cluster), `${cluster}\n${made}\n`, { mode: 0o600 });
  return made;
}

/**
 * Removes the socket folder of a stopped server, unless the folder is the cluster itself. The next start creates the folder again under the
 * same name.
 */
export function removeSocketFolder(cluster: string): void {
  const folder = noted(cluster);
  if (folder === null) return;
  try {
    rmdirSync(folder);
  } catch {
    // The folder cannot be removed, because it now belongs to another user or is not empty.
  }
}

/**
 * Returns the socket folder that is recorded for exactly this cluster. The record in a copy of a cluster is that of the original, and is
 * ignored.
 */
function noted(cluster: string): string | null {
  const [of, folder] = linesOf(recordOf(cluster));
  return of === cluster && folder ? folder : null;
}

/**
 * Returns the socket folder of a running server that an earlier version of the service started. The folder is read from the server's pid
 * file: line 2 is the cluster, line 5 the folder.
 */
function inUse(cluster: string): string | null {
  const [, of, , , folder] = linesOf(join(cluster, 'postmaster.pid'));
  return of === cluster && folder ? folder : null;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * Whether the folder belongs to this user, and no other user can enter it. If every user can write to the parent folder, another user could
 * have created the folder.
 */
function isOurs(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    const isFolder = (mode & 0o170_000) === 0o040_000;
    return isFolder && uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function isMadeAgain(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}
