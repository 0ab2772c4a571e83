import { render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { callApi, storeSession } from './api.ts';
import { type Children, html } from './html.ts';
import { Layout } from './layout.ts';
import { applyTheme } from './parts/appearance.ts';
import { useLoad } from './parts/load.ts';
import { ErrorMessage } from './parts/ui.ts';
import { type Session, SessionContext } from './session.ts';
import { SignInPage } from './sign-in.ts';
import { firstWords, onLanguage } from './words/choice.ts';
import { type Language, language, type Words, words } from './words/words.ts';

/** Pages by path. A page's module is loaded when the page is first opened. */
const PAGES: Record<string, { name: keyof Words['common']['pages']; load: () => Promise<{ Page: () => Children }> }> = {
  home: { name: 'home', load: () => import('./pages/home.ts') },
  keys: { name: 'keys', load: () => import('./pages/keys.ts') },
  devices: { name: 'devices', load: () => import('./pages/devices.ts') },
  device: { name: 'devices', load: () => import('./pages/device.ts') },
  fleet: { name: 'fleet', load: () => import('./pages/fleet.ts') },
  tariffs: { name: 'tariffs', load: () => import('./pages/tariffs.ts') },
  bills: { name: 'bills', load: () => import('./pages/bills.ts') },
  alerts: { name: 'alerts', load: () => import('./pages/alerts.ts') },
  webhooks: { name: 'webhooks', load: () => import('./pages/webhooks.ts') },
  apps: { name: 'apps', load: () => import('./pages/apps.ts') },
  groups: { name: 'groups', load: () => import('./pages/groups.ts') },
  account: { name: 'account', load: () => import('./pages/sessions.ts') },
  operator: { name: 'operator', load: () => import('./pages/operator.ts') },
};

/** Returns whether links in mails open the page at this path. Their URL fragment contains a token. */
const isLinkPage = (path: string) => path === 'sign-in' || path === 'email';
/** Current paths of renamed pages, by the former path. */
const MOVED: Readonly<Record<string, string>> = { sessions: 'account' };
/** Returns the path of the page in the browser's address. Replaces the path of a renamed page by the current one. */
function pageNow(): string {
  const path = location.pathname.replace(/^\/dashboard\/?/, '').replace(/\/$/, '');
  const moved = MOVED[path];
  if (moved === undefined) return path;
  history.replaceState(null, '', `/dashboard/${moved}`);
  return moved;
}

/** Matches the path of a device with a valid id. Other text must not enter request paths, because anyone can create a link to the page. */
const DEVICE = /^devices\/(dev_(?:[a-z][a-z0-9]{0,7}_)?[0-9a-z]{26}(?:\/.*)?)$/;

function placeOf(path: string): { page: string; rest: string } {
  if (path === '' || isLinkPage(path)) return { page: 'home', rest: '' };
  const device = DEVICE.exec(path);
  if (device) return { page: 'device', rest: device[1] ?? '' };
  const [page = '', ...rest] = path.split('/');
  return page === 'home' || rest.length === 0 ? { page, rest: rest.join('/') } : { page: '', rest: '' };
}

interface SignedIn {
  user: User;
  provider?: string;
  csrf_token: string;
  environment: 'live' | 'sandbox';
  mqtt: Session['mqtt'];
  scopes: Session['scopes'];
}

interface NotSignedIn {
  user: null;
  provider?: string;
}

/** Returns the path of the page in the browser's address, and the functions `go` and `move` of `Session`, which change it. */
function useAddress() {
  const [path, setPath] = useState(pageNow);
  const move = useCallback((page: string) => {
    history.pushState(null, '', page === '' ? '/dashboard' : `/dashboard/${page}`);
    setPath(pageNow());
  }, []);
  const go = useCallback((page: string) => {
    move(page);
    document.querySelector<HTMLElement>('main')?.focus();
  }, []);
  useEffect(() => {
    const onPop = () => setPath(pageNow());
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  return { path, go, move };
}

/**
 * State of the sign-in. `current`: the session; null if nobody is signed in; 'unknown' until the service has responded. `provider`: name of
 * the identity provider. `reason`: why the sign-in page is shown. `picked`: the account to show.
 */
function useSignedIn() {
  const [signedIn, setSignedIn] = useState<SignedIn | null | 'unknown'>('unknown');
  const [picked, setPicked] = useState<User | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const [provider, setProvider] = useState<string | null>(null);
  const current = useLoad(() => {
    storeSession('', () => setSignedIn(null));
    return callApi<SignedIn | NotSignedIn>('GET', '/session');
  }, []);
  useEffect(() => {
    const { value } = current;
    if (value === null) return;
    setProvider(value.provider ?? null);
    if ('csrf_token' in value) begin(value);
    else setSignedIn(null);
  }, [current.value]);

  function begin(session: SignedIn): void {
    storeSession(session.csrf_token, () => leave(words().common.frame.over));
    setReason(null);
    setSignedIn(session);
    keepForOffline();
    // Utilities and administrators usually have no meter, so they see a homeowner's account first.
    if (session.user.role !== 'homeowner') void firstPick(session.user).then(setPicked);
    else setPicked(null);
  }

  function leave(why: string | null = null): void {
    setReason(why);
    setSignedIn(null);
  }

  return { signedIn, setSignedIn, current, begin, leave, reason, provider, picked, setPicked };
}

function App() {
  const [spoken, setSpoken] = useState<Language>(language);
  useEffect(() => onLanguage(setSpoken), []);
  const { path, go, move } = useAddress();
  const { signedIn, setSignedIn, current, begin, leave, reason, provider, picked, setPicked } = useSignedIn();
  // Whether a link in a mail opened the page. Such a link signs the user in, even if another account is signed in.
  const [hasLink, setHasLink] = useState(() => isLinkPage(pageNow()) && location.hash.length > 1);

  /**
   * After a sign-in, opens the page in the browser's address. If the address is that of a link in a mail, opens the page Fleet for a utility,
   * and the home page for others.
   */
  function enter(session: SignedIn): void {
    sessionStorage.removeItem('user');
    setHasLink(false);
    begin(session);
    if (isLinkPage(pageNow())) go(session.user.role === 'utility' ? 'fleet' : '');
  }

  const pick = useCallback((user: User) => {
    sessionStorage.setItem('user', user.user_id);
    setPicked(user);
  }, []);

  const { page, rest } = placeOf(path);
  const session = useMemo((): Session | null => {
    if (signedIn === null || signedIn === 'unknown') return null;
    const { user: me, environment, mqtt, scopes } = signedIn;
    const replaceUser = (user: User) => {
      if (user.user_id === me.user_id) setSignedIn({ ...signedIn, user });
      setPicked((before) => (before?.user_id === user.user_id ? user : before));
    };
    return { me, replaceUser, leave, environment, mqtt, scopes, user: picked ?? me, pick, rest, go, move };
  }, [signedIn, picked, pick, rest, go, move]);

  const { common } = words();
  if (current.error !== null)
    return html`<main class="sign-in"><div class="card"><${ErrorMessage} text=${current.error} /><button type="button" onClick=${current.again}>${common.again}</button></div></main>`;
  if (signedIn === 'unknown') return html`<p class="quiet center" role="status">${common.loading}</p>`;
  if (session === null || hasLink)
    return html`<${SignInPage} reason=${reason} provider=${provider} onSignedIn=${enter} />`;
  const known = PAGES[page];
  return html`<${SessionContext.Provider} value=${session}>
    <${Layout} page=${page}>
      ${known ? html`<${Lazy} key=${page} page=${known} spoken=${spoken} />` : html`<h1>${common.frame.noPage}</h1><p>${common.frame.choosePage}</p>`}
    <//>
  <//>`;
}

/**
 * Returns the account to show first: the one that this tab showed last, otherwise the first homeowner that the user may access, otherwise
 * the user's own account.
 */
async function firstPick(me: User): Promise<User> {
  const last = sessionStorage.getItem('user');
  const known = last === null ? null : await callApi<User>('GET', `/v1/users/${last}`).catch(() => null);
  if (known) return known;
  const users = await callApi<User[]>('GET', '/v1/users?limit=50').catch(() => []);
  return users.find(({ role }) => role === 'homeowner') ?? me;
}

/** Renders a page when its module has been loaded. */
function Lazy({ page, spoken }: { page: (typeof PAGES)[string]; spoken: Language }) {
  const [Page, setPage] = useState<(() => Children) | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const { pages, product } = words().common;
    document.title = `${page && pages[page.name]} · ${product}`;
  }, [page, spoken]);
  useEffect(() => {
    page?.load().then(
      (module) => setPage(() => module.Page),
      () => setFailed(true),
    );
  }, [page]);
  if (hasFailed)
    return html`<${ErrorMessage} text=${words().common.frame.notFetched} /><button type="button" onClick=${() => location.reload()}>${words().common.again}</button>`;
  return Page === null ? html`<p class="quiet" role="status">${words().common.loading}</p>` : html`<${Page} />`;
}

applyTheme();
const root = document.getElementById('app');
if (root) {
  // This text is in English, because the texts of the selected language could not be loaded.
  const failed = () => root.replaceChildren('The dashboard could not be fetched. Reload the page.');
  firstWords().then(() => {
    root.replaceChildren();
    render(html`<${App} />`, root);
  }, failed);
}

/** Delay in ms after the sign-in before files are cached, so that caching does not slow down the first page. */
const LATER_MS = 1_500;

/** Registers the service worker, which caches the dashboard's files and data. The dashboard also works without it. */
function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => void register().catch(() => {}), LATER_MS);
}

async function register(): Promise<void> {
  await navigator.serviceWorker.register('/dashboard/app/service-worker.js', { scope: '/dashboard' });
  const { active } = await navigator.serviceWorker.ready;
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => new URL(name).pathname.startsWith('/dashboard/app/'));
  active?.postMessage({ keep: [...new Set(files)] });
}
