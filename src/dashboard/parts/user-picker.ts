import { useEffect, useId, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { call, sentenceOf, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';

const MOST = 20;
const search = (text: string) => call<User[]>('GET', withQuery('/v1/users', { search: text, limit: MOST }));

/** Picks whose data are shown, by (a part of) the e-mail address. For who sees more than one account. */
export function UserPicker() {
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
  /** Enter takes what matches best, or says that nothing does. */
  const takeFirst = async (input: HTMLInputElement) => {
    const wanted = input.value;
    const part = wanted.trim().toLowerCase();
    if (part === '' || wanted === user.email) return;
    let problem = words().common.frame.noAccount;
    try {
      // Asked anew: what is listed may still be of the text before.
      const all = [...(await search(part)), me].filter(({ email }) => email.toLowerCase().includes(part));
      // One of the list was taken meanwhile, or somebody types on.
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
