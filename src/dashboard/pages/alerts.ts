import { useState } from 'preact/hooks';
import type { Alert } from '#clients/typescript/client.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { rich } from '../parts/rich.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { nameOf } from './alerts/alert.ts';
import { AlertDialog } from './alerts/alert-dialog.ts';
import { AlertRow } from './alerts/alert-row.ts';
import { Firings } from './alerts/firings.ts';

/** Alerts of the picked account. */
export function Page() {
  const { me, user } = useSession();
  const { common, alerts: w } = words();
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
      done(status === 'paused' ? w.paused({ rule: nameOf(alert) }) : w.resumed({ rule: nameOf(alert) }));
    });
  const remove = (alert: Alert) =>
    run(async () => {
      await call('DELETE', `/v1/alerts/${alert.alert_id}`);
      done(w.deleted({ rule: nameOf(alert) }));
    });
  return html`
    <h1>${common.pages.alerts}</h1>
    <p>${user.user_id === me.user_id ? w.aboutOwn({ zone: user.timezone }) : w.about({ email: user.email, zone: user.timezone })}</p>
    <${Card}
      title=${user.user_id === me.user_id ? w.yours : w.of({ email: user.email })}
      actions=${html`<button type="button" class="main" onClick=${() => setOpen({ what: 'create' })}>${w.create}</button>`}
    >
      <${Problem} text=${error} />
      <p class="quiet told" role="status">${told}</p>
      <${Rows} label=${w.list}>
        <${Loading} of=${alerts}>
          ${(all: Alert[]) => (all.length === 0 ? html`<p>${rich(w.empty)}</p>` : table(all))}
        <//>
      <//>
    <//>
    ${
      open?.what === 'create' &&
      html`<${AlertDialog} onClose=${close} onDone=${(rule: string) => {
        close();
        done(w.created({ rule }));
      }} />`
    }
    ${
      open?.what === 'edit' &&
      html`<${AlertDialog} of=${open.of} onClose=${close} onDone=${(rule: string) => {
        close();
        done(w.saved({ rule }));
      }} />`
    }
    ${open?.what === 'history' && html`<${Firings} of=${open.of} onClose=${close} />`}
  `;

  function table(all: Alert[]) {
    // The youngest first: identifiers grow with time.
    return html`<div class="table"><table>
      <thead><tr>
        <th scope="col">${w.alert}</th><th scope="col">${w.toldBy}</th><th scope="col">${common.status}</th><th scope="col">${common.made}</th><td></td>
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
