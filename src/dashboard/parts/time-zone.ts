import { useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import type { TimeZoneQuestion as Question } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../api.ts';
import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { readSubmittedForm, useAction, useLoad } from './load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from './ui.ts';

/** Time zone of an account that nobody gave one. */
const DEFAULT_ZONE = 'UTC';

const zoneOfBrowser = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || DEFAULT_ZONE;

/**
 * Returns the time zone of a home that `creator` creates for itself. Undefined if it is unknown: the dashboard then asks for the time zone
 * of the home.
 */
export function getZoneOfNewHome(creator: User): string | undefined {
  const zone = creator.timezone === DEFAULT_ZONE ? zoneOfBrowser() : creator.timezone;
  return zone === DEFAULT_ZONE ? undefined : zone;
}

/** Returns the time zones that the browser lists, UTC, and `zone`, which may be an alias such as Europe/Kiev. */
const zonesWith = (zone: string): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), DEFAULT_ZONE, zone])].toSorted();

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

/** Asks for the time zone of the displayed account if nobody has set it, and proposes the browser's. */
export function TimeZoneQuestion() {
  const { me, user, replaceUser } = useSession();
  const isOwn = user.user_id === me.user_id;
  // The page does not ask the members of another account's home: some may only read, and the page asks the home's owner.
  const mayBeAsked = user.timezone === DEFAULT_ZONE && (isOwn || me.role !== 'homeowner');
  const question = useLoad<Question | undefined>(
    async () =>
      mayBeAsked ? callApi('GET', appendQuery('/v1/timezone-question', { user_id: user.user_id })) : undefined,
    [user.user_id, mayBeAsked],
  );
  const { common, sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [proposed] = useState(zoneOfBrowser);
  if (!mayBeAsked || !question.value?.is_asked) return null;
  const save = (event: SubmitEvent) => {
    const timezone = String(readSubmittedForm(event).get('timezone'));
    run(async () => {
      replaceUser(await callApi<User>('PATCH', `/v1/users/${user.user_id}`, { timezone }));
      question.put({ is_asked: false });
    });
  };
  return html`<${Card} title=${isOwn ? w.zoneQuestion : w.zoneQuestionOf({ email: user.email })}>
    <form onSubmit=${save}>
      <p>${renderInlineMarkup(w.zoneProposed({ zone: proposed }))}</p>
      <${Field} label=${common.fields.timezone} hint=${w.zoneHint} control=${ZoneSelect} zone=${proposed} />
      <${ErrorMessage} text=${error} />
      <button class="main" ...${getBusyAttributes(isBusy)}>${common.save}</button>
    </form>
  <//>`;
}
