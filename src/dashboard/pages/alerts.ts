import { useState } from 'preact/hooks';
import type { Alert } from '#clients/typescript/client.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { nameOf } from './alerts/alert.ts';
import { AlertDialog } from './alerts/alert-dialog.ts';
import { AlertRow } from './alerts/alert-row.ts';
import { Firings } from './alerts/firings.ts';

/** Alerts of the picked account. */
export function Page() {
  const { me, user } = useSession();
  const alerts = useLoad(
    () => list<Alert>(withQuery('/v1/alerts', { user_id: user.user_id, limit: 200 })),
    [user.user_id],
  );
  const [open, setOpen] = useState<{ what: 'create' } | { what: 'edit' | 'history'; of: Alert } | null>(null);
  const [told, setTold] = useState('');
  const { run, error } = useAction();
  const close = () => setOpen(null);
  const done = (what: string) => {
    setTold(what);
    alerts.again();
  };
  const change = (alert: Alert, status: Alert['status']) =>
    run(async () => {
      await call('PATCH', `/v1/alerts/${alert.alert_id}`, { status });
      done(
        status === 'paused'
          ? `Paused: ${nameOf(alert)}. It does not fire until it is resumed.`
          : `Resumed: ${nameOf(alert)}.`,
      );
    });
  const remove = (alert: Alert) =>
    run(async () => {
      await call('DELETE', `/v1/alerts/${alert.alert_id}`);
      done(`Deleted: ${nameOf(alert)}.`);
    });
  const whose = user.user_id === me.user_id ? 'your home' : user.email;
  return html`
    <h1>Alerts</h1>
    <p>An alert tells when ${whose} uses or pays more than it should, or when a device falls silent. Periods are hours, days and
      months of ${user.timezone}.</p>
    <${Card}
      title=${user.user_id === me.user_id ? 'Your alerts' : `Alerts of ${user.email}`}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen({ what: 'create' })}>Create an alert</button>`}
    >
      <${Problem} text=${error} />
      <p class="quiet told" role="status">${told}</p>
      <${Rows} label="List of alerts">
        <${Loading} of=${alerts}>
          ${(all: Alert[]) => (all.length === 0 ? empty : table(all))}
        <//>
      <//>
    <//>
    ${
      open?.what === 'create' &&
      html`<${AlertDialog} onClose=${close} onDone=${(rule: string) => {
        close();
        done(`Created: ${rule}. It watches from now on.`);
      }} />`
    }
    ${
      open?.what === 'edit' &&
      html`<${AlertDialog} of=${open.of} onClose=${close} onDone=${(rule: string) => {
        close();
        done(`Saved: ${rule}.`);
      }} />`
    }
    ${open?.what === 'history' && html`<${Firings} of=${open.of} onClose=${close} />`}
  `;

  function table(all: Alert[]) {
    // The youngest first: identifiers grow with time.
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">Alert</th><th scope="col">Told by</th><th scope="col">Status</th><th scope="col">Made</th><td></td>
      </tr></thead>
      <tbody>
        ${all.toReversed().map(
          (alert) => html`<${AlertRow}
            key=${alert.alert_id}
            of=${alert}
            zone=${user.timezone}
            onHistory=${() => setOpen({ what: 'history', of: alert })}
            onEdit=${() => setOpen({ what: 'edit', of: alert })}
            onStatus=${(status: Alert['status']) => change(alert, status)}
            onDelete=${() => remove(alert)}
          />`,
        )}
      </tbody>
    </table></div>`;
  }
}

const empty = html`<p>There is no alert yet. Press <b>Create an alert</b>: you see on which of the last 90 days it would have
  fired, before you make it.</p>`;
