import type { BillPeriodDetails, Device } from '#clients/typescript/client.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { CreateOrCancel, Dialog, Field } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { monthBefore } from './last-month.ts';

/** Asks what is billed and for which days, the month before at first, and records what is known of them. */
export function CreateBill(props: {
  devices: readonly Device[];
  onMade: (made: BillPeriodDetails) => void;
  onClose: () => void;
}) {
  const { devices, onMade, onClose } = props;
  const { me, user } = useSession();
  const { common, bills: w } = words();
  const { run, isBusy, error } = useAction();
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: user.timezone }).format();
  const month = monthBefore(today);
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const deviceId = String(given.get('device_id'));
    const of = deviceId === '' ? { user_id: user.user_id } : { device_id: deviceId };
    const days = { start: String(given.get('start')), end: String(given.get('end')) };
    run(async () => onMade(await call<BillPeriodDetails>('POST', '/v1/bill-periods', { ...of, ...days })));
  };
  const day = (name: 'start' | 'end', label: string) =>
    html`<${Field} label=${label}>${(attributes: object) =>
      html`<input ...${attributes} type="date" name=${name} value=${month[name]} required />`}<//>`;
  return html`<${Dialog} title=${w.new} onClose=${onClose}>
    <form onSubmit=${create}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${Field} label=${w.what} hint=${w.whatHint}>
        ${(attributes: object) => html`<select ...${attributes} name="device_id">
          <option value="">${w.home}</option>
          ${devices.map(({ device_id, location }) => html`<option value=${device_id}>${location}</option>`)}
        </select>`}
      <//>
      ${day('start', w.first)}
      ${day('end', w.last)}
      <${CreateOrCancel} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}
