import { setImmediate } from 'node:timers/promises';

/** Number of rows that are processed before other work of the process may run. */
export const MAX_ROWS_WITHOUT_YIELD = 250;

/** Maps many rows. Other work of the process runs after every 250 rows. */
export async function mapWithoutBlocking<T, U>(rows: readonly T[], one: (row: T, place: number) => U): Promise<U[]> {
  const mapped: U[] = [];
  for (const row of rows) {
    if (mapped.length > 0 && mapped.length % MAX_ROWS_WITHOUT_YIELD === 0) await setImmediate();
    mapped.push(one(row, mapped.length));
  }
  return mapped;
}

/** Yields the rows in chunks of 250. Other work of the process runs after each chunk. */
export async function* yieldChunksWithBreaks<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += MAX_ROWS_WITHOUT_YIELD) {
    if (at > 0) await setImmediate();
    yield rows.slice(at, at + MAX_ROWS_WITHOUT_YIELD);
  }
}
