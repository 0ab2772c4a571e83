import { useEffect, useId, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { appendQuery, callApi, formatErrorSentence, useLastResponseTime } from './api.ts';
import { type Children, html } from './html.ts';
import { formatTimeAgo } from './parts/format.ts';
import { Icon } from './parts/icons.ts';
import { TimeZoneQuestion } from './parts/time-zone.ts';
import { usePageLink, useSession } from './session.ts';
import { words } from './words/words.ts';

/** Pages for every user, as links of the navigation: at the bottom of a phone's screen, and at the top of a wider screen. */
const TABS = ['home', 'devices', 'tariffs', 'alerts', 'account'] as const;
/** Further pages in the navigation, for utilities and administrators only. */
const WORK = {
  homeowner: [],
  utility: ['bills', 'groups', 'fleet'],
  admin: ['bills', 'groups', 'fleet', 'operator'],
} as const;
/** For each page without a link in the navigation: the page whose link is highlighted instead. */
const BELOW: Record<string, string> = {
  device: 'devices',
  bills: 'tariffs',
  keys: 'account',
  webhooks: 'account',
  apps: 'account',
};

/** Pages that do not depend on the selected account. They are about the signed-in account or the whole installation. */
const OF_NOBODY: ReadonlySet<string> = new Set(['webhooks', 'apps', 'groups', 'account', 'operator', 'fleet']);

/** Frame around every page: the navigation, the signed-in account, and the selected account. */
export function Layout({ page, children }: { page: string; children?: Children }) {
  const { me, user, environment } = useSession();
  const to = usePageLink();
  const { frame, pages, product, roles } = words().common;
  const work = WORK[me.role];
  const currentOf = (name: string) => {
    if (name === page) return 'page';
    return BELOW[page] === name && !work.some((one) => one === page) ? 'true' : undefined;
  };
  const link = (name: keyof typeof pages, icon?: Children) =>
    html`<a ...${to(name === 'home' ? '' : name)} aria-current=${currentOf(name)}>${icon}${pages[name]}</a>`;
  const seenAt = useLastResponseTime();
  return html`
    <a class="skip" href="#main">${frame.skip}</a>
    <header class="top">
      <a class="brand" ...${to('')}>
        <img src="/dashboard/app/icon.svg" alt="" width="28" height="28" /> ${product}
        ${environment === 'sandbox' && html`<span class="badge warn">${frame.sandbox}</span>`}
      </a>
      <nav aria-label=${frame.navigation}>
        <div class="tabs">${TABS.map((name) => link(name, html`<${Icon} of=${name} />`))}</div>
        ${work.length > 0 && html`<div class="work">${work.map((name) => link(name))}</div>`}
      </nav>
      ${me.role !== 'homeowner' && !OF_NOBODY.has(page) && html`<${UserPicker} />`}
    </header>
    <main id="main" tabindex="-1">${seenAt !== null && html`<p class="note" role="status">${words().period.offline({ ago: formatTimeAgo(seenAt) })}</p>`}${!OF_NOBODY.has(page) && html`<${TimeZoneQuestion} key=${user.user_id} />`}${children}</main>
    <footer class="quiet">${me.email} · ${roles[me.role]} · <a href="/docs" target="_blank" rel="noreferrer">${frame.docs}</a></footer>
  `;
}

const MOST = 20;
const search = (text: string) => callApi<User[]>('GET', appendQuery('/v1/users', { search: text, limit: MOST }));

/** Search field that selects the account to show, by a part of its e-mail address. */
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
  /** When the user presses Enter, selects the best match, or reports that no account matches. */
  const takeFirst = async (input: HTMLInputElement) => {
    const wanted = input.value;
    const part = wanted.trim().toLowerCase();
    if (part === '' || wanted === user.email) return;
    let problem = words().common.frame.noAccount;
    try {
      // Searches again, because the displayed matches may belong to an earlier text.
      const all = [...(await search(part)), me].filter(({ email }) => email.toLowerCase().includes(part));
      // Stops if the user has continued to type, or has selected an account, during the search.
      if (input.value !== wanted || document.activeElement !== input) return;
      const best = all.find(({ email }) => email.toLowerCase() === part) ?? all[0];
      if (best) return take(best.email, [best]);
    } catch (error) {
      problem = formatErrorSentence(error);
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
