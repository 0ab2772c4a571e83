import { useState } from 'preact/hooks';
import { call } from './api.ts';
import { type Children, html } from './html.ts';
import { ago } from './parts/format.ts';
import { LanguageChoice } from './parts/language.ts';
import { useAction } from './parts/load.ts';
import { useSeenAt } from './parts/seen.ts';
import { TimeZoneQuestion } from './parts/time-zone.ts';
import { busy, Problem } from './parts/ui.ts';
import { UserPicker } from './parts/user-picker.ts';
import { useSession } from './session.ts';
import { words } from './words/words.ts';

const LINKS = ['home', 'keys', 'devices', 'tariffs', 'bills', 'alerts', 'webhooks'] as const;
/** The part of the address. */
const pathOf = (name: string) => (name === 'home' ? '' : name);

/** Pages on which it makes no difference whose data are looked at: one's own webhooks and sessions, and all of the installation. */
const OF_NOBODY: ReadonlySet<string> = new Set(['webhooks', 'groups', 'sessions', 'operator', 'fleet']);

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

function themeNow(): Theme {
  const kept = localStorage.getItem('theme');
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** Frame of every page: navigation, the account that is signed in, and whose data are shown. */
export function Layout(props: { page: string; onSignOut: () => void; children?: Children }) {
  const { me, environment, go } = useSession();
  const [theme, setTheme] = useState<Theme>(themeNow);
  document.documentElement.dataset.theme = theme;
  const { frame, pages, product, roles } = words().common;
  const links = [
    ...LINKS,
    ...(me.role === 'homeowner' ? [] : ['groups' as const, 'fleet' as const]),
    ...(me.role === 'admin' ? ['operator' as const] : []),
  ];
  const follow = (event: MouseEvent, page: string) => {
    // Whoever wants it in another tab gets it there.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(page);
  };
  const seenAt = useSeenAt();
  const { run, isBusy, error } = useAction();
  // Said only where it is so: whoever believes it leaves the machine to others.
  const signOut = (query = '') =>
    run(async () => {
      const { continue_at } = await call<{ continue_at?: string }>('DELETE', `/session${query}`);
      props.onSignOut();
      if (continue_at !== undefined) location.assign(continue_at);
    });
  const nextTheme = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
    localStorage.setItem('theme', next);
    setTheme(next);
  };
  return html`
    <a class="skip" href="#main">${frame.skip}</a>
    <header class="top">
      <a class="brand" href="/dashboard" onClick=${(event: MouseEvent) => follow(event, '')}>
        <img src="/dashboard/app/icon.svg" alt="" width="28" height="28" /> ${product}
        ${environment === 'sandbox' && html`<span class="badge warn">${frame.sandbox}</span>`}
      </a>
      <nav aria-label=${frame.navigation}>
        ${links.map(
          (name) => html`<a
            href=${name === 'home' ? '/dashboard' : `/dashboard/${name}`}
            aria-current=${props.page === name ? 'page' : undefined}
            onClick=${(event: MouseEvent) => follow(event, pathOf(name))}
          >${pages[name]}</a>`,
        )}
      </nav>
      <div class="me">
        ${me.role !== 'homeowner' && !OF_NOBODY.has(props.page) && html`<${UserPicker} />`}
        <button type="button" class="plain" onClick=${nextTheme} aria-label=${frame.colours[theme]} title=${frame.colours[theme]}>
          ${theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
        </button>
        <a href="/docs" target="_blank" rel="noreferrer">${frame.docs}</a>
        <button type="button" ...${busy(isBusy)} onClick=${() => signOut()} title=${frame.signedInAs({ email: me.email, role: roles[me.role] })}>${frame.signOut}</button>
      </div>
    </header>
    <main id="main" tabindex="-1">${seenAt !== null && html`<p class="note" role="status">${words().period.offline({ ago: ago(seenAt) })}</p>`}<${Problem} text=${error} /><${TimeZoneQuestion} />${props.children}</main>
    <footer class="quiet">${me.email} · ${roles[me.role]} · <a href="/dashboard/sessions" onClick=${(event: MouseEvent) => follow(event, 'sessions')}>${pages.sessions}</a> · <button type="button" class="link" onClick=${() => signOut('?everywhere=true')}>${frame.signOutEverywhere}</button> · <${LanguageChoice} /></footer>
  `;
}
