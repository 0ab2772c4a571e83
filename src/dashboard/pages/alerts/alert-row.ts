import type { Alert } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Badge, Sure, When } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { nameOf } from './alert.ts';

/** One alert in the table, with what can be done to it. */
export function AlertRow(props: {
  of: Alert;
  zone: string;
  onHistory: () => void;
  onEdit: () => void;
  onStatus: (status: Alert['status']) => void;
  onDelete: () => void;
}) {
  const { of: alert, zone, onHistory, onEdit, onStatus, onDelete } = props;
  const name = nameOf(alert);
  const isActive = alert.status === 'active';
  const { common, alerts: w } = words();
  const step = isActive ? w.pause : w.resume;
  return html`<tr>
    <th scope="row" data-name=${w.alert}>${name}</th>
    <td data-name=${w.toldBy}>${w.deliveries[alert.delivery]}</td>
    <td data-name=${common.status}><${Badge} kind=${isActive ? 'good' : 'warn'}>${common.statuses[alert.status]}<//></td>
    <td data-name=${common.made}><${When} at=${alert.created_at} zone=${zone} /></td>
    <td>
      <div class="actions">
        <button type="button" aria-label=${w.historyOf({ rule: name })} onClick=${onHistory}>${w.history}</button>
        <button type="button" aria-label=${w.editOf({ rule: name })} onClick=${onEdit}>${common.edit}</button>
        <button type="button" aria-label=${`${step}: ${name}`} onClick=${() => onStatus(isActive ? 'paused' : 'active')}>${step}</button>
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
