import { setImmediate } from 'node:timers/promises';

/** Rows that are worked on at a time: a millisecond. */
export const ROWS_OF_A_TURN = 250;

/** `map` for many rows, with a turn for whatever else the process has to do after each 250 of them. */
export async function mapInTurns<T, U>(rows: readonly T[], one: (row: T) => U): Promise<U[]> {
  const mapped: U[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % ROWS_OF_A_TURN === 0) await setImmediate();
    mapped.push(one(row));
  }
  return mapped;
}

/** The rows in pieces of 250, with a turn for whatever else the process has to do after each. */
export async function* inTurns<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += ROWS_OF_A_TURN) {
    if (at > 0) await setImmediate();
    yield rows.slice(at, at + ROWS_OF_A_TURN);
  }
}
