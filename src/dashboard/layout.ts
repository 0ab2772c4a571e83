import { useEffect, useId, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { callApi, sentenceOf, useSeenAt, withQuery } from './api.ts';
import { type Children, html } from './html.ts';
import { ago } from './parts/format.ts';
import { useAction } from './parts/load.ts';
import { TimeZoneQuestion } from './parts/time-zone.ts';
import { busyAttributes, Problem } from './parts/ui.ts';
import { useSession } from './session.ts';
import { chooseLanguage } from './words/choice.ts';
import { isLanguage, LANGUAGES, language, words } from './words/words.ts';

const LINKS = ['home', 'keys', 'devices', 'tariffs', 'bills', 'alerts', 'webhooks'] as const;
/** Returns the path of a page in the address. */
const pathOf = (name: string) => (name === 'home' ? '' : name);

/**
 * Pages that do not depend on the selected account: the signed-in account's webhooks and sessions, and pages about the whole installation.
 */
const OF_NOBODY: ReadonlySet<string> = new Set(['webhooks', 'groups', 'sessions', 'operator', 'fleet']);

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

function themeNow(): Theme {
  const kept = localStorage.getItem('theme');
  return THEMES.find((theme) => theme === kept) ?? 'auto';
}

/** Frame of every page: navigation, the signed-in account, and the selected account. */
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
    // With a modifier key, the browser opens the link in another tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(page);
  };
  const seenAt = useSeenAt();
  const { run, isBusy, error } = useAction();
  // Show the page as signed out only after the service has confirmed it: a user who believes it may leave the computer to others.
  const signOut = (query = '') =>
    run(async () => {
      const { continue_at } = await callApi<{ continue_at?: string }>('DELETE', `/session${query}`);
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
        <button type="button" ...${busyAttributes(isBusy)} onClick=${() => signOut()} title=${frame.signedInAs({ email: me.email, role: roles[me.role] })}>${frame.signOut}</button>
      </div>
    </header>
    <main id="main" tabindex="-1">${seenAt !== null && html`<p class="note" role="status">${words().period.offline({ ago: ago(seenAt) })}</p>`}<${Problem} text=${error} /><${TimeZoneQuestion} />${props.children}</main>
    <footer class="quiet">${me.email} · ${roles[me.role]} · <a href="/dashboard/sessions" onClick=${(event: MouseEvent) => follow(event, 'sessions')}>${pages.sessions}</a> · <button type="button" class="link" onClick=${() => signOut('?everywhere=true')}>${frame.signOutEverywhere}</button> · <${LanguageChoice} /></footer>
  `;
}

const MOST = 20;
const search = (text: string) => callApi<User[]>('GET', withQuery('/v1/users', { search: text, limit: MOST }));

/** Selects the account to show, by part of its e-mail address. For users who can see more than one account. */
function UserPicker() {
  const { me, user, pick } = useSession();
  const [text, setText] = useState(user.email);
  const [found, setFound] = useState<User[]>([]);
  const id = useId();
  useEffect(() => setText(user.email), [user]);
  useEffect(() => {
    const timer = setTimeout(() => {
      search(text === user.email ? '' : text).then(setFound, () => {});
    }, 200);
    return () => clearTimeout(timer);
  }, [text, user]);
  const take = (value: string, among = [me, ...found]) => {
    setText(value);
    const one = among.find(({ email }) => email.toLowerCase() === value.trim().toLowerCase());
    if (one && one.user_id !== user.user_id) pick(one);
  };
  /** Enter selects the best match, or reports that there is none. */
  const takeFirst = async (input: HTMLInputElement) => {
    const wanted = input.value;
    const part = wanted.trim().toLowerCase();
    if (part === '' || wanted === user.email) return;
    let problem = words().common.frame.noAccount;
    try {
      // Search again: the displayed list may belong to the previous text.
      const all = [...(await search(part)), me].filter(({ email }) => email.toLowerCase().includes(part));
      // The user has selected an entry in the meantime, or is still typing.
      if (input.value !== wanted || document.activeElement !== input) return;
      const best = all.find(({ email }) => email.toLowerCase() === part) ?? all[0];
      if (best) return take(best.email, [best]);
    } catch (error) {
      problem = sentenceOf(error);
    }
    input.setCustomValidity(problem);
    input.reportValidity();
  };
  return html`<label class="picker" for=${id}><span>${words().common.frame.user}</span>
    <input
      id=${id}
      type="search"
      list=${`${id}-list`}
      value=${text}
      autocomplete="off"
      spellcheck=${false}
      onInput=${(event: Event) => {
        const input = event.target as HTMLInputElement;
        input.setCustomValidity('');
        take(input.value);
      }}
      onKeyDown=${(event: KeyboardEvent) => event.key === 'Enter' && takeFirst(event.target as HTMLInputElement)}
      onFocus=${(event: Event) => (event.target as HTMLInputElement).select()}
      onBlur=${(event: Event) => {
        (event.target as HTMLInputElement).setCustomValidity('');
        setText(user.email);
      }}
    />
    <datalist id=${`${id}-list`}>${found.map(({ email, role }) => html`<option value=${email}>${words().common.roles[role]}</option>`)}</datalist>
  </label>`;
}

/** Selects the dashboard's language. Each language is listed under its own name. */
export function LanguageChoice() {
  const { run, error } = useAction();
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (isLanguage(value)) run(() => chooseLanguage(value));
  };
  return html`<select class="language" aria-label=${words().common.language} onChange=${choose}>
      ${Object.entries(LANGUAGES).map(
        ([tag, name]) => html`<option value=${tag} lang=${tag} selected=${tag === language()}>${name}</option>`,
      )}
    </select>${error && html` <span role="alert">${error}</span>`}`;
}
