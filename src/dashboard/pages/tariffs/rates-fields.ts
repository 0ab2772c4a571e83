import type { SelectablePriceSeries } from '#src/api/dashboard/shapes.ts';
import { type Children, html } from '../../html.ts';
import { DecimalInput } from '../../parts/decimal-input.ts';
import { formatDecimals, formatTime, listMonthNames, listWeekdayNames } from '../../parts/format.ts';
import type { ErrorsByPath } from '../../parts/load.ts';
import { Field, renderInlineMarkup } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { EMPTY_RATE_PERIOD, type RatePeriodFormValues, type RatesFormValues } from './form.ts';

const KINDS: readonly RatesFormValues['kind'][] = ['none', 'flat', 'periods', 'series'];

/** Fields for the rates of imported or exported energy: one price, prices by time of day, or a price series. */
export function RatesFields(props: {
  /** Name of the member that contains these rates in a tariff request. */
  name: 'import' | 'export';
  legend: string;
  of: RatesFormValues;
  currency: string;
  series: SelectablePriceSeries[] | null;
  mistakes: ErrorsByPath;
  onChange: (rates: RatesFormValues) => void;
}) {
  const { name, legend, of: rates, currency, series, mistakes, onChange } = props;
  const isRequired = name === 'import';
  const w = words().tariffs.form;
  const unit = w.unit({ money: currency || w.money });
  const set = (changed: Partial<RatesFormValues>) => onChange({ ...rates, ...changed });
  const kinds = KINDS.filter((kind) => kind !== 'none' || !isRequired);
  const fields: Record<RatesFormValues['kind'], () => Children> = {
    none: () => null,
    flat: () => html`<${NumberField}
      label=${w.price({ unit })}
      name=${`${name}.per_kwh`}
      value=${rates.per_kwh}
      isRequired=${isRequired}
      hint=${isRequired ? w.priceHint({ example: formatDecimals(0.3, 2) }) : w.noFeedIn}
      mistakes=${mistakes}
      onInput=${(per_kwh: string) => set({ per_kwh })}
    />`,
    periods: () =>
      html`<${PeriodsFields} name=${name} of=${rates.periods} unit=${unit} isRequired=${isRequired} mistakes=${mistakes} onChange=${(periods: RatePeriodFormValues[]) => set({ periods })} />`,
    series: () =>
      html`<${SeriesFields} name=${name} of=${rates} currency=${currency} series=${series} isRequired=${isRequired} mistakes=${mistakes} onChange=${set} />`,
  };
  return html`<fieldset>
    <legend>${legend}</legend>
    <${Field} label=${w.kind} mistake=${mistakes[name]} control="select"
      name=${name} value=${rates.kind}
      onChange=${(event: Event) => set({ kind: (event.target as HTMLSelectElement).value as RatesFormValues['kind'] })}>
      ${kinds.map((kind) => html`<option value=${kind} selected=${kind === rates.kind}>${w.kinds[kind]}</option>`)}
    <//>
    ${fields[rates.kind]()}
  </fieldset>`;
}

function PeriodsFields(props: {
  name: 'import' | 'export';
  of: RatePeriodFormValues[];
  unit: string;
  isRequired: boolean;
  mistakes: ErrorsByPath;
  onChange: (periods: RatePeriodFormValues[]) => void;
}) {
  const { name, of: all, unit, isRequired, mistakes, onChange: put } = props;
  const w = words().tariffs.form;
  const swapped = (index: number) =>
    all.toSpliced(index - 1, 2, all[index] as RatePeriodFormValues, all[index - 1] as RatePeriodFormValues);
  const isAsked = isRequired || all.some(({ per_kwh }) => per_kwh !== '');
  return html`<p class="quiet">${w.periodsHint}${isRequired ? '' : ` ${w.noFeedInPeriods}`}</p>
      ${all.map(
        (one, index) => html`<${PeriodFields}
          name=${`${name}.periods.${index}`}
          number=${index + 1}
          of=${one}
          isLast=${index === all.length - 1}
          unit=${unit}
          isRequired=${isAsked}
          mistakes=${mistakes}
          onChange=${(changed: RatePeriodFormValues) => put(all.with(index, changed))}
          onEarlier=${index > 0 ? () => put(swapped(index)) : null}
          onRemove=${all.length > 2 ? () => put(all.toSpliced(index, 1)) : null}
        />`,
      )}
      <p class="actions"><button type="button" onClick=${() => put(all.toSpliced(-1, 0, EMPTY_RATE_PERIOD))}>${w.addPeriod}</button></p>`;
}

/** Fields for a price and the times at which it applies. The last price has no times, because it applies whenever no other price does. */
function PeriodFields(props: {
  name: string;
  number: number;
  of: RatePeriodFormValues;
  isLast: boolean;
  unit: string;
  isRequired: boolean;
  mistakes: ErrorsByPath;
  onChange: (period: RatePeriodFormValues) => void;
  onEarlier: (() => void) | null;
  onRemove: (() => void) | null;
}) {
  const { name, number, of: period, isLast, unit, isRequired, mistakes, onChange, onEarlier, onRemove } = props;
  const w = words().tariffs.form;
  const set = (changed: Partial<RatePeriodFormValues>) => onChange({ ...period, ...changed });
  const time = (
    member: 'from' | 'to',
    label: string,
  ) => html`<${Field} label=${label} mistake=${mistakes[`${name}.${member}`]}
    type="time" step="900" name=${`${name}.${member}`} value=${period[member]}
    onInput=${(event: Event) => set({ [member]: (event.target as HTMLInputElement).value })} />`;
  const cost = html`<${NumberField}
    label=${w.price({ unit })}
    name=${`${name}.per_kwh`}
    value=${period.per_kwh}
    isRequired=${isRequired}
    mistakes=${mistakes}
    onInput=${(per_kwh: string) => set({ per_kwh })}
  />`;
  if (isLast) return html`<fieldset class="period"><legend>${w.otherTimes}</legend>${cost}</fieldset>`;
  return html`<fieldset class="period">
    <legend>${w.period({ number })}</legend>
    <div class="columns three">${cost}${time('from', w.from)}${time('to', w.until)}</div>
    <${Some} legend=${w.on} names=${listWeekdayNames()} of=${period.days} onChange=${(days: number[]) => set({ days })} />
    <details class="more" open=${period.months.length > 0 && period.months.length < 12}>
      <summary>${w.someMonths}</summary>
      <${Some} legend=${w.in} names=${listMonthNames()} of=${period.months} onChange=${(months: number[]) => set({ months })} />
    </details>
    <p class="actions">
      ${onEarlier && html`<button type="button" aria-label=${w.movePeriodUp({ number })} onClick=${onEarlier}>${w.moveUp}</button>`}
      ${onRemove && html`<button type="button" aria-label=${w.removePeriod({ number })} onClick=${onRemove}>${words().common.remove}</button>`}
    </p>
  </fieldset>`;
}

/** Group of checkboxes, numbered from 1. If none is checked, all apply. */
function Some(props: { legend: string; names: readonly string[]; of: number[]; onChange: (some: number[]) => void }) {
  const { legend, names, of, onChange } = props;
  const all = names.map((_, index) => index + 1);
  const checked = of.length === 0 ? all : of;
  const toggle = (one: number) =>
    onChange(checked.includes(one) ? checked.filter((other) => other !== one) : [...checked, one]);
  return html`<div class="some" role="group" aria-label=${legend}>
    ${names.map(
      (name, index) =>
        html`<label><input type="checkbox" checked=${checked.includes(index + 1)} onChange=${() => toggle(index + 1)} /> ${name}</label>`,
    )}
  </div>`;
}

/** Describes the known prices of a series: "8,760 prices, until 31 Dec 2026, 24:00". */
export const describeKnownPrices = ({ prices, until }: SelectablePriceSeries, zone?: string): string =>
  until === null ? words().tariffs.noPrices : words().tariffs.pricesUntil({ prices, until: formatTime(until, zone) });

/** Fields for a price series and its surcharges. `series`: null while the price series are being loaded. */
function SeriesFields(props: {
  name: 'import' | 'export';
  of: RatesFormValues;
  currency: string;
  series: SelectablePriceSeries[] | null;
  isRequired: boolean;
  mistakes: ErrorsByPath;
  onChange: (changed: Partial<RatesFormValues>) => void;
}) {
  const { name, of: rates, currency, series, isRequired, mistakes, onChange } = props;
  const fitting = series?.filter((one) => one.currency === currency || one.series_id === rates.series_id) ?? [];
  const w = words().tariffs.form;
  const hint = isRequired ? w.seriesHint : w.seriesHintNoFeedIn;
  return html`
    ${
      series !== null &&
      fitting.length === 0 &&
      html`<p class="note">${renderInlineMarkup(w.noSeries({ currency: currency || w.thisCurrency }), (name) => html`<a href="/docs" target="_blank" rel="noreferrer">${name}</a>`)}</p>`
    }
    <${Field} label=${w.series} hint=${hint} mistake=${mistakes[`${name}.series_id`]} control="select"
      name=${`${name}.series_id`} required=${isRequired}
      onChange=${(event: Event) => onChange({ series_id: (event.target as HTMLSelectElement).value })}>
      <option value="" selected=${rates.series_id === ''}>–</option>
      ${fitting.map(
        (one) =>
          html`<option value=${one.series_id} selected=${one.series_id === rates.series_id}>${one.name} (${describeKnownPrices(one)})</option>`,
      )}
    <//>
    <div class="columns">
      <${NumberField} label=${w.multiply} name=${`${name}.multiply`} value=${rates.multiply} hint=${w.multiplyHint({ example: formatDecimals(1.19, 2) })}
        mistakes=${mistakes} onInput=${(multiply: string) => onChange({ multiply })} />
      <${NumberField} label=${w.addOn({ money: currency || w.money })} name=${`${name}.add`} value=${rates.add} hint=${w.addOnHint}
        mistakes=${mistakes} onInput=${(add: string) => onChange({ add })} />
    </div>`;
}

/** Field for a decimal number with a comma or a point. `name`: path of the member in requests. */
export function NumberField(props: {
  label: string;
  name: string;
  value: string;
  onInput: (text: string) => void;
  mistakes: ErrorsByPath;
  hint?: string;
  isRequired?: boolean;
}) {
  const { label, name, value, onInput, mistakes, hint, isRequired = false } = props;
  return html`<${Field} label=${label} hint=${hint} mistake=${mistakes[name]} control=${DecimalInput}
    name=${name} value=${value} limits=${null} isRequired=${isRequired} onInput=${onInput} />`;
}
