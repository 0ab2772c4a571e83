import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PoolClient } from '../connect.ts';
import { transactionOn } from '../transaction.ts';
import { columnsOf } from './fingerprints.ts';
import type { Copied } from './relations.ts';

/** Streams the rows of a query on the source into a table of the target, in binary, without holding them. */
export async function stream(source: PoolClient, query: string, target: PoolClient, into: string): Promise<number> {
  // Raw SQL: COPY, between relations that are named at run time.
  const reading = source.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`));
  const writing = target.query(copyFrom(`COPY ${into} FROM STDIN (FORMAT binary)`));
  await pipeline(reading, writing);
  return writing.rowCount ?? 0;
}

/** Makes the target's rows of a stretch of time those of the source. Returns how many were copied. */
export async function copyStretch(
  { source, target }: { source: PoolClient; target: PoolClient },
  { relation, part }: Copied,
  by: string,
  { from, to }: { from: Date; to: Date },
): Promise<number> {
  const columns = (await columnsOf(source, relation)).columns.join(', ');
  const where = `${by} >= '${from.toISOString()}' AND ${by} < '${to.toISOString()}'`;
  const read = `SELECT ${columns} FROM ${part?.view ?? relation} WHERE ${where}`;
  // By itself: until the end of a transaction that makes a partition nobody else would write.
  await target.query('SELECT make_room($1, $2)', [from, new Date(to.getTime() - 1)]);
  return transactionOn(target, async () => {
    await target.query(`DELETE FROM ${relation} WHERE ${where} AND ${part?.whose ?? 'true'}`);
    return stream(source, read, target, `${relation} (${columns})`);
  });
}

/**
 * Makes the target's rows of a whole relation those of the source, by their primary keys: what other rows refer to is
 * changed in its place where that can be (Columns.fixed), and else removed with what refers to it, which the source's
 * rows of the relations that follow replace. Returns how many rows the source had.
 */
export async function copyWhole(
  { source, target }: { source: PoolClient; target: PoolClient },
  relation: string,
): Promise<number> {
  const { columns, key, fixed } = await columnsOf(source, relation);
  const list = columns.join(', ');
  const changed = columns.filter((name) => !key.includes(name) && !fixed.includes(name));
  const update =
    changed.length === 0 ? 'NOTHING' : `UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  const isSame = [
    ...key.map((name) => `i.${name} = t.${name}`),
    ...fixed.map((name) => `i.${name} IS NOT DISTINCT FROM t.${name}`),
  ].join(' AND ');
  return transactionOn(target, async () => {
    await target.query(
      `CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT ${list} FROM ${relation} WITH NO DATA`,
    );
    const count = await stream(source, `SELECT ${list} FROM ${relation}`, target, `incoming (${list})`);
    await target.query(`DELETE FROM ${relation} t WHERE NOT EXISTS (SELECT FROM incoming i WHERE ${isSame})`);
    await target.query(
      `INSERT INTO ${relation} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM incoming
       ON CONFLICT (${key.join(', ')}) DO ${update}`,
    );
    return count;
  });
}

/**
 * Lets the target's identity columns go on where the source's are. Not after the highest number that was copied: rows
 * with higher ones may be gone, while somebody still knows their numbers (webhooks.catching_up_to).
 */
export async function continueIdentities(
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
