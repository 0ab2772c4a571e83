import type { Gateway, UnreadMessages } from '#clients/typescript/client.ts';
import { list } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { Problem, When } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import type { TypedMessage } from './read-message.ts';

/** What speaks through a gateway and is not understood, the most frequent first; nothing where there is none. `onRead`: its owner looks at an example. */
export function UnreadList(props: { gateway: Gateway; zone: string; onRead: (message: TypedMessage) => void }) {
  const { gateway, zone, onRead } = props;
  const { gateway_id, name } = gateway;
  const unread = useLoad(() => list<UnreadMessages>(`/v1/gateways/${gateway_id}/unread?limit=200`), [gateway_id]);
  if (unread.value === null) return html`<${Problem} text=${unread.error} />`;
  const all = [...unread.value].sort((one, other) => other.count - one.count);
  if (all.length === 0) return null;
  const { common, devices } = words();
  const { unread: w } = devices;
  return html`<details>
    <summary>${w.title({ gateway: name, topics: all.length })}</summary>
    <p class="quiet">${rich(w.about)}</p>
    <div class="table"><table>
      <thead><tr>
        <th scope="col">${devices.pairing.topic}</th><th scope="col">${w.messages}</th><th scope="col">${common.lastSeen}</th>
        <th scope="col">${w.example}</th>
      </tr></thead>
      <tbody>
        ${all.map(
          (one) => html`<tr key=${one.shape}>
            <th scope="row" data-name=${devices.pairing.topic}>${one.shape === '#' ? w.others : html`<code>${one.shape}</code>`}</th>
            <td data-name=${w.messages}>${count(one.count)}</td>
            <td data-name=${common.lastSeen}><${When} at=${one.last_seen_at} zone=${zone} /></td>
            <td data-name=${w.example}><${Example} of=${one} onRead=${onRead} /></td>
          </tr>`,
        )}
      </tbody>
    </table></div>
  </details>`;
}

function Example(props: { of: UnreadMessages; onRead: (message: TypedMessage) => void }) {
  const { shape, example } = props.of;
  const { common, messages, devices } = words();
  const { unread: w } = devices;
  if (!example) return html`<span class="quiet">${w.none}</span>`;
  const { topic, payload, encoding, payload_bytes } = example;
  const kept = encoding === 'base64' ? atob(payload).length : new TextEncoder().encode(payload).length;
  const isWholeText = encoding === 'utf-8' && kept === payload_bytes;
  return html`<details>
    <summary>${w.show}</summary>
    <p><code>${topic}</code></p>
    <pre tabindex="0" role="group" aria-label=${w.exampleOf({ topic: shape })}><code>${payload}</code></pre>
    ${encoding === 'base64' && html`<p class="quiet">${w.base64}</p>`}
    ${
      isWholeText &&
      html`<p class="actions">
        <button type="button" aria-label=${common.of({ what: messages.open, name: shape })} onClick=${() => props.onRead({ topic, payload })}>${messages.open}</button>
      </p>`
    }
    ${kept < payload_bytes && html`<p class="quiet">${w.cut({ bytes: payload_bytes })}</p>`}
  </details>`;
}
