import { useEffect, useState } from 'preact/hooks';
import type { Alert } from '#clients/typescript/client.ts';
import type { AlertFiring } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../api.ts';
import { html } from '../html.ts';
import { createMoneyFormatter, formatKwh, formatTime } from '../parts/format.ts';
import { ListCard, PagedList, useListChanges } from '../parts/list.ts';
import { useAllPages, usePages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, ConfirmButton, Dialog, RelativeTime, renderInlineMarkup } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { dateFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { type AlertType, getAlertRuleName, isCostAlertType } from './alerts/alert.ts';
import { AlertDialog } from './alerts/alert-dialog.ts';
import { useDeviceNames } from './alerts/preview.ts';

/** Page with the alerts of the selected account. */
export function Page() {
  const { me, user } = useSession();
  const { common, alerts: w } = words();
  const alerts = useAllPages<Alert>(appendQuery('/v1/alerts', { user_id: user.user_id }));
  const [open, setOpen] = useState<{ what: 'create' } | { what: 'edit' | 'history'; of: Alert } | null>(null);
  const { change, done, told, error } = useListChanges(alerts);
  const close = () => setOpen(null);
  const path = ({ alert_id }: Alert) => `/v1/alerts/${alert_id}`;
  return html`
    <h1>${common.pages.alerts}</h1>
    <p>${user.user_id === me.user_id ? w.aboutOwn({ zone: user.timezone }) : w.about({ email: user.email, zone: user.timezone })}</p>
    <${ListCard} title=${user.user_id === me.user_id ? w.yours : w.of({ email: user.email })}
      create=${w.create} onCreate=${() => setOpen({ what: 'create' })} error=${error} told=${told}
      label=${w.list} of=${alerts} empty=${html`<p>${renderInlineMarkup(w.empty)}</p>`}>${table}<//>
    ${
      (open?.what === 'create' || open?.what === 'edit') &&
      html`<${AlertDialog} of=${open.what === 'edit' ? open.of : undefined} onClose=${close} onDone=${(
        rule: string,
      ) => {
        close();
        done(open.what === 'edit' ? w.saved({ rule }) : w.created({ rule }));
      }} />`
    }
    ${open?.what === 'history' && html`<${AlertFiringsDialog} of=${open.of} onClose=${close} />`}
  `;

  function table(all: Alert[]) {
    // Sort by descending id: ids increase with time, so the newest alert is first.
    return renderTable(
      all.toReversed(),
      [
        [w.alert, getAlertRuleName],
        [w.toldBy, ({ delivery }) => w.deliveries[delivery]],
        [
          common.status,
          ({ status }) => html`<${Badge} kind=${status === 'active' ? 'good' : 'warn'}>${common.statuses[status]}<//>`,
        ],
        [common.made, ({ created_at }) => html`<${RelativeTime} at=${created_at} zone=${user.timezone} />`],
      ],
      {
        key: ({ alert_id }) => alert_id,
        actions: (alert) => {
          const rule = getAlertRuleName(alert);
          const [status, step, changed] =
            alert.status === 'active'
              ? (['paused', words().common.pause, w.paused] as const)
              : (['active', words().common.resume, w.resumed] as const);
          return html`<button type="button" aria-label=${w.historyOf({ rule })} onClick=${() => setOpen({ what: 'history', of: alert })}>${w.history}</button>
            <button type="button" aria-label=${w.editOf({ rule })} onClick=${() => setOpen({ what: 'edit', of: alert })}>${common.edit}</button>
            <button type="button" aria-label=${`${step}: ${rule}`} onClick=${() => change(() => callApi('PATCH', path(alert), { status }), changed({ rule }))}>${step}</button>
            <${ConfirmButton} label=${common.delete} of=${rule} question=${w.deleteQuestion}
              onSure=${() => change(() => callApi('DELETE', path(alert)), w.deleted({ rule }))} />`;
        },
      },
    );
  }
}

const SHOWN = 20;
/** Interval at which the page requests new firings of alerts, in ms. */
const LOOK_MS = 5_000;

/** Dialog with the firings of an alert, newest first. */
function AlertFiringsDialog({ of: alert, onClose }: { of: Alert; onClose: () => void }) {
  const { user } = useSession();
  const { common, alerts } = words();
  const w = alerts.firings;
  const pages = usePages<AlertFiring>(`/v1/alerts/${alert.alert_id}/firings?limit=${SHOWN}`);
  const deviceName = useDeviceNames(user.user_id);
  const { again } = pages.shown;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [again]);
  const isSilence = alert.type === 'no_data';
  const table = (rows: AlertFiring[]) =>
    renderTable(
      rows,
      [
        [w.fired, ({ fired_at }) => html`<${RelativeTime} at=${fired_at} zone=${user.timezone} />`],
        [isSilence ? w.silentSince : words().common.period, (one) => periodName(alert.type, one, user.timezone)],
        isSilence
          ? [common.device, ({ device_id }) => deviceName(device_id ?? '')]
          : [isCostAlertType(alert.type) ? w.costByThen : w.usedByThen, totalOf],
      ],
      { key: ({ event_id }) => event_id },
    );
  return html`<${Dialog} title=${alerts.historyOf({ rule: getAlertRuleName(alert) })} onClose=${onClose}>
    <p class="quiet">${isSilence ? w.oncePerSilence : w.oncePerPeriod}</p>
    <${PagedList} of=${pages} label=${w.list} empty=${html`<p>${w.none}</p>`}>${table}<//>
  <//>`;
}

function totalOf({ kwh_used, cost, currency }: AlertFiring): string {
  if (cost !== null && currency !== null) return createMoneyFormatter(currency)(Number(cost));
  return kwh_used === null ? '–' : formatKwh(kwh_used);
}

/**
 * Returns the display name of the period for which an alert fired: "21 Nov 2026, 14:00 to 15:00", "November 2026". For a silence, returns
 * its start.
 */
function periodName(type: AlertType, { period_start, period_end }: AlertFiring, zone: string): string {
  const as = (options: Intl.DateTimeFormatOptions, at: string) =>
    dateFormat({ ...options, timeZone: zone }).format(new Date(at));
  if (type === 'monthly_usage' || type === 'monthly_cost') return as({ month: 'long', year: 'numeric' }, period_start);
  if (type === 'daily_usage' || type === 'daily_cost')
    return as({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }, period_start);
  const begins = formatTime(period_start, zone);
  return type === 'no_data' || period_end === null
    ? begins
    : words().alerts.firings.span({ from: begins, to: as({ timeStyle: 'short' }, period_end) });
}
