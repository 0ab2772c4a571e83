import { type Children, html } from '../../html.ts';
import { Copy, ShownOnce } from '../../parts/ui.ts';
import { receiverCode } from './secret.ts';

/** A secret, and a receiver that checks signatures with it. `children`: what else is to be known. */
export const SecretShown = ({
  secret,
  onDone,
  children,
}: {
  secret: string;
  onDone: () => void;
  children?: Children;
}) => html`
  <${ShownOnce} secret=${secret}>
    <b>Copy the secret now: it is shown only once.</b> Your receiver uses it to verify that events come from this service.
  <//>
  <${Copy} text=${secret} label="Secret" />
  ${children}
  <h3>A receiver that checks signatures</h3>
  <${Copy} text=${receiverCode(secret)} label="receiver" />
  <p class="quiet">Signed as <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">Standard Webhooks</a>
    ${' '}says; there are libraries for most languages. Callbacks come by HTTPS: let whatever ends TLS for you pass them on.
    Answer with 2xx within 5 seconds.</p>
  <p class="actions"><button type="button" class="main" onClick=${onDone}>Done, I have copied it</button></p>`;
