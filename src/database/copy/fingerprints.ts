import { DAY_MS } from '#src/core/units.ts';
import type { PoolClient } from '../connect.ts';

/** A relation's columns, by name, quoted and in order. */
export interface Columns {
  /** Those that are stored; what is computed from them follows by itself. */
  columns: string[];
  /** Those of its primary key. */
  key: string[];
  /**
   * Others that are not changed in their place: PostgreSQL refuses it for an identity, and in a unique column a value may
   * still stand in another row that is changed after this one.
   */
  fixed: string[];
}

/** Asks the database for a relation's columns. */
export async function columnsOf(client: PoolClient, relation: string): Promise<Columns> {
  // Raw SQL: relations and columns are named at run time, out of the catalogue.
  const { rows } = await client.query(
    `SELECT quote_ident(a.attname) AS name, coalesce(a.attnum = ANY (k.indkey), false) AS "isKey",
       a.attidentity <> '' OR EXISTS (
         SELECT FROM pg_index u WHERE u.indrelid = a.attrelid AND u.indisunique AND (a.attnum = ANY (u.indkey)
           -- Within an expression, such as lower(email).
           OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = u.indexrelid
             AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum))) AS "isFixed"
     FROM pg_attribute a LEFT JOIN pg_index k ON k.indrelid = a.attrelid AND k.indisprimary
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum`,
    [relation],
  );
  const namesOf = (some: typeof rows): string[] => some.map(({ name }) => name);
  return {
    columns: namesOf(rows),
    key: namesOf(rows.filter(({ isKey }) => isKey)),
    fixed: namesOf(rows.filter(({ isKey, isFixed }) => isFixed && !isKey)),
  };
}

/** Count and sum over rows: equal for equal sets of rows, whatever their order. md5 is the same on every version. */
const fingerprint = (columns: readonly string[]) =>
  `count(*)::text || ' ' || coalesce(sum(('x' || substr(md5(ROW (${columns.join(', ')})::text), 1, 15))::bit(60)::bigint), 0)::text`;

/** Fingerprint of a whole relation; `seen`: of what a view shows of it. */
export async function fingerprintOf(client: PoolClient, relation: string, seen = relation): Promise<string> {
  const { columns } = await columnsOf(client, relation);
  const { rows } = await client.query(`SELECT ${fingerprint(columns)} AS print FROM ${seen}`);
  return rows[0].print;
}

/** Fingerprints by UTC day, in Unix ms of its start, of the days in `[from, to)`. */
export async function fingerprintsByDay(
  client: PoolClient,
  { relation, seen }: { relation: string; seen: string },
  by: string,
  { from, to }: { from: Date; to: Date },
): Promise<Map<number, string>> {
  const { columns } = await columnsOf(client, relation);
  const { rows } = await client.query(
    `SELECT date_trunc('day', ${by}, 'UTC') AS day, ${fingerprint(columns)} AS print
     FROM ${seen} WHERE ${by} >= $1 AND ${by} < $2 GROUP BY 1`,
    [from, to],
  );
  return new Map(rows.map(({ day, print }) => [day.getTime(), print]));
}

/** The days, in runs that follow each other, on which two sets of fingerprints differ. Pure. */
export function differingRuns(
  source: ReadonlyMap<number, string>,
  target: ReadonlyMap<number, string>,
): { from: Date; to: Date }[] {
  const days = [...new Set([...source.keys(), ...target.keys()])]
    .filter((day) => source.get(day) !== target.get(day))
    .sort((a, b) => a - b);
  const runs: { from: Date; to: Date }[] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.to.getTime() === day) last.to = new Date(day + DAY_MS);
    else runs.push({ from: new Date(day), to: new Date(day + DAY_MS) });
  }
  return runs;
}
