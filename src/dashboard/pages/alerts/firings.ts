import { useEffect } from 'preact/hooks';
import type { Alert } from '#clients/typescript/client.ts';
import type { Firing } from '#src/api/dashboard/shapes.ts';
import type { Page } from '../../api.ts';
import { html } from '../../html.ts';
import { kwh, moneyIn, time } from '../../parts/format.ts';
import { Steps, usePages } from '../../parts/pages.ts';
import { Dialog, Loading, When } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { type AlertType, isCostType, nameOf } from './alert.ts';
import { useDeviceNames } from './device-names.ts';

const SHOWN = 20;
/** How often the page checks for new firings. */
const LOOK_MS = 5_000;

/** When an alert fired, the youngest first. */
export function Firings({ of: alert, onClose }: { of: Alert; onClose: () => void }) {
  const { user } = useSession();
  const pages = usePages<Firing>(`/v1/alerts/${alert.alert_id}/firings?limit=${SHOWN}`);
  const deviceName = useDeviceNames(user.user_id);
  const { again } = pages.shown;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [again]);
  const isSilence = alert.type === 'no_data';
  const total = isCostType(alert.type) ? 'Cost by then' : 'Used by then';
  const table = (rows: Firing[]) => html`<div class="table"><table>
    <thead><tr>
      <th scope="col">Fired</th><th scope="col">${isSilence ? 'Silent since' : 'Period'}</th>
      <th scope="col">${isSilence ? 'Device' : total}</th>
    </tr></thead>
    <tbody>
      ${rows.map(
        (one) => html`<tr key=${one.event_id}>
          <th scope="row" data-name="Fired"><${When} at=${one.fired_at} zone=${user.timezone} /></th>
          <td data-name=${isSilence ? 'Silent since' : 'Period'}>${periodName(alert.type, one, user.timezone)}</td>
          ${
            isSilence
              ? html`<td data-name="Device">${deviceName(one.device_id ?? '')}</td>`
              : html`<td data-name=${total}>${totalOf(one)}</td>`
          }
        </tr>`,
      )}
    </tbody>
  </table></div>`;
  return html`<${Dialog} title=${`History: ${nameOf(alert)}`} onClose=${onClose}>
    <p class="quiet">It fires once ${isSilence ? 'for each silence of a device' : 'in each period, the moment the total lies above the threshold of then'}.</p>
    <div tabindex="-1" ref=${pages.top} role="group" aria-label="Firings">
      <${Loading} of=${pages.shown}>
        ${({ rows }: Page<Firing>) => (rows.length === 0 ? html`<p>It has not fired yet.</p>` : table(rows))}
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
    new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone }).format(new Date(at));
  if (type === 'monthly_usage' || type === 'monthly_cost') return as({ month: 'long', year: 'numeric' }, period_start);
  if (type === 'daily_usage' || type === 'daily_cost')
    return as({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }, period_start);
  const begins = time(period_start, zone);
  return type === 'no_data' || period_end === null ? begins : `${begins} to ${as({ timeStyle: 'short' }, period_end)}`;
}
