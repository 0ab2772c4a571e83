import type { OperatorOverview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { Badge, Card, RelativeTime } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

type Backups = NonNullable<OperatorOverview['backups']>;

const megabytes = (bytes: number): string => count(Math.ceil(bytes / 1e6));

/**
 * Card about the installation's own backups: the latest base backup, the WAL archive after it, and errors. After a restore, it also shows
 * whether deliveries are held.
 */
export function BackupCard({ backups, held_before }: Pick<OperatorOverview, 'backups' | 'held_before'>) {
  const w = words().backups;
  if (!backups && held_before === null) return null;
  return html`<${Card} title=${w.title}>
    ${held_before !== null && html`<p><${Badge} kind="warn"><${RelativeTime} at=${held_before} /><//> ${w.held}</p>`}
    ${backups && html`<${Copies} backups=${backups} />`}
  <//>`;
}

function Copies({ backups }: { backups: Backups }) {
  const w = words().backups;
  const { last_copy, is_archiving, is_sealed, last_archived_at, waiting_bytes, target, faults } = backups;
  return html`<dl class="figures">
      <div>
        <dt>${w.lastCopy}</dt>
        <dd>${last_copy ? html`<${RelativeTime} at=${last_copy.at} />` : '–'}</dd>
        <dd class="quiet">${last_copy ? w.size({ megabytes: megabytes(last_copy.packed_bytes) }) : w.noCopy}</dd>
      </div>
      <div>
        <dt>${w.archive}</dt>
        <dd>${is_archiving && last_archived_at !== null ? html`<${RelativeTime} at=${last_archived_at} />` : '–'}</dd>
        <dd class="quiet">${is_archiving ? w.archivedUntil : w.notArchiving}</dd>
        ${waiting_bytes > 0 && is_archiving && html`<dd class="quiet">${w.waiting({ megabytes: megabytes(waiting_bytes) })}</dd>`}
      </div>
      <div>
        <dt>${w.sealing}</dt>
        <dd><${Badge} kind=${is_sealed ? 'good' : 'warn'}>${is_sealed ? w.sealed : w.open}<//></dd>
      </div>
    </dl>
    <p class="quiet">${w.folder} <code>${target}</code></p>
    ${!is_sealed && html`<p class="quiet">${w.openHint}</p>`}
    ${!is_archiving && html`<p class="quiet">${w.setTarget}</p>`}
    ${faults.length === 0 && html`<p><${Badge} kind="good">${w.good}<//></p>`}
    ${faults.map(
      ({ fault, detail }) => html`<p>
        <${Badge} kind="bad">!<//> ${w.faults[fault]}${' '}
        ${detail !== null && (fault === 'given_up' ? html`<${RelativeTime} at=${detail} />` : html`<code>${detail}</code>`)}
      </p>`,
    )}`;
}
