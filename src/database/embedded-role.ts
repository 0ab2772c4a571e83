import { createPool, type Pool } from './connect.ts';

/** The role that the service works as in its embedded database, and the database, which it owns: no superuser. */
export const ROLE = 'energy';
export const DATABASE = 'energy';
/** Made by initdb; used for what follows, and for nothing else. */
export const SUPERUSER = 'postgres';

/**
 * Makes role and database where they are missing. What an earlier version made as superuser becomes the role's. `urlOf`: of a
 * database of the server, as its superuser.
 */
export async function ensureRole(urlOf: (database: string) => string): Promise<void> {
  // Raw SQL: roles, databases and whose they are.
  await on(urlOf('postgres'), async (pool) => {
    const { rows } = await pool.query(
      `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') AS "hasRole",
         (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '${DATABASE}') AS owner`,
    );
    const [{ hasRole, owner }] = rows;
    if (!hasRole) await pool.query(`CREATE ROLE ${ROLE} LOGIN`);
    if (owner === null) await pool.query(`CREATE DATABASE ${DATABASE} OWNER ${ROLE}`);
    else if (owner !== ROLE) await pool.query(`ALTER DATABASE ${DATABASE} OWNER TO ${ROLE}`);
  });
  await on(urlOf(DATABASE), (pool) => pool.query(TAKE_OVER));
}

async function on(url: string, work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = createPool(url, { max: 1 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

/** What initdb's superuser owns beside the system's own: REASSIGN OWNED refuses it, since the system is its, too. */
const TAKE_OVER = `DO $$
DECLARE
  command text;
BEGIN
  FOR command IN
    WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname = 'public'),
      superuser AS (SELECT oid FROM pg_roles WHERE rolname = '${SUPERUSER}')
    -- Tables before the rest: their sequences and row types follow them.
    SELECT format('ALTER %s %s OWNER TO ${ROLE}', kind, name) FROM (
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
