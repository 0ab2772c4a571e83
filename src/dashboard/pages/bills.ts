import { useState } from 'preact/hooks';
import type { BillPeriod, BillPeriodDetails, Device } from '#clients/typescript/client.ts';
import { appendQuery, callApi } from '../api.ts';
import { html } from '../html.ts';
import { formatDay } from '../parts/format.ts';
import { LoadedList } from '../parts/list.ts';
import { readSubmittedForm, useAction, useAllPages } from '../parts/load.ts';
import { getPreviousMonth, getTodayInZone } from '../parts/period.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, Card, Dialog, Field, FormButtons } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { BillPeriodCard, formatBilledEnergy } from './bills/bill.ts';

/**
 * Page with the bill periods of the selected account. Shows the billed energy, the energy that the stored readings now yield, and how the
 * difference is billed.
 */
export function Page() {
  const { me, user } = useSession();
  const { common, bills: w } = words();
  const periods = useAllPages<BillPeriod>(appendQuery('/v1/bill-periods', { user_id: user.user_id }));
  const devices = useAllPages<Device>(appendQuery('/v1/devices', { user_id: user.user_id }));
  const [shown, setShown] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  // Homeowners can see bills, but only utilities and administrators create them.
  const mayBill = me.role !== 'homeowner';
  const nameOf = (deviceId: string | null) =>
    deviceId === null ? w.home : (devices.value?.find(({ device_id }) => device_id === deviceId)?.location ?? deviceId);
  const all = (periods.value ?? []).toSorted((one, other) => (one.start < other.start ? 1 : -1));
  const picked = all.find(({ bill_period_id }) => bill_period_id === shown);
  const made = ({ bill_period_id }: BillPeriodDetails) => {
    setOpen(false);
    setShown(bill_period_id);
    periods.again();
  };
  return html`
    <header class="heading">
      <h1>${common.pages.bills}</h1>
      ${mayBill && html`<button type="button" class="main" onClick=${() => setOpen(true)}>${w.new}</button>`}
    </header>
    <p>${user.user_id === me.user_id ? w.about : common.forUser({ email: user.email })}</p>
    <${Card} title=${w.periods}>
      <${LoadedList} label=${w.list} of=${periods} empty=${html`<p>${mayBill ? w.noneMake : w.none}</p>`}>
        ${() => html`<${BillTable} of=${all} current=${picked} nameOf=${nameOf} onShow=${setShown} />`}
      <//>
    <//>
    ${
      picked &&
      html`<${BillPeriodCard} key=${picked.bill_period_id} of=${picked} name=${nameOf(picked.device_id)} mayBill=${mayBill}
        onChange=${() => periods.again()}
        onGone=${() => {
          setShown(null);
          periods.again();
        }} />`
    }
    ${isOpen && html`<${CreateBillDialog} devices=${devices.value ?? []} onClose=${() => setOpen(false)} onMade=${made} />`}
  `;
}

/** Table of bill periods. `nameOf` returns the name of the billed device or home. */
function BillTable(props: {
  of: readonly BillPeriod[];
  current: BillPeriod | undefined;
  nameOf: (deviceId: string | null) => string;
  onShow: (billPeriodId: string) => void;
}) {
  const { of: all, current, nameOf, onShow } = props;
  const { common, bills: w } = words();
  const days = ({ start, end }: BillPeriod) => common.download.of({ start: formatDay(start), end: formatDay(end) });
  return renderTable(
    all,
    [
      [words().common.period, days],
      [w.what, ({ device_id }) => nameOf(device_id)],
      [
        common.status,
        ({ status }) => html`<${Badge} kind=${status === 'open' ? 'warn' : 'good'}>${w.statuses[status]}<//>`,
      ],
      [w.billed, ({ billed_import_kwh }) => formatBilledEnergy(billed_import_kwh)],
    ],
    {
      key: ({ bill_period_id }) => bill_period_id,
      current,
      actions: (one) => html`<button type="button"
          aria-label=${common.of({ what: words().common.show, name: `${days(one)}, ${nameOf(one.device_id)}` })}
          onClick=${() => onShow(one.bill_period_id)}>${words().common.show}</button>`,
    },
  );
}

/** Dialog that creates a bill period for the selected home or device, by default for the previous month. */
function CreateBillDialog(props: {
  devices: readonly Device[];
  onMade: (made: BillPeriodDetails) => void;
  onClose: () => void;
}) {
  const { devices, onMade, onClose } = props;
  const { me, user } = useSession();
  const { common, bills: w } = words();
  const { run, isBusy, error } = useAction();
  const month = getPreviousMonth(getTodayInZone(user.timezone));
  const create = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const deviceId = String(formData.get('device_id'));
    const of = deviceId === '' ? { user_id: user.user_id } : { device_id: deviceId };
    const days = { start: String(formData.get('start')), end: String(formData.get('end')) };
    run(async () => onMade(await callApi<BillPeriodDetails>('POST', '/v1/bill-periods', { ...of, ...days })));
  };
  const day = (name: 'start' | 'end', label: string) =>
    html`<${Field} label=${label} type="date" name=${name} value=${month[name]} required />`;
  return html`<${Dialog} title=${w.new} onClose=${onClose}>
    <form onSubmit=${create}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${Field} label=${w.what} hint=${w.whatHint} control="select" name="device_id">
        <option value="">${w.home}</option>
        ${devices.map(({ device_id, location }) => html`<option value=${device_id}>${location}</option>`)}
      <//>
      ${day('start', w.first)}
      ${day('end', w.last)}
      <${FormButtons} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}
