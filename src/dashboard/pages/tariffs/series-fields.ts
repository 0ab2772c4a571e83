import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { Field } from '../../parts/ui.ts';
import type { RatesForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';

const count = new Intl.NumberFormat();

/** How far a series is told: "8,760 prices, until 31 Dec 2026, 24:00". */
export const knownOf = ({ prices, until }: UsableSeries, zone?: string): string =>
  until === null
    ? 'no prices yet'
    : `${count.format(prices)} ${prices === 1 ? 'price' : 'prices'}, until ${time(until, zone)}`;

/** The price of a series, with what is added to it. `series`: null while they are being asked for. */
export function SeriesFields(props: {
  name: 'import' | 'export';
  of: RatesForm;
  currency: string;
  series: UsableSeries[] | null;
  isRequired: boolean;
  mistakes: Mistakes;
  onChange: (changed: Partial<RatesForm>) => void;
}) {
  const { name, of: rates, currency, series, isRequired, mistakes, onChange } = props;
  const fitting = series?.filter((one) => one.currency === currency || one.series_id === rates.series_id) ?? [];
  const hint = `A kWh costs the price of the series × “multiply by” + “add”${isRequired ? '' : '. Choose none if you feed nothing in'}.`;
  return html`
    ${
      series !== null &&
      fitting.length === 0 &&
      html`<p class="note">There is no price series in ${currency || 'this currency'} that you can use yet. A program of yours can tell prices, as JSON or
        CSV: <code>POST /v1/price-series</code>, then <code>PUT /v1/price-series/…/prices</code> (<a href="/docs" target="_blank" rel="noreferrer">Docs</a>).
        Your utility or the operator can offer one, too.</p>`
    }
    <${Field} label="Price series" hint=${hint} mistake=${mistakes[`${name}.series_id`]}>
      ${(attributes: object) => html`<select
        ...${attributes}
        name=${`${name}.series_id`}
        required=${isRequired}
        onChange=${(event: Event) => onChange({ series_id: (event.target as HTMLSelectElement).value })}
      >
        <option value="" selected=${rates.series_id === ''}>–</option>
        ${fitting.map(
          (one) =>
            html`<option value=${one.series_id} selected=${one.series_id === rates.series_id}>${one.name} (${knownOf(one)})</option>`,
        )}
      </select>`}
    <//>
    <div class="columns">
      <${NumberField} label="Multiply by" name=${`${name}.multiply`} value=${rates.multiply} hint="Such as 1.19 for a tax of 19 %. Empty: 1."
        mistakes=${mistakes} onInput=${(multiply: string) => onChange({ multiply })} />
      <${NumberField} label=${`Add, ${currency || 'money'} a kWh`} name=${`${name}.add`} value=${rates.add} hint="Grid, levies, supplier. Empty: nothing."
        mistakes=${mistakes} onInput=${(add: string) => onChange({ add })} />
    </div>`;
}
