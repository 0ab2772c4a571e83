import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeviceDetails, ReadingEdit } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { LoadedList } from '../../parts/list.ts';
import { useAction, useAll } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Badge, Card, ConfirmButton, ErrorMessage, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { CreateEdit } from './create-edit.ts';
import { mayManage } from './device.ts';

/** Interval at which the list checks whether the recomputation with all edits has ended. */
const LOOK_MS = 2_000;

/**
 * List of the edits of a device's readings by people: excluded ranges and added register readings. `onComputed`: called
 * when the device's consumption may have changed.
 */
export function EditList({ of: device, onComputed }: { of: DeviceDetails; onComputed: () => void }) {
  const { me, user } = useSession();
  const { common, devices } = words();
  const { edits: w } = devices;
  const path = `/v1/devices/${device.device_id}/edits`;
  const edits = useAll<ReadingEdit>(path);
  const [isOpen, setOpen] = useState(false);
  const { run, error } = useAction();
  const isWaiting = edits.value?.some(({ is_computed }) => !is_computed) ?? false;
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (wasWaiting.current && !isWaiting) onComputed();
    wasWaiting.current = isWaiting;
    if (!isWaiting) return;
    const timer = setInterval(edits.again, LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, edits.again]);
  const person = (userId: string | null) => {
    if (userId === null) return w.erased;
    return userId === me.user_id ? w.you : userId === user.user_id ? user.email : userId;
  };
  const revoke = (editId: string) => run(() => callApi('DELETE', `${path}/${editId}`).then(edits.again));
  const isManager = mayManage(device, me);
  const add = isManager && html`<button type="button" onClick=${() => setOpen(true)}>${w.new}</button>`;
  return html`<${Card} title=${w.title} actions=${add}>
    <p class="quiet">${w.about}</p>
    <${ErrorMessage} text=${error} />
    <${LoadedList} label=${w.list} of=${edits} empty=${html`<p>${w.none}</p>`}>${(all: ReadingEdit[]) => table(all.toReversed())}<//>
    ${
      isOpen &&
      html`<${CreateEdit} device=${device} onClose=${() => setOpen(false)} onMade=${() => {
        setOpen(false);
        edits.again();
      }} />`
    }
  <//>`;

  function table(all: ReadingEdit[]) {
    const at = (iso: string) => html`<${RelativeTime} at=${iso} zone=${user.timezone} />`;
    return renderTable(
      all,
      [
        [w.what, whatOf],
        [w.when, whenOf],
        [w.reason, ({ reason }) => reason],
        [w.made, ({ author, created_at }) => html`<span>${person(author)}, ${at(created_at)}</span>`],
        [
          common.status,
          (one) => html`<span>
            <${Badge} kind=${one.status === 'in_force' ? 'good' : 'quiet'}>${w.statuses[one.status]}<//>
            ${!one.is_computed && html` <${Badge} kind="warn">${w.waits}<//>`}
            ${one.revoked_at && html` ${person(one.revoked_by)}, ${at(one.revoked_at)}`}
          </span>`,
        ],
      ],
      {
        key: ({ edit_id }) => edit_id,
        actions: (one) =>
          isManager &&
          one.status === 'in_force' &&
          html`<${ConfirmButton} label=${w.revoke} of=${`${whatOf(one)}, ${whenOf(one)}`} question=${w.revokeQuestion} onSure=${() => revoke(one.edit_id)} />`,
      },
    );
  }

  function whatOf({ native_name, kwh }: ReadingEdit): string {
    if (kwh === null) return w.excludedOf({ quantity: native_name ?? w.every });
    const unit = device.channels.find((channel) => channel.native_name === native_name)?.unit ?? 'kWh';
    return w.readOf({
      value: `${numberFormat({ maximumFractionDigits: 6 }).format(kwh)} ${unit}`,
      quantity: native_name ?? '',
    });
  }

  function whenOf({ start, end, at }: ReadingEdit): string {
    const [from, to] = [start ?? at ?? '', end];
    return to === null
      ? time(from, user.timezone)
      : w.fromTo({ from: time(from, user.timezone), to: time(to, user.timezone) });
  }
}
