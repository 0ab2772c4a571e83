import { useState } from 'preact/hooks';
import type { WhatIfResponse } from '#src/api/dashboard/shapes.ts';
import { ApiFailure, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { DecimalInput, formatNumberForInput, parseDecimalInput } from '../../parts/decimal-input.ts';
import {
  createMoneyFormatter,
  DAY_MS,
  formatDay,
  formatKwh,
  formatMoneyAmount,
  formatPercent,
} from '../../parts/format.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { Dialog, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';

/** A simulated battery: the simulated days, the battery's price (null if unknown), and the result. */
interface Tried {
  days: { start: string; end: string };
  price: number | null;
  /** Result of the simulation. Null if the home exports no energy that a battery could store. */
  answer: WhatIfResponse | null;
}

/** Maximum share of hours with unknown usage for which a payback time is computed. */
const MAX_UNKNOWN_SHARE = 0.1;

/** Payback time of a battery. `years`: the price of the battery, divided by what it saves in a year. */
type Payback = { kind: 'years'; years: number } | { kind: 'never' } | { kind: 'unknown' };

/** Returns the number of hours in a range of days, ignoring clock changes. */
export const countHoursInDays = ({ start, end }: { start: string; end: string }): number =>
  ((Date.parse(end) - Date.parse(start)) / DAY_MS + 1) * 24;

/**
 * Returns the payback time of a battery with a price. `saved`: savings in twelve months. `hours`: hours in these months. `unknownHours`:
 * number of these hours with unknown usage.
 */
export function computePayback({
  saved,
  price,
  hours,
  unknownHours,
}: Record<'saved' | 'price' | 'hours' | 'unknownHours', number>): Payback {
  if (unknownHours > hours * MAX_UNKNOWN_SHARE) return { kind: 'unknown' };
  if (saved <= 0) return { kind: 'never' };
  const years = price / saved;
  return { kind: 'years', years: years < 10 ? Math.round(years * 10) / 10 : Math.round(years) };
}

/**
 * Dialog that simulates a battery in a home, and stores nothing. `currency`: currency of the current tariff; null if there is no tariff.
 */
export function BatteryDialog(props: {
  currency: string | null;
  days: { start: string; end: string };
  onClose: () => void;
}) {
  const { currency, days, onClose } = props;
  const { user } = useSession();
  const { common, tariffs } = words();
  const w = tariffs.whatIf.battery;
  const [tried, setTried] = useState<Tried | null>(null);
  const { run, isBusy, error } = useAction();
  const tryIt = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const typed = (name: string) => parseDecimalInput(String(formData.get(name) ?? ''));
    const power = typed('power');
    // Rounded, because the service accepts at most nine decimals.
    const round_trip_efficiency = Number(((typed('efficiency') ?? 0) / 100).toFixed(6));
    const battery = { capacity_kwh: typed('capacity'), charge_kw: power, discharge_kw: power, round_trip_efficiency };
    run(async () => {
      const asked = callApi<WhatIfResponse>('POST', '/v1/what-if', { user_id: user.user_id, ...days, battery });
      const answer = await asked.catch(noSurplus);
      setTried({ days, price: typed('price'), answer });
    });
  };
  const field = (name: keyof typeof DEFAULTS, label: string, hint: string, limits: object) =>
    html`<${Field} label=${label} hint=${hint} control=${DecimalInput}
      name=${name} defaultValue=${formatNumberForInput(DEFAULTS[name])} limits=${limits} isRequired=${name !== 'price'}
      onInput=${() => setTried(null)} />`;
  return html`<${Dialog} title=${w.question} onClose=${onClose}>
    <form onSubmit=${tryIt}>
      <div class="columns">
        ${field('capacity', w.capacity, w.capacityHint, { least: 0.1, most: 1_000 })}
        ${field('power', w.power, w.powerHint, { least: 0.1, most: 1_000 })}
        ${field('efficiency', w.efficiency, w.efficiencyHint, { least: 50, most: 100 })}
        ${currency !== null && field('price', w.price({ currency }), w.priceHint, { least: 0, most: 10_000_000 })}
      </div>
      <p class="quiet">${w.limits}</p>
      <${ErrorMessage} text=${error} />
      <section class="preview" aria-label=${w.label}>
        <div class="note" role="status">${tried ? wordsOf(tried).map((text) => html`<p>${renderInlineMarkup(text)}</p>`) : html`<p>${renderInlineMarkup(w.fillIn)}</p>`}</div>
        ${tried?.answer && html`<${Sides} of=${tried.answer} />`}
      </section>
      <p class="actions">
        <button class="main" ...${getBusyAttributes(isBusy)}>${w.do}</button>
        <button type="button" onClick=${onClose}>${common.close}</button>
      </p>
    </form>
  <//>`;
}

/** Initial values of the form: capacity in kWh, power in kW, efficiency in percent. */
const DEFAULTS = { capacity: 10, power: 5, efficiency: 90, price: '' } as const;

/** Returns null if the error means that the home has no energy to store. Rethrows any other error. */
function noSurplus(reason: unknown): null {
  const isNothing =
    reason instanceof ApiFailure && reason.status === 422 && reason.details.some(({ field }) => field === 'battery');
  if (isNothing) return null;
  throw reason;
}

/** Describes the result of a simulation in paragraphs. */
function wordsOf({ days, price, answer }: Tried): string[] {
  const w = words().tariffs.whatIf.battery;
  if (!answer) return [w.noSurplus];
  const { before, after, battery, unknown_hours } = answer;
  const unknown = unknown_hours === 0 ? [] : [w.unknown({ hours: Math.ceil(unknown_hours) })];
  const cycles = battery ? [w.cycles({ times: Math.round(battery.full_cycles) })] : [];
  if (!before.cost || !after.cost) return [w.noTariff, ...cycles, ...unknown];
  const { currency } = before.cost;
  const saved = Number(before.cost.total) - Number(after.cost.total);
  const from = { start: formatDay(days.start), end: formatDay(days.end) };
  const first = saved > 0 ? w.saved({ ...from, saved: createMoneyFormatter(currency)(saved) }) : w.savedNothing(from);
  const paysBack = price === null ? [] : [paybackWords({ saved, price, days, currency, unknown_hours })];
  return [first, ...paysBack, ...cycles, ...unknown];
}

function paybackWords(of: {
  saved: number;
  price: number;
  days: Tried['days'];
  currency: string;
  unknown_hours: number;
}): string {
  const w = words().tariffs.whatIf.battery;
  const { saved, price, days, currency, unknown_hours } = of;
  const payback = computePayback({ saved, price, hours: countHoursInDays(days), unknownHours: unknown_hours });
  if (payback.kind === 'unknown') return w.tooLittle;
  const shown = formatMoneyAmount(String(price), currency);
  return payback.kind === 'never' ? w.neverPays({ price: shown }) : w.payback({ price: shown, years: payback.years });
}

/** Table that compares the home with and without the battery. */
function Sides({ of: { before, after } }: { of: WhatIfResponse }) {
  const { common, home, tariffs } = words();
  const w = tariffs.whatIf.battery;
  const cost = (side: WhatIfResponse['before']) =>
    side.cost ? formatMoneyAmount(side.cost.total, side.cost.currency) : null;
  const share = (side: WhatIfResponse['before']) => (side.autarky === null ? null : formatPercent(side.autarky));
  const rows: [name: string, before: string | null, after: string | null][] = [
    [tariffs.fromGrid, formatKwh(before.grid_import_kwh, 0), formatKwh(after.grid_import_kwh, 0)],
    [tariffs.intoGrid, formatKwh(before.grid_export_kwh, 0), formatKwh(after.grid_export_kwh, 0)],
    [home.flows.autarky, share(before), share(after)],
    [common.chart.cost, cost(before), cost(after)],
  ];
  return html`<div class="table"><table>
    <thead><tr><td></td><th scope="col">${w.without}</th><th scope="col">${w.with}</th></tr></thead>
    <tbody>${rows
      .filter(([, value]) => value !== null)
      .map(
        ([name, without, withIt]) => html`<tr key=${name}>
          <th scope="row">${name}</th><td data-name=${w.without}>${without}</td><td data-name=${w.with}>${withIt ?? '–'}</td>
        </tr>`,
      )}</tbody>
  </table></div>`;
}
