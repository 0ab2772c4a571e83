import { useState } from 'preact/hooks';
import type { FleetDevice, User } from '#clients/typescript/client.ts';
import { appendQuery, callApi } from '../api.ts';
import { html } from '../html.ts';
import { PagedList } from '../parts/list.ts';
import { readSubmittedForm, useAction, usePages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Card, ErrorMessage, Field, RelativeTime } from '../parts/ui.ts';
import { createPlainClickHandler, useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { getDeviceTypeName } from './devices/device.ts';
import { DeviceBadges } from './devices/device-badges.ts';
import { ImportDevicesForm } from './fleet/import-devices.ts';
import { SilenceMap } from './fleet/silence-map.ts';

/** Page with the devices of all homes that a utility or an administrator manages. */
export function Page() {
  const { me } = useSession();
  const [imports, setImports] = useState(0);
  const { common, fleet: w } = words();
  if (me.role === 'homeowner') return html`<h1>${common.pages.fleet}</h1><p>${w.only}</p>`;
  return html`
    <h1>${common.pages.fleet}</h1>
    <p>${w.about}</p>
    <${SilenceMap} />
    <${FleetDeviceList} key=${imports} />
    <${ImportDevicesForm} onDone=${() => setImports((before) => before + 1)} />
  `;
}

const SHOWN = 25;
const STATUSES = ['active', 'inactive', 'faulty'] as const;

/** Filters and sort order of the device list, as query parameters. An empty text means no filter. */
type Filter = Record<'text' | 'status' | 'silent_for_hours' | 'placement' | 'sort', string>;
const ALL: Filter = { text: '', status: '', silent_for_hours: '', placement: '', sort: 'created_at' };

/** List of devices with filters and a selectable order. */
function FleetDeviceList() {
  const [filter, setFilter] = useState(ALL);
  const { common, devices, fleet: w } = words();
  const choose = (event: SubmitEvent) => {
    const chosen = readSubmittedForm(event);
    const of = (name: keyof Filter) => String(chosen.get(name) ?? '').trim();
    setFilter({
      text: of('text'),
      status: of('status'),
      silent_for_hours: of('silent_for_hours'),
      placement: of('placement'),
      sort: of('sort'),
    });
  };
  const select = (name: keyof Filter, label: string, options: Record<string, string>, any = true) =>
    html`<${Field} label=${label} control="select" name=${name}>
      ${any && html`<option value="">${w.any}</option>`}
      ${Object.entries(options).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    <//>`;
  const statuses = Object.fromEntries(STATUSES.map((status) => [status, common.statuses[status]]));
  return html`<${Card} title=${words().common.pages.devices}>
    <form class="fields" onSubmit=${choose}>
      <${Field} label=${w.text} hint=${w.textHint} type="search" name="text" maxlength="254" autocomplete="off" spellcheck=${false} />
      ${select('status', devices.state, statuses)}
      ${select('silent_for_hours', w.silent, w.silences)}
      ${select('placement', devices.place, devices.places)}
      ${select('sort', w.order, w.orders, false)}
      <p class="actions"><button class="main">${words().common.show}</button></p>
    </form>
    <${List} key=${JSON.stringify(filter)} filter=${filter} />
  <//>`;
}

function List({ filter }: { filter: Filter }) {
  const { me } = useSession();
  const { common, devices, fleet: w } = words();
  const set = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const pages = usePages<FleetDevice>(appendQuery('/v1/fleet/devices', { ...set, limit: SHOWN }));
  return html`<${PagedList} of=${pages} label=${w.list} names=${[w.first, w.next]} empty=${html`<p>${w.none}</p>`}>
      ${(rows: FleetDevice[]) =>
        renderTable(
          rows,
          [
            [devices.location, (device) => html`<${DeviceLink} of=${device} />`],
            [w.owner, ({ email, user_id }) => email ?? user_id],
            [devices.state, (device) => html`<${DeviceBadges} of=${device} />`],
            [common.lastSeen, ({ last_seen_at }) => html`<${RelativeTime} at=${last_seen_at} zone=${me.timezone} />`],
            [devices.place, ({ placement }) => devices.places[placement]],
            [w.family, ({ family }) => html`<code>${family}</code>`],
          ],
          { key: ({ device_id }) => device_id },
        )}
  <//>`;
}

/** Link to a device's page. It also selects the account of the device's owner. */
function DeviceLink({ of: device }: { of: FleetDevice }) {
  const { pick, go } = useSession();
  const { run, error } = useAction();
  const look = createPlainClickHandler(() =>
    run(async () => {
      pick(await callApi<User>('GET', `/v1/users/${device.user_id}`));
      go(`devices/${device.device_id}`);
    }),
  );
  return html`<div>
    <a href=${`/dashboard/devices/${device.device_id}`} onClick=${look}>${device.location}</a>
    <br /><span class="quiet">${getDeviceTypeName(device.type)}</span><${ErrorMessage} text=${error} />
  </div>`;
}
