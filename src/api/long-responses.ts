import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { MAX_ROWS_WITHOUT_YIELD, yieldChunksWithBreaks } from '#src/core/turns.ts';

/** Whether a response has so many rows in `data` that converting them to JSON at once would delay other requests. */
export function isLongResponse(answer: unknown): answer is { data: readonly unknown[] } {
  const { data } = (answer ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > MAX_ROWS_WITHOUT_YIELD;
}

/** Returns the JSON of a response with many rows as a stream. Other requests are handled between chunks of rows. */
export const streamRows = ({ data, ...others }: { data: readonly unknown[] }): Readable =>
  streamJsonPages(others, yieldChunksWithBreaks(data));

/** Returns a JSON response as a stream, for rows that arrive page by page. `others`: all members of the response except `data`. */
export function streamJsonPages(others: object, pages: AsyncIterable<readonly unknown[]>): Readable {
  const head = Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return Readable.from(piecesOf(`{${head.join('')}"data":[`, pages));
}

async function* piecesOf(head: string, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = head;
  for await (const page of pages) {
    for await (const rows of yieldChunksWithBreaks(page)) {
      yield before + JSON.stringify(rows).slice(1, -1);
      before = ',';
    }
  }
  yield before === head ? `${head}]}` : ']}';
}

/**
 * Waits for the first page of a response, so that an error before this page can be reported by an error status. A later error aborts the
 * response, which the client detects.
 */
export async function awaitFirstPage<T>(pages: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

/** The long responses that this process is sending to one account. */
interface LongAnswers {
  underWay: number;
  /** Resolves when the account's last requested page and the pause after that page have ended. */
  last: Promise<unknown>;
}
const ofAccounts = new Map<string, LongAnswers>();
/**
 * Length of the pause after a page, as a multiple of the page's computing time. Only accounts with several long responses pause.
 */
const PAUSE_FACTOR = 5;

/**
 * Yields the pages of a response. Only one page of an account is computed at a time, so that several concurrent requests of an
 * account cause no more load than one.
 */
export async function* limitConcurrentPages<T>(account: string, pages: AsyncGenerator<T>): AsyncGenerator<T> {
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
      own.last = next.then(({ tookMs }) => (own.underWay > 1 ? setTimeout(PAUSE_FACTOR * tookMs) : undefined));
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
