import type { Alert } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Badge, Sure, When } from '../../parts/ui.ts';
import { DELIVERIES, nameOf } from './alert.ts';

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
  const step = isActive ? 'Pause' : 'Resume';
  return html`<tr>
    <th scope="row" data-name="Alert">${name}</th>
    <td data-name="Told by">${DELIVERIES[alert.delivery]}</td>
    <td data-name="Status"><${Badge} kind=${isActive ? 'good' : 'warn'}>${alert.status}<//></td>
    <td data-name="Made"><${When} at=${alert.created_at} zone=${zone} /></td>
    <td>
      <div class="actions">
        <button type="button" aria-label=${`History: ${name}`} onClick=${onHistory}>History</button>
        <button type="button" aria-label=${`Edit: ${name}`} onClick=${onEdit}>Edit</button>
        <button type="button" aria-label=${`${step}: ${name}`} onClick=${() => onStatus(isActive ? 'paused' : 'active')}>${step}</button>
        <${Sure}
          label="Delete"
          of=${name}
          question="It stops firing, and its history is deleted. To silence it for a while, pause it."
          onSure=${onDelete}
        />
      </div>
    </td>
  </tr>`;
}
