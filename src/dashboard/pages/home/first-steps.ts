import type { Device, User } from '#clients/typescript/client.ts';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatDay } from '../../parts/format.ts';
import { readSubmittedForm, useAction, useLoad } from '../../parts/load.ts';
import { formatPeriod, getPeriodAt, type Period as Shown, shiftPeriod } from '../../parts/period.ts';
import { getZoneOfNewHome } from '../../parts/time-zone.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

type Follow = (page: string) => object;

/** First steps for a new home, shown until it has electricity usage. */
export function FirstSteps({ of: shown, follow }: { of: Period; follow: Follow }) {
  const { user, me } = useSession();
  const w = words().period;
  const devices = useLoad(
    () => callApi<Device[]>('GET', appendQuery('/v1/devices', { user_id: shown.user_id, limit: 1 })),
    [shown.user_id, shown.newest_at],
  );
  const link = (page: string) => (name: string) => html`<a ...${follow(page)}>${name}</a>`;
  if (shown.thermostats.length > 0 && shown.commodities.length === 0)
    return html`<p class="note">${renderInlineMarkup(w.thermostatOnly, link('devices'))}</p>`;
  if (shown.commodities.length > 0 || devices.value === null) return null;
  if (devices.value.length > 0)
    return html`<${Card} title=${w.waiting.title}><p>${renderInlineMarkup(w.waiting.about, link('devices'))}</p><//>`;
  const isOwn = user.user_id === me.user_id;
  const note =
    !isOwn &&
    html`<p class="note">${renderInlineMarkup(w.firstSteps.ofOther({ email: user.email }), link('devices'))}</p>`;
  // An administrator may have created the account for the administrator's own home.
  if (!isOwn && me.role !== 'admin') return note;
  return html`${note}${isOwn && me.role === 'admin' && html`<${HomeQuestion} />`}<${Card} title=${w.firstSteps.title}>
    <ol class="first-steps">
      ${Object.values(w.firstSteps.steps).map((step, index) => html`<li>${renderInlineMarkup(step, link(index === 2 ? 'tariffs' : 'devices'))}</li>`)}
    </ol>
  <//>`;
}

/**
 * Asks the administrator of a new installation whether it is for the administrator's own home. If so, creates a separate account for the
 * home.
 */
function HomeQuestion() {
  const { pick, go, me } = useSession();
  const { common, period } = words();
  const w = period.yourHome;
  const { run, isBusy, error } = useAction();
  const create = (event: SubmitEvent) => {
    const email = String(readSubmittedForm(event).get('email'));
    run(async () => {
      const home = { email, role: 'homeowner', timezone: getZoneOfNewHome(me) };
      const { user_id } = await callApi<{ user_id: string }>('POST', '/v1/users', home);
      pick(await callApi<User>('GET', `/v1/users/${user_id}`));
    });
  };
  return html`<${Card} title=${w.title}>
    <form onSubmit=${create}>
      <p>${w.about}</p>
      <${Field} label=${common.fields.email} hint=${w.hint} type="email" name="email" autocomplete="email" required maxlength="254" />
      <${ErrorMessage} text=${error} />
      <p class="actions">
        <button class="main" ...${getBusyAttributes(isBusy)}>${w.yes}</button>
        <button type="button" onClick=${() => go('fleet')}>${w.no}</button>
      </p>
    </form>
  <//>`;
}

/** Notice that a period has no data, with a link to a period that has some. `first`: first day with data. */
export function NoDataNotice(props: { of: Period; first: string; onGo: (period: Shown) => void }) {
  const { first, onGo } = props;
  const { unit, start, end, now } = props.of;
  const w = words().period;
  const way = (to: Shown) => (name: string) =>
    html`<button type="button" class="link" onClick=${() => onGo(to)}>${name}</button>`;
  if (end < first)
    return html`<p class="note">${renderInlineMarkup(w.nothingThen({ first: formatDay(first) }), way(getPeriodAt(unit, first)))}</p>`;
  if (end < now.slice(0, 10)) return html`<p class="note">${w.nothing}</p>`;
  const before = shiftPeriod({ unit, start }, -1);
  return html`<p class="note">${renderInlineMarkup(w.nothingSoFar({ before: formatPeriod(before) }), way(before))}</p>`;
}
