import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { DAY_MS } from '#src/core/units.ts';
import type { PoolClient } from '../connect.ts';
import { runInTransactionOnConnection } from '../transaction.ts';
import type { CopiedRelation } from './relations.ts';

/** Streams the rows of a query from the source into a table of the target. Returns their number. */
export async function copyRows(source: PoolClient, query: string, target: PoolClient, into: string): Promise<number> {
  // Raw SQL: the query builder has no COPY.
  const reading = source.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`));
  const writing = target.query(copyFrom(`COPY ${into} FROM STDIN (FORMAT binary)`));
  await pipeline(reading, writing);
  return writing.rowCount ?? 0;
}

/** Replaces the target's rows in a time range by the source's rows. Returns their number. */
export async function copyTimeRange(
  { source, target }: { source: PoolClient; target: PoolClient },
  { relation, part }: CopiedRelation,
  by: string,
  { from, to }: { from: Date; to: Date },
): Promise<number> {
  const columns = (await readColumns(source, relation)).columns.join(', ');
  const where = `${by} >= '${from.toISOString()}' AND ${by} < '${to.toISOString()}'`;
  const read = `SELECT ${columns} FROM ${part?.view ?? relation} WHERE ${where}`;
  // Partitions are created before the transaction below begins, because creating one within it would block all writers until it ends.
  await target.query('SELECT make_room($1, $2)', [from, new Date(to.getTime() - 1)]);
  return runInTransactionOnConnection(target, async () => {
    await target.query(`DELETE FROM ${relation} WHERE ${where} AND ${part?.whose ?? 'true'}`);
    return copyRows(source, read, target, `${relation} (${columns})`);
  });
}

/**
 * Makes the target's rows of a whole relation equal to the source's. A changed row is updated if possible; otherwise it is deleted with the
 * rows that refer to it, which are copied later. Returns the number of rows in the source.
 */
export async function copyWholeRelation(
  { source, target }: { source: PoolClient; target: PoolClient },
  relation: string,
): Promise<number> {
  const { columns, key, fixed } = await readColumns(source, relation);
  const list = columns.join(', ');
  const changed = columns.filter((name) => !key.includes(name) && !fixed.includes(name));
  const update =
    changed.length === 0 ? 'NOTHING' : `UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const isSame = [
    ...key.map((name) => `i.${name} = t.${name}`),
    ...fixed.map((name) => `i.${name} IS NOT DISTINCT FROM t.${name}`),
  ].join(' AND ');
  return runInTransactionOnConnection(target, async () => {
    await target.query(
      `CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT ${list} FROM ${relation} WITH NO DATA`,
    );
    const count = await copyRows(source, `SELECT ${list} FROM ${relation}`, target, `incoming (${list})`);
    await target.query(`DELETE FROM ${relation} t WHERE NOT EXISTS (SELECT FROM incoming i WHERE ${isSame})`);
    await target.query(
      `INSERT INTO ${relation} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM incoming
       ON CONFLICT (${key.join(', ')}) DO ${update}`,
    );
    return count;
  });
}

/**
 * Sets the target's sequences to the positions of the source. The highest copied number is not enough, because rows with higher numbers may
 * have been deleted.
 */
export async function copySequencePositions(
  { source, target }: { source: PoolClient; target: PoolClient },
  relations: readonly string[],
): Promise<void> {
  const sequences = `SELECT relation, attname AS name, pg_get_serial_sequence(relation, attname) AS sequence
     FROM unnest($1::text[]) relation JOIN pg_attribute ON attrelid = relation::regclass AND attidentity <> ''`;
  const { rows } = await source.query(sequences, [relations]);
  for (const { relation, name, sequence } of rows) {
    const { rows: at } = await source.query(`SELECT last_value, is_called FROM ${sequence}`);
    const { last_value, is_called } = at[0];
    await target.query('SELECT setval(pg_get_serial_sequence($1, $2), $3, $4)', [
      relation,
      name,
      last_value,
      is_called,
    ]);
  }
}

/** Columns of a relation as quoted names. */
interface Columns {
  /** All columns except generated ones. */
  columns: string[];
  key: string[];
  /**
   * Columns that cannot be updated: PostgreSQL refuses to update identity columns, and another row may still have the new value of a unique
   * column.
   */
  fixed: string[];
}

export async function readColumns(client: PoolClient, relation: string): Promise<Columns> {
  // Raw SQL: names of relations and columns are known only at run time.
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

/** Returns SQL for a fingerprint of a set of rows: their number and the sum of their hashes. Equal sets have equal fingerprints. */
const fingerprint = (columns: readonly string[]) =>
  `count(*)::text || ' ' || coalesce(sum(('x' || substr(md5(ROW (${columns.join(', ')})::text), 1, 15))::bit(60)::bigint), 0)::text`;

/**
 * Computes the fingerprint of all rows of a relation. If `seen` is given, computes the fingerprint of the rows in this view of the
 * relation.
 */
export async function computeFingerprint(client: PoolClient, relation: string, seen = relation): Promise<string> {
  const { columns } = await readColumns(client, relation);
  const { rows } = await client.query(`SELECT ${fingerprint(columns)} AS print FROM ${seen}`);
  return rows[0].print;
}

/** Computes a fingerprint for each UTC day in `[from, to)`. The key is the start of the day in Unix ms. */
export async function computeFingerprintsByDay(
  client: PoolClient,
  { relation, seen }: { relation: string; seen: string },
  by: string,
  { from, to }: { from: Date; to: Date },
): Promise<Map<number, string>> {
  const { columns } = await readColumns(client, relation);
  const { rows } = await client.query(
    `SELECT date_trunc('day', ${by}, 'UTC') AS day, ${fingerprint(columns)} AS print
     FROM ${seen} WHERE ${by} >= $1 AND ${by} < $2 GROUP BY 1`,
    [from, to],
  );
  return new Map(rows.map(({ day, print }) => [day.getTime(), print]));
}

/** Returns the ranges of consecutive days on which two sets of fingerprints differ. */
export function findDifferingDayRanges(
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
