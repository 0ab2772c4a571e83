import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { LanguageSelect, ThemeSelect } from '../../parts/appearance.ts';
import { useAction } from '../../parts/load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes } from '../../parts/ui.ts';
import { usePageLink, useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** Settings for the language and the colours of the pages in this browser. */
export function AppearanceSettings() {
  const { common, sessions: w } = words();
  return html`<${Card} title=${w.appearanceTitle}>
    <${Field} label=${common.language} hint=${w.languageHint} control=${LanguageSelect} />
    <${Field} label=${common.colours.title} control=${ThemeSelect} />
  <//>`;
}

/** Button that signs out. `everywhere`: whether it ends all sessions of the account, not only this one. */
export function SignOutButton({ everywhere = false }: { everywhere?: boolean }) {
  const { leave } = useSession();
  const { frame } = words().common;
  const { run, isBusy, error } = useAction();
  // Waits for the service's confirmation, because the user may then leave the computer to other people.
  const signOut = () =>
    run(async () => {
      const path = everywhere ? '/session?everywhere=true' : '/session';
      const { continue_at } = await callApi<{ continue_at?: string }>('DELETE', path);
      leave();
      if (continue_at !== undefined) location.assign(continue_at);
    });
  return html`<button type="button" ...${getBusyAttributes(isBusy)} onClick=${signOut}>${everywhere ? frame.signOutEverywhere : frame.signOut}</button>
    <${ErrorMessage} text=${error} />`;
}

export function DeveloperLinks() {
  const to = usePageLink();
  const { me } = useSession();
  const { common, sessions: w } = words();
  const link = (page: 'keys' | 'webhooks' | 'apps', about: string) =>
    html`<li><a ...${to(page)}>${common.pages[page]}</a> <span class="quiet">${about}</span></li>`;
  return html`<${Card} title=${w.developersTitle}>
    <ul class="links">
      ${link('keys', w.keysAbout)}
      ${link('webhooks', w.webhooksAbout)}
      ${me.role !== 'homeowner' && link('apps', w.developerAppsAbout)}
      <li><a href="/docs" target="_blank" rel="noreferrer">${w.reference}</a> <span class="quiet">${w.referenceAbout}</span></li>
    </ul>
  <//>`;
}
