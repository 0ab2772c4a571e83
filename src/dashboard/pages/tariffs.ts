import { useState } from 'preact/hooks';
import type { BillPeriod, Rates, Tariff } from '#clients/typescript/client.ts';
import type { SelectablePriceSeries } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../api.ts';
import { type Children, html } from '../html.ts';
import { formatDay, getDayBefore, listMonthNames, listWeekdayNames } from '../parts/format.ts';
import { LoadedList, useListChanges } from '../parts/list.ts';
import { useAllPages, useLoad } from '../parts/load.ts';
import { getTodayInZone } from '../parts/period.ts';
import { Card, ConfirmButton, ErrorMessage, renderInlineMarkup } from '../parts/ui.ts';
import { usePageLink, useSession } from '../session.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { describeKnownPrices } from './tariffs/rates-fields.ts';
import { TariffDialog } from './tariffs/tariff-dialog.ts';
import { WhatIfCard } from './tariffs/what-if.ts';

/** Page with the selected account's current, future and past tariffs. */
export function Page() {
  const { me, user } = useSession();
  const { common, tariffs: w } = words();
  const tariffs = useAllPages<Tariff>(appendQuery('/v1/tariffs', { user_id: user.user_id }));
  const series = useAllPages<SelectablePriceSeries>(appendQuery('/v1/usable-series', { user_id: user.user_id }));
  const [open, setOpen] = useState<'new' | Tariff | null>(null);
  const { change, done, told, error } = useListChanges(tariffs);
  const today = getTodayInZone(user.timezone);
  // The account's tariffs, ordered by their first day.
  const all = tariffs.value ?? [];
  const current = all.findLast(({ valid_from }) => valid_from <= today) ?? null;
  const actions = (tariff: Tariff) => {
    const { tariff_id, name, valid_from } = tariff;
    return html`<button type="button" aria-label=${w.editOf({ name })} onClick=${() => setOpen(tariff)}>${common.edit}</button>
      <${ConfirmButton} label=${common.delete} of=${name} question=${w.deleteQuestion({ day: formatDay(valid_from) })}
        onSure=${() => change(() => callApi('DELETE', `/v1/tariffs/${tariff_id}`), w.deleted({ name }))} />`;
  };
  const terms = (tariff: Tariff) => html`<${TariffTerms} of=${tariff} series=${series.value} zone=${user.timezone} />`;
  return html`
    <header class="heading">
      <h1>${common.pages.tariffs}</h1>
      <button type="button" class="main" onClick=${() => setOpen('new')}>${w.new}</button>
    </header>
    <p>${user.user_id === me.user_id ? w.aboutOwn : w.about({ email: user.email })}</p>
    <${ErrorMessage} text=${error} />
    <p class="quiet told" role="status">${told}</p>
    <${LoadedList} label=${common.pages.tariffs} of=${tariffs} empty=${html`<p class="note">${renderInlineMarkup(w.empty)}</p>`}>
      ${() => html`<${TariffList} of=${all} current=${current} today=${today} actions=${actions} terms=${terms} />`}
    <//>
    ${me.role === 'homeowner' && html`<${BillsLink} />`}
    ${tariffs.value && html`<${WhatIfCard} current=${current} today=${today} series=${series.value} />`}
    ${
      // The dialog opens when the account's tariffs are loaded, because the defaults depend on them.
      open !== null &&
      !tariffs.isLoading &&
      html`<${TariffDialog}
        ...${open === 'new' ? {} : { of: open }}
        all=${all}
        current=${current}
        today=${today}
        series=${series.value}
        onClose=${() => setOpen(null)}
        onDone=${(name: string) => {
          setOpen(null);
          done(open === 'new' ? w.added({ name }) : w.saved({ name }));
        }}
      />`
    }
  `;
}

/** Link to the bills of a homeowner who has bills. */
function BillsLink() {
  const { user } = useSession();
  const to = usePageLink();
  const { common, tariffs: w } = words();
  const bills = useLoad(
    () => callApi<BillPeriod[]>('GET', appendQuery('/v1/bill-periods', { user_id: user.user_id, limit: 1 })),
    [user.user_id],
  );
  return (
    (bills.value ?? []).length > 0 &&
    html`<${Card} title=${common.pages.bills}>
      <p>${renderInlineMarkup(w.seeBills, (name) => html`<a ...${to('bills')}>${name}</a>`)}</p>
    <//>`
  );
}

/** The current tariff, and tables of future and past tariffs. `all`: all tariffs, ordered by their first day. */
function TariffList(props: {
  of: readonly Tariff[];
  current: Tariff | null;
  today: string;
  actions: (tariff: Tariff) => Children;
  terms: (tariff: Tariff) => Children;
}) {
  const { of: all, current, today, actions, terms } = props;
  const { tariffs: w } = words();
  const later = all.filter(({ valid_from }) => valid_from > today);
  const earlier = all.filter((one) => one !== current && one.valid_from <= today).toReversed();
  return html`
      <${Card} title=${w.holdsNow} actions=${current && actions(current)}>
        ${
          current
            ? html`<p><b>${current.name}</b> <span class="quiet">${w.since({ day: formatDay(current.valid_from) })}</span></p>${terms(current)}`
            : html`<p class="quiet">${w.noneHolds({ day: formatDay(later[0]?.valid_from ?? today) })}</p>`
        }
      <//>
      ${later.length > 0 && html`<${Card} title=${w.toCome}>${table(later)}<//>`}
      ${earlier.length > 0 && html`<${Card} title=${w.earlier}>${table(earlier)}<//>`}
    `;

  function table(some: readonly Tariff[]) {
    return html`<div class="table"><table>
      <thead><tr><th scope="col">${w.tariff}</th><th scope="col">${w.held}</th><th scope="col">${w.prices}</th><td></td></tr></thead>
      <tbody>
        ${some.map(
          (one) => html`<tr key=${one.tariff_id}>
            <th scope="row" data-name=${w.tariff}><span>${one.name}</span></th>
            <td data-name=${w.held}><span>${validityOf(one, all)}</span></td>
            <td class="whole">${terms(one)}</td>
            <td><div class="actions">${actions(one)}</div></td>
          </tr>`,
        )}
      </tbody>
    </table></div>`;
  }
}

/** Formats the time in which a tariff is valid. `all`: all tariffs, ordered by their first day. */
function validityOf({ valid_from }: Tariff, all: readonly Tariff[]): string {
  const next = all.find((one) => one.valid_from > valid_from);
  return next
    ? `${formatDay(valid_from)} – ${formatDay(getDayBefore(next.valid_from))}`
    : words().tariffs.fromOn({ day: formatDay(valid_from) });
}

/**
 * Returns a function that describes a price series by its name and its known prices. `series`: null while the price series are being
 * loaded.
 */
const namesOf = (series: SelectablePriceSeries[] | null, zone: string) => (id: string) => {
  const one = series?.find(({ series_id }) => series_id === id);
  return one
    ? `${one.name} (${describeKnownPrices(one, zone)})`
    : series
      ? words().tariffs.unusableSeries
      : words().tariffs.someSeries;
};

function TariffTerms({ of, series, zone }: { of: Tariff; series: SelectablePriceSeries[] | null; zone: string }) {
  const { currency, standing_per_day, capacity } = of;
  const { tariffs: w } = words();
  const name = namesOf(series, zone);
  const lines = (all: string[]) =>
    all.length === 1 ? all[0] : html`<ul class="plain">${all.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<dl class="facts">
    <dt>${w.fromGrid}</dt><dd>${lines(describeRates(of.import, currency, name))}</dd>
    ${standing_per_day !== undefined && html`<dt>${w.standing}</dt><dd>${w.aDay({ price: formatPrice(standing_per_day, currency) })}</dd>`}
    ${capacity && html`<dt>${w.highestLoad}</dt><dd>${describeCapacityCharge(capacity, currency)}</dd>`}
    ${of.export && html`<dt>${w.feedIn}</dt><dd>${lines(describeRates(of.export, currency, name))}</dd>`}
  </dl>`;
}

const exactly = (value: string | number): string => numberFormat({ maximumFractionDigits: 9 }).format(Number(value));

const formatPrice = (text: string, currency: string): string =>
  numberFormat({ style: 'currency', currency, maximumFractionDigits: 9 }).format(Number(text));

/** Selects names by their numbers (from 1), and joins them. Consecutive names become a range, as in "Mon–Fri, Sun". */
function spans(numbers: readonly number[], names: readonly string[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const one of sorted) {
    const run = runs.at(-1);
    if (run?.[1] === one - 1) run[1] = one;
    else runs.push([one, one]);
  }
  const name = (one: number) => names[one - 1] ?? '';
  return runs.map(([first, last]) => (first === last ? name(first) : `${name(first)}–${name(last)}`)).join(', ');
}

/** Describes the energy prices of a tariff in one line, or in a line for each period. */
function describeRates(rates: Rates, currency: string, formatSeriesName: (id: string) => string): string[] {
  const { tariffs: w } = words();
  if ('per_kwh' in rates) return [w.aKwh({ price: formatPrice(rates.per_kwh, currency) })];
  if ('series_id' in rates) {
    const { series_id, multiply, add } = rates;
    return [
      `${formatSeriesName(series_id)}${multiply ? ` × ${exactly(multiply)}` : ''}${add ? ` + ${formatPrice(add, currency)}` : ''}`,
    ];
  }
  return rates.periods.map(({ per_kwh, days, from, to, months }) => {
    const when = [
      ...(months ? [spans(months, listMonthNames())] : []),
      ...(days ? [spans(days, listWeekdayNames())] : []),
      ...(from || to ? [`${from ?? '00:00'}–${to ?? '24:00'}`] : []),
    ];
    const name = when.join(', ') || (rates.periods.length > 1 ? w.otherwise : w.always);
    return `${name}: ${w.aKwh({ price: formatPrice(per_kwh, currency) })}`;
  });
}

/** Describes the price of a month's highest power in a tariff (capacity charge). */
function describeCapacityCharge(
  { per_kw_month, months_averaged = 1, minimum_kw }: NonNullable<Tariff['capacity']>,
  currency: string,
) {
  const { tariffs: w } = words();
  const mean = months_averaged > 1 ? w.meanOf({ months: months_averaged }) : '';
  const least = minimum_kw ? w.atLeast({ kw: exactly(minimum_kw) }) : '';
  return `${w.capacityPrice({ price: formatPrice(per_kw_month, currency) })}${mean}${least}`;
}
