import type { SelectablePriceSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { formatDecimals } from '../../parts/format.ts';
import type { ErrorsByPath } from '../../parts/load.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { EMPTY_CAPACITY_CHARGE, type RatesFormValues, type TariffFormValues } from './form.ts';
import { NumberField, RatesFields } from './rates-fields.ts';

/** Fields for the terms of a tariff. `isOffer`: whether the tariff is only compared with another one, and therefore has no first day. */
export function TariffFields(props: {
  of: TariffFormValues;
  series: SelectablePriceSeries[] | null;
  mistakes: ErrorsByPath;
  isOffer?: boolean;
  onChange: (changed: Partial<TariffFormValues>) => void;
}) {
  const { of: form, series, mistakes, isOffer = false, onChange: set } = props;
  const { common, tariffs } = words();
  const w = tariffs.form;
  const text = (member: 'name' | 'valid_from' | 'currency', label: string, attributes: object) => html`<${Field}
    label=${label}
    mistake=${mistakes[member]}
    name=${member}
    value=${form[member]}
    required
    autocomplete="off"
    onInput=${(event: Event) => set({ [member]: (event.target as HTMLInputElement).value })}
    ...${attributes}
  />`;
  const rates = (member: 'import' | 'export', legend: string) =>
    html`<${RatesFields}
      name=${member}
      legend=${legend}
      of=${form[member]}
      currency=${form.currency.trim().toUpperCase()}
      series=${series}
      mistakes=${mistakes}
      onChange=${(changed: RatesFormValues) => set({ [member]: changed })}
    />`;
  const unit = form.currency.trim().toUpperCase() || w.money;
  return html`
    ${text('name', common.name, { maxlength: 200 })}
    <div class="columns">
      ${!isOffer && text('valid_from', w.holdsFrom, { type: 'date', hint: w.holdsFromHint })}
      ${text('currency', w.currency, { maxlength: 3, size: 6, autocapitalize: 'characters', hint: w.currencyHint })}
    </div>
    ${rates('import', tariffs.fromGrid)}
    <${NumberField}
      label=${w.standing({ unit })}
      name="standing_per_day"
      value=${form.standing_per_day}
      hint=${w.standingHint({ ofMonth: formatDecimals(30.4, 1) })}
      mistakes=${mistakes}
      onInput=${(standing_per_day: string) => set({ standing_per_day })}
    />
    ${rates('export', tariffs.intoGrid)}
    <${CapacityFields} of=${form.capacity} unit=${unit} mistakes=${mistakes} onChange=${(capacity: TariffFormValues['capacity']) => set({ capacity })} />`;
}

/** Fields for the price of a month's highest power (capacity charge). `unit`: currency of the tariff. */
function CapacityFields(props: {
  of: TariffFormValues['capacity'];
  unit: string;
  mistakes: ErrorsByPath;
  onChange: (capacity: TariffFormValues['capacity']) => void;
}) {
  const { of: capacity, unit, mistakes, onChange } = props;
  const { form: w, highestLoad } = words().tariffs;
  const set = (changed: Partial<typeof EMPTY_CAPACITY_CHARGE>) =>
    onChange({ ...(capacity ?? EMPTY_CAPACITY_CHARGE), ...changed });
  return html`<fieldset>
    <legend>${highestLoad}</legend>
    <label class="check"><input type="checkbox" name="capacity" checked=${capacity !== null}
      onChange=${() => onChange(capacity ? null : EMPTY_CAPACITY_CHARGE)} /> <span>${w.capacity}</span></label>
    ${
      capacity &&
      html`<div class="need">
        <${NumberField} label=${w.perKw({ unit })} name="capacity.per_kw_month" value=${capacity.per_kw_month} isRequired
          mistakes=${mistakes} onInput=${(per_kw_month: string) => set({ per_kw_month })} />
        <div class="columns">
          <${NumberField} label=${w.meanOf} name="capacity.months_averaged" value=${capacity.months_averaged} hint=${w.meanOfHint}
            mistakes=${mistakes} onInput=${(months_averaged: string) => set({ months_averaged })} />
          <${NumberField} label=${w.atLeast} name="capacity.minimum_kw" value=${capacity.minimum_kw} hint=${w.atLeastHint}
            mistakes=${mistakes} onInput=${(minimum_kw: string) => set({ minimum_kw })} />
        </div>
      </div>`
    }
  </fieldset>`;
}
