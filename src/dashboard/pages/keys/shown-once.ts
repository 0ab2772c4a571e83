import type { CreatedKey } from '#clients/typescript/client.ts';
import { type Children, html } from '../../html.ts';
import { Copy, ShownOnce } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
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
  const line = curlLine(made, { baseUrl: location.origin, userId: user.user_id, ownId: me.user_id });
  return html`
    <${ShownOnce} secret=${made.key}>
      <b>Copy the key now: it is shown only once.</b> Only a fingerprint of it is kept, so it cannot be seen again. Keep it
      as you would a password.
    <//>
    <${Copy} text=${made.key} label="Key" />
    ${children}
    ${
      line &&
      html`<h3>Try it in a terminal</h3>
        ${line.includes('user_id=') && html`<p class="quiet">It asks about ${user.email}.</p>`}
        <${Copy} text=${line} label="curl line" />
        <p class="quiet"><code>-k</code> leaves the certificate unchecked, since a service that was just installed has one
          that it made itself. Leave it out as soon as yours has a certificate of an authority, or check against the
          service’s own: <code>--cacert</code> with the file <code>tls/cert.pem</code> of its data folder.</p>`
    }
    <p class="actions"><button type="button" class="main" onClick=${onDone}>Done, I have copied it</button></p>
  `;
}
