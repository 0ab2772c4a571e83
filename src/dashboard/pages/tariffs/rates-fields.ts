import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { type Children, html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { NO_CONDITION, type PeriodForm, type RatesForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';
import { PeriodFields } from './period-fields.ts';
import { SeriesFields } from './series-fields.ts';

const KINDS: Record<RatesForm['kind'], string> = {
  none: 'Nothing',
  flat: 'One price',
  periods: 'By the clock: day and night, weekdays, seasons',
  series: 'By a price series (dynamic)',
};

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
  const unit = `${currency || 'money'} a kWh`;
  const set = (changed: Partial<RatesForm>) => onChange({ ...rates, ...changed });
  const kinds = (Object.keys(KINDS) as RatesForm['kind'][]).filter((kind) => kind !== 'none' || !isRequired);
  const fields: Record<RatesForm['kind'], () => Children> = {
    none: () => null,
    flat: () => html`<${NumberField}
      label=${`Price, ${unit}`}
      name=${`${name}.per_kwh`}
      value=${rates.per_kwh}
      isRequired=${isRequired}
      hint=${isRequired ? 'With all taxes, as the bill has it: 30 cents are 0.30.' : 'Leave it empty if you feed nothing in.'}
      mistakes=${mistakes}
      onInput=${(per_kwh: string) => set({ per_kwh })}
    />`,
    periods,
    series: () =>
      html`<${SeriesFields} name=${name} of=${rates} currency=${currency} series=${series} isRequired=${isRequired} mistakes=${mistakes} onChange=${set} />`,
  };
  return html`<fieldset>
    <legend>${legend}</legend>
    <${Field} label="How it is priced" mistake=${mistakes[name]}>
      ${(attributes: object) => html`<select
        ...${attributes}
        name=${name}
        value=${rates.kind}
        onChange=${(event: Event) => set({ kind: (event.target as HTMLSelectElement).value as RatesForm['kind'] })}
      >
        ${kinds.map((kind) => html`<option value=${kind} selected=${kind === rates.kind}>${KINDS[kind]}</option>`)}
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
    return html`<p class="quiet">The first period that fits holds. Times are those of the home, in quarter-hours; past midnight is possible.${
      isRequired ? '' : ' Leave all prices empty if you feed nothing in.'
    }</p>
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
      <p class="actions"><button type="button" onClick=${() => put(all.toSpliced(-1, 0, NO_CONDITION))}>Add a period</button></p>`;
  }
}
