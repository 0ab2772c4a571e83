import { useState } from 'preact/hooks';
import type { Device, DeviceDetails } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { DeviceFields, type GivenFields, givenFields, LocationField } from './device-fields.ts';

/** What of a device can be changed here, as a form; only what was changed is sent. Who does not manage it changes its location alone. */
export function DeviceSettings(props: {
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
    const given = givenFields(event.target as HTMLFormElement);
    const fields = isManager ? (Object.keys(given) as (keyof GivenFields)[]) : (['location'] as const);
    const changed = fields.filter((name) => isChanged(device, given, name));
    setSaid('');
    run(async () => {
      if (changed.length > 0) {
        const patch = Object.fromEntries(changed.map((name) => [name, given[name]]));
        onSaved(await call<DeviceDetails>('PATCH', `/v1/devices/${device.device_id}`, patch));
      }
      setSaid(changed.length > 0 ? w.saved : w.nothingChanged);
    });
  };
  return html`<form onSubmit=${save} onInput=${() => setSaid('')}>
    ${isManager ? html`<${DeviceFields} of=${device} others=${others} /><p class="quiet">${w.past}</p>` : html`<${LocationField} now=${device.location} />`}
    <${Problem} text=${error} />
    <p class="actions">
      <button class="main" ...${busy(isBusy)}>${words().common.save}</button>
      <span role="status">${said}</span>
    </p>
  </form>`;
}

/** To save a place that was guessed is to say it. */
const isChanged = (device: DeviceDetails, given: GivenFields, name: keyof GivenFields): boolean =>
  given[name] !== device[name] || (name === 'placement' && device.attention.includes('placement_guessed'));
