import { useState } from 'preact/hooks';
import type { DeviceImport, ImportCredentials } from '#clients/typescript/client.ts';
import { post } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { rich } from '../../parts/rich.ts';
import { save } from '../../parts/save.ts';
import { busy, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { credentialsCsv } from './credentials-csv.ts';

/** The passwords of an import as a file; the service gives them out once. `onTaken`: they are here. */
export function Passwords({ of, onTaken }: { of: DeviceImport; onTaken?: () => void }) {
  const w = words().fleet.imports;
  const { run, isBusy, error } = useAction();
  const [isTaken, setTaken] = useState(false);
  const name = `${w.fileName}-${of.import_id}.csv`;
  const takeAlong = () =>
    run(async () => {
      const path = `/v1/imports/${of.import_id}/credentials`;
      // To this session the same answer comes again: it may be lost on its way, and a browser that asks where to put a file may be told nowhere.
      const taken = await post<ImportCredentials>(path, { once: `passwords-${of.import_id}` });
      save(new Blob([credentialsCsv(taken)], { type: 'text/csv' }), name);
      setTaken(true);
      onTaken?.();
    });
  return html`<p class="note">${rich(w.once)}</p>
    <${Problem} text=${error} />
    <p class="quiet" role="status">${isTaken && w.ready({ name })}</p>
    <p class="actions"><button type="button" class="main" ...${busy(isBusy)} onClick=${takeAlong}>${w.takeAlong}</button></p>`;
}
