import { render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { call, holdSession, sentenceOf } from './api.ts';
import { type Children, html } from './html.ts';
import { Layout } from './layout.ts';
import { Problem } from './parts/ui.ts';
import { type Session, SessionContext } from './session.ts';
import { SignIn } from './sign-in.ts';

/** A page is fetched when it is first gone to. */
const PAGES: Record<string, { title: string; load: () => Promise<{ Page: () => Children }> }> = {
  '': { title: 'Home', load: () => import('./pages/home.ts') },
  keys: { title: 'API Keys', load: () => import('./pages/keys.ts') },
  devices: { title: 'Devices', load: () => import('./pages/devices.ts') },
  tariffs: { title: 'Tariffs', load: () => import('./pages/tariffs.ts') },
  alerts: { title: 'Alerts', load: () => import('./pages/alerts.ts') },
  webhooks: { title: 'Webhooks', load: () => import('./pages/webhooks.ts') },
  sessions: { title: 'Sessions', load: () => import('./pages/sessions.ts') },
  operator: { title: 'Operator', load: () => import('./pages/operator.ts') },
};

const pageNow = () => location.pathname.replace(/^\/dashboard\/?/, '').replace(/\/$/, '');

interface SignedIn {
  user: User;
  csrf_token: string;
  environment: 'live' | 'sandbox';
  mqtt: Session['mqtt'];
}

interface NotSignedIn {
  user: null;
}

function App() {
  const [signedIn, setSignedIn] = useState<SignedIn | null | 'unknown'>('unknown');
  const [path, setPath] = useState(pageNow);
  const [picked, setPicked] = useState<User | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  // A link of a mail signs in whoever follows it, whether or not somebody is signed in here.
  const [hasLink, setHasLink] = useState(() => pageNow() === 'sign-in' && location.hash.length > 1);
  const go = useCallback((page: string) => {
    history.pushState(null, '', page === '' ? '/dashboard' : `/dashboard/${page}`);
    setPath(pageNow());
    document.querySelector<HTMLElement>('main')?.focus();
  }, []);
  useEffect(() => {
    const onPop = () => setPath(pageNow());
    addEventListener('popstate', onPop);
    const over = () => setSignedIn(null);
    holdSession('', over);
    ask();
    return () => removeEventListener('popstate', onPop);
  }, []);

  function ask(): void {
    setFailed(null);
    call<SignedIn | NotSignedIn>('GET', '/session').then(
      (one) => ('csrf_token' in one ? begin(one) : setSignedIn(null)),
      (reason) => setFailed(sentenceOf(reason)),
    );
  }

  function begin(session: SignedIn): void {
    holdSession(session.csrf_token, () => {
      setReason('You are signed out: your session expired or was ended elsewhere.');
      setSignedIn(null);
    });
    setReason(null);
    setSignedIn(session);
    // Who looks after others most often has no meter of its own.
    if (session.user.role !== 'homeowner') void firstPick(session.user).then(setPicked);
    else setPicked(null);
  }

  /** After signing in: to the page that was asked for, or home. */
  function enter(session: SignedIn): void {
    sessionStorage.removeItem('user');
    setHasLink(false);
    begin(session);
    if (pageNow() === 'sign-in') go('');
  }

  const pick = useCallback((user: User) => {
    sessionStorage.setItem('user', user.user_id);
    setPicked(user);
  }, []);

  const session = useMemo((): Session | null => {
    if (signedIn === null || signedIn === 'unknown') return null;
    const { user: me, environment, mqtt } = signedIn;
    return { me, environment, mqtt, user: picked ?? me, pick, go };
  }, [signedIn, picked, pick, go]);

  if (failed !== null)
    return html`<main class="sign-in"><div class="card"><${Problem} text=${failed} /><button type="button" onClick=${ask}>Try again</button></div></main>`;
  if (signedIn === 'unknown') return html`<p class="quiet center" role="status">Loading …</p>`;
  if (session === null || hasLink) return html`<${SignIn} reason=${reason} onSignedIn=${enter} />`;
  const known = PAGES[path === 'sign-in' ? '' : path];
  return html`<${SessionContext.Provider} value=${session}>
    <${Layout} path=${path} onSignOut=${() => setSignedIn(null)}>
      ${known ? html`<${Lazy} key=${path} page=${known} />` : html`<h1>There is no such page</h1><p>Choose a page from the menu.</p>`}
    <//>
  <//>`;
}

/** The account that was last looked at in this tab, else the first homeowner that one sees, else one's own. */
async function firstPick(me: User): Promise<User> {
  const last = sessionStorage.getItem('user');
  const known = last === null ? null : await call<User>('GET', `/v1/users/${last}`).catch(() => null);
  if (known) return known;
  const users = await call<User[]>('GET', '/v1/users?limit=50').catch(() => []);
  return users.find(({ role }) => role === 'homeowner') ?? me;
}

/** The page's module, when it is there. */
function Lazy({ page }: { page: (typeof PAGES)[string] }) {
  const [Page, setPage] = useState<(() => Children) | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    document.title = `${page?.title} · Energy`;
    page?.load().then(
      (module) => setPage(() => module.Page),
      () => setFailed(true),
    );
  }, [page]);
  if (hasFailed)
    return html`<${Problem} text="The page could not be fetched." /><button type="button" onClick=${() => location.reload()}>Try again</button>`;
  return Page === null ? html`<p class="quiet" role="status">Loading …</p>` : html`<${Page} />`;
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(html`<${App} />`, root);
}
