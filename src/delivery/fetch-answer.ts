import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { VERSION } from '#src/core/version.ts';
import type { SourceFetcher, SourceResponse } from '#src/tariffs/sources/read-source.ts';
import { createGuardedAgent, type GuardedAgent, type GuardedAgentOptions } from './webhook/guarded-agent.ts';
import { explainConnectionError } from './webhook/send.ts';

const MIB = 1_048_576;
/** Maximum size in bytes of a decompressed response. */
const MAX_BYTES = 5 * MIB;
/** Maximum time in ms from the start of a request to the end of its response. */
const TIMEOUT_MS = 30_000;

const UNPACKED_BY: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Limits of a response: its size after decompression, and the time until its last byte. */
interface AnswerBounds {
  maxBytes: number;
  timeoutMs: number;
}

/**
 * Creates the function that fetches the responses of price sources: only over HTTPS and from public addresses, without redirects, and with
 * limits of size and time. An error message contains no text of the response.
 */
export function createPriceSourceFetcher(options: GuardedAgentOptions & Partial<AnswerBounds>): {
  fetchAnswer: SourceFetcher;
  close(): void;
} {
  const guarded = createGuardedAgent(options);
  const bounds = { maxBytes: options.maxBytes ?? MAX_BYTES, timeoutMs: options.timeoutMs ?? TIMEOUT_MS };
  return {
    async fetchAnswer({ url, headers }) {
      try {
        return await get(new URL(url), headers, guarded, bounds);
      } catch (error) {
        return { failure: explain(error as Error) };
      }
    },
    close: () => guarded.close(),
  };
}

/** An error with a message of this service, which can be shown. Messages of other errors may contain text of the response. */
class Refused extends Error {
  override name = 'Refused';
}

function explain(error: Error & { code?: unknown }): string {
  if (error.name === 'ForbiddenAddress')
    return 'the source’s address is private or reserved; only public ones are fetched';
  if (error instanceof Refused) return error.message;
  const sentence = explainConnectionError(error, 'source');
  return sentence === error.message
    ? `the source could not be fetched (${String(error.code ?? error.name)})`
    : sentence;
}

function get(
  url: URL,
  headers: Record<string, string>,
  guarded: GuardedAgent,
  { maxBytes, timeoutMs }: AnswerBounds,
): Promise<SourceResponse> {
  if (url.protocol !== 'https:') throw new Refused('only https:// addresses are fetched');
  const all = { accept: '*/*', ...headers, 'accept-encoding': 'gzip, deflate, br', 'user-agent': USER_AGENT };
  return new Promise((resolve, reject) => {
    let isLate = false;
    // After a time-out, Node reports a broken connection, which would be misleading.
    const fail = (error: Error) =>
      reject(isLate ? new Refused(`no complete response within ${timeoutMs / 1_000} s`) : error);
    const outgoing = request(url, { ...guarded.optionsFor(url.hostname), headers: all }, (response) => {
      answerOf(response, maxBytes)
        .then(resolve, fail)
        .finally(() => clearTimeout(timer));
    });
    const timer = setTimeout(() => {
      isLate = true;
      outgoing.destroy();
    }, timeoutMs);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    outgoing.end();
  });
}

const USER_AGENT = `energy-usage-service/${VERSION}`;

async function answerOf(response: IncomingMessage, maxBytes: number): Promise<SourceResponse> {
  const { statusCode: status = 0 } = response;
  if (status < 200 || status >= 300) {
    response.destroy();
    if (status >= 300 && status < 400) return { failure: `HTTP ${status}: redirects are not followed` };
    const waitMs = status === 429 ? retryAfterMs(response.headers['retry-after'], Date.now()) : undefined;
    return { failure: `HTTP ${status}`, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
  }
  try {
    return { text: await readText(response, maxBytes) };
  } finally {
    response.destroy();
  }
}

/** Returns the wait in ms from a Retry-After header (seconds or a date; RFC 9110, 10.2.3), or undefined. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const untilMs = Date.parse(header);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - nowMs);
}

/** Reads and decompresses the body of a response. Limits its size before and after decompression. */
async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase().trim();
  const unpacks = UNPACKED_BY[encoding];
  if (!unpacks && encoding !== 'identity') throw new Refused('the response has an encoding that was not requested');
  const bounded = (chunks: AsyncIterable<Buffer>) => withinBound(chunks, maxBytes);
  const body = unpacks ? pipeline(response, bounded, unpacks(), () => {}) : response;
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(body)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function* withinBound(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Refused(`the response is longer than ${maxBytes / MIB} MiB`);
    yield chunk;
  }
}
