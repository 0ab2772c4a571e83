import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { decimals, time } from '../../parts/format.ts';
import { rich } from '../../parts/rich.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import type { RatesForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';

/** How far a series is told: "8,760 prices, until 31 Dec 2026, 24:00". */
export const knownOf = ({ prices, until }: UsableSeries, zone?: string): string =>
  until === null ? words().tariffs.noPrices : words().tariffs.pricesUntil({ prices, until: time(until, zone) });

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
  const w = words().tariffs.form;
  const hint = isRequired ? w.seriesHint : w.seriesHintNoFeedIn;
  return html`
    ${
      series !== null &&
      fitting.length === 0 &&
      html`<p class="note">${rich(w.noSeries({ currency: currency || w.thisCurrency }), (name) => html`<a href="/docs" target="_blank" rel="noreferrer">${name}</a>`)}</p>`
    }
    <${Field} label=${w.series} hint=${hint} mistake=${mistakes[`${name}.series_id`]}>
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
      <${NumberField} label=${w.multiply} name=${`${name}.multiply`} value=${rates.multiply} hint=${w.multiplyHint({ example: decimals(1.19, 2) })}
        mistakes=${mistakes} onInput=${(multiply: string) => onChange({ multiply })} />
      <${NumberField} label=${w.addOn({ money: currency || w.money })} name=${`${name}.add`} value=${rates.add} hint=${w.addOnHint}
        mistakes=${mistakes} onInput=${(add: string) => onChange({ add })} />
    </div>`;
}
