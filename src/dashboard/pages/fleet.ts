import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { FleetDevices } from './fleet/devices.ts';
import { ImportDevices } from './fleet/import-devices.ts';
import { SilenceMap } from './fleet/silence-map.ts';

/** Devices of all homes that one looks after, for utilities and administrators. */
export function Page() {
  const { me } = useSession();
  const [imports, setImports] = useState(0);
  const { common, fleet: w } = words();
  if (me.role === 'homeowner') return html`<h1>${common.pages.fleet}</h1><p>${w.only}</p>`;
  return html`
    <h1>${common.pages.fleet}</h1>
    <p>${w.about}</p>
    <${SilenceMap} />
    <${FleetDevices} key=${imports} />
    <${ImportDevices} onDone=${() => setImports((before) => before + 1)} />
  `;
}
