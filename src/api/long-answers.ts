import { Readable } from 'node:stream';
import { inTurns, ROWS_OF_A_TURN } from '#src/core/turns.ts';

/** An answer with so many rows in its `data` that to write them at once would keep all other requests waiting. */
export function isLong(answer: unknown): answer is { data: readonly unknown[] } {
  const { data } = (answer ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > ROWS_OF_A_TURN;
}

/** Its JSON, as a stream that is written turn by turn. */
export function streamOf({ data, ...others }: { data: readonly unknown[] }): Readable {
  const head = Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return Readable.from(piecesOf(`{${head.join('')}"data":[`, data));
}

async function* piecesOf(head: string, data: readonly unknown[]): AsyncGenerator<string> {
  let before = head;
  for await (const rows of inTurns(data)) {
    yield before + JSON.stringify(rows).slice(1, -1);
    before = ',';
  }
  yield ']}';
}
