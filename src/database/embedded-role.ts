import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithSeparatePool } from './connect.ts';

/** Role of the service in its embedded database, which it owns. It is not a superuser. */
export const SERVICE_ROLE = 'energy';
export const SERVICE_DATABASE = 'energy';
/** Superuser of the embedded server, used only to set up the role and the database. */
export const SERVER_SUPERUSER = 'postgres';

/**
 * Creates the role and the database if necessary. Makes the role the owner of what an earlier version created as superuser. `urlOf`:
 * returns the URL of a database for the superuser.
 */
export async function ensureServiceRole(urlOf: (database: string) => string): Promise<void> {
  // Raw SQL: the query builder has no statements for roles and databases.
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

/** SQL that makes the service's role the owner of all objects except system objects. REASSIGN OWNED would also change system objects. */
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

/** Maximum length of the path of a Unix socket (sun_path). */
const MAX_SOCKET_PATH_BYTES = 107;
export const SOCKET_NAME = '.s.PGSQL.5432';

const fits = (folder: string): boolean => Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
const recordOf = (cluster: string): string => join(cluster, 'socket-folder');

/**
 * Returns the folder of a cluster's socket, even if it does not exist yet: the cluster's own folder or, if its path is too long, the folder
 * that `makeSocketFolder` has recorded.
 */
export function getSocketFolder(cluster: string): string {
  return fits(cluster) ? cluster : (noted(cluster) ?? inUse(cluster) ?? cluster);
}

/** Creates the folder of a server's socket. Nobody can guess its name, and only its owner can enter it. */
export function makeSocketFolder(cluster: string): string {
  if (fits(cluster)) return cluster;
  const known = noted(cluster);
  // After a clean-up of temporary files, the folder is created again under the same name, because other processes still use this name.
  if (known !== null && (isOurs(known) || isMadeAgain(known))) return known;
  const base = [tmpdir(), '/tmp'].find((folder) => fits(join(folder, 'energy-XXXXXX'))) ?? '/tmp';
  const made = mkdtempSync(join(base, 'energy-'));
  writeFileSync(recordOf(cluster), `${cluster}\n${made}\n`, { mode: 0o600 });
  return made;
}

/** Removes the socket folder of a stopped server, unless it is the cluster itself. */
export function removeSocketFolder(cluster: string): void {
  const folder = noted(cluster);
  if (folder === null) return;
  try {
    rmdirSync(folder);
  } catch {
    // If the folder cannot be removed, it belongs to another user or is not empty, and remains.
  }
}

/** Returns the recorded socket folder of this cluster. A record that was copied from another cluster is ignored. */
function noted(cluster: string): string | null {
  const [of, folder] = linesOf(recordOf(cluster));
  return of === cluster && folder ? folder : null;
}

/** Returns, from the pid file, the socket folder of a server that an earlier version has started. */
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

/** Whether the folder belongs to this user, and no other user can enter it. */
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
