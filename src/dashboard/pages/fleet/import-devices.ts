import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeviceImport } from '#clients/typescript/client.ts';
import type { ImportCheck } from '#src/api/dashboard/shapes.ts';
import { ApiFailure, callApi, formatErrorSentence, postRequest } from '../../api.ts';
import { html } from '../../html.ts';
import { formatTimeAgo } from '../../parts/format.ts';
import { readSubmittedForm, useLoad } from '../../parts/load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { ImportErrorList, ImportedPasswords, ImportPreview, ImportResult } from './import-result.ts';

/** A table of devices that the service has checked. The import sends the checked text, even if the file has changed since. */
interface Checked {
  text: string;
  query: string;
  /** Idempotency key of the import. If the response is lost, repeating the request returns the same response. */
  once: string;
  check: ImportCheck;
}

type Stage =
  | { is: 'choosing'; problem: string | null }
  | { is: 'checking' }
  | { is: 'refused'; mistakes: ImportCheck['mistakes'] }
  | { is: 'checked'; of: Checked; problem: string | null }
  | { is: 'importing'; of: Checked }
  | { is: 'done'; made: DeviceImport };

/**
 * Form that imports a table of devices. It first checks the table, then imports all rows or none, and then offers the passwords as a file,
 * once. `onDone` is called when devices were added.
 */
export function ImportDevicesForm({ onDone }: { onDone: () => void }) {
  const w = words().fleet.imports;
  const [stage, setStage] = useState<Stage>({ is: 'choosing', problem: null });
  const outcome = useRef<HTMLDivElement>(null);
  /** Number of started checks. Only the result of the last one is shown. */
  const asked = useRef(0);
  useEffect(() => {
    if (stage.is === 'checked' || stage.is === 'refused' || stage.is === 'done') outcome.current?.focus();
  }, [stage.is]);

  const isBusy = stage.is === 'checking' || stage.is === 'importing';
  /** Discards the result of a check, because the user has since chosen another file or changed an option of the import. */
  const chooseAnew = () => {
    if (stage.is === 'importing') return;
    asked.current++;
    setStage({ is: 'choosing', problem: null });
  };
  const check = async (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    if (isBusy) return;
    setStage({ is: 'checking' });
    const mine = ++asked.current;
    const next = await checkTable(formData);
    if (mine === asked.current) setStage(next);
  };
  const carryOut = async (of: Checked) => {
    setStage({ is: 'importing', of });
    const next = await importTable(of);
    setStage(next);
    if (next.is === 'done') onDone();
  };

  if (stage.is === 'done')
    return html`<${Card} title=${w.title}>
      <div tabindex="-1" ref=${outcome} role="group" aria-label=${w.done}>
        <${ImportResult} made=${stage.made} onAnother=${() => setStage({ is: 'choosing', problem: null })} />
      </div>
    <//>`;
  return html`<${Card} title=${w.title}>
    <${WaitingPasswords} />
    <p>${w.about}</p>
    <p class="quiet">${renderInlineMarkup(w.columns)}</p>
    <form onSubmit=${check}>
      <${Field} label=${w.file} mistake=${(stage.is === 'choosing' && stage.problem) || undefined}
        type="file" name="table" accept=".csv,text/csv" required onChange=${chooseAnew} />
      <p><label class="check"><input type="checkbox" name="create_users" onChange=${chooseAnew} /> ${w.createUsers}</label></p>
      <p class="actions"><button class=${stage.is === 'checked' ? '' : 'main'} ...${getBusyAttributes(isBusy)}>${w.check}</button></p>
    </form>
    ${stage.is === 'checking' && html`<${Working} text=${w.checking} />`}
    <div class="outcome" tabindex="-1" ref=${outcome} role="group" aria-label=${w.outcome}>
      ${stage.is === 'refused' && html`<${ImportErrorList} of=${stage.mistakes} />`}
      ${
        (stage.is === 'checked' || stage.is === 'importing') &&
        html`<${ImportPreview} of=${stage.of.check} isBusy=${isBusy} onImport=${() => carryOut(stage.of)} />`
      }
      ${stage.is === 'checked' && html`<${ErrorMessage} text=${stage.problem} />`}
    </div>
    ${stage.is === 'importing' && html`<${Working} text=${w.importing({ devices: stage.of.check.created })} />`}
  <//>`;
}

/** Checks the table in a submitted form. Returns what the page shows next. */
async function checkTable(formData: FormData): Promise<Stage> {
  const table = await readDeviceTable(formData.get('table') as File);
  if ('problem' in table) return { is: 'choosing', problem: words().fleet.imports.noTable[table.problem] };
  const query = formData.get('create_users') === 'on' ? '?create_users=true' : '';
  try {
    const check = await postRequest<ImportCheck>(`/v1/import-check${query}`, { type: 'text/csv', text: table.text });
    if (check.mistakes.length > 0) return { is: 'refused', mistakes: check.mistakes };
    return { is: 'checked', of: { ...table, query, once: crypto.randomUUID(), check }, problem: null };
  } catch (error) {
    return refusal(error) ?? { is: 'choosing', problem: formatErrorSentence(error) };
  }
}

async function importTable(of: Checked): Promise<Stage> {
  try {
    const sent = { once: of.once, type: 'text/csv', text: of.text };
    return { is: 'done', made: await postRequest<DeviceImport>(`/v1/imports${of.query}`, sent) };
  } catch (error) {
    return refusal(error) ?? { is: 'checked', of, problem: formatErrorSentence(error) };
  }
}

/** List of imports whose passwords were not downloaded yet. */
function WaitingPasswords() {
  const waiting = useLoad(() => callApi<DeviceImport[]>('GET', '/v1/waiting-imports'), []);
  return (waiting.value ?? []).map(
    (one) => html`<div key=${one.import_id}>
      <p>${words().fleet.imports.waiting({ devices: one.created, ago: formatTimeAgo(one.created_at) })}</p>
      <${ImportedPasswords} of=${one} />
    </div>`,
  );
}

/** Returns a page with the errors of an invalid table; null for any other failure. */
const refusal = (error: unknown): Stage | null =>
  error instanceof ApiFailure && error.status === 422 && error.details.length > 0
    ? { is: 'refused', mistakes: error.details }
    : null;

/** Text and indicator for a running import. The service reports no progress. */
const Working = ({ text }: { text: string }) =>
  html`<p role="status">${text}</p><progress aria-label=${text}></progress>`;

/** Maximum size of a table in bytes, the same as for `POST /v1/imports`. */
const MAX_BYTES = 8 * 1_048_576;

type NoTable = 'tooLarge' | 'notText' | 'semicolons' | 'unreadable';

/** Returns the text of a chosen file, or the reason why it cannot be imported, such as a common mistake of spreadsheet programs. */
export async function readDeviceTable(file: Blob): Promise<{ text: string } | { problem: NoTable }> {
  if (file.size > MAX_BYTES) return { problem: 'tooLarge' };
  // The browser cannot read the file if it was changed or removed after the user chose it.
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return { problem: 'unreadable' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const header = /^[^\r\n]*/.exec(text)?.[0] ?? '';
    return header.includes(';') && !header.includes(',') ? { problem: 'semicolons' } : { text };
  } catch {
    return { problem: 'notText' };
  }
}
