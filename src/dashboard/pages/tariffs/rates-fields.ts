import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { type Children, html } from '../../html.ts';
import { decimals } from '../../parts/format.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { NO_CONDITION, type PeriodForm, type RatesForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';
import { PeriodFields } from './period-fields.ts';
import { SeriesFields } from './series-fields.ts';

const KINDS: readonly RatesForm['kind'][] = ['none', 'flat', 'periods', 'series'];

/** What energy costs, or earns: one price, by the clock, or by a series. */
export function RatesFields(props: {
  /** Member of the tariff. */
  name: 'import' | 'export';
  legend: string;
  of: RatesForm;
  currency: string;
  series: UsableSeries[] | null;
  mistakes: Mistakes;
  onChange: (rates: RatesForm) => void;
}) {
  const { name, legend, of: rates, currency, series, mistakes, onChange } = props;
  const isRequired = name === 'import';
  const w = words().tariffs.form;
  const unit = w.unit({ money: currency || w.money });
  const set = (changed: Partial<RatesForm>) => onChange({ ...rates, ...changed });
  const kinds = KINDS.filter((kind) => kind !== 'none' || !isRequired);
  const fields: Record<RatesForm['kind'], () => Children> = {
    none: () => null,
    flat: () => html`<${NumberField}
      label=${w.price({ unit })}
      name=${`${name}.per_kwh`}
      value=${rates.per_kwh}
      isRequired=${isRequired}
      hint=${isRequired ? w.priceHint({ example: decimals(0.3, 2) }) : w.noFeedIn}
      mistakes=${mistakes}
      onInput=${(per_kwh: string) => set({ per_kwh })}
    />`,
    periods,
    series: () =>
      html`<${SeriesFields} name=${name} of=${rates} currency=${currency} series=${series} isRequired=${isRequired} mistakes=${mistakes} onChange=${set} />`,
  };
  return html`<fieldset>
    <legend>${legend}</legend>
    <${Field} label=${w.kind} mistake=${mistakes[name]}>
      ${(attributes: object) => html`<select
        ...${attributes}
        name=${name}
        value=${rates.kind}
        onChange=${(event: Event) => set({ kind: (event.target as HTMLSelectElement).value as RatesForm['kind'] })}
      >
        ${kinds.map((kind) => html`<option value=${kind} selected=${kind === rates.kind}>${w.kinds[kind]}</option>`)}
      </select>`}
    <//>
    ${fields[rates.kind]()}
  </fieldset>`;

  function periods() {
    const all = rates.periods;
    const put = (periods: PeriodForm[]) => set({ periods });
    const swapped = (index: number) =>
      all.toSpliced(index - 1, 2, all[index] as PeriodForm, all[index - 1] as PeriodForm);
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
          onChange=${(changed: PeriodForm) => put(all.with(index, changed))}
          onEarlier=${index > 0 ? () => put(swapped(index)) : null}
          onRemove=${all.length > 2 ? () => put(all.toSpliced(index, 1)) : null}
        />`,
      )}
      <p class="actions"><button type="button" onClick=${() => put(all.toSpliced(-1, 0, NO_CONDITION))}>${w.addPeriod}</button></p>`;
  }
}
