import type { Device } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import type { Loaded } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { Badge, Card, Loading, When } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { asks, STATES, typeName } from './device.ts';

/** The devices of an account. `onOpen`: its details are wanted. */
export const DeviceList = (props: {
  devices: Loaded<Device[]>;
  zone: string;
  onPair: () => void;
  onOpen: (deviceId: string) => void;
}) => html`<${Card}
  title=${words().devices.paired}
  actions=${html`<button type="button" class="main" onClick=${props.onPair}>${words().devices.pair}</button>`}
>
  <${Rows} label=${words().devices.list}>
    <${Loading} of=${props.devices}>
      ${(all: Device[]) => (all.length === 0 ? empty() : table(all, props.zone, props.onOpen))}
    <//>
  <//>
<//>`;

const empty = () => html`<p>${words().devices.nonePaired}</p>
  <ol>${Object.values(words().devices.firstSteps).map((step) => html`<li>${rich(step)}</li>`)}</ol>`;

function table(all: Device[], zone: string, onOpen: (deviceId: string) => void) {
  const { common, devices: w } = words();
  return html`
    <div class="table"><table>
      <thead><tr>
        <th scope="col">${w.location}</th><th scope="col">${w.type}</th><th scope="col">${w.place}</th><th scope="col">${w.state}</th><th scope="col">${common.lastSeen}</th>
        <td></td>
      </tr></thead>
      <tbody>${all.map((device) => html`<${Row} key=${device.device_id} of=${device} zone=${zone} onOpen=${onOpen} />`)}</tbody>
    </table></div>
    <details>
      <summary>${w.whatStatesMean}</summary>
      <dl class="facts">
        ${Object.entries(STATES).map(
          ([state, kind]) =>
            html`<dt><${Badge} kind=${kind}>${common.statuses[state as Device['status']]}<//></dt><dd>${w.states[state as Device['status']]}</dd>`,
        )}
      </dl>
    </details>`;
}

function Row({ of: device, zone, onOpen }: { of: Device; zone: string; onOpen: (deviceId: string) => void }) {
  const { common, devices: w } = words();
  const kind = STATES[device.status];
  const { go } = useSession();
  // Whoever wants it in another tab gets it there.
  const unlessElsewhere = (act: () => void) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    act();
  };
  const open = unlessElsewhere(() => onOpen(device.device_id));
  const look = unlessElsewhere(() => go(`devices/${device.device_id}`));
  return html`<tr>
    <th scope="row" data-name=${w.location}><a href=${`/dashboard/devices/${device.device_id}`} onClick=${look}>${device.location}</a></th>
    <td data-name=${w.type}>${typeName(device.type)}</td>
    <td data-name=${w.place}><span title=${w.placements[device.placement]}>${w.places[device.placement]}</span></td>
    <td data-name=${w.state}><span title=${w.states[device.status]}><${Badge} kind=${kind}>${common.statuses[device.status]}<//></span>${asks(
      device,
      false,
    ).map(({ word, meaning: why }) => html` <span title=${why}><${Badge} kind="warn">${word}<//></span>`)}</td>
    <td data-name=${common.lastSeen}><${When} at=${device.last_seen_at} zone=${zone} /></td>
    <td>
      <div class="actions">
        <a
          href=${`/dashboard/devices?device=${device.device_id}`}
          aria-label=${w.detailsOf({ location: device.location, type: typeName(device.type) })}
          onClick=${open}
        >${common.details}</a>
      </div>
    </td>
  </tr>`;
}
