import { html } from '../../html.ts';
import { Bars } from '../../parts/chart.ts';
import type { Loaded } from '../../parts/load.ts';
import { Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { type AlertType, isCostType, ruleOf, type WouldHaveFired } from './alert.ts';
import { barsOf, DAYS, daysOf, type Past } from './past.ts';
import { Silences } from './silences.ts';
import { type Preview, usePreview } from './use-preview.ts';

/** The service names no more silences than this. */
const MOST = 1_000;
const TITLES: Record<Exclude<AlertType, 'no_data'>, string> = {
  peak_usage: 'Highest hour of each day',
  daily_usage: 'Usage by day',
  monthly_usage: 'Usage by month',
  daily_cost: 'Cost by day',
  monthly_cost: 'Cost by month',
};
const count = new Intl.NumberFormat();

/** When an alert would have fired in the last 90 days: in words, and on the chart of what was used, or as a list of silences. */
export function AlertPreview(props: { type: AlertType; threshold: number | null; past: Loaded<Past> }) {
  const { type, threshold, past } = props;
  const { user } = useSession();
  const { preview, error } = usePreview(user.user_id, type, threshold);
  // What was asked for another type is none of this one.
  const known = past.value?.type === type ? past.value : null;
  const isEmpty = known !== null && type !== 'no_data' && known.steps.every(({ value }) => value === null);
  return html`<section class="preview" aria-label="Preview">
    <p role="status">${preview ? wordsOf(preview, user.timezone) : 'When would it have fired? Type a threshold to see.'}</p>
    <${Problem} text=${error ?? past.error} />
    ${isEmpty && html`<p class="quiet">No ${isCostType(type) ? 'cost' : 'usage'} is known for the last ${DAYS} days. The alert watches new readings.</p>`}
    ${
      known &&
      !isEmpty &&
      type !== 'no_data' &&
      html`<${Bars}
        title=${TITLES[type]}
        bars=${barsOf(known, preview?.fired ?? [], user.timezone)}
        threshold=${preview?.threshold}
        currency=${known.currency ?? undefined}
        mark="would have fired"
      />`
    }
    ${type === 'no_data' && preview && preview.fired.length > 0 && html`<${Silences} of=${preview.fired} />`}
  </section>`;
}

/** "More than 20 kWh in a day: would have fired 4 times in the last 90 days." */
function wordsOf({ type, threshold, fired }: Preview, zone: string) {
  const often = `${fired.length >= MOST ? 'at least ' : ''}${timesOf(fired)}`;
  const days = type === 'peak_usage' && fired.length > 1 ? daysOf(fired, zone) : 0;
  const spread = days === 0 ? '' : `, on ${days} ${days === 1 ? 'day' : 'different days'}`;
  return html`${ruleOf(type, threshold)}: <b>would ${often}</b> in the last ${DAYS} days${spread}.`;
}

function timesOf({ length }: WouldHaveFired[]): string {
  if (length === 0) return 'not have fired';
  return length === 1 ? 'have fired once' : `have fired ${count.format(length)} times`;
}
