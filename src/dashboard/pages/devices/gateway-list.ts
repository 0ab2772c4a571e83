import { useState } from 'preact/hooks';
import type { Gateway } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import { type Loaded, useAction } from '../../parts/load.ts';
import { Card, Loading, Problem, Sure, When } from '../../parts/ui.ts';
import { CreateGateway } from './create-gateway.ts';

const QUESTION =
  'Its login ends at once, and its list of discovered devices is deleted. Devices paired through it stay, with their history, but can no longer send through it.';

/** The account's gateways: a household's own broker, or devices that speak a language of their own. */
export function GatewayList(props: { gateways: Loaded<Gateway[]>; zone: string; onChange: () => void }) {
  const { gateways, zone, onChange } = props;
  const [isCreating, setCreating] = useState(false);
  const { run, error } = useAction();
  const remove = ({ gateway_id }: Gateway) =>
    run(async () => {
      await call('DELETE', `/v1/gateways/${gateway_id}`);
      onChange();
    });
  return html`<${Card}
    title="Gateways"
    actions=${html`<button type="button" onClick=${() => setCreating(true)}>Create a gateway</button>`}
  >
    <p class="quiet">A gateway lets in what a household’s own broker hears, and devices that speak a language of their own:
      Tasmota, Shelly, Zigbee2MQTT, ESPHome, P1 readers, wireless M-Bus and others.</p>
    <${Problem} text=${error} />
    <${Rows} label="List of gateways">
      <${Loading} of=${gateways}>
        ${(all: Gateway[]) =>
          all.length > 0 &&
          html`<div class="table"><table>
            <thead><tr>
              <th scope="col">Name</th><th scope="col">Username</th><th scope="col">Made</th>
              <td></td>
            </tr></thead>
            <tbody>
              ${all.map(
                (one) => html`<tr key=${one.gateway_id}>
                  <th scope="row" data-name="Name">${one.name}</th>
                  <td data-name="Username"><code>${one.gateway_id}</code></td>
                  <td data-name="Made"><${When} at=${one.created_at} zone=${zone} /></td>
                  <td><div class="actions">
                    <${Sure} label="Delete" of=${one.name} question=${QUESTION} onSure=${() => remove(one)} />
                  </div></td>
                </tr>`,
              )}
            </tbody>
          </table></div>`}
      <//>
    <//>
    ${isCreating && html`<${CreateGateway} onChange=${onChange} onClose=${() => setCreating(false)} />`}
  <//>`;
}
