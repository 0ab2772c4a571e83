import { useState } from 'preact/hooks';
import type { Key, RotatedKey } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { numberOf } from '../../parts/decimal.ts';
import { DecimalInput } from '../../parts/decimal-input.ts';
import { time } from '../../parts/format.ts';
import { useAction } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { ExpiryChoice, endIn } from './expiry-choice.ts';
import { nameOf } from './key.ts';
import { KeyShownOnce } from './shown-once.ts';

/** Makes a key like another one, and says until when both work. */
export function RotateKey({ of, onMade, onClose }: { of: Key; onMade: () => void; onClose: () => void }) {
  const { me } = useSession();
  const { common, keys: w } = words();
  const [made, setMade] = useState<RotatedKey | null>(null);
  const { run, isBusy, error } = useAction();
  const rotate = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const overlap_hours = numberOf(String(given.get('hours')));
    const { expires_at } = endIn(given);
    run(async () => {
      setMade(
        await call<RotatedKey>('POST', `/v1/keys/${of.key_id}/rotate`, {
          overlap_hours,
          ...(expires_at ? { expires_at } : {}),
        }),
      );
      onMade();
    });
  };
  if (made)
    return html`<${Dialog} title=${w.newKey} onClose=${onClose}>
      <${KeyShownOnce} made=${made} onDone=${onClose}>
        <p>${rich(w.oldGoesOn({ key: `${of.prefix}…`, until: time(made.old_expires_at, me.timezone) }))}</p>
      <//>
    <//>`;
  return html`<${Dialog} title=${w.rotateOf({ name: nameOf(of) })} onClose=${onClose}>
    <form onSubmit=${rotate}>
      <p>${w.rotateAbout}</p>
      <${Field} label=${w.hours} hint=${w.hoursHint}>
        ${(attributes: object) =>
          html`<${DecimalInput} attributes=${attributes} name="hours" defaultValue="24" limits=${{ least: 0, most: 720 }} isRequired />`}
      <//>
      <${Field} label=${w.expires}>${(attributes: object) => html`<${ExpiryChoice} attributes=${attributes} />`}<//>
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>${w.rotate}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
