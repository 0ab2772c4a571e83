import { useEffect } from 'preact/hooks';
import type { Alert } from '#clients/typescript/client.ts';
import type { Firing } from '#src/api/dashboard/shapes.ts';
import type { Page } from '../../api.ts';
import { html } from '../../html.ts';
import { kwh, moneyIn, time } from '../../parts/format.ts';
import { Steps, usePages } from '../../parts/pages.ts';
import { Dialog, Loading, When } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { type AlertType, isCostType, nameOf } from './alert.ts';
import { useDeviceNames } from './device-names.ts';

const SHOWN = 20;
/** How often the page checks for new firings. */
const LOOK_MS = 5_000;

/** When an alert fired, the youngest first. */
export function Firings({ of: alert, onClose }: { of: Alert; onClose: () => void }) {
  const { user } = useSession();
  const { common, alerts } = words();
  const w = alerts.firings;
  const pages = usePages<Firing>(`/v1/alerts/${alert.alert_id}/firings?limit=${SHOWN}`);
  const deviceName = useDeviceNames(user.user_id);
  const { again } = pages.shown;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [again]);
  const isSilence = alert.type === 'no_data';
  const total = isCostType(alert.type) ? w.costByThen : w.usedByThen;
  const table = (rows: Firing[]) => html`<div class="table"><table>
    <thead><tr>
      <th scope="col">${w.fired}</th><th scope="col">${isSilence ? w.silentSince : w.period}</th>
      <th scope="col">${isSilence ? common.device : total}</th>
    </tr></thead>
    <tbody>
      ${rows.map(
        (one) => html`<tr key=${one.event_id}>
          <th scope="row" data-name=${w.fired}><${When} at=${one.fired_at} zone=${user.timezone} /></th>
          <td data-name=${isSilence ? w.silentSince : w.period}>${periodName(alert.type, one, user.timezone)}</td>
          ${
            isSilence
              ? html`<td data-name=${common.device}>${deviceName(one.device_id ?? '')}</td>`
              : html`<td data-name=${total}>${totalOf(one)}</td>`
          }
        </tr>`,
      )}
    </tbody>
  </table></div>`;
  return html`<${Dialog} title=${alerts.historyOf({ rule: nameOf(alert) })} onClose=${onClose}>
    <p class="quiet">${isSilence ? w.oncePerSilence : w.oncePerPeriod}</p>
    <div tabindex="-1" ref=${pages.top} role="group" aria-label=${w.list}>
      <${Loading} of=${pages.shown}>
        ${({ rows }: Page<Firing>) => (rows.length === 0 ? html`<p>${w.none}</p>` : table(rows))}
      <//>
    </div>
    <${Steps} of=${pages} />
  <//>`;
}

function totalOf({ kwh_used, cost, currency }: Firing): string {
  if (cost !== null && currency !== null) return moneyIn(currency)(Number(cost));
  return kwh_used === null ? '–' : kwh(kwh_used);
}

/** "21 Nov 2026, 14:00 to 15:00", "Saturday 21 November 2026", "November 2026"; of a silence its beginning. */
function periodName(type: AlertType, { period_start, period_end }: Firing, zone: string): string {
  const as = (options: Intl.DateTimeFormatOptions, at: string) =>
    dateFormat({ ...options, timeZone: zone }).format(new Date(at));
  if (type === 'monthly_usage' || type === 'monthly_cost') return as({ month: 'long', year: 'numeric' }, period_start);
  if (type === 'daily_usage' || type === 'daily_cost')
    return as({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }, period_start);
  const begins = time(period_start, zone);
  return type === 'no_data' || period_end === null
    ? begins
    : words().alerts.firings.span({ from: begins, to: as({ timeStyle: 'short' }, period_end) });
}
