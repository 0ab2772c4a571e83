import { useState } from 'preact/hooks';
import type { DeviceDetails } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { DecimalInput, parseLocalDecimal } from '../../parts/decimal-input.ts';
import { getErrorsByPath, readSubmittedForm, useFormAction } from '../../parts/load.ts';
import { Dialog, Field, FormButtons } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** Maximum register reading that the user can enter, in kWh. */
const MAX_KWH = 1_000_000_000;

type Action = 'exclude' | 'add';

/** Returns whether a person may add a register reading for a quantity. */
const mayBeRegister = ({ unit, counts_as }: DeviceDetails['channels'][number]) =>
  (unit === 'kWh' || unit === 'm³') && counts_as !== null && counts_as !== 'ignored';

/** Dialog that excludes a range of a device's readings, or adds a register reading. Times are in the account's time zone. */
export function CreateReadingEditDialog(props: { device: DeviceDetails; onMade: () => void; onClose: () => void }) {
  const { device, onMade, onClose } = props;
  const { me, user } = useSession();
  const { common, devices } = words();
  const { edits: w } = devices;
  const registers = device.channels.filter(mayBeRegister);
  const [action, setAction] = useState<Action>('exclude');
  const { form, send, mistakes, clear, isBusy, error } = useFormAction((reason) => getErrorsByPath(reason, w.wrong));
  const save = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const text = (name: string) => String(formData.get(name) ?? '');
    const instant = (name: string) => parseLocalInputTime(user.timezone, text(name));
    const typed = parseLocalDecimal(text('kwh'));
    const timesAndValue =
      action === 'add'
        ? { at: instant('at'), kwh: typed.kind === 'number' ? Number(typed.value) : undefined }
        : { start: instant('start'), end: instant('end') };
    const body = { action, native_name: text('native_name') || undefined, ...timesAndValue, reason: text('reason') };
    send(() => callApi('POST', `/v1/devices/${device.device_id}/edits`, body).then(onMade));
  };
  const instantField = (name: 'start' | 'end' | 'at', label: string) =>
    html`<${Field} label=${label} mistake=${mistakes[name]} type="datetime-local" name=${name} step="1" required />`;
  const units = [...new Set(registers.map(({ unit }) => unit))];
  return html`<${Dialog} title=${w.new} onClose=${onClose}>
    <form ref=${form} onSubmit=${save}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${Field} label=${words().common.what} hint=${w.actionHints[action]} control="select"
        name="action" onChange=${(event: Event) => {
          clear();
          setAction((event.target as HTMLSelectElement).value as Action);
        }}>
        <option value="exclude" selected=${action === 'exclude'}>${w.actions.exclude}</option>
        ${registers.length > 0 && html`<option value="add" selected=${action === 'add'}>${w.actions.add}</option>`}
      <//>
      <${Field} label=${w.quantity} mistake=${mistakes.native_name} control="select" key=${action} name="native_name">
        ${action === 'exclude' && html`<option value="">${w.every}</option>`}
        ${(action === 'add' ? registers : device.channels).map(({ native_name }) => html`<option value=${native_name}>${native_name}</option>`)}
      <//>
      ${
        action === 'add'
          ? html`${instantField('at', w.at)}
            <${Field} label=${w.value({ units: units.join(', ') })} mistake=${mistakes.kwh} control=${DecimalInput}
              name="kwh" limits=${{ least: 0, most: MAX_KWH }} isRequired />`
          : html`${instantField('start', w.from)}${instantField('end', w.to)}`
      }
      <p class="quiet">${words().common.timesIn({ zone: user.timezone })}</p>
      <${Field} label=${w.reason} hint=${w.reasonHint} mistake=${mistakes.reason} control="textarea" name="reason" rows="2" maxlength="500" required />
      <${FormButtons} label=${common.save} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

/** Returns the UTC offset of a time zone at a time, in ms. */
function offsetMs(zone: string, ms: number): number {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const wholeMs = Math.floor(ms / 1_000) * 1_000;
  return Date.parse(`${clock.format(wholeMs).replace(' ', 'T')}Z`) - wholeMs;
}

const DAY_MS = 86_400_000;

/**
 * Converts the value of a `datetime-local` input in a time zone (IANA name) to ISO 8601 in UTC. If the local time occurs twice, the first
 * one counts. If it does not exist, the UTC offset before the clock change applies. Returns '' for an empty input.
 */
export function parseLocalInputTime(zone: string, local: string): string {
  const shownMs = Date.parse(`${local}Z`);
  if (Number.isNaN(shownMs)) return '';
  const [before, after] = [offsetMs(zone, shownMs - DAY_MS), offsetMs(zone, shownMs + DAY_MS)];
  const found = [shownMs - before, shownMs - after].filter((ms) => ms + offsetMs(zone, ms) === shownMs);
  return new Date(found.length > 0 ? Math.min(...found) : shownMs - before).toISOString();
}
