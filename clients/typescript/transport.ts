import { errorOf, NetworkError, RequestTimeoutError, type ServiceError } from './errors.ts';

/** Options of a client. */
export interface ClientOptions {
  /** API key, `eus_live_…` or `eus_test_…`. */
  key: string;
  /** Address of the service. Default: `https://localhost:8443`. */
  baseUrl?: string;
  /** Maximum time for one attempt, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** Maximum number of retries of a call. Default: 3. */
  retries?: number;
  /** Maximum wait before a retry, in ms. If the service requires a longer wait, the error is thrown. Default: 60,000. */
  maxWaitMs?: number;
  /** Function to use instead of the platform's `fetch`. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Idempotency key of a POST. Default: a new key for each call, so that the call can be retried. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: each operation has a type of its own for it
  query?: any;
  body?: unknown;
  /** Media type of a body that is not JSON. */
  type?: string;
  accept?: string;
  /** Set if the call may be repeated, whatever the result of the first request was. */
  isSafe?: true;
  options?: CallOptions | undefined;
}

/** Wait before the first retry if the service states no time. Each further wait is twice as long. */
const FIRST_WAIT_MS = 500;
/** Status codes after which the request may have been executed. The call is retried only if it may be executed twice. */
const PASSING = new Set([502, 503, 504]);

/** Sends requests, retries those that may be repeated, and throws errors for those that fail. */
export class Transport {
  readonly #options: Required<Omit<ClientOptions, 'fetch'>> & { fetch: typeof fetch };

  constructor({ key, baseUrl = 'https://localhost:8443', fetch = globalThis.fetch, ...given }: ClientOptions) {
    const { timeoutMs = 30_000, retries = 3, maxWaitMs = 60_000 } = given;
    if (!key) throw new TypeError('A client needs an API key: new EnergyClient({ key })');
    this.#options = { key, baseUrl: baseUrl.replace(/\/+$/, ''), fetch, timeoutMs, retries, maxWaitMs };
  }

  async json<T>(method: string, path: string, sent: Sent): Promise<T> {
    const response = await this.#send(method, path, { accept: 'application/json', ...sent });
    return (await response.json()) as T;
  }

  async text(method: string, path: string, sent: Sent): Promise<string> {
    return (await this.#send(method, path, sent)).text();
  }

  async bytes(method: string, path: string, sent: Sent): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#send(method, path, sent)).arrayBuffer());
  }

  pages<T>(method: string, path: string, sent: Sent): Pages<T> {
    return new Pages<T>(async (cursor) => {
      const query = cursor === null ? sent.query : { ...sent.query, cursor };
      const response = await this.#send(method, path, { accept: 'application/json', ...sent, query });
      const body = (await response.json()) as T[] | { data: T[] };
      return { items: Array.isArray(body) ? body : body.data, next: nextCursor(response.headers.get('link')) };
    });
  }

  /**
   * Returns a 2xx response with its complete body. Throws a ServiceError, NetworkError or RequestTimeoutError, or the reason with which
   * the caller aborted.
   */
  async #send(method: string, path: string, sent: Sent): Promise<Response> {
    const { query, options = {}, isSafe = false } = sent;
    const { retries, maxWaitMs } = this.#options;
    const key = options.idempotencyKey ?? (method === 'POST' && !isSafe ? crypto.randomUUID() : undefined);
    const mayRepeat = isSafe || key !== undefined;
    const url = `${this.#options.baseUrl}${path}${queryText(query)}`;
    for (let tried = 0; ; tried++) {
      const outcome = await this.#try(url, method, sent, key);
      if (outcome instanceof Response) return outcome;
      const waitMs = waitOf(outcome, tried);
      if (tried >= retries || waitMs > maxWaitMs || !mayTryAgain(outcome, mayRepeat)) throw outcome;
      await pause(waitMs, options.signal);
    }
  }

  async #try(url: string, method: string, sent: Sent, key: string | undefined): Promise<Response | Failure> {
    const { options = {}, body, type, accept } = sent;
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    try {
      const response = await this.#options.fetch(url, {
        method,
        signal,
        redirect: 'manual',
        headers: {
          ...(accept !== undefined && { Accept: accept }),
          ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
          ...options.headers,
          Authorization: `Bearer ${this.#options.key}`,
        },
        ...(body !== undefined && { body: type === undefined ? JSON.stringify(body) : (body as string) }),
      });
      // Reads the complete body here, so that the time limit covers it.
      const bytes = await response.arrayBuffer();
      if (!response.ok) return errorOf(response.status, response.headers, new TextDecoder().decode(bytes));
      return new Response(bytes, { status: response.status, headers: response.headers });
    } catch (error) {
      options.signal?.throwIfAborted();
      if (timeout.aborted) return new RequestTimeoutError(`No answer within ${timeoutMs} ms from ${method} ${url}`);
      return new NetworkError(`${method} ${url} failed: ${(error as Error).message}${trustHint(url, error)}`, {
        cause: error,
      });
    }
  }
}

/** Codes of Node's errors for a certificate that no trusted authority has signed. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Returns instructions to trust the service's own certificate if the request failed because of it; otherwise an empty text. */
function trustHint(url: URL | string, error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  if (!UNTRUSTED.has(String(cause?.code))) return '';
  const { origin } = new URL(url);
  return `. The certificate is not trusted: save ${origin}/certificate.pem, compare its fingerprint with the service’s, and set NODE_EXTRA_CA_CERTS to the file before the program starts (${origin}/docs/certificate)`;
}

type Failure = ServiceError | NetworkError | RequestTimeoutError;

/** A list in pages. `for await` yields all items, and requests each page when it is needed. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string | null) => Promise<{ items: T[]; next: string | null }>;

  constructor(page: (cursor: string | null) => Promise<{ items: T[]; next: string | null }>) {
    this.#page = page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | null = null;
    do {
      const { items, next }: { items: T[]; next: string | null } = await this.#page(cursor);
      yield* items;
      cursor = next;
    } while (cursor !== null);
  }

  /** Returns the items of the first page. */
  async first(): Promise<T[]> {
    return (await this.#page(null)).items;
  }

  /** Returns the items of all pages. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** Returns the cursor in `Link: <…>; rel="next"` (RFC 8288); null on the last page. */
function nextCursor(link: string | null): string | null {
  const [, address] = /<([^>]*)>;\s*rel="next"/.exec(link ?? '') ?? [];
  return address === undefined ? null : new URL(address, 'https://any').searchParams.get('cursor');
}

/** Formats the names and values of a query. Omits undefined values. */
function queryText(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Whether a failed call may be retried: always after 429 (not executed), otherwise only if it may be executed twice. */
function mayTryAgain(failure: Failure, mayRepeat: boolean): boolean {
  if ('status' in failure) return failure.status === 429 || (PASSING.has(failure.status) && mayRepeat);
  return mayRepeat;
}

/**
 * Returns the time before the next retry in ms: the time that the service states, otherwise a time that doubles with each retry. It is
 * partly random, so that clients do not all retry at once.
 */
function waitOf(failure: Failure, tried: number): number {
  if ('status' in failure && failure.retryAfterSeconds !== null) return failure.retryAfterSeconds * 1_000;
  return FIRST_WAIT_MS * 2 ** tried * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
