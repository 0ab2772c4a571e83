import { html } from '../../html.ts';
import { Bars } from '../../parts/chart.ts';
import type { Loaded } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { type AlertType, isCostType, ruleOf } from './alert.ts';
import { barsOf, DAYS, daysOf, type Past } from './past.ts';
import { Silences } from './silences.ts';
import { type Preview, usePreview } from './use-preview.ts';

/** The service names no more silences than this. */
const MOST = 1_000;

/** When an alert would have fired in the last 90 days: in words, and on the chart of what was used, or as a list of silences. */
export function AlertPreview(props: { type: AlertType; threshold: number | null; past: Loaded<Past> }) {
  const { type, threshold, past } = props;
  const { user } = useSession();
  const w = words().alerts.preview;
  const { preview, error } = usePreview(user.user_id, type, threshold);
  // What was asked for another type is none of this one.
  const known = past.value?.type === type ? past.value : null;
  const isEmpty = known !== null && type !== 'no_data' && known.steps.every(({ value }) => value === null);
  return html`<section class="preview" aria-label=${w.label}>
    <p role="status">${preview ? rich(wordsOf(preview, user.timezone)) : w.typeOne}</p>
    <${Problem} text=${error ?? past.error} />
    ${isEmpty && html`<p class="quiet">${isCostType(type) ? w.noCost({ days: DAYS }) : w.noUsage({ days: DAYS })}</p>`}
    ${
      known &&
      !isEmpty &&
      type !== 'no_data' &&
      html`<${Bars}
        title=${w.titles[type]}
        bars=${barsOf(known, preview?.fired ?? [], user.timezone)}
        threshold=${preview?.threshold}
        currency=${known.currency ?? undefined}
        mark=${w.mark}
      />`
    }
    ${type === 'no_data' && preview && preview.fired.length > 0 && html`<${Silences} of=${preview.fired} />`}
  </section>`;
}

/** "More than 20 kWh in a day: would have fired 4 times in the last 90 days." */
function wordsOf({ type, threshold, fired }: Preview, zone: string): string {
  const w = words().alerts.preview;
  const rule = ruleOf(type, threshold);
  const times = fired.length;
  if (times === 0) return w.never({ rule, days: DAYS });
  const days = type === 'peak_usage' && times > 1 ? daysOf(fired, zone) : 0;
  if (days === 0) return (times >= MOST ? w.firedAtLeast : w.fired)({ rule, times, days: DAYS });
  return (times >= MOST ? w.firedAtLeastOn : w.firedOn)({ rule, times, days: DAYS, on: days });
}
