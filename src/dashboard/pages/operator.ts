import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperatorOverview, RollupReport } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, Card, ErrorMessage, getBusyAttributes, LoadedContent, renderInlineMarkup } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { count } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { AccountTable, AuditLog } from './operator/accounts.ts';
import { InstallationFindings } from './operator/findings.ts';
import { RejectedMessages } from './operator/rejected.ts';

export function Page() {
  const { me } = useSession();
  const heading = html`<h1>${words().common.pages.operator}</h1>`;
  if (me.role !== 'admin') return html`${heading}<p>${words().operator.only}</p>`;
  return html`
    ${heading}
    <${InstallationFindings} />
    <${InstallationHealth} />
    <${RejectedMessages} />
    <${RollupCheck} />
    <${AccountTable} />
    <${AuditLog} />
  `;
}

const EVERY_MS = 5_000;
/** Time in seconds without readings after which the page shows a warning. */
const LONG_SECONDS = 1_800;

/** State of the installation: readings per second, age of the newest reading, and lengths of the queues. */
function InstallationHealth() {
  const health = useLoad(() => callApi<OperatorOverview>('GET', '/v1/operator'), []);
  // The previous response, from which the readings per second are computed.
  const before = useRef<OperatorOverview | null>(null);
  const rate = useRef<number | null>(null);
  const now = health.value;
  if (now && now !== before.current) {
    const seconds = before.current ? (Date.parse(now.at) - Date.parse(before.current.at)) / 1_000 : 0;
    if (before.current && seconds > 0) rate.current = (now.readings_stored - before.current.readings_stored) / seconds;
    before.current = now;
  }
  useEffect(() => {
    const timer = setInterval(health.again, EVERY_MS);
    return () => clearInterval(timer);
  }, [health.again]);
  const w = words().operator.health;
  return html`<${LoadedContent} of=${health}>
    ${({ lag_seconds, waiting, rejected, devices }: OperatorOverview) => html`<dl class="figures">
      <div>
        <dt>${w.stored}</dt>
        <dd class="big">${rate.current === null ? '…' : `${count(Math.max(0, Math.round(rate.current * 10) / 10))}/s`}</dd>
        <dd class="quiet">${w.lastSeconds({ seconds: EVERY_MS / 1_000 })}</dd>
      </div>
      <div>
        <dt>${w.newest}</dt>
        <dd class="big">${lag_seconds === null ? '–' : formatAge(lag_seconds)}</dd>
        <dd>${
          lag_seconds === null
            ? html`<${Badge} kind="quiet">${w.noneYet}<//>`
            : lag_seconds < LONG_SECONDS
              ? html`<${Badge} kind="good">${w.current}<//>`
              : html`<${Badge} kind="bad">${w.stopped}<//>`
        }</dd>
      </div>
      <div>
        <dt>${w.pending}</dt>
        <dd class="big">${count(waiting.deliveries + waiting.usage_changes)}</dd>
        <dd class="quiet">${w.pendingOf(waiting)}</dd>
      </div>
      <div>
        <dt>${w.rejected}</dt>
        <dd class="big">${count(rejected.last_hour)}</dd>
        <dd class="quiet">${w.rejectedInDay({ messages: rejected.last_day })}</dd>
      </div>
      <div>
        <dt>${w.devices}</dt>
        <dd class="big">${count(devices.active)}</dd>
        <dd class="quiet">${w.deviceStates(devices)}</dd>
      </div>
    </dl>
`}
  <//>`;
}

function formatAge(seconds: number): string {
  const { ago } = words().operator.health;
  if (seconds < 90) return ago.seconds({ seconds: Math.max(0, Math.round(seconds)) });
  if (seconds < 5_400) return ago.minutes({ minutes: Math.round(seconds / 60) });
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? ago.hours({ hours }) : ago.days({ days: Math.round(hours / 24) });
}

/** Button that compares the stored aggregates with the quarter-hours from which they are computed. The worker does the same every night. */
function RollupCheck() {
  const [report, setReport] = useState<RollupReport | null>(null);
  const { run, isBusy, error } = useAction();
  const check = () =>
    run(async () => {
      setReport(null);
      setReport(await callApi<RollupReport>('POST', '/v1/rollups/check', {}));
    });
  const w = words().operator.sums;
  return html`<${Card} title=${w.title} actions=${html`<button type="button" onClick=${check} ...${getBusyAttributes(isBusy)}>${w.check}</button>`}>
    <${ErrorMessage} text=${error} />
    <div role="status">
      ${report ? html`<${Result} report=${report} />` : html`<p class="quiet">${isBusy ? w.checking : w.about}</p>`}
    </div>
  <//>`;
}

function Result({ report: { users, checked, differences, truncated } }: { report: RollupReport }) {
  const w = words().operator.sums;
  const some = checked < users && html`<p>${renderInlineMarkup(w.timeUp({ checked, users }))}</p>`;
  if (differences.length === 0)
    return html`<p><${Badge} kind="good">${w.none}<//> ${w.checked({ users: checked })}</p>${some}`;
  return html`<p><${Badge} kind="bad">${(truncated ? w.moreDiffer : w.differ)({ rows: differences.length })}<//> ${renderInlineMarkup(w.repair)}</p>${some}
    ${renderTable(differences, [
      [w.row, ({ key }) => html`<code>${Object.values(key).join(' ')}</code>`],
      [w.table, ({ relation }) => relation],
      [w.stored, ({ stored_milliwatt_hours }) => stored_milliwatt_hours ?? '–'],
      [w.expected, ({ expected_milliwatt_hours }) => expected_milliwatt_hours ?? '–'],
    ])}`;
}
