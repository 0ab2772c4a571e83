import { useState } from 'preact/hooks';
import type { DeviceImport, ImportCredentials } from '#clients/typescript/client.ts';
import type { ImportCheck } from '#src/api/dashboard/shapes.ts';
import { postRequest } from '../../api.ts';
import { html } from '../../html.ts';
import { saveFile } from '../../parts/file-menu.ts';
import { useAction } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { ErrorMessage, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** Result of an import, with a button that downloads the passwords. */
export function ImportResult({ made, onAnother }: { made: DeviceImport; onAnother: () => void }) {
  const w = words().fleet.imports;
  const [isOver, setOver] = useState(made.credentials === 'gone');
  return html`<p role="status">${w.imported({ created: made.created, existing: made.existing, users: made.users_created })}</p>
    <${Differing} of=${made.differing} />
    ${made.credentials === 'waiting' && html`<${ImportedPasswords} of=${made} onTaken=${() => setOver(true)} />`}
    ${isOver && html`<p class="actions"><button type="button" onClick=${onAnother}>${w.another}</button></p>`}`;
}

const SHOWN = 100;

/** Shows what the import of a valid table would do, with the button that runs the import. */
export function ImportPreview({ of, isBusy, onImport }: { of: ImportCheck; isBusy: boolean; onImport: () => void }) {
  const w = words().fleet.imports;
  return html`<p role="status"><b>${w.right}</b> ${of.created === 0 && w.nothing}</p>
    <dl class="facts">
      <dt>${w.rows}</dt><dd>${count(of.rows)}</dd>
      <dt>${w.created}</dt><dd>${count(of.created)}</dd>
      <dt>${w.existing}</dt><dd>${count(of.existing)}</dd>
      <dt>${w.usersCreated}</dt><dd>${count(of.users_created)}</dd>
    </dl>
    <${Differing} of=${of.differing} />
    ${
      of.created > 0 &&
      html`<p class="actions"><button type="button" class="main" ...${getBusyAttributes(isBusy)} onClick=${() => isBusy || onImport()}>${w.import({ devices: of.created })}</button></p>`
    }`;
}

/** Rows of a table whose devices already exist with other settings. */
function Differing({ of }: { of: ImportCheck['differing'] }) {
  const w = words().fleet.imports;
  if (of.length === 0) return null;
  return html`<details class="more">
    <summary>${w.differing({ rows: of.length })}</summary>
    <ul>${of
      .slice(0, SHOWN)
      .map(
        ({ row, members }) =>
          html`<li>${w.ofLine({ line: count(placeIn(row).line ?? 0) })} <code>${members.join(', ')}</code></li>`,
      )}</ul>
  </details>`;
}

/** List of the validation errors of a table, by line and column. */
export function ImportErrorList({ of }: { of: ImportCheck['mistakes'] }) {
  const w = words().fleet.imports;
  const placed = of
    .map((one) => ({ ...placeIn(one.field), message: one.message }))
    .sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  return html`<p class="problem" role="alert">${w.mistakes({ mistakes: of.length })}</p>
    ${renderTable(placed.slice(0, SHOWN), [
      [w.line, ({ line }) => (line === null ? w.wholeTable : count(line))],
      [w.column, ({ member }) => (member === null ? w.wholeLine : html`<code>${member}</code>`)],
      [w.wrong, ({ message }) => message],
    ])}
    ${of.length > SHOWN && html`<p class="quiet">${w.more({ mistakes: of.length - SHOWN })}</p>`}`;
}

/** Parses the place of a validation error: `line 3.type` or `line 3`. Any other text stands for the whole table. */
function placeIn(field: string): { line: number | null; member: string | null } {
  const [, line, member] = /^line (\d+)(?:\.(.+))?$/.exec(field) ?? [];
  return { line: line === undefined ? null : Number(line), member: member ?? null };
}

/** Button that downloads the passwords of an import, which the service returns only once. `onTaken` is called after the download. */
export function ImportedPasswords({ of, onTaken }: { of: DeviceImport; onTaken?: () => void }) {
  const w = words().fleet.imports;
  const { run, isBusy, error } = useAction();
  const [isTaken, setTaken] = useState(false);
  const name = `${w.fileName}-${of.import_id}.csv`;
  const takeAlong = () =>
    run(async () => {
      const path = `/v1/imports/${of.import_id}/credentials`;
      // With the idempotency key, this session can request the passwords again if the response is lost or the download is cancelled.
      const taken = await postRequest<ImportCredentials>(path, { once: `passwords-${of.import_id}` });
      saveFile(new Blob([formatCredentialsCsv(taken)], { type: 'text/csv' }), name);
      setTaken(true);
      onTaken?.();
    });
  return html`<p class="note">${renderInlineMarkup(w.once)}</p>
    <${ErrorMessage} text=${error} />
    <p class="quiet" role="status">${isTaken && w.ready({ name })}</p>
    <p class="actions"><button type="button" class="main" ...${getBusyAttributes(isBusy)} onClick=${takeAlong}>${w.takeAlong}</button></p>`;
}

const COLUMNS = ['row', 'external_id', 'device_id', 'username', 'password', 'topic'] as const;

/** Formats a value as a cell of a CSV file (RFC 4180). */
const cell = (text: string | null): string =>
  text !== null && /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : (text ?? '');

/** Returns the passwords of an import as CSV in the format of the CLI, in the order of the imported table. */
export const formatCredentialsCsv = ({ credentials }: ImportCredentials): string =>
  [COLUMNS.join(','), ...credentials.map((one) => COLUMNS.map((name) => cell(one[name])).join(','))]
    .map((line) => `${line}\n`)
    .join('');
