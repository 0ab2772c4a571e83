import { useState } from 'preact/hooks';
import type { RollupReport } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { Badge, busy, Card, Problem } from '../../parts/ui.ts';

/** Compares the aggregates with the load profile by hand; the worker does so every night. */
export function RollupCheck() {
  const [report, setReport] = useState<RollupReport | null>(null);
  const { run, isBusy, error } = useAction();
  const check = () =>
    run(async () => {
      setReport(null);
      setReport(await call<RollupReport>('POST', '/v1/rollups/check', {}));
    });
  return html`<${Card} title="Rollup check" actions=${html`<button type="button" onClick=${check} ...${busy(isBusy)}>Check now</button>`}>
    <${Problem} text=${error} />
    <div role="status">
      ${isBusy && html`<p class="quiet">Comparing every aggregate with the load profile …</p>`}
      ${!isBusy && !report && html`<p class="quiet">Compares hours, days and months with the load profile beneath them. The worker does so every night, and repairs differences.</p>`}
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
    return html`<p><${Badge} kind="good">nothing differs<//> ${checked} users checked.</p>${some}`;
  return html`<p><${Badge} kind="bad">${truncated ? 'more than ' : ''}${differences.length} rows differ<//> Mend them with <code>energy rollups rebuild</code>.</p>${some}
    <div class="table"><table>
      <thead><tr><th scope="col">Relation</th><th scope="col">Row</th><th scope="col">Stored, mWh</th><th scope="col">Should be, mWh</th></tr></thead>
      <tbody>${differences.map(
        (one) => html`<tr>
          <td data-name="Relation">${one.relation}</td>
          <td data-name="Row"><code>${Object.values(one.key).join(' ')}</code></td>
          <td data-name="Stored, mWh">${one.stored_milliwatt_hours ?? '–'}</td>
          <td data-name="Should be, mWh">${one.expected_milliwatt_hours ?? '–'}</td>
        </tr>`,
      )}</tbody>
    </table></div>`;
}
