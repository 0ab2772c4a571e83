import type { BillPeriod, BillPeriodDetails, BillStatement } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { FileMenu } from '../../parts/file-menu.ts';
import { formatDay, formatTime } from '../../parts/format.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, ConfirmButton, CopyableText, ErrorMessage, getBusyAttributes, LoadedContent } from '../../parts/ui.ts';
import { count, numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** A bill period, with the buttons for its actions. `name`: name of the billed home or device. */
export function BillPeriodCard(props: {
  of: BillPeriod;
  name: string;
  mayBill: boolean;
  onChange: () => void;
  onGone: () => void;
}) {
  const { of, name, mayBill, onChange, onGone } = props;
  const { common, bills: w } = words();
  const path = `/v1/bill-periods/${of.bill_period_id}`;
  const details = useLoad(() => callApi<BillPeriodDetails>('GET', path), [path]);
  const { run, isBusy, error } = useAction();
  const days = common.download.of({ start: formatDay(of.start), end: formatDay(of.end) });
  const carryOut = (what: 'versions' | 'close') =>
    run(async () => {
      details.put(await callApi<BillPeriodDetails>('POST', `${path}/${what}`));
      onChange();
    });
  const remove = () => run(() => callApi('DELETE', path).then(onGone));
  const actions = (bill: BillPeriodDetails) => {
    const isOver = Date.parse(bill.last_told.ends_at) <= Date.now();
    return html`<p class="actions">
      <button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => carryOut('versions')}>${w.again}</button>
      ${isOver && html`<${ConfirmButton} label=${w.close} of=${days} question=${w.closeQuestion} onSure=${() => carryOut('close')} />`}
      <${ConfirmButton} label=${common.delete} of=${days} question=${w.deleteQuestion} onSure=${remove} />
    </p>`;
  };
  return html`<${Card} title=${`${name}, ${days}`}>
    <${ErrorMessage} text=${error} />
    <${LoadedContent} of=${details}>
      ${(bill: BillPeriodDetails) => html`
        <p role="status">${bill.closed_at === null ? w.isOpen : w.isClosed({ at: formatTime(bill.closed_at, bill.timezone) })}</p>
        <${Energies} of=${bill} />
        <${Adjusted} of=${bill} />
        <${Registers} of=${bill.last_told} />
        <${Versions} of=${bill} />
        <details class="more">
          <summary>${w.checksum}</summary>
          <p class="quiet">${w.checksumAbout}</p>
          <${CopyableText} text=${bill.last_told.sha256} label=${w.checksum} />
        </details>
        <${FileMenu} of=${w.inFile} fileName=${`${w.fileName}-${of.start}-${of.end}`} choices=${filesOf(path, w)} />
        ${mayBill && bill.status === 'open' && actions(bill)}`}
    <//>
  <//>`;
}

const filesOf = (path: string, w: ReturnType<typeof words>['bills']) => [
  { name: 'CSV', hint: words().common.download.csvHint, accept: 'text/csv', ending: 'csv', path },
  {
    name: words().common.download.xlsx,
    hint: w.xlsxHint,
    accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
    path,
  },
  { name: 'Green Button (XML)', hint: w.greenButtonHint, accept: 'application/atom+xml', ending: 'xml', path },
];

/** Table of a bill's energy: by its first statement, by its last statement, and as the stored readings now yield it. */
function Energies({ of: { first_told, last_told, known_now, difference } }: { of: BillPeriodDetails }) {
  const w = words().bills;
  const rows = [
    [w.import, 'import_kwh'],
    [w.estimated, 'estimated_kwh'],
    [w.export, 'export_kwh'],
  ] as const;
  return renderTable(rows, [
    [w.energy, ([name]) => name],
    [w.toldFirst, ([, member]) => formatBilledEnergy(first_told[member])],
    [w.toldLast, ([, member]) => formatBilledEnergy(last_told[member])],
    [w.knownNow, ([, member]) => formatBilledEnergy(known_now[member])],
    [w.difference, ([, member]) => formatEnergyChange(difference[member])],
  ]);
}

/** List of a bill's adjustments: amounts from earlier bills, and amounts that later bills contain. */
function Adjusted({ of: bill }: { of: BillPeriodDetails }) {
  const { common, bills: w } = words();
  const formatEnergies = (one: { import_kwh: string; export_kwh: string }) =>
    isZeroEnergy(one.export_kwh)
      ? formatEnergyChange(one.import_kwh)
      : w.both({ imported: formatEnergyChange(one.import_kwh), exported: formatEnergyChange(one.export_kwh) });
  return html`${
    bill.adjustments.length > 0 &&
    html`<h3>${w.adjustments}</h3>
      <ul>${bill.adjustments.map(
        (one) =>
          html`<li><b>${common.download.of({ start: formatDay(one.start), end: formatDay(one.end) })}</b> ${formatEnergies(one)}</li>`,
      )}</ul>`
  }
  ${
    bill.corrections.length > 0 &&
    html`<h3>${w.corrections}</h3>
      <ul>${bill.corrections.map(
        (one) =>
          html`<li><b>${formatEnergies(one)}</b> ${one.status === 'told' ? w.isBilled : one.told_in === null ? w.waitsForAny : w.waits}</li>`,
      )}</ul>`
  }`;
}

type Reading = BillStatement['registers'][number]['at_start'];

function Registers({ of }: { of: BillStatement }) {
  const w = words().bills;
  if (of.registers.length === 0) return null;
  const shown = (reading: Reading) =>
    reading === null
      ? html`<span class="quiet">${w.notKnown}</span>`
      : html`${formatBilledEnergy(reading.kwh)} <small class="quiet">${w.readings[reading.is]}, ${formatTime(reading.at, of.timezone)}</small>`;
  return html`<details class="more">
    <summary>${w.registers}</summary>
    ${renderTable(of.registers, [
      [w.register, ({ channel }) => html`<code>${channel}</code>`],
      [w.atStart, ({ at_start }) => shown(at_start)],
      [w.atEnd, ({ at_end }) => shown(at_end)],
      [w.counted, ({ energy_kwh }) => (energy_kwh === null ? w.notKnown : formatBilledEnergy(energy_kwh))],
    ])}
  </details>`;
}

/** Table of all statements of a bill period. */
function Versions({ of }: { of: BillPeriodDetails }) {
  const w = words().bills;
  return html`<details class="more">
    <summary>${w.versions({ versions: of.versions.length })}</summary>
    ${renderTable(of.versions, [
      [w.version, ({ version, cause }) => `${count(version)}, ${w.causes[cause]}`],
      [w.recorded, ({ recorded_at }) => formatTime(recorded_at, of.timezone)],
      [w.import, ({ import_kwh }) => formatBilledEnergy(import_kwh)],
      [w.changed, ({ import_change_kwh }) => formatEnergyChange(import_change_kwh)],
    ])}
  </details>`;
}

const DIGITS = { minimumFractionDigits: 3, maximumFractionDigits: 3 };

/** Formats a bill's energy with three decimals of a kWh. The API returns it as text with six decimals. */
export const formatBilledEnergy = (kwh: string): string => `${numberFormat(DIGITS).format(Number(kwh))} kWh`;

/** Formats a change of energy with a plus or minus sign. */
export const formatEnergyChange = (kwh: string): string =>
  `${numberFormat({ ...DIGITS, signDisplay: 'exceptZero' }).format(Number(kwh))} kWh`;

/** Returns whether an energy is zero, exact to the milliwatt-hour. */
export const isZeroEnergy = (kwh: string): boolean => Number(kwh) === 0;
