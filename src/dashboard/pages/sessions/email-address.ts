import type { User } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { busy, Card, Field, Loading, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** The account's e-mail address, and the one that waits to be confirmed: requested here, sent again, and withdrawn. */
export function EmailAddress() {
  const { me } = useSession();
  const { sessions: w } = words();
  const path = `/v1/users/${me.user_id}`;
  const user = useLoad(() => call<User>('GET', path), []);
  const { run, isBusy, error } = useAction();
  const change = (email: string) => run(async () => user.put(await call<User>('PATCH', path, { email })));
  const request = (event: SubmitEvent) => {
    event.preventDefault();
    change(String(new FormData(event.target as HTMLFormElement).get('email')));
  };
  const form = () => html`<form onSubmit=${request}>
    <${Field} label=${w.newEmail} hint=${w.newEmailHint}>
      ${(attributes: object) =>
        html`<input ...${attributes} type="email" name="email" autocomplete="email" required maxlength="254" />`}
    <//>
    <button ...${busy(isBusy)}>${w.changeEmail}</button>
  </form>`;
  // The address that the account has withdraws a request.
  const pending = (email: string, wanted: string) => html`<p>${rich(w.emailPending({ email: wanted }))}</p>
    <p class="actions">
      <button type="button" ...${busy(isBusy)} onClick=${() => change(wanted)}>${w.sendAgain}</button>
      <button type="button" ...${busy(isBusy)} onClick=${() => change(email)}>${w.withdraw}</button>
    </p>`;
  return html`<${Card} title=${w.emailTitle}>
    <${Loading} of=${user}>
      ${({ email, pending_email }: User) => html`<p>${rich(w.emailNow({ email }))}</p>
        ${pending_email === undefined ? form() : pending(email, pending_email)}`}
    <//>
    <${Problem} text=${error} />
  <//>`;
}
