import { useEffect, useState } from 'preact/hooks';
import { language, textNamed, words } from './words/words.ts';

/** Error for an API response with a status other than 2xx. */
export class ApiFailure extends Error {
  override name = 'Failure';
  readonly status: number;
  /** The service's validation errors, one for each invalid field. */
  readonly details: { field: string; message: string }[];
  /** Id under which the service has logged an internal error. The user can give it to the operator. */
  readonly incident: string;
  constructor(status: number, body: { error?: string; details?: ApiFailure['details']; incident?: string }) {
    super(body.error ?? words().common.errors.status({ status }));
    this.status = status;
    this.details = body.details ?? [];
    this.incident = body.incident ?? words().common.errors.noIncident;
  }
}

/**
 * Returns the display name of a field in a validation error, as the first word of a sentence. For an item of a list, returns the name of
 * the list.
 */
function named(field: string): string {
  const own = field.replace(/^decoder_config\.mapping\.\d+\./, '').replace(/\.\d+$/, '');
  return textNamed(words().common.fields, own) ?? own.charAt(0).toUpperCase() + own.slice(1).replaceAll('_', ' ');
}

/** Returns an error message for a user, including the validation errors by field. */
export function formatErrorSentence(error: unknown): string {
  const { errors } = words().common;
  if (error instanceof ApiFailure) {
    if (error.status === 401) return errors.signedOut;
    if (error.status === 429) return errors.tooMany;
    if (error.status === 503) return errors.away;
    if (error.details.length > 0)
      return error.details.map(({ field, message }) => `${named(field)} ${message}`).join('; ');
    if (error.status === 404) return errors.gone;
    if (error.status === 500) return errors.broken({ incident: error.incident });
    return error.message;
  }
  if (error instanceof TypeError) return errors.unreachable;
  return (error as Error).message;
}

/** Returns whether a failed request may succeed later. */
export const isTemporaryFailure = (error: unknown): boolean =>
  error instanceof ApiFailure ? error.status === 503 || error.status === 429 : error instanceof TypeError;

let csrfToken = '';
let signedOut: () => void = () => {};

/** Stores the session's CSRF token, and a function that is called when the session ends. Requests that change data contain the token. */
export function storeSession(token: string, whenOver: () => void): void {
  csrfToken = token;
  signedOut = whenOver;
}

/**
 * Sends a request to a path of the API (`/v1/…`) or of the session (`/session`, `/sign-in`). Returns the body of the response. Throws an
 * ApiFailure unless the status is 2xx.
 */
export async function callApi<T>(method: string, path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { type: 'application/json', text: JSON.stringify(body) };
  return (await answerTo<T>(method, path, sent)).body;
}

/**
 * Sends a POST without a body, or with a body that is not JSON. `once`: an Idempotency-Key, with which the request can be repeated safely.
 */
export async function postRequest<T>(path: string, sent: { once?: string; type?: string; text?: string }): Promise<T> {
  return (await answerTo<T>('POST', path, sent)).body;
}

/**
 * Sends a POST that begins a sign-in to each cell (installation behind a router), because the browser does not know the account's cell.
 * Returns the responses. Cells that do not respond are skipped.
 */
export async function postSignInToEachCell<T>(path: string, body: object): Promise<T[]> {
  const { body: first, others } = await postSignInToCell<T>(path, body);
  const asked = await Promise.allSettled(others.map((cell) => postSignInToCell<T>(path, body, cell)));
  return [first, ...asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body] : []))];
}

/**
 * Sends a POST that begins a sign-in to one cell (installation behind a router). Without `cell`, the router chooses. Returns the response,
 * and the names of the other cells.
 */
export async function postSignInToCell<T>(
  path: string,
  body: object,
  cell?: string,
): Promise<{ body: T; others: string[] }> {
  const sent = { type: 'application/json', text: JSON.stringify(body) };
  const { body: answer, headers } = await answerTo<T>('POST', path, cell === undefined ? sent : { ...sent, cell });
  // If there are several cells, the router adds the header `energy-cells` with their names.
  const cells = (headers.get('energy-cells') ?? '').split(' ');
  return { body: answer, others: cells.filter((one) => one && one !== headers.get('energy-cell')) };
}

export interface ResultPage<T> {
  rows: T[];
  next: string | null;
}

/** Returns one page of a list, and the path of the next page from the response's Link header. */
export async function fetchResultPage<T>(path: string): Promise<ResultPage<T>> {
  const { body, headers } = await answerTo<T[]>('GET', path, {});
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return { rows: body, next: next?.replace(/^\/dashboard/, '') ?? null };
}

/** Returns at most `most` rows of a list. `path`: path of the list without the parameter `limit`. */
export async function fetchAllPages<T>(path: string, most = 1_000): Promise<T[]> {
  const rows: T[] = [];
  for (
    let next: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=200`;
    next !== null && rows.length < most;
  ) {
    const one: ResultPage<T> = await fetchResultPage<T>(next);
    rows.push(...one.rows);
    next = one.next;
  }
  return rows;
}

interface Answered<T> {
  body: T;
  headers: Headers;
}

async function answerTo<T>(
  method: string,
  path: string,
  { type, text, once, cell }: { type?: string; text?: string; once?: string; cell?: string },
): Promise<Answered<T>> {
  const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language() };
  if (type !== undefined) headers['content-type'] = type;
  if (once !== undefined) headers['idempotency-key'] = once;
  if (cell !== undefined) headers['energy-cell'] = cell;
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken;
  const sent = text === undefined ? {} : { body: text };
  const response = await fetch(`/dashboard${path}`, { method, headers, ...sent });
  if (method === 'GET') tellSeen(response.headers.get('x-seen-at'));
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return { body: answer as T, headers: response.headers };
  if (response.status === 401) signedOut();
  // If another tab has signed in with another account, this page is reloaded, because it shows data of the previous account.
  if (response.status === 403 && method !== 'GET' && (await tokenNow()) !== csrfToken) location.reload();
  throw new ApiFailure(response.status, answer as ConstructorParameters<typeof ApiFailure>[1]);
}

/** Downloads the response of a path. `accept`: media type of the response. Throws an ApiFailure unless the status is 2xx. */
export async function downloadFile(path: string, accept: string): Promise<Blob> {
  const response = await fetch(`/dashboard${path}`, { headers: { accept } });
  if (response.ok) return response.blob();
  if (response.status === 401) signedOut();
  throw new ApiFailure(response.status, await response.json().catch(() => ({})));
}

async function tokenNow(): Promise<string> {
  const answer = await fetch('/dashboard/session').then((response) => response.json());
  return answer.csrf_token ?? '';
}

/** Returns a path with a query string. Undefined, null and empty values are omitted. */
export function appendQuery(path: string, query: Record<string, string | number | undefined | null>): string {
  const nonEmpty = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return nonEmpty.length === 0
    ? path
    : `${path}?${new URLSearchParams(nonEmpty.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** ISO 8601 time of the oldest cached response that the page shows. Null if all responses came from the network. */
let seenAt: string | null = null;
const CHANGED = 'seen';

/** Updates `seenAt` after a response. `at`: time of the response if it came from the service worker's cache; otherwise null. */
function tellSeen(at: string | null): void {
  const next = at === null ? null : seenAt !== null && seenAt < at ? seenAt : at;
  if (next === seenAt) return;
  seenAt = next;
  document.dispatchEvent(new Event(CHANGED));
}

export function useLastResponseTime(): string | null {
  const [at, setAt] = useState(seenAt);
  useEffect(() => {
    const updateAge = () => setAt(seenAt);
    document.addEventListener(CHANGED, updateAge);
    updateAge();
    return () => document.removeEventListener(CHANGED, updateAge);
  }, []);
  return at;
}
