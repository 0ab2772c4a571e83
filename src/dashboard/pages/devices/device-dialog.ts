import { useState } from 'preact/hooks';
import type { Device, DeviceDetails } from '#clients/typescript/client.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useAllPages, useLoad } from '../../parts/load.ts';
import {
  Badge,
  ConfirmButton,
  Dialog,
  ErrorMessage,
  getBusyAttributes,
  LoadedContent,
  RelativeTime,
} from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { ClimateChart } from './climate.ts';
import { canManageDevice, getDeviceTypeName, listOpenQuestions, STATUS_BADGES } from './device.ts';
import { DeviceChannels } from './device-channels.ts';
import { DeviceFields, type DeviceFormValues, LocationField, readDeviceForm } from './device-fields.ts';

export function DeviceDialog(props: { deviceId: string; onChange: () => void; onClose: () => void }) {
  const { deviceId, onChange, onClose } = props;
  const { me, user } = useSession();
  const { common, devices } = words();
  const w = devices.details;
  const device = useLoad(() => callApi<DeviceDetails>('GET', `/v1/devices/${deviceId}`), [deviceId]);
  const others = useAllPages<Device>(appendQuery('/v1/devices', { user_id: user.user_id }));
  const { run, error } = useAction();
  const recounted = () => {
    device.again();
    onChange();
  };
  // Replaces the loaded settings at once by the settings in the response, because the form finds changes by comparing its fields with the
  // loaded settings.
  const saved = (now: DeviceDetails) => {
    device.put(now);
    onChange();
  };
  const remove = () =>
    run(async () => {
      await callApi('DELETE', `/v1/devices/${deviceId}`);
      onChange();
      onClose();
    });
  const title = device.value ? `${device.value.location}: ${getDeviceTypeName(device.value.type)}` : common.device;
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${LoadedContent} of=${device}>
      ${(one: DeviceDetails) => {
        const kind = STATUS_BADGES[one.status];
        const isManager = canManageDevice(one, me);
        return html`
          <dl class="facts">
            <dt>${devices.state}</dt>
            <dd><${Badge} kind=${kind}>${common.statuses[one.status]}<//> ${devices.states[one.status]}</dd>
            ${listOpenQuestions(one, true).map(({ word, meaning: why }) => html`<dt>${w.asks}</dt><dd><${Badge} kind="warn">${word}<//> ${why}</dd>`)}
            <dt>${common.lastSeen}</dt>
            <dd><${RelativeTime} at=${one.last_seen_at} zone=${user.timezone} /></dd>
            <dt>${w.paired}</dt>
            <dd><${RelativeTime} at=${one.created_at} zone=${user.timezone} /></dd>
            <dt>${w.identifier}</dt>
            <dd><code>${one.device_id}</code></dd>
          </dl>
          ${!isManager && html`<p class="quiet">${w.ofUtility}</p>`}
          <${DeviceChannels} of=${one} isManager=${isManager} onSaved=${recounted} />
          <${ClimateChart} deviceId=${deviceId} type=${one.type} zone=${user.timezone} />
          <h3>${words().common.settings}</h3>
          <${DeviceSettings} of=${one} isManager=${isManager} others=${others.value ?? []} onSaved=${saved} />
          ${
            isManager &&
            html`<h3>${common.delete}</h3>
            <p class="quiet">${w.deleteAbout}</p>
            <${ErrorMessage} text=${error} />
            <p class="actions"><${ConfirmButton} label=${w.delete} question=${w.deleteQuestion} onSure=${remove} /></p>`
          }`;
      }}
    <//>
  <//>`;
}

/** Form with a device's settings. It sends only the changed fields. */
function DeviceSettings(props: {
  of: DeviceDetails;
  isManager: boolean;
  others: readonly Device[];
  onSaved: (now: DeviceDetails) => void;
}) {
  const { of: device, isManager, others, onSaved } = props;
  const w = words().devices.details;
  const [said, setSaid] = useState('');
  const { run, isBusy, error } = useAction();
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const values = readDeviceForm(event.target as HTMLFormElement);
    const fields = isManager ? (Object.keys(values) as (keyof DeviceFormValues)[]) : (['location'] as const);
    const changed = fields.filter((name) => isChanged(device, values, name));
    setSaid('');
    run(async () => {
      if (changed.length > 0) {
        const patch = Object.fromEntries(changed.map((name) => [name, values[name]]));
        onSaved(await callApi<DeviceDetails>('PATCH', `/v1/devices/${device.device_id}`, patch));
      }
      setSaid(changed.length > 0 ? words().common.saved : w.nothingChanged);
    });
  };
  return html`<form onSubmit=${save} onInput=${() => setSaid('')}>
    ${isManager ? html`<${DeviceFields} of=${device} others=${others} /><p class="quiet">${w.past}</p>` : html`<${LocationField} now=${device.location} />`}
    <${ErrorMessage} text=${error} />
    <p class="actions">
      <button class="main" ...${getBusyAttributes(isBusy)}>${words().common.save}</button>
      <span role="status">${said}</span>
    </p>
  </form>`;
}

/** Returns whether a field of the form has changed. A guessed value always counts as changed, because saving the form confirms it. */
const isChanged = (device: DeviceDetails, given: DeviceFormValues, name: keyof DeviceFormValues): boolean =>
  given[name] !== device[name] || (name === 'placement' && device.attention.includes('placement_guessed'));
