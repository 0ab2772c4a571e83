import { useState } from 'preact/hooks';
import type { Gateway, UnreadMessages } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { LoadedList } from '../../parts/list.ts';
import { type LoadedData, useAction, useAllPages } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, ConfirmButton, ErrorMessage, RelativeTime, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { CreateGatewayDialog } from './create-gateway.ts';
import { canManageDevice } from './device.ts';
import { DecodeMessageDialog, type MessageToDecode } from './read-message.ts';

/**
 * List of the account's gateways. A gateway is a household's MQTT broker, or a login for devices that use their manufacturer's message
 * format.
 */
export function GatewayList(props: { gateways: LoadedData<Gateway[]>; zone: string; onChange: () => void }) {
  const { gateways, zone, onChange } = props;
  const { me } = useSession();
  const { common, devices, messages } = words();
  const w = devices.gateways;
  const [isCreating, setCreating] = useState(false);
  const [reading, setReading] = useState<{ gateway: Gateway; of?: MessageToDecode } | null>(null);
  const { run, error } = useAction();
  const remove = ({ gateway_id }: Gateway) => run(() => callApi('DELETE', `/v1/gateways/${gateway_id}`).then(onChange));
  const table = (all: Gateway[]) =>
    renderTable(
      all,
      [
        [common.name, ({ name }) => name],
        [devices.login.username, ({ gateway_id }) => html`<code>${gateway_id}</code>`],
        [common.made, ({ created_at }) => html`<${RelativeTime} at=${created_at} zone=${zone} />`],
      ],
      {
        key: ({ gateway_id }) => gateway_id,
        actions: (one) =>
          canManageDevice(one, me) &&
          html`<button type="button" aria-label=${common.of({ what: messages.open, name: one.name })} onClick=${() => setReading({ gateway: one })}>${messages.open}</button>
            <${ConfirmButton} label=${common.delete} of=${one.name} question=${w.deleteQuestion} onSure=${() => remove(one)} />`,
      },
    );
  return html`<${Card}
    title=${w.title}
    actions=${html`<button type="button" onClick=${() => setCreating(true)}>${w.create}</button>`}
  >
    <p class="quiet">${w.about}</p>
    <${ErrorMessage} text=${error} />
    <${LoadedList} label=${w.list} of=${gateways}>
        ${(all: Gateway[]) =>
          html`${table(all)}
          ${all
            .filter((one) => canManageDevice(one, me))
            .map(
              (one) => html`<${UnreadList}
              key=${one.gateway_id}
              gateway=${one}
              zone=${zone}
              onRead=${(of: MessageToDecode) => setReading({ gateway: one, of })}
            />`,
            )}`}
    <//>
    ${reading && html`<${DecodeMessageDialog} ...${reading} zone=${zone} onChange=${onChange} onClose=${() => setReading(null)} />`}
    ${isCreating && html`<${CreateGatewayDialog} onChange=${onChange} onClose=${() => setCreating(false)} />`}
  <//>`;
}

/**
 * List of the topics of a gateway's unrecognised messages, most frequent first. `onRead` is called with a sample message that the user
 * wants to examine.
 */
function UnreadList(props: { gateway: Gateway; zone: string; onRead: (message: MessageToDecode) => void }) {
  const { gateway, zone, onRead } = props;
  const { gateway_id, name } = gateway;
  const unread = useAllPages<UnreadMessages>(`/v1/gateways/${gateway_id}/unread`);
  if (unread.value === null) return html`<${ErrorMessage} text=${unread.error} />`;
  const all = [...unread.value].sort((one, other) => other.count - one.count);
  if (all.length === 0) return null;
  const { common, devices } = words();
  const { unread: w } = devices;
  return html`<details>
    <summary>${w.title({ gateway: name, topics: all.length })}</summary>
    <p class="quiet">${renderInlineMarkup(w.about)}</p>
    ${renderTable(
      all,
      [
        [devices.pairing.topic, ({ shape }) => (shape === '#' ? w.others : html`<code>${shape}</code>`)],
        [w.messages, (one) => count(one.count)],
        [common.lastSeen, ({ last_seen_at }) => html`<${RelativeTime} at=${last_seen_at} zone=${zone} />`],
        [w.example, (one) => html`<${Example} of=${one} onRead=${onRead} />`],
      ],
      { key: ({ shape }) => shape },
    )}
  </details>`;
}

function Example(props: { of: UnreadMessages; onRead: (message: MessageToDecode) => void }) {
  const { shape, example } = props.of;
  const { common, messages, devices } = words();
  const { unread: w } = devices;
  if (!example) return html`<span class="quiet">${w.none}</span>`;
  const { topic, payload, encoding, payload_bytes } = example;
  const storedBytes = encoding === 'base64' ? atob(payload).length : new TextEncoder().encode(payload).length;
  const isWholeText = encoding === 'utf-8' && storedBytes === payload_bytes;
  return html`<details>
    <summary>${words().common.show}</summary>
    <p><code>${topic}</code></p>
    <pre tabindex="0" role="group" aria-label=${w.exampleOf({ topic: shape })}><code>${payload}</code></pre>
    ${encoding === 'base64' && html`<p class="quiet">${w.base64}</p>`}
    ${
      isWholeText &&
      html`<p class="actions">
        <button type="button" aria-label=${common.of({ what: messages.open, name: shape })} onClick=${() => props.onRead({ topic, payload })}>${messages.open}</button>
      </p>`
    }
    ${storedBytes < payload_bytes && html`<p class="quiet">${w.cut({ bytes: payload_bytes })}</p>`}
  </details>`;
}
