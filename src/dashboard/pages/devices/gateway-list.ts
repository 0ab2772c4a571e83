import { useState } from 'preact/hooks';
import type { Gateway } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { Rows } from '../../parts/focus.ts';
import { type Loaded, useAction } from '../../parts/load.ts';
import { Card, Loading, Problem, Sure, When } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { CreateGateway } from './create-gateway.ts';
import { mayManage } from './device.ts';
import { ReadMessage, type TypedMessage } from './read-message.ts';
import { UnreadList } from './unread-list.ts';

/** The account's gateways: a household's own broker, or devices that speak a language of their own. */
export function GatewayList(props: { gateways: Loaded<Gateway[]>; zone: string; onChange: () => void }) {
  const { gateways, zone, onChange } = props;
  const { me } = useSession();
  const { common, devices, messages } = words();
  const w = devices.gateways;
  const [isCreating, setCreating] = useState(false);
  const [reading, setReading] = useState<{ gateway: Gateway; of?: TypedMessage } | null>(null);
  const { run, error } = useAction();
  const remove = ({ gateway_id }: Gateway) =>
    run(async () => {
      await call('DELETE', `/v1/gateways/${gateway_id}`);
      onChange();
    });
  return html`<${Card}
    title=${w.title}
    actions=${html`<button type="button" onClick=${() => setCreating(true)}>${w.create}</button>`}
  >
    <p class="quiet">${w.about}</p>
    <${Problem} text=${error} />
    <${Rows} label=${w.list}>
      <${Loading} of=${gateways}>
        ${(all: Gateway[]) =>
          all.length > 0 &&
          html`<div class="table"><table>
            <thead><tr>
              <th scope="col">${common.name}</th><th scope="col">${devices.login.username}</th><th scope="col">${common.made}</th>
              <td></td>
            </tr></thead>
            <tbody>
              ${all.map(
                (one) => html`<tr key=${one.gateway_id}>
                  <th scope="row" data-name=${common.name}>${one.name}</th>
                  <td data-name=${devices.login.username}><code>${one.gateway_id}</code></td>
                  <td data-name=${common.made}><${When} at=${one.created_at} zone=${zone} /></td>
                  <td><div class="actions">${
                    mayManage(one, me) &&
                    html`<button type="button" aria-label=${common.of({ what: messages.open, name: one.name })} onClick=${() => setReading({ gateway: one })}>${messages.open}</button>
                    <${Sure} label=${common.delete} of=${one.name} question=${w.deleteQuestion} onSure=${() => remove(one)} />`
                  }</div></td>
                </tr>`,
              )}
            </tbody>
          </table></div>
          ${all
            .filter((one) => mayManage(one, me))
            .map(
              (one) => html`<${UnreadList}
              key=${one.gateway_id}
              gateway=${one}
              zone=${zone}
              onRead=${(of: TypedMessage) => setReading({ gateway: one, of })}
            />`,
            )}`}
      <//>
    <//>
    ${reading && html`<${ReadMessage} ...${reading} zone=${zone} onChange=${onChange} onClose=${() => setReading(null)} />`}
    ${isCreating && html`<${CreateGateway} onChange=${onChange} onClose=${() => setCreating(false)} />`}
  <//>`;
}
