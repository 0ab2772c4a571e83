import { useState } from 'preact/hooks';
import { downloadFile, formatErrorSentence } from '../api.ts';
import { html } from '../html.ts';
import { words } from '../words/words.ts';
import { ErrorMessage, getBusyAttributes } from './ui.ts';

/** A file format in which the user can download the displayed data. */
export interface FileChoice {
  name: string;
  hint: string;
  /** Media type of the format, for the request's Accept header. */
  accept: string;
  ending: string;
  path: string;
}

/** Menu that downloads data as a file. `of`: name of the data. `fileName`: name of the file without its extension. */
export function FileMenu({ of, fileName, choices }: { of: string; fileName: string; choices: readonly FileChoice[] }) {
  const w = words().common.download;
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ problem: string | null; done: string }>({ problem: null, done: '' });
  const fetchFile = async ({ path, accept, ending }: FileChoice) => {
    if (isBusy) return;
    setBusy(true);
    setSaid({ problem: null, done: '' });
    try {
      const name = `${fileName}.${ending}`;
      saveFile(await downloadFile(path, accept), name);
      setSaid({ problem: null, done: w.ready({ name }) });
    } catch (error) {
      setSaid({ problem: formatErrorSentence(error), done: '' });
    }
    setBusy(false);
  };
  return html`<details class="download">
    <summary>${w.download}</summary>
    <div class="download-menu">
      <p class="quiet">${of}</p>
      ${choices.map(
        (
          choice,
        ) => html`<button type="button" class="download-choice" key=${choice.ending} ...${getBusyAttributes(isBusy)} onClick=${() => fetchFile(choice)}>
          ${choice.name} <small class="download-hint">${choice.hint}</small>
        </button>`,
      )}
      <${ErrorMessage} text=${said.problem} />
      <p class="quiet" role="status">${said.done}</p>
    </div>
  </details>`;
}

/** Saves content as a file with this name, as a download of the browser. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // After a minute, the browser no longer needs the URL of the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
