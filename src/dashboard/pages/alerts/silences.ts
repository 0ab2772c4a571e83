import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import type { WouldHaveFired } from './alert.ts';
import { useDeviceNames } from './device-names.ts';
import { hoursOf } from './past.ts';

/** Silences of devices, the youngest first. */
export function Silences({ of }: { of: WouldHaveFired[] }) {
  const { user } = useSession();
  const { common, alerts } = words();
  const w = alerts.silences;
  const nameOf = useDeviceNames(user.user_id);
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${w.list}>
    <table>
      <thead><tr><th scope="col">${common.device}</th><th scope="col">${alerts.firings.silentSince}</th><th scope="col">${w.for}</th></tr></thead>
      <tbody>
        ${of.toReversed().map(
          (one) => html`<tr>
            <th scope="row">${nameOf(one.device_id ?? '')}</th>
            <td>${time(one.period_start, user.timezone)}</td>
            <td>${one.period_end === null ? w.still({ length: lengthOf(hoursOf(one)) }) : lengthOf(hoursOf(one))}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** "7 hours", "3 days". */
function lengthOf(hours: number): string {
  const w = words().alerts.silences;
  return hours < 48 ? w.hours({ hours: Math.floor(hours) }) : w.days({ days: Math.floor(hours / 24) });
}
