import { setImmediate } from 'node:timers/promises';

/** Number of rows that are processed before other work of the process may run. */
export const ROWS_BETWEEN_BREAKS = 250;

/** Maps many rows. Other work of the process runs after every 250 rows. */
export async function mapWithBreaks<T, U>(rows: readonly T[], one: (row: T, place: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  for (const row of rows) {
    if (mapped.length > 0 && mapped.length % ROWS_BETWEEN_BREAKS === 0) await setImmediate();
    mapped.push(one(row, mapped.length));
  }
  return mapped;
}

/** Yields the rows in chunks of 250. Other work of the process runs after each chunk. */
export async function* yieldChunksWithBreaks<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ROWS_BETWEEN_BREAKS) {
    if (at > 0) await setImmediate();
    yield rows.slice(at, at + ROWS_BETWEEN_BREAKS);
  }
}
