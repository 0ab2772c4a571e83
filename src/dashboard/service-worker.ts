/**
 * Caches the dashboard's files and the latest responses, so that the dashboard also opens without a network. Deletes the responses on
 * sign-out, at the end of the session, and when another account signs in. This is a classic script without imports.
 */

interface Scope {
  addEventListener(type: string, listen: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}
type Fetched = Lasting & { request: Request; respondWith(answer: Promise<Response>): void };
type Told = Lasting & { data: { keep?: unknown } | null };

const scope = self as typeof self & Scope;
const SHELL = 'energy-shell-VERSION';
const DATA = 'energy-seen';
const PAGE = '/dashboard';
const SESSION = '/dashboard/session';
/** Matches the paths whose responses are cached. These responses contain no credentials. */
const KEPT = /^\/dashboard\/v1\/(period|period-costs|figure|devices|devices\/dev_\w+|devices\/dev_\w+\/usage)$/;
const SEEN_AT = 'x-seen-at';
const MAX_CACHED_RESPONSES = 80;
const MAX_AGE_MS = 30 * 86_400_000;

scope.addEventListener('install', (event: Lasting) => {
  event.waitUntil(scope.skipWaiting());
});
scope.addEventListener('activate', (event: Lasting) => {
  event.waitUntil(Promise.all([forgetOlder(), scope.clients.claim()]));
});
scope.addEventListener('message', (event: Told) => {
  const urls = event.data?.keep;
  if (Array.isArray(urls)) event.waitUntil(keepShell(urls.filter((url) => typeof url === 'string')));
});
scope.addEventListener('fetch', (event: Fetched) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (url.pathname === SESSION) event.respondWith(session(request));
  else if (request.method !== 'GET') return;
  else if (request.mode === 'navigate') event.respondWith(page(request));
  else if (url.pathname.startsWith(`${PAGE}/app/`)) event.respondWith(file(request));
  // A request for another media type is a download, which is not cached.
  else if (KEPT.test(url.pathname) && request.headers.get('accept') === 'application/json')
    event.respondWith(answer(request));
});

/** Deletes the caches of earlier versions of the dashboard. */
async function forgetOlder(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith('energy-shell-') && name !== SHELL);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** Caches the files that the page loaded before the service worker was active. */
async function keepShell(urls: string[]): Promise<void> {
  const shell = await caches.open(SHELL);
  for (const url of [PAGE, ...urls]) {
    const { origin, pathname } = new URL(url, location.origin);
    const isOurs = origin === location.origin && (pathname === PAGE || pathname.startsWith(`${PAGE}/app/`));
    if (!isOurs || (await shell.match(url))) continue;
    const response = await fetch(url).catch(() => null);
    if (response?.ok) await shell.put(url, response);
  }
}

/** Returns a file from the network or, if the network is unavailable, from the cache. */
async function file(request: Request): Promise<Response> {
  const shell = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (response.ok) await shell.put(request, response.clone());
    return response;
  } catch {
    return (await shell.match(request)) ?? Response.error();
  }
}

/** Returns the HTML document, which is the same for all pages. */
async function page(request: Request): Promise<Response> {
  const response = await fetch(request).catch(async () => (await caches.open(SHELL)).match(PAGE));
  return response ?? Response.error();
}

async function answer(request: Request): Promise<Response> {
  const data = await caches.open(DATA);
  const response = await fetch(request).catch(() => null);
  if (response === null) {
    const cachedResponse = await data.match(request);
    const seenMs = Date.parse(cachedResponse?.headers.get(SEEN_AT) ?? '');
    return cachedResponse && Date.now() - seenMs < MAX_AGE_MS ? cachedResponse : Response.error();
  }
  if (response.status === 401) await caches.delete(DATA);
  // A response is cached only while the cache contains a session, so that the data belong to the signed-in account.
  else if (response.ok && (await data.match(SESSION))) await keep(data, request, response.clone());
  return response;
}

/** Caches a response together with the current time, and evicts the oldest responses. */
async function keep(data: Cache, request: Request | string, response: Response): Promise<void> {
  const headers = new Headers({
    'content-type': response.headers.get('content-type') ?? 'application/json',
    [SEEN_AT]: new Date().toISOString(),
  });
  // The new response must be the last entry of the cache, which is ordered by insertion.
  await data.delete(request);
  await data.put(request, new Response(await response.blob(), { headers }));
  const cachedRequests = (await data.keys()).filter((one) => new URL(one.url).pathname !== SESSION);
  for (const old of cachedRequests.slice(0, Math.max(0, cachedRequests.length - MAX_CACHED_RESPONSES)))
    await data.delete(old);
}

/**
 * Returns the response about the session, and caches it without its token. Deletes all cached data if the session is new, has ended, or
 * belongs to another account.
 */
async function session(request: Request): Promise<Response> {
  if (request.method !== 'GET') {
    const response = await fetch(request);
    if (response.ok) await caches.delete(DATA);
    return response;
  }
  const response = await fetch(request).catch(() => null);
  if (response === null) return (await (await caches.open(DATA)).match(SESSION)) ?? Response.error();
  if (!response.ok) return response;
  const newSession = await response.clone().json();
  const before = await (await caches.open(DATA)).match(SESSION).then((kept) => kept?.json());
  if (before && before.user?.user_id !== newSession.user?.user_id) await caches.delete(DATA);
  if (newSession.user) {
    const body = JSON.stringify({ ...newSession, csrf_token: '' });
    await keep(await caches.open(DATA), SESSION, new Response(body));
  }
  return response;
}
