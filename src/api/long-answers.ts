import { Readable } from 'node:stream';
import { inTurns, ROWS_OF_A_TURN } from '#src/core/turns.ts';

/** An answer with so many rows in its `data` that to write them at once would keep all other requests waiting. */
export function isLong(answer: unknown): answer is { data: readonly unknown[] } {
  const { data } = (answer ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > ROWS_OF_A_TURN;
}

/** Its JSON, as a stream that is written turn by turn. */
export const streamOf = ({ data, ...others }: { data: readonly unknown[] }): Readable =>
  streamOfPages(others, inTurns(data));

/** The same of an answer whose rows come page by page. */
export function streamOfPages(others: object, pages: AsyncIterable<readonly unknown[]>): Readable {
  const head = Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return Readable.from(piecesOf(`{${head.join('')}"data":[`, pages));
}

async function* piecesOf(head: string, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = head;
  for await (const page of pages) {
    for await (const rows of inTurns(page)) {
      yield before + JSON.stringify(rows).slice(1, -1);
      before = ',';
    }
  }
  yield before === head ? `${head}]}` : ']}';
}

/**
 * Pages of which the first is there: what fails until then is answered with a status. What fails later breaks the answer off, which
 * its client sees: the connection, or the stream of HTTP/2, ends without the answer's end.
 */
export async function begun<T>(pages: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

/** The page that is made for each account, or waits to be made, last. */
const lastPages = new Map<string, Promise<unknown>>();

/**
 * The pages, each made while no other page of the account is: six questions of a year at once are no more work at a time than one, for the
 * database and for this process. Nobody waits for who reads slowly: a page that was made is not held.
 */
export async function* onePageAtATime<T>(account: string, pages: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (;;) {
      const before = lastPages.get(account)?.catch(() => {});
      const next = before ? before.then(() => pages.next()) : pages.next();
      lastPages.set(account, next);
      const page = await next.finally(() => {
        if (lastPages.get(account) === next) lastPages.delete(account);
      });
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await pages.return(undefined);
  }
}
