import { useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { ZoneSelect } from '../../parts/time-zone.ts';
import { busy, Card, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** The account's phone number and time zone, with a button that saves both. */
export function Account() {
  const { me, changeMe } = useSession();
  const { common, sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [isSaved, setSaved] = useState(false);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const phone = String(given.get('phone')).replaceAll(/[\s()/-]/g, '');
    const changed = { phone: phone === '' ? null : phone, timezone: String(given.get('timezone')) };
    setSaved(false);
    run(async () => {
      changeMe(await call<User>('PATCH', `/v1/users/${me.user_id}`, changed));
      setSaved(true);
    });
  };
  return html`<${Card} title=${w.accountTitle}>
    <form onSubmit=${save}>
      <${Field} label=${common.fields.phone} hint=${w.phoneHint}>
        ${(attributes: object) =>
          html`<input ...${attributes} type="tel" name="phone" autocomplete="tel" maxlength="40" defaultValue=${me.phone ?? ''} />`}
      <//>
      <${Field} label=${common.fields.timezone} hint=${w.zoneHint}>
        ${(attributes: object) => html`<${ZoneSelect} ...${attributes} zone=${me.timezone} />`}
      <//>
      <button ...${busy(isBusy)}>${common.save}</button>
    </form>
    <p class="quiet told" role="status">${isSaved && w.accountSaved}</p>
    <${Problem} text=${error} />
  <//>`;
}
