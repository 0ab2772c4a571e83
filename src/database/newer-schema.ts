import { VERSION } from '#src/core/version.ts';
import type { Query } from './connect.ts';

/** The schema was made by a newer version of the service; the message says what to do. */
class NewerSchema extends Error {
  override name = 'NewerSchema';
}

/**
 * Throws NewerSchema where a database has numbered migrations that this version does not know: what it would write and answer by
 * its own idea of the schema could be wrong. `known`: names of this version's, as `schema/0001_accounts.sql`. A database without a schema is no
 * newer one.
 */
export async function refuseNewerSchema(query: Query, known: readonly string[]): Promise<void> {
  // Raw SQL: the migrations' own table, which may not be there.
  const { rows: made } = await query<{ isMade: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS "isMade"`,
    [],
  );
  if (!made[0]?.isMade) return;
  const { rows } = await query<{ name: string }>(
    `SELECT name FROM schema_migrations WHERE name LIKE 'schema/%' ORDER BY 1`,
    [],
  );
  const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new NewerSchema(
    `A newer version of the service made this database: this one (${VERSION}) does not know its ${unknown.join(', ')}. Nothing ` +
      'was changed. Run that version again, or a later one. To go back, restore the copy that was made before the upgrade.',
  );
}
