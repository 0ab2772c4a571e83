import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ROWS_BETWEEN_BREAKS, yieldInTurns } from '#src/core/turns.ts';

/** Whether a response has so many rows in `data` that serialising it at once would delay all other requests. */
export function isLongResponse(answer: unknown): answer is { data: readonly unknown[] } {
  const { data } = (answer ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > ROWS_BETWEEN_BREAKS;
}

/** Returns the JSON of a response with many rows as a stream, which yields to other work between chunks. */
export const streamRows = ({ data, ...others }: { data: readonly unknown[] }): Readable =>
  streamJsonPages(others, yieldInTurns(data));

/** Returns a JSON response as a stream, with rows that arrive page by page. `others`: the members next to `data`. */
export function streamJsonPages(others: object, pages: AsyncIterable<readonly unknown[]>): Readable {
  const head = Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return Readable.from(piecesOf(`{${head.join('')}"data":[`, pages));
}

async function* piecesOf(head: string, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = head;
  for await (const page of pages) {
    for await (const rows of yieldInTurns(page)) {
      yield before + JSON.stringify(rows).slice(1, -1);
      before = ',';
    }
  }
  yield before === head ? `${head}]}` : ']}';
}

/**
 * Waits for the first page of a response, so that an error before this page still sets the HTTP status. A later error aborts the response;
 * the client detects it because the connection or the HTTP/2 stream ends early.
 */
export async function awaitFirstPage<T>(pages: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

/** Long responses to one account that are in progress in this process. */
interface LongAnswers {
  underWay: number;
  /** The account's last page that is computed or queued, and the pause after this page. */
  last: Promise<unknown>;
}
const ofAccounts = new Map<string, LongAnswers>();
/**
 * Length of the pause after a page, as a multiple of the time to compute the page. Only accounts with several long responses in progress
 * pause.
 */
const REST = 5;

/**
 * Yields the pages of a response. Only one page of an account is computed at a time, so six concurrent requests for a year cause no more
 * load than one. Several requests of one account pause between two pages, so they do not keep the process busy. No lock is held while a
 * page is sent, so a slow client does not delay others.
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
