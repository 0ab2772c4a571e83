import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
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

/** What an account's long answers do in this process. */
interface LongAnswers {
  underWay: number;
  /** The page that is made, or waits to be made, last; and the rest after it. */
  last: Promise<unknown>;
}
const ofAccounts = new Map<string, LongAnswers>();
/** So many times as long as a page took to be made nothing is made for an account with more than one answer under way. */
const REST = 5;

/**
 * The pages, each made while no other page of the account is: six questions of a year at once are no more work at a time than one, for the
 * database and for this process. Who asks several at once does not keep the process busy either: between two pages it rests, and others are
 * answered. Nobody waits for who reads slowly: a page that was made is not held.
 */
export async function* onePageAtATime<T>(account: string, pages: AsyncGenerator<T>): AsyncGenerator<T> {
  const own = ofAccounts.get(account) ?? { underWay: 0, last: Promise.resolve() };
  ofAccounts.set(account, own);
  own.underWay++;
  try {
    for (;;) {
      const before = own.last.catch(() => {});
      const next = before.then(async () => {
        const fromMs = performance.now();
        const page = await pages.next();
        return { page, tookMs: performance.now() - fromMs };
      });
      own.last = next.then(({ tookMs }) => (own.underWay > 1 ? setTimeout(REST * tookMs) : undefined));
      own.last.catch(() => {});
      const { page } = await next;
      if (page.done) return;
      yield page.value;
    }
  } finally {
    own.underWay--;
    if (own.underWay === 0) ofAccounts.delete(account);
    await pages.return(undefined);
  }
}
