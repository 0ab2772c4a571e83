import type { Alert } from '#clients/typescript/client.ts';
import { appendQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useAllPages } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Badge, Card, LoadedContent, renderInlineMarkup } from '../../parts/ui.ts';
import { usePageLink, useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { getAlertRuleName } from '../alerts/alert.ts';

/** List of everything that the account can be notified about, with the channel (such as mail or SMS) of each. */
export function NotificationList() {
  const { me } = useSession();
  const to = usePageLink();
  const { alerts: named, sessions: w } = words();
  const alerts = useAllPages<Alert>(appendQuery('/v1/alerts', { user_id: me.user_id }));
  type Notice = [name: string, way: string, isOn: boolean];
  const rows = (all: Alert[]): Notice[] => [
    ...all.map((one): Notice => [getAlertRuleName(one), named.deliveries[one.delivery], one.status === 'active']),
    [words().home.plainWords.title, named.deliveries.email, me.remarks_by_mail],
    [w.security, named.deliveries.email, true],
  ];
  return html`<${Card} title=${w.noticesTitle}>
    <${LoadedContent} of=${alerts}>
      ${(all: Alert[]) =>
        renderTable(rows(all), [
          [w.notice, ([name]) => name],
          [w.way, ([, way, isOn]) => (isOn ? way : html`<${Badge} kind="quiet">${w.off}<//>`)],
        ])}
    <//>
    <p class="quiet">${renderInlineMarkup(w.changeNotices, (name) => html`<a ...${to('alerts')}>${name}</a>`)}</p>
  <//>`;
}
