import type { Gateway, JudgedMessage } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { rich } from '../../parts/rich.ts';
import { Badge, Copy } from '../../parts/ui.ts';
import { numberFormat } from '../../words/locale.ts';
import { textNamed, words } from '../../words/words.ts';
import { UseSetting } from './use-setting.ts';

const shown = (value: number | boolean) =>
  typeof value === 'number' ? numberFormat({ maximumFractionDigits: 9 }).format(value) : String(value);

/** What the service makes of a message: what is read of it, why not, and which setting would help. `onUse`: one of them was stored in the gateway. */
export function Judgement(props: {
  of: JudgedMessage;
  zone: string;
  gateway?: Gateway;
  onUse?: (gateway: Gateway) => void;
}) {
  const { of: judged, zone, gateway, onUse } = props;
  const { messages: w, devices } = words();
  const { outcome, family, readings, asks, refused, left_out, would } = judged;
  const kind = (name: string) => textNamed(devices.discovered.kinds, name) ?? name;
  return html`
    <p role="status">${rich(outcome === 'nobody' ? w.outcomes.nobody : w.outcomes[outcome]({ family: family ?? '' }))}</p>
    ${
      readings.length + asks.length > 0 &&
      html`<div class="table"><table>
        <thead><tr>
          <th scope="col">${w.device}</th><th scope="col">${w.quantity}</th><th scope="col">${w.value}</th><th scope="col">${w.time}</th>
        </tr></thead>
        <tbody>
          ${readings.map(
            ({ device, channel, kind: name, value, ts }) => html`<tr key=${`${device} ${channel} ${name}`}>
              <th scope="row" data-name=${w.device}>${device}</th>
              <td data-name=${w.quantity}><span>${kind(name)} <code>${channel}</code></span></td>
              <td data-name=${w.value}>${shown(value)}</td>
              <td data-name=${w.time}>${ts === null ? html`<span class="quiet">${w.atReceipt}</span>` : time(ts, zone)}</td>
            </tr>`,
          )}
          ${asks.map(
            ({ device, native_name, unit, value }) => html`<tr key=${`${device} ${native_name}`}>
              <th scope="row" data-name=${w.device}>${device}</th>
              <td data-name=${w.quantity}><span><code>${native_name}</code> <${Badge} kind="warn">${w.isAsked}<//></span></td>
              <td data-name=${w.value}>${`${shown(value)} ${unit ?? ''}`}</td>
              <td></td>
            </tr>`,
          )}
        </tbody>
      </table></div>`
    }
    ${refused.length > 0 && html`<ul lang="en">${refused.map((reason) => html`<li>${reason}</li>`)}</ul>`}
    ${left_out > 0 && html`<p class="quiet">${w.leftOut({ count: left_out })}</p>`}
    ${would.map(
      (one) => html`
        <p>${rich(w.would({ family: one.family }))}</p>
        <${Copy} text=${JSON.stringify(one.decoder_config)} label=${w.setting} />
        ${gateway && onUse && html`<${UseSetting} key=${JSON.stringify(one)} gateway=${gateway} of=${one} onSaved=${onUse} />`}
      `,
    )}
  `;
}
