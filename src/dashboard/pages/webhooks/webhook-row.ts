import type { Delivery, Webhook } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { Badge, Sure, When } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { nameOf } from './webhook.ts';
import { whyPaused } from './why-paused.ts';

/** As many deliveries in a row as are given up before the service pauses a subscription. */
const LOOKED_AT = 20;

/** One subscription in the table, with what can be done to it. */
export function WebhookRow(props: {
  of: Webhook;
  zone: string;
  /** Its log is the one that is shown. */
  isShown: boolean;
  onShow: () => void;
  onTest: () => void;
  onStatus: (status: Webhook['status']) => void;
  onRotate: () => void;
  onDelete: () => void;
}) {
  const { of: webhook, zone, isShown, onShow, onTest, onStatus, onRotate, onDelete } = props;
  const name = nameOf(webhook);
  const isActive = webhook.status === 'active';
  const { common, webhooks: w } = words();
  return html`<tr>
    <th scope="row" data-name=${w.webhook}><span>${webhook.event} <small class="quiet">${webhook.url}</small></span></th>
    <td data-name=${common.status}>
      <span>
        <${Badge} kind=${isActive ? 'good' : 'warn'}>${common.statuses[webhook.status]}<//>
        ${!isActive && html`${' '}<${WhyPaused} webhookId=${webhook.webhook_id} />`}
      </span>
    </td>
    <td data-name=${common.made}><${When} at=${webhook.created_at} zone=${zone} /></td>
    <td>
      <div class="actions">
        <button type="button" aria-pressed=${isShown} aria-label=${w.deliveriesOf({ name })} onClick=${onShow}>${w.deliveries}</button>
        <button type="button" aria-label=${w.sendTestOf({ name })} onClick=${onTest}>${w.sendTest}</button>
        <button type="button" aria-label=${isActive ? w.pauseOf({ name }) : w.resumeOf({ name })} onClick=${() => onStatus(isActive ? 'paused' : 'active')}>${isActive ? w.pause : w.resume}</button>
        <button type="button" aria-label=${w.rotateSecretOf({ name })} onClick=${onRotate}>${w.rotateSecret}</button>
        <${Sure}
          label=${common.delete}
          of=${name}
          question=${w.deleteQuestion}
          onSure=${onDelete}
        />
      </div>
    </td>
  </tr>`;
}

function WhyPaused({ webhookId }: { webhookId: string }) {
  const log = useLoad(
    () => call<Delivery[]>('GET', `/v1/webhooks/${webhookId}/deliveries?limit=${LOOKED_AT}`),
    [webhookId],
  );
  return log.value === null ? null : html`<small class="quiet">${whyPaused(log.value)}</small>`;
}
