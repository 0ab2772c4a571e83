import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperatorOverview, RollupReport } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Badge, Card, ErrorMessage, getBusyAttributes, LoadedContent } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { AccountTable, AuditLog } from './operator/accounts.ts';
import { InstallationFindings } from './operator/findings.ts';
import { RejectedMessages } from './operator/rejected.ts';

export function Page() {
  const { me } = useSession();
  if (me.role !== 'admin') return html`<h1>Operator</h1><p>This page is for administrators.</p>`;
  return html`
    <h1>Operator</h1>
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
const count = (value: number) => new Intl.NumberFormat().format(value);

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
  return html`<${LoadedContent} of=${health}>
    ${({ lag_seconds, waiting, rejected, devices }: OperatorOverview) => html`<dl class="figures">
      <div>
        <dt>Readings stored</dt>
        <dd class="big">${rate.current === null ? '…' : `${count(Math.max(0, Math.round(rate.current * 10) / 10))}/s`}</dd>
        <dd class="quiet">in the last ${EVERY_MS / 1_000} seconds</dd>
      </div>
      <div>
        <dt>Newest reading</dt>
        <dd class="big">${lag_seconds === null ? '–' : `${duration(lag_seconds)} ago`}</dd>
        <dd>${
          lag_seconds === null
            ? html`<${Badge} kind="quiet">none yet<//>`
            : lag_seconds < LONG_SECONDS
              ? html`<${Badge} kind="good">keeping up<//>`
              : html`<${Badge} kind="bad">no readings arrive<//>`
        }</dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd class="big">${count(waiting.deliveries + waiting.usage_changes)}</dd>
        <dd class="quiet">${count(waiting.deliveries)} deliveries, ${count(waiting.usage_changes)} changed hours,${' '}
          ${count(waiting.late_differences)} late changes, ${count(waiting.stale_days)} days to recompute</dd>
      </div>
      <div>
        <dt>Rejected in the last hour</dt>
        <dd class="big">${count(rejected.last_hour)}</dd>
        <dd class="quiet">${count(rejected.last_day)} in the last day</dd>
      </div>
      <div>
        <dt>Devices</dt>
        <dd class="big">${count(devices.active)}</dd>
        <dd class="quiet">active; ${count(devices.inactive)} inactive, ${count(devices.faulty)} faulty</dd>
      </div>
    </dl>
`}
  <//>`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
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
  return html`<${Card} title="Rollup check" actions=${html`<button type="button" onClick=${check} ...${getBusyAttributes(isBusy)}>Check now</button>`}>
    <${ErrorMessage} text=${error} />
    <div role="status">
      ${isBusy && html`<p class="quiet">Comparing every aggregate with the load profile …</p>`}
      ${!isBusy && !report && html`<p class="quiet">Compares hours, days and months with the load profile from which they are computed. The worker does this every night and repairs differences.</p>`}
      ${report && html`<${Result} report=${report} />`}
    </div>
  <//>`;
}

function Result({ report: { users, checked, differences, truncated } }: { report: RollupReport }) {
  const some =
    checked < users
      ? html`<p>The time limit was reached after ${checked} of ${users} users; <code>energy rollups check</code> checks all of them.</p>`
      : null;
  if (differences.length === 0)
    return html`<p><${Badge} kind="good">no differences<//> ${checked} users checked.</p>${some}`;
  return html`<p><${Badge} kind="bad">${truncated ? 'more than ' : ''}${differences.length} rows differ<//> Repair them with <code>energy rollups rebuild</code>.</p>${some}
    <div class="table"><table>
      <thead><tr><th scope="col">Relation</th><th scope="col">Row</th><th scope="col">Stored, mWh</th><th scope="col">Expected, mWh</th></tr></thead>
      <tbody>${differences.map(
        (one) => html`<tr>
          <td data-name="Relation">${one.relation}</td>
          <td data-name="Row"><code>${Object.values(one.key).join(' ')}</code></td>
          <td data-name="Stored, mWh">${one.stored_milliwatt_hours ?? '–'}</td>
          <td data-name="Expected, mWh">${one.expected_milliwatt_hours ?? '–'}</td>
        </tr>`,
      )}</tbody>
    </table></div>`;
}
