import { html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Card, Copy } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { homeAssistantSettings, NAME } from './home-assistant-settings.ts';

/** Says how Home Assistant comes to show the account's home. */
export function HomeAssistant({ email }: { email: string }) {
  const w = words().devices.homeAssistant;
  return html`<${Card} title=${NAME}>
    <p class="quiet">${w.what}</p>
    <p>${rich(w.how)}</p>
    <${Copy} text=${homeAssistantSettings(email)} label=${w.settings} />
  <//>`;
}
