import { type Children, html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Copy, ShownOnce } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
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
    ${rich(words().webhooks.secret.copyNow)}
  <//>
  <${Copy} text=${secret} label=${words().webhooks.secret.label} />
  ${children}
  <h3>${words().webhooks.secret.receiver}</h3>
  <${Copy} text=${receiverCode(secret)} label=${words().webhooks.secret.receiverLabel} />
  <p class="quiet">${rich(
    words().webhooks.secret.about,
    (name) => html`<a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">${name}</a>`,
  )}</p>
  <p class="actions"><button type="button" class="main" onClick=${onDone}>${words().common.doneCopied}</button></p>`;
