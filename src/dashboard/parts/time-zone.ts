import { useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { readSubmittedForm, useAction } from './load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from './ui.ts';

const zoneOfBrowser = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Returns the time zones that the browser lists, UTC, and `zone`, which may be an alias such as Europe/Kiev. */
const zonesWith = (zone: string): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].toSorted();

/** Select box (`timezone` in the form) of all time zones. `zone` is selected at first. */
export const ZoneSelect = ({
  zone,
  ...attributes
}: {
  zone: string;
  id?: string;
}) => html`<select ...${attributes} name="timezone">
  ${zonesWith(zone).map((one) => html`<option value=${one} selected=${one === zone}>${one}</option>`)}
</select>`;

/** Asks for the time zone of an account that has none, and proposes the browser's. */
export function TimeZoneQuestion() {
  const { me, asksTimezone, changeMe } = useSession();
  const { common, sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [proposed] = useState(zoneOfBrowser);
  if (!asksTimezone) return null;
  const save = (event: SubmitEvent) => {
    const timezone = String(readSubmittedForm(event).get('timezone'));
    run(async () => changeMe(await callApi<User>('PATCH', `/v1/users/${me.user_id}`, { timezone })));
  };
  return html`<${Card} title=${w.zoneQuestion}>
    <form onSubmit=${save}>
      <p>${renderInlineMarkup(w.zoneProposed({ zone: proposed }))}</p>
      <${Field} label=${common.fields.timezone} hint=${w.zoneHint} control=${ZoneSelect} zone=${proposed} />
      <${ErrorMessage} text=${error} />
      <button class="main" ...${getBusyAttributes(isBusy)}>${common.save}</button>
    </form>
  <//>`;
}
