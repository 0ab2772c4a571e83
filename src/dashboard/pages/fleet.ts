import { useState } from 'preact/hooks';
import type { FleetDevice, User } from '#clients/typescript/client.ts';
import { callApi, type Page as PageOf, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { PageButtons, useAction, usePages } from '../parts/load.ts';
import { Badge, Card, ErrorMessage, Field, Loading, RelativeTime } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { openQuestionsOf, STATUS_BADGES, typeName } from './devices/device.ts';
import { ImportDevices } from './fleet/import-devices.ts';
import { SilenceMap } from './fleet/silence-map.ts';

/** Page with the devices of all homes that a utility or administrator manages. */
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

const SHOWN = 25;
const STATUSES = ['active', 'inactive', 'faulty'] as const;

/** Filter of the list as query parameters. An empty text does not filter. */
type Filter = Record<'text' | 'status' | 'silent_for_hours' | 'placement' | 'sort', string>;
const ALL: Filter = { text: '', status: '', silent_for_hours: '', placement: '', sort: 'created_at' };

/** Device list with filters and a sort order. */
export function FleetDevices() {
  const [filter, setFilter] = useState(ALL);
  const { common, devices, fleet: w } = words();
  const choose = (event: SubmitEvent) => {
    event.preventDefault();
    const chosen = new FormData(event.target as HTMLFormElement);
    const of = (name: keyof Filter) => String(chosen.get(name) ?? '').trim();
    setFilter({
      text: of('text'),
      status: of('status'),
      silent_for_hours: of('silent_for_hours'),
      placement: of('placement'),
      sort: of('sort'),
    });
  };
  const select =
    (name: keyof Filter, options: Record<string, string>, any = true) =>
    (attributes: object) =>
      html`<select ...${attributes} name=${name}>
      ${any && html`<option value="">${w.any}</option>`}
      ${Object.entries(options).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    </select>`;
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, common.statuses[status]]));
  return html`<${Card} title=${w.devices}>
    <form class="fields" onSubmit=${choose}>
      <${Field} label=${w.text} hint=${w.textHint}>${(attributes: object) => html`<input ...${attributes} type="search" name="text" maxlength="254" autocomplete="off" spellcheck=${false} />`}<//>
      <${Field} label=${devices.state}>${select('status', statuses)}<//>
      <${Field} label=${w.silent}>${select('silent_for_hours', w.silences)}<//>
      <${Field} label=${devices.place}>${select('placement', devices.places)}<//>
      <${Field} label=${w.order}>${select('sort', w.orders, false)}<//>
      <p class="actions"><button class="main">${w.show}</button></p>
    </form>
    <${List} key=${JSON.stringify(filter)} filter=${filter} />
  <//>`;
}

function List({ filter }: { filter: Filter }) {
  const { common, devices, fleet: w } = words();
  const set = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const pages = usePages<FleetDevice>(withQuery('/v1/fleet/devices', { ...set, limit: SHOWN }));
  return html`<div tabindex="-1" ref=${pages.top} role="group" aria-label=${w.list}>
    <${Loading} of=${pages.shown}>
      ${({ rows }: PageOf<FleetDevice>) =>
        rows.length === 0
          ? html`<p>${w.none}</p>`
          : html`<div class="table"><table>
              <thead><tr>
                <th scope="col">${devices.location}</th><th scope="col">${w.owner}</th><th scope="col">${devices.state}</th>
                <th scope="col">${common.lastSeen}</th><th scope="col">${devices.place}</th><th scope="col">${w.family}</th>
              </tr></thead>
              <tbody>${rows.map((device) => html`<${Row} key=${device.device_id} of=${device} />`)}</tbody>
            </table></div>`}
    <//>
    <${PageButtons} of=${pages} names=${[w.first, w.next]} />
  </div>`;
}

function Row({ of: device }: { of: FleetDevice }) {
  const { common, devices: w, fleet } = words();
  const { me, pick, go } = useSession();
  const { run, error } = useAction();
  /** Selects the owner's account, because the device's page shows data of the selected account. */
  const look = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void run(async () => {
      pick(await callApi<User>('GET', `/v1/users/${device.user_id}`));
      go(`devices/${device.device_id}`);
    });
  };
  return html`<tr>
    <th scope="row" data-name=${w.location}>
      <div>
        <a href=${`/dashboard/devices/${device.device_id}`} onClick=${look}>${device.location}</a>
        <br /><span class="quiet">${typeName(device.type)}</span><${ErrorMessage} text=${error} />
      </div>
    </th>
    <td data-name=${fleet.owner}>${device.email ?? device.user_id}</td>
    <td data-name=${w.state}><${Badge} kind=${STATUS_BADGES[device.status]}>${common.statuses[device.status]}<//>${openQuestionsOf(
      device,
      false,
    ).map(({ word, meaning }) => html` <span title=${meaning}><${Badge} kind="warn">${word}<//></span>`)}</td>
    <td data-name=${common.lastSeen}><${RelativeTime} at=${device.last_seen_at} zone=${me.timezone} /></td>
    <td data-name=${w.place}>${w.places[device.placement]}</td>
    <td data-name=${fleet.family}><code>${device.family}</code></td>
  </tr>`;
}
