import type { Query } from './connect.ts';

/** Values of a column that are looked at: enough to tell a wrong key from an installation of which one row is sealed by another. */
const SAMPLES = 20;

/** Some of what is stored sealed (core/secrets.ts), of every column whose name says so. */
export async function sealedSamples(query: Query): Promise<Buffer[]> {
  // Raw SQL: relations and columns are named at run time, out of the catalogue.
  const { rows: columns } = await query<{ relation: string; name: string }>(
    `SELECT quote_ident(table_name) AS relation, quote_ident(column_name) AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name LIKE '%\\_sealed'`,
    [],
  );
  const samples: Buffer[] = [];
  for (const { relation, name } of columns) {
    const { rows } = await query<{ value: Buffer }>(
      `SELECT ${name} AS value FROM ${relation} WHERE ${name} IS NOT NULL LIMIT ${SAMPLES}`,
      [],
    );
    samples.push(...rows.map(({ value }) => value));
  }
  return samples;
}
