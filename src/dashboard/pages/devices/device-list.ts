import type { Device } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import type { Loaded } from '../../parts/load.ts';
import { Badge, Card, Loading, When } from '../../parts/ui.ts';
import { asks, PLACEMENTS, PLACES, STATES, typeName } from './device.ts';

/** The devices of an account. `onOpen`: its details are wanted. */
export const DeviceList = (props: {
  devices: Loaded<Device[]>;
  zone: string;
  onPair: () => void;
  onOpen: (deviceId: string) => void;
}) => html`<${Card}
  title="Paired devices"
  actions=${html`<button type="button" class="main" onClick=${props.onPair}>Pair a device</button>`}
>
  <${Rows} label="List of devices">
    <${Loading} of=${props.devices}>
      ${(all: Device[]) => (all.length === 0 ? empty : table(all, props.zone, props.onOpen))}
    <//>
  <//>
<//>`;

const empty = html`<p>No device is paired yet.</p>
  <ol>
    <li>Press <b>Pair a device</b>: you get what it needs to log in, and a line to try it with.</li>
    <li>Tasmota, Shelly, Zigbee2MQTT, ESPHome and P1 readers: press <b>Create a gateway</b> below instead; what is heard
      through it is listed, and you pair what is yours.</li>
  </ol>`;

function table(all: Device[], zone: string, onOpen: (deviceId: string) => void) {
  return html`
    <div class="table"><table>
      <thead><tr>
        <th scope="col">Location</th><th scope="col">Type</th><th scope="col">Place in the home</th><th scope="col">State</th><th scope="col">Last seen</th>
        <td></td>
      </tr></thead>
      <tbody>${all.map((device) => html`<${Row} key=${device.device_id} of=${device} zone=${zone} onOpen=${onOpen} />`)}</tbody>
    </table></div>
    <details>
      <summary>What the states mean</summary>
      <dl class="facts">
        ${Object.entries(STATES).map(
          ([state, { kind, meaning }]) => html`<dt><${Badge} kind=${kind}>${state}<//></dt><dd>${meaning}</dd>`,
        )}
      </dl>
    </details>`;
}

function Row({ of: device, zone, onOpen }: { of: Device; zone: string; onOpen: (deviceId: string) => void }) {
  const { kind, meaning } = STATES[device.status];
  const open = (event: MouseEvent) => {
    // Whoever wants it in another tab gets it there.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(device.device_id);
  };
  return html`<tr>
    <th scope="row" data-name="Location">${device.location}</th>
    <td data-name="Type">${typeName(device.type)}</td>
    <td data-name="Place in the home"><span title=${PLACEMENTS[device.placement]}>${PLACES[device.placement]}</span></td>
    <td data-name="State"><span title=${meaning}><${Badge} kind=${kind}>${device.status}<//></span>${asks(
      device,
      false,
    ).map(({ word, meaning: why }) => html` <span title=${why}><${Badge} kind="warn">${word}<//></span>`)}</td>
    <td data-name="Last seen"><${When} at=${device.last_seen_at} zone=${zone} /></td>
    <td>
      <div class="actions">
        <a
          href=${`/dashboard/devices?device=${device.device_id}`}
          aria-label=${`Details of ${device.location}, ${typeName(device.type)}`}
          onClick=${open}
        >Details</a>
      </div>
    </td>
  </tr>`;
}
