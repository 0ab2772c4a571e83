import type { SignInProblem } from '#src/api/dashboard/shapes.ts';
import { call, Failure } from '../api.ts';
import { html } from '../html.ts';
import { words } from '../words/words.ts';
import { useAction } from './load.ts';
import { busy, Problem } from './ui.ts';

/** Leads to the provider, and from there back to this page. `label`: what people call it. */
export function ProviderButton({ label }: { label: string }) {
  const { run, isBusy, error } = useAction();
  const w = words().common.provider;
  const begin = () =>
    run(async () => {
      const body = { return_to: location.pathname };
      const { location: there } = await call<{ location: string }>('POST', '/sign-in/provider', body).catch(away);
      location.assign(there);
    });
  return html`<p class="quiet or">${w.or}</p>
    <${Problem} text=${error} />
    <button type="button" class="wide" ...${busy(isBusy)} onClick=${begin}>${w.with({ label })}</button>`;
}

function away(failure: unknown): never {
  if (failure instanceof Failure && failure.status === 503)
    throw new Error(words().common.provider.problems.unavailable);
  throw failure;
}

/** Why a sign-in at the provider came to nothing, as the address says; it is taken out of that. */
export function takeProblem(): SignInProblem | null {
  const problem = new URLSearchParams(location.search).get('problem');
  if (problem !== null) history.replaceState(null, '', location.pathname + location.hash);
  // Anybody can write the link that the page is opened by.
  return problem !== null && Object.hasOwn(words().common.provider.problems, problem)
    ? (problem as SignInProblem)
    : null;
}
