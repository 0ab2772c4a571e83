import type { Pool, PoolClient } from './connect.ts';

/** Tables that are cut by month, and by which column. */
const PARTITIONED = ['readings', 'device_intervals'] as const;

/** Key of the advisory lock under which partitions are made. */
const LOCK = 7_241_001;

const monthStart = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1));

/** Makes the monthly partitions (`readings_2026_11`) that cover `[from, to]`, where they are missing. */
export async function ensurePartitions(db: Pool | PoolClient, range: { from: Date; to: Date }): Promise<string[]> {
  const wanted: { table: string; name: string; start: Date; end: Date }[] = [];
  for (let start = monthStart(range.from); start <= range.to; start = monthStart(start, 1)) {
    for (const table of PARTITIONED) {
      wanted.push({
        table,
        name: `${table}_${start.toISOString().slice(0, 7).replace('-', '_')}`,
        start,
        end: monthStart(start, 1),
      });
    }
  }
  const names = wanted.map((partition) => partition.name);
  const { rows } = await db.query('SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL', [names]);
  const missing = new Set(rows.map((row) => row.name));
  const made = wanted.filter((partition) => missing.has(partition.name));
  if (made.length === 0) return [];
  const statements = made.map(
    ({ table, name, start, end }) =>
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table}
       FOR VALUES FROM ('${start.toISOString()}') TO ('${end.toISOString()}');`,
  );
  // One simple query is one transaction: all partitions or none, and the lock ends with it.
  await db.query(`SELECT pg_advisory_xact_lock(${LOCK}); ${statements.join('\n')}`);
  return made.map((partition) => partition.name);
}
