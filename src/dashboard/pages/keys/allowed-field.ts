import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

const NAME = 'allowed';

/** Asks for addresses and networks. `now`: those that there are. */
export function AllowedField({ now = [] }: { now?: readonly string[] }) {
  const w = words().keys;
  return html`<${Field} label=${w.allowed} hint=${w.allowedHint}>
    ${(attributes: object) =>
      html`<input ...${attributes} name=${NAME} defaultValue=${now.join(', ')} maxlength="3000" autocomplete="off" spellcheck=${false} />`}
  <//>`;
}

/** What was written in it. */
export const addressesIn = (given: FormData): string[] =>
  String(given.get(NAME))
    .split(/[\s,;]+/)
    .filter((text) => text !== '');
