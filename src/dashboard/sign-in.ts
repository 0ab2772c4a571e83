import { useLayoutEffect, useState } from 'preact/hooks';
import type { SignInProblem } from '#src/api/dashboard/shapes.ts';
import { ApiFailure, callApi, postSignInToCell, postSignInToEachCell } from './api.ts';
import { html } from './html.ts';
import { LanguageSelect } from './parts/appearance.ts';
import { readSubmittedForm, useAction } from './parts/load.ts';
import { ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from './parts/ui.ts';
import { canUsePasskeys, requestPasskeyProofs } from './passkeys.ts';
import { findNextSignInAttempt, type ProviderSignInAttempt, storeCellsToTryNext } from './provider-cells.ts';
import { words } from './words/words.ts';

/**
 * Sign-in page: by a mailed link or code, a passkey, or an identity provider. A mailed link has its token in the URL fragment, and may also
 * confirm a new e-mail address. `provider`: display name of the identity provider, or null.
 */
export function SignInPage<Signed>(props: {
  reason: string | null;
  provider: string | null;
  onSignedIn: (session: Signed) => void;
}) {
  const { reason, provider, onSignedIn } = props;
  const [{ problem, attempt }] = useState(() => findNextSignInAttempt(takeProblem(), sessionStorage));
  const { isAddress, token, setToken } = useMailedToken();
  const [asked, setAsked] = useState<{ email: string; signInIds: string[] } | null>(null);
  const { run, isBusy, error } = useAction();
  const { signIn, dashboard } = words().common;
  useLayoutEffect(() => {
    document.title = `${words().common.signIn.title} · ${words().common.product}`;
    // Tries the sign-in in the next cell. The person is already signed in at the provider, which redirects back at once.
    if (attempt) run(() => goToProvider(attempt));
  }, []);

  const path = isAddress && token !== '' ? '/email' : '/session';
  const open = (...proofs: object[]) =>
    run(async () => onSignedIn(await postFirstValid<Signed>(path, proofs).catch(again)));
  const again = (failure: unknown): never => {
    setToken('');
    if (!(failure instanceof ApiFailure) || failure.status !== 422) throw failure;
    throw new Error(token === '' ? signIn.wrongCode : isAddress ? signIn.wrongAddress : signIn.wrongLink);
  };
  const ask = (event: SubmitEvent) => {
    const email = String(readSubmittedForm(event).get('email'));
    run(async () => {
      const begun = await postSignInToEachCell<{ sign_in_id: string }>('/sign-in', { email });
      // Ids of the sign-ins that were begun, one for each cell. The code in the mail belongs to one of them.
      setAsked({ email, signInIds: begun.map(({ sign_in_id }) => sign_in_id) });
    });
  };
  const tryCode = (event: SubmitEvent) => {
    const code = String(readSubmittedForm(event).get('code'));
    open(...(asked?.signInIds ?? []).map((sign_in_id) => ({ sign_in_id, code })));
  };

  return html`<main class="sign-in" tabindex="-1">
    <div class="card">
      <h1><img src="/dashboard/app/icon.svg" alt="" width="32" height="32" /> ${dashboard}</h1>
      ${reason && !error && html`<p class="note" role="status">${reason}</p>`}
      <${ErrorMessage} text=${error ?? (problem && words().common.provider.problems[problem])} />
      ${
        token !== ''
          ? html`<p>${isAddress ? signIn.address : signIn.oneUse}</p>
            <button type="button" class="main" ...${getBusyAttributes(isBusy)} onClick=${() => open({ token })}>${isAddress ? signIn.useAddress : signIn.title}</button>`
          : asked
            ? html`<${CodeForm} email=${asked.email} isBusy=${isBusy} onSubmit=${tryCode} onAnother=${() => setAsked(null)} />`
            : html`<form onSubmit=${ask}>
                <${Field} label=${signIn.email} hint=${signIn.emailHint} type="email" name="email" autocomplete="email" required maxlength="254" />
                <button class="main" ...${getBusyAttributes(isBusy)}>${signIn.ask}</button>
              </form>
              ${canUsePasskeys() && html`<${PasskeyButton} onProofs=${async (proofs: object[]) => onSignedIn(await postFirstValid<Signed>(path, proofs))} />`}
              ${provider !== null && html`<${ProviderButton} label=${provider} />`}`
      }
      <p class="quiet"><${LanguageSelect} /></p>
    </div>
  </main>`;
}

/**
 * Returns the token of a mailed link from the URL fragment; '' if there is none. `isAddress`: whether the link confirms a new e-mail
 * address.
 */
function useMailedToken() {
  const [isAddress] = useState(() => location.pathname.endsWith('/email'));
  const [token, setToken] = useState(() =>
    isAddress || location.pathname.endsWith('/sign-in') ? location.hash.slice(1) : '',
  );
  useLayoutEffect(() => {
    // Removes the token from the address and the browser's history, where other people could see it.
    if (token !== '') history.replaceState(null, '', location.pathname);
    // Another mailed link in this tab changes only the URL fragment, so the page must be reloaded.
    const onLink = () => location.hash.length > 1 && location.reload();
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, []);
  return { isAddress, token, setToken };
}

/** Sends proofs, such as those of a passkey, until the service accepts one. Returns the response to the accepted proof. */
async function postFirstValid<Signed>(path: string, [proof, ...others]: object[]): Promise<Signed> {
  try {
    return await callApi<Signed>('POST', path, proof);
  } catch (failure) {
    if (others.length === 0 || !(failure instanceof ApiFailure) || failure.status !== 422) throw failure;
    return postFirstValid(path, others);
  }
}

/** Form for the code in a requested mail. */
function CodeForm(props: {
  email: string;
  isBusy: boolean;
  onSubmit: (event: SubmitEvent) => void;
  onAnother: () => void;
}) {
  const { signIn } = words().common;
  return html`<form onSubmit=${props.onSubmit}>
    <p>${renderInlineMarkup(signIn.sent({ email: props.email }))}</p>
    <${Field} label=${signIn.code} hint=${signIn.codeHint}
      name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20" />
    <p class="actions">
      <button class="main" ...${getBusyAttributes(props.isBusy)}>${signIn.title}</button>
      <button type="button" onClick=${props.onAnother}>${signIn.another}</button>
    </p>
    <p class="quiet">${renderInlineMarkup(signIn.noMail)}</p>
  </form>`;
}

/** Button that signs in with a passkey. `onProofs` is called with its proofs, one for each cell. */
function PasskeyButton({ onProofs }: { onProofs: (proofs: object[]) => Promise<void> }) {
  const { run, isBusy, error } = useAction();
  const { passkeys: w, provider } = words().common;
  const begin = () => run(async () => onProofs(await requestPasskeyProofs()).catch(refused));
  return html`<p class="quiet or">${provider.or}</p>
    <${ErrorMessage} text=${error} />
    <button type="button" class="wide" ...${getBusyAttributes(isBusy)} onClick=${begin}>${w.signIn}</button>`;
}

function refused(failure: unknown): never {
  if (failure instanceof ApiFailure && failure.status === 422) throw new Error(words().common.passkeys.refused);
  throw failure;
}

/** Button that opens the identity provider's sign-in page, which redirects back to this page. `label`: display name of the provider. */
function ProviderButton({ label }: { label: string }) {
  const { run, isBusy, error } = useAction();
  const w = words().common.provider;
  const begin = () => run(() => goToProvider({ returnTo: location.pathname }));
  return html`<p class="quiet or">${w.or}</p>
    <${ErrorMessage} text=${error} />
    <button type="button" class="wide" ...${getBusyAttributes(isBusy)} onClick=${begin}>${w.with({ label })}</button>`;
}

async function goToProvider({ returnTo, cell, untried }: ProviderSignInAttempt): Promise<void> {
  const { body, others } = await postSignInToCell<{ location: string }>(
    '/sign-in/provider',
    { return_to: returnTo },
    cell,
  ).catch(away);
  storeCellsToTryNext(sessionStorage, returnTo, untried ?? others);
  location.assign(body.location);
}

function away(failure: unknown): never {
  if (failure instanceof ApiFailure && failure.status === 503)
    throw new Error(words().common.provider.problems.unavailable);
  throw failure;
}

/** Returns the reason for a failed sign-in with the identity provider from the page's address, and removes it there. */
function takeProblem(): SignInProblem | null {
  const problem = new URLSearchParams(location.search).get('problem');
  if (problem !== null) history.replaceState(null, '', location.pathname + location.hash);
  // Unknown reasons are ignored, because anyone can create a link to this page.
  return problem !== null && Object.hasOwn(words().common.provider.problems, problem)
    ? (problem as SignInProblem)
    : null;
}
