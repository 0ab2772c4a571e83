import { useEffect, useId, useState } from 'preact/hooks';
import { call, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { type User, useSession } from '../session.ts';

const MOST = 20;

/** Picks whose data are shown, by (a part of) the e-mail address. For who sees more than one account. */
export function UserPicker() {
  const { me, user, pick } = useSession();
  const [text, setText] = useState(user.email);
  const [found, setFound] = useState<User[]>([]);
  const id = useId();
  useEffect(() => setText(user.email), [user]);
  useEffect(() => {
    const search = text === user.email ? '' : text;
    const timer = setTimeout(() => {
      call<User[]>('GET', withQuery('/v1/users', { search, limit: MOST })).then(setFound, () => {});
    }, 200);
    return () => clearTimeout(timer);
  }, [text, user]);
  const take = (value: string) => {
    setText(value);
    const one = [me, ...found].find(({ email }) => email.toLowerCase() === value.trim().toLowerCase());
    if (one && one.user_id !== user.user_id) pick(one);
  };
  return html`<label class="picker" for=${id}><span>User</span>
    <input
      id=${id}
      type="search"
      list=${`${id}-list`}
      value=${text}
      autocomplete="off"
      spellcheck=${false}
      onInput=${(event: Event) => take((event.target as HTMLInputElement).value)}
      onFocus=${(event: Event) => (event.target as HTMLInputElement).select()}
      onBlur=${() => setText(user.email)}
    />
    <datalist id=${`${id}-list`}>${found.map(({ email, role }) => html`<option value=${email}>${role}</option>`)}</datalist>
  </label>`;
}
