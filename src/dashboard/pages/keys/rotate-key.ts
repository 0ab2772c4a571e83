import { useState } from 'preact/hooks';
import type { Key, RotatedKey } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { nameOf } from './key.ts';
import { KeyShownOnce } from './shown-once.ts';

/** Makes a key like another one, and says until when both work. */
export function RotateKey({ of, onMade, onClose }: { of: Key; onMade: () => void; onClose: () => void }) {
  const { me } = useSession();
  const [made, setMade] = useState<RotatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = (event: SubmitEvent) => {
    event.preventDefault();
    const overlap_hours = Number(new FormData(event.target as HTMLFormElement).get('hours'));
    run(async () => {
      setMade(await call<RotatedKey>('POST', `/v1/keys/${of.key_id}/rotate`, { overlap_hours }));
      onMade();
    });
  };
  if (made)
    return html`<${Dialog} title="Your new key" onClose=${onClose}>
      <${KeyShownOnce} made=${made} onDone=${onClose}>
        <p>The old key <code>${of.prefix}…</code> goes on until <b>${time(made.old_expires_at, me.timezone)}</b>. Give the
          new one to whatever uses it until then.</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${`Rotate ${nameOf(of)}`} onClose=${onClose}>
    <form onSubmit=${rotate}>
      <p>You get a new key with the same name and permissions. The old one stays valid for a while, so that nothing stops
        before it has the new one.</p>
      <${Field} label="Hours that the old key stays valid" hint="0 ends it at once; at most 720 (30 days).">
        ${(attributes: object) =>
          html`<input ...${attributes} type="number" name="hours" defaultValue="24" min="0" max="720" step="any" required />`}
      <//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>Rotate</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </p>
    </form>
  <//>`;
}
