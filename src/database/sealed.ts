import type { QueryFunction } from './connect.ts';

/** Number of encrypted values that are sampled per column. */
const SAMPLES = 20;

/** Returns samples of encrypted values from every column named `*_sealed`. */
export async function readSamplesOfEncryptedValues(query: QueryFunction): Promise<Buffer[]> {
  // Raw SQL: names of relations and columns are known only at run time.
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
