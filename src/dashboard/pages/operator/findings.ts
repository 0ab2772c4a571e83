import type { DoctorReport } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { Badge, Card, getBusyAttributes, LoadedContent } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

type Finding = DoctorReport['findings'][number];

/** Levels of findings that the page shows first, the most severe first, with their badges. */
const OPEN = [
  { level: 'problem', kind: 'bad' },
  { level: 'warning', kind: 'warn' },
] as const;

/** Findings of `energy doctor` about the machine of the API: problems, then warnings, then the folded list of the other checks. */
export function InstallationFindings() {
  const report = useLoad(() => callApi<DoctorReport>('GET', '/v1/operator/findings'), []);
  const w = words().operator.findings;
  const again = html`<button type="button" onClick=${report.again} ...${getBusyAttributes(report.isLoading)}>${w.again}</button>`;
  return html`<${Card} title=${w.title} actions=${again}>
    <${LoadedContent} of=${report}>${({ ok, findings }: DoctorReport) => {
      const others = findings.filter(({ level }) => level === 'ok' || level === 'skipped');
      return html`
        ${ok && html`<p><${Badge} kind="good">${w.none}<//></p>`}
        <ul class="plain links">${OPEN.map(({ level, kind }) =>
          findings.filter((one) => one.level === level).map((one) => html`<${FindingItem} of=${one} kind=${kind} />`),
        )}</ul>
        <details><summary>${w.others({ count: others.length })}</summary>
          <ul class="plain links">${others.map((one) => html`<${FindingItem} of=${one} kind=${one.level === 'ok' ? 'good' : 'quiet'} />`)}</ul>
        </details>`;
    }}<//>
  <//>`;
}

function FindingItem({
  of: { check, level, finding, todo },
  kind,
}: {
  of: Finding;
  kind: 'good' | 'warn' | 'bad' | 'quiet';
}) {
  return html`<li><${Badge} kind=${kind}>${words().operator.findings.levels[level]}<//> <span lang="en"><b>${check}</b>: ${finding}${todo !== null && html`<br /><span class="quiet">${todo}</span>`}</span></li>`;
}
