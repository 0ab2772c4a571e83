import type { CreatedKey } from '#clients/typescript/client.ts';
import { type Children, html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Copy, ShownOnce } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { curlLine } from './curl-line.ts';

/** The key itself, and a line that works with it. `children`: what else is to be known. */
export function KeyShownOnce({
  made,
  onDone,
  children,
}: {
  made: CreatedKey;
  onDone: () => void;
  children?: Children;
}) {
  const { me, user } = useSession();
  const { common, keys: w } = words();
  const line = curlLine(made, { baseUrl: location.origin, userId: user.user_id, ownId: me.user_id });
  return html`
    <${ShownOnce} secret=${made.key}>
      ${rich(w.copyNow)}
    <//>
    <${Copy} text=${made.key} label=${w.key} />
    ${children}
    ${
      line &&
      html`<h3>${w.tryIt}</h3>
        ${line.includes('user_id=') && html`<p class="quiet">${w.asksAbout({ email: user.email })}</p>`}
        <${Copy} text=${line} label=${w.line} />
        <p class="quiet">${rich(w.unchecked)}</p>`
    }
    <p class="actions"><button type="button" class="main" onClick=${onDone}>${common.doneCopied}</button></p>
  `;
}
