import { useEffect, useState } from 'preact/hooks';
import { textNamed, words } from './words/words.ts';

/** An answer other than 2xx. */
export class Failure extends Error {
  override name = 'Failure';
  readonly status: number;
  /** Mistakes by field. */
  readonly details: { field: string; message: string }[];
  /** For a failure of the service: id under which its log has it. */
  readonly incident: string;
  constructor(status: number, body: { error?: string; details?: Failure['details']; incident?: string }) {
    super(body.error ?? words().common.errors.status({ status }));
    this.status = status;
    this.details = body.details ?? [];
    this.incident = body.incident ?? words().common.errors.noIncident;
  }
}

/** A field as the beginning of a sentence; of a mapping its own member, as the form has it. */
function named(field: string): string {
  const own = field.replace(/^decoder_config\.mapping\.\d+\./, '');
  return textNamed(words().common.fields, own) ?? own.charAt(0).toUpperCase() + own.slice(1).replaceAll('_', ' ');
}

/** For a person: what went wrong, with what is wrong where. */
export function sentenceOf(error: unknown): string {
  const { errors } = words().common;
  if (error instanceof Failure) {
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

let csrfToken = '';
let signedOut: () => void = () => {};

/** Remembers what changing requests must carry, and what to do when the session is over. */
export function holdSession(token: string, whenOver: () => void): void {
  csrfToken = token;
  signedOut = whenOver;
}

/**
 * Asks the service: a path of the interface (`/v1/…`), or of the session (`/session`, `/sign-in`). Throws a Failure for an
 * answer that is no 2xx.
 */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { type: 'application/json', text: JSON.stringify(body) };
  return (await answerTo<T>(method, path, sent)).body;
}

/**
 * The same with a text of another media type (none: without one). `once`: an Idempotency-Key; sent again after an answer was lost, the
 * first one comes again.
 */
export async function post<T>(path: string, sent: { once?: string; type?: string; text?: string }): Promise<T> {
  return (await answerTo<T>('POST', path, sent)).body;
}

/** A page of a list, and the path of the one after it. */
export interface Page<T> {
  rows: T[];
  next: string | null;
}

/** One page of a list; the answer's Link header names the next. */
export async function page<T>(path: string): Promise<Page<T>> {
  const { body, headers } = await answerTo<T[]>('GET', path, {});
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return { rows: body, next: next?.replace(/^\/dashboard/, '') ?? null };
}

/** All rows of a list, page by page, `most` at most. */
export async function list<T>(path: string, most = 1_000): Promise<T[]> {
  const rows: T[] = [];
  for (let next: string | null = path; next !== null && rows.length < most; ) {
    const one: Page<T> = await page<T>(next);
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
  { type, text, once }: { type?: string; text?: string; once?: string },
): Promise<Answered<T>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (type !== undefined) headers['content-type'] = type;
  if (once !== undefined) headers['idempotency-key'] = once;
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken;
  const sent = text === undefined ? {} : { body: text };
  const response = await fetch(`/dashboard${path}`, { method, headers, ...sent });
  if (method === 'GET') tellSeen(response.headers.get('x-seen-at'));
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return { body: answer as T, headers: response.headers };
  if (response.status === 401) signedOut();
  // Another tab signed in as somebody else: this one shows what is no longer its own.
  if (response.status === 403 && method !== 'GET' && (await tokenNow()) !== csrfToken) location.reload();
  throw new Failure(response.status, answer as ConstructorParameters<typeof Failure>[1]);
}

/** What a path answers in another media type, as a file. Throws a Failure for an answer that is no 2xx. */
export async function file(path: string, accept: string): Promise<Blob> {
  const response = await fetch(`/dashboard${path}`, { headers: { accept } });
  if (response.ok) return response.blob();
  if (response.status === 401) signedOut();
  throw new Failure(response.status, await response.json().catch(() => ({})));
}

async function tokenNow(): Promise<string> {
  const answer = await fetch('/dashboard/session').then((response) => response.json());
  return answer.csrf_token ?? '';
}

/** A path with a query; what is undefined or empty is left out. */
export function withQuery(path: string, query: Record<string, string | number | undefined | null>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** When what is shown was seen, ISO 8601; null: just now, by the network. */
let seenAt: string | null = null;
const CHANGED = 'seen';

/** Told of each answer: `at` where it is one that was kept (service-worker.ts). The oldest of what is shown counts. */
function tellSeen(at: string | null): void {
  const next = at === null ? null : seenAt !== null && seenAt < at ? seenAt : at;
  if (next === seenAt) return;
  seenAt = next;
  document.dispatchEvent(new Event(CHANGED));
}

export function useSeenAt(): string | null {
  const [at, setAt] = useState(seenAt);
  useEffect(() => {
    const tell = () => setAt(seenAt);
    document.addEventListener(CHANGED, tell);
    tell();
    return () => document.removeEventListener(CHANGED, tell);
  }, []);
  return at;
}
