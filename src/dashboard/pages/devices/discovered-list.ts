import type { DiscoveredDevice } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import type { Loaded } from '../../parts/load.ts';
import { Card, Loading, When } from '../../parts/ui.ts';
import { whatItTells } from './discovered-words.ts';

/** What was heard through the account's gateways and is not paired. */
export const DiscoveredList = (props: {
  discovered: Loaded<DiscoveredDevice[]>;
  zone: string;
  onPair: (one: DiscoveredDevice) => void;
}) => html`<${Card} title="Discovered devices">
  <${Rows} label="List of discovered devices">
    <${Loading} of=${props.discovered}>
      ${(all: DiscoveredDevice[]) =>
        all.length === 0
          ? html`<p class="quiet">No device is waiting to be paired. Devices heard through a gateway appear here by themselves.</p>`
          : html`<p class="quiet">Pair the devices that are yours: they count from their next message on. Of the others only this list is kept.</p>
            ${table(all, props.zone, props.onPair)}`}
    <//>
  <//>
<//>`;

const table = (all: DiscoveredDevice[], zone: string, onPair: (one: DiscoveredDevice) => void) => html`
  <div class="table"><table>
    <thead><tr>
      <th scope="col">Device</th><th scope="col">Family</th><th scope="col">What it tells</th><th scope="col">First seen</th>
      <th scope="col">Last seen</th><td></td>
    </tr></thead>
    <tbody>
      ${all.map(
        (one) => html`<tr key=${one.discovery_id}>
          <th scope="row" data-name="Device">${one.native_id}</th>
          <td data-name="Family">${one.family}</td>
          <td data-name="Tells"><${Tells} of=${one} /></td>
          <td data-name="First seen"><${When} at=${one.first_seen_at} zone=${zone} /></td>
          <td data-name="Last seen"><${When} at=${one.last_seen_at} zone=${zone} /></td>
          <td><div class="actions">
            <button type="button" aria-label=${`Pair ${one.native_id}`} onClick=${() => onPair(one)}>Pair</button>
          </div></td>
        </tr>`,
      )}
    </tbody>
  </table></div>`;

/** The first few channels; a three-phase meter has dozens. */
const SHOWN = 3;

function Tells({ of }: { of: DiscoveredDevice }) {
  const all = whatItTells(of);
  if (all.length === 0) return html`<span class="quiet">nothing that could be read yet</span>`;
  const rest = all.slice(SHOWN);
  return html`<div>
    ${all.slice(0, SHOWN).map((one) => html`<div>${one}</div>`)}
    ${
      rest.length > 0 &&
      html`<details><summary>${rest.length} more</summary>${rest.map((one) => html`<div>${one}</div>`)}</details>`
    }
  </div>`;
}
