import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEspiParts } from '#simulators/importers/espi-parts.ts';
import type { Config } from '#src/config/load.ts';
import { openPriceSourceFetcher } from '#src/start/channels.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import { readFirstLine } from './option-values.ts';

/** Maximum size of one page of a subscription, and maximum time in ms to download it. A page may contain quarter-hours of several years. */
const PAGE_BOUNDS = { maxBytes: 64 * 1_048_576, timeoutMs: 300_000 };
/** Maximum number of pages that are downloaded for a subscription. */
const MAX_PAGES = 1_000;

/** Whether the command's argument is the URL of a subscription instead of a file name. */
const isSubscription = (file: string): boolean => /^https?:\/\//i.test(file);

/** Reads the token for the subscription; null if files are imported. Throws if the options contradict each other. */
export async function readSubscriptionToken(
  files: readonly string[],
  { format, tokenFile }: { format: string; tokenFile?: string },
): Promise<string | null> {
  if (!files.some(isSubscription)) {
    if (tokenFile !== undefined) throw new Error('--token-file requires the https:// address of a subscription.');
    return null;
  }
  if (format !== 'green-button') throw new Error('Only --format green-button can import from an address.');
  if (files.length > 1) throw new Error('Import one subscription at a time, without files.');
  if (tokenFile === undefined)
    throw new Error('Name the file with the access token of the subscription: --token-file F.');
  return readToken(tokenFile);
}

/** Downloads the pages of a subscription into a folder, but not from internal addresses. Returns the paths of the files. */
export async function downloadPages(
  address: string,
  { config, ...into }: { token: string; folder: string; config: Config; signal: AbortSignal },
): Promise<string[]> {
  const { fetchAnswer, close } = await openPriceSourceFetcher(config, PAGE_BOUNDS);
  into.signal.addEventListener('abort', close, { once: true });
  try {
    return await downloadSubscription(address, { ...into, fetchAnswer });
  } finally {
    into.signal.removeEventListener('abort', close);
    close();
  }
}

/** Reads a bearer token from the first line of a file. Throws if that line is not a token. */
async function readToken(file: string): Promise<string> {
  const token = await readFirstLine(file, 'token');
  // The characters of a bearer token (RFC 6750, 2.1).
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw new Error(`The first line of ${file} is not a bearer token.`);
  return token;
}

/**
 * Downloads a subscription of Green Button Connect My Data into a folder, page by page (`rel="next"`). Returns the paths of the files in
 * order. The token is sent only to the server of the subscription.
 */
export async function downloadSubscription(
  address: string,
  {
    token,
    folder,
    fetchAnswer,
    signal,
  }: { token: string; folder: string; fetchAnswer: SourceFetcher; signal: AbortSignal },
): Promise<string[]> {
  const first = new URL(address);
  if (first.protocol !== 'https:' || first.username !== '' || first.password !== '')
    throw new Error(
      'The address of a subscription must begin with https:// and must not contain a user name or password.',
    );
  const headers = { authorization: `Bearer ${token}`, accept: 'application/atom+xml' };
  const seen = new Set<string>();
  const pages: string[] = [];
  for (let next: URL | null = first; next; ) {
    if (next.origin !== first.origin)
      throw new Error(`The next page is on another server (${next.origin}), which must not receive the token.`);
    if (seen.has(next.href)) throw new Error('A next-page link of the subscription leads back to an earlier page.');
    if (pages.length >= MAX_PAGES)
      throw new Error(
        `The subscription has more than ${MAX_PAGES} pages. Limit it with published-min and published-max.`,
      );
    seen.add(next.href);
    const answer = await fetchAnswer({ url: next.href, headers });
    signal.throwIfAborted();
    if ('failure' in answer)
      throw new Error(`Page ${pages.length + 1} could not be fetched: ${answer.failure}${hintOf(answer.failure)}`);
    if (answer.text.trim() === '')
      throw new Error('The server returned nothing. It may still be preparing the data: run the command again later.');
    const file = join(folder, `page-${pages.length + 1}.xml`);
    // Only the owner may read the file, because it contains a person's data.
    await writeFile(file, answer.text, { mode: 0o600 });
    pages.push(file);
    next = await nextPage(file, next);
  }
  return pages;
}

const hintOf = (failure: string): string => (/^HTTP 40[13]$/.test(failure) ? ' (the server rejects the token)' : '');

/** Returns the URL of the page after the downloaded page in `file`, or null. */
async function nextPage(file: string, of: URL): Promise<URL | null> {
  let href: string | null = null;
  for await (const part of readEspiParts(file)) if (part.part === 'feedLink' && part.rel === 'next') href = part.href;
  if (href === null) return null;
  const next = URL.parse(href, of);
  if (!next) throw new Error('The feed has a next-page link without an address.');
  return next;
}
