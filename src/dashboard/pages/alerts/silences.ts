import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { useSession } from '../../session.ts';
import type { WouldHaveFired } from './alert.ts';
import { useDeviceNames } from './device-names.ts';
import { hoursOf } from './past.ts';

/** Silences of devices, the youngest first. */
export function Silences({ of }: { of: WouldHaveFired[] }) {
  const { user } = useSession();
  const nameOf = useDeviceNames(user.user_id);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Silences">
    <table>
      <thead><tr><th scope="col">Device</th><th scope="col">Silent since</th><th scope="col">For</th></tr></thead>
      <tbody>
        ${of.toReversed().map(
          (one) => html`<tr>
            <th scope="row">${nameOf(one.device_id ?? '')}</th>
            <td>${time(one.period_start, user.timezone)}</td>
            <td>${lengthOf(hoursOf(one))}${one.period_end === null ? ', still' : ''}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** "7 hours", "3 days". */
function lengthOf(hours: number): string {
  const [value, unit] = hours < 48 ? [hours, 'hour'] : [hours / 24, 'day'];
  const rounded = Math.floor(value);
  return `${rounded} ${rounded === 1 ? unit : `${unit}s`}`;
}
