import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeviceDetails, ReadingEdit } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatTime } from '../../parts/format.ts';
import { LoadedList } from '../../parts/list.ts';
import { useAction, useAllPages } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Badge, Card, ConfirmButton, ErrorMessage, RelativeTime } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { CreateReadingEditDialog } from './create-edit.ts';
import { canManageDevice } from './device.ts';

/** Interval at which pages check whether past consumption is still being recomputed, in ms. */
const LOOK_MS = 2_000;

/** Calls `again` at intervals while past consumption is being recomputed (`isWaiting`). Calls `onEnd` when `isWaiting` becomes false. */
export function useRecomputationPolling(isWaiting: boolean, again: () => void, onEnd: () => void): void {
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (wasWaiting.current && !isWaiting) onEnd();
    wasWaiting.current = isWaiting;
    if (!isWaiting) return;
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, again]);
}

/** List of the manual edits of a device's readings. `onComputed` is called when the device's consumption may have changed. */
export function ReadingEditList({ of: device, onComputed }: { of: DeviceDetails; onComputed: () => void }) {
  const { me } = useSession();
  const { edits: w } = words().devices;
  const path = `/v1/devices/${device.device_id}/edits`;
  const edits = useAllPages<ReadingEdit>(path);
  const [isOpen, setOpen] = useState(false);
  const { run, error } = useAction();
  const isWaiting = edits.value?.some(({ is_computed }) => !is_computed) ?? false;
  useRecomputationPolling(isWaiting, edits.again, onComputed);
  const revoke = (editId: string) => run(() => callApi('DELETE', `${path}/${editId}`).then(edits.again));
  const add =
    canManageDevice(device, me) && html`<button type="button" onClick=${() => setOpen(true)}>${w.new}</button>`;
  return html`<${Card} title=${w.title} actions=${add}>
    <p class="quiet">${w.about}</p>
    <${ErrorMessage} text=${error} />
    <${LoadedList} label=${w.list} of=${edits} empty=${html`<p>${w.none}</p>`}>
      ${(all: ReadingEdit[]) => html`<${EditTable} of=${all.toReversed()} device=${device} onRevoke=${revoke} />`}
    <//>
    ${
      isOpen &&
      html`<${CreateReadingEditDialog} device=${device} onClose=${() => setOpen(false)} onMade=${() => {
        setOpen(false);
        edits.again();
      }} />`
    }
  <//>`;
}

/** Table of the edits of a device's readings. `onRevoke` is called with the id of a revoked edit. */
function EditTable(props: { of: ReadingEdit[]; device: DeviceDetails; onRevoke: (editId: string) => void }) {
  const { of: all, device, onRevoke } = props;
  const { me, user } = useSession();
  const { common, devices } = words();
  const { edits: w } = devices;
  const person = (userId: string | null) => {
    if (userId === null) return w.erased;
    return userId === me.user_id ? w.you : userId === user.user_id ? user.email : userId;
  };
  const what = (edit: ReadingEdit) => describeEdit(edit, device);
  const when = (edit: ReadingEdit) => timeOfEdit(edit, user.timezone);
  const at = (iso: string) => html`<${RelativeTime} at=${iso} zone=${user.timezone} />`;
  return renderTable(
    all,
    [
      [words().common.what, what],
      [words().common.when, when],
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
        canManageDevice(device, me) &&
        one.status === 'in_force' &&
        html`<${ConfirmButton} label=${w.revoke} of=${`${what(one)}, ${when(one)}`} question=${w.revokeQuestion} onSure=${() => onRevoke(one.edit_id)} />`,
    },
  );
}

function describeEdit({ native_name, kwh }: ReadingEdit, device: DeviceDetails): string {
  const { edits: w } = words().devices;
  if (kwh === null) return w.excludedOf({ quantity: native_name ?? w.every });
  const unit = device.channels.find((channel) => channel.native_name === native_name)?.unit ?? 'kWh';
  return w.readOf({
    value: `${numberFormat({ maximumFractionDigits: 6 }).format(kwh)} ${unit}`,
    quantity: native_name ?? '',
  });
}

function timeOfEdit({ start, end, at }: ReadingEdit, zone: string): string {
  const from = formatTime(start ?? at ?? '', zone);
  return end === null ? from : words().devices.edits.fromTo({ from, to: formatTime(end, zone) });
}
