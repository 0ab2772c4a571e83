import { useState } from 'preact/hooks';
import { callApi, downloadFile } from '../../api.ts';
import { html } from '../../html.ts';
import { saveFile } from '../../parts/file-menu.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { Card, Dialog, ErrorMessage, Field, getBusyAttributes } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** Buttons that download all data about the account, and delete the account. */
export function AccountDataButtons() {
  const { me } = useSession();
  const { sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [saved, setSaved] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const fetchFile = () =>
    run(async () => {
      setSaved(null);
      const name = `${w.exportName}-${new Date().toISOString().slice(0, 10)}.zip`;
      saveFile(await downloadFile(`/v1/users/${me.user_id}/export`, 'application/zip'), name);
      setSaved(name);
    });
  return html`<${Card} title=${w.dataTitle}>
    <p>${w.exportAbout}</p>
    <p class="actions">
      <button type="button" ...${getBusyAttributes(isBusy)} onClick=${fetchFile}>${w.export}</button>
      ${me.role === 'homeowner' && html`<button type="button" class="danger" onClick=${() => setAsking(true)}>${w.deleteAccount}</button>`}
    </p>
    <p class="quiet told" role="status">${isBusy ? w.exporting : saved && words().common.download.ready({ name: saved })}</p>
    <${ErrorMessage} text=${error} />
    ${isAsking && html`<${DeleteAccount} onClose=${() => setAsking(false)} />`}
  <//>`;
}

/** Dialog that deletes the account. The user must first type the account's e-mail address. */
function DeleteAccount({ onClose }: { onClose: () => void }) {
  const { me, leave } = useSession();
  const { common, sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [mistake, setMistake] = useState<string | undefined>();
  const erase = (event: SubmitEvent) => {
    const typed = String(readSubmittedForm(event).get('email')).trim();
    if (typed.toLowerCase() !== me.email.toLowerCase()) return setMistake(w.otherAddress({ email: me.email }));
    setMistake(undefined);
    run(async () => {
      await callApi('DELETE', `/v1/users/${me.user_id}`);
      // The response shows the service worker that the session has ended, so that it deletes the cached data.
      await callApi('GET', '/session');
      leave(w.accountDeleted);
    });
  };
  return html`<${Dialog} title=${w.deleteAccount} onClose=${onClose}>
    <p>${w.deleteAbout}</p>
    <form onSubmit=${erase}>
      <${Field} label=${w.confirmAddress} mistake=${mistake} type="email" name="email" autocomplete="off" required maxlength="254" />
      <${ErrorMessage} text=${error} />
      <p class="actions">
        <button class="danger" ...${getBusyAttributes(isBusy)}>${w.deleteForever}</button>
        <button type="button" onClick=${onClose}>${common.cancel}</button>
      </p>
    </form>
  <//>`;
}
