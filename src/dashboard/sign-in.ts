import { useLayoutEffect, useState } from 'preact/hooks';
import { call, Failure } from './api.ts';
import { html } from './html.ts';
import { useAction } from './parts/load.ts';
import { busy, Field, Problem } from './parts/ui.ts';

/** Signing in: by the link of a mail (its token is behind the #), or by asking for a mail and typing its code. */
export function SignIn<Signed>(props: { reason: string | null; onSignedIn: (session: Signed) => void }) {
  const { reason, onSignedIn } = props;
  const [token, setToken] = useState(() => (location.pathname.endsWith('/sign-in') ? location.hash.slice(1) : ''));
  const [asked, setAsked] = useState<{ email: string; sign_in_id: string } | null>(null);
  const { run, isBusy, error } = useAction();
  useLayoutEffect(() => {
    document.title = 'Sign in · Energy';
    // Out of the address, where it would be seen, copied and kept in the history.
    if (token !== '') history.replaceState(null, '', location.pathname);
  }, []);

  const open = (proof: object) =>
    run(async () => onSignedIn(await call<Signed>('POST', '/session', proof).catch(again)));
  const again = (failure: unknown): never => {
    setToken('');
    if (!(failure instanceof Failure) || failure.status !== 422) throw failure;
    throw new Error(`This ${token === '' ? 'code' : 'link'} is wrong, was used, or is over; ask for a new one.`);
  };
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    const email = String(new FormData(event.target as HTMLFormElement).get('email'));
    run(async () => {
      const { sign_in_id } = await call<{ sign_in_id: string }>('POST', '/sign-in', { email });
      setAsked({ email, sign_in_id });
    });
  };
  const tryCode = (event: SubmitEvent) => {
    event.preventDefault();
    const code = String(new FormData(event.target as HTMLFormElement).get('code'));
    open({ sign_in_id: asked?.sign_in_id, code });
  };

  return html`<main class="sign-in" tabindex="-1">
    <div class="card">
      <h1><img src="/dashboard/app/icon.svg" alt="" width="32" height="32" /> Energy dashboard</h1>
      ${reason && !error && html`<p class="note" role="status">${reason}</p>`}
      <${Problem} text=${error} />
      ${
        token !== ''
          ? html`<p>The link is good for one sign-in on this device.</p>
            <button type="button" class="main" ...${busy(isBusy)} onClick=${() => open({ token })}>Sign in</button>`
          : asked
            ? html`<form onSubmit=${tryCode}>
                <p>If <b>${asked.email}</b> has an account, a mail is on its way, with a link and a code. They work for 15 minutes.</p>
                <${Field} label="Code" hint="Eight digits. Or follow the link of the mail.">
                  ${(attributes: object) =>
                    html`<input ...${attributes} name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20" />`}
                <//>
                <p class="actions">
                  <button class="main" ...${busy(isBusy)}>Sign in</button>
                  <button type="button" onClick=${() => setAsked(null)}>Another address</button>
                </p>
                <p class="quiet">No mail? It is sent to accounts only. Asked for many times within 15 minutes, no more are sent: then the newest that you have is still good, and its link works in every browser. A service without a mail server writes mails to <code>data/mail</code>.</p>
              </form>`
            : html`<form onSubmit=${ask}>
                <${Field} label="E-mail" hint="You get a link and a code; there are no passwords.">
                  ${(attributes: object) =>
                    html`<input ...${attributes} type="email" name="email" autocomplete="email" required maxlength="254" />`}
                <//>
                <button class="main" ...${busy(isBusy)}>Mail me a link</button>
              </form>`
      }
    </div>
  </main>`;
}
