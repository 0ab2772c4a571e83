import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import type { PeriodForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';
import { MONTHS, WEEKDAYS } from './words.ts';

/** A price at some times; the last one of the list is for all others, and has no times. */
export function PeriodFields(props: {
  name: string;
  number: number;
  of: PeriodForm;
  isLast: boolean;
  unit: string;
  isRequired: boolean;
  mistakes: Mistakes;
  onChange: (period: PeriodForm) => void;
  onEarlier: (() => void) | null;
  onRemove: (() => void) | null;
}) {
  const { name, number, of: period, isLast, unit, isRequired, mistakes, onChange, onEarlier, onRemove } = props;
  const set = (changed: Partial<PeriodForm>) => onChange({ ...period, ...changed });
  const time = (
    member: 'from' | 'to',
    label: string,
  ) => html`<${Field} label=${label} mistake=${mistakes[`${name}.${member}`]}>
    ${(attributes: object) => html`<input
      ...${attributes}
      type="time"
      step="900"
      name=${`${name}.${member}`}
      value=${period[member]}
      onInput=${(event: Event) => set({ [member]: (event.target as HTMLInputElement).value })}
    />`}
  <//>`;
  const cost = html`<${NumberField}
    label=${`Price, ${unit}`}
    name=${`${name}.per_kwh`}
    value=${period.per_kwh}
    isRequired=${isRequired}
    mistakes=${mistakes}
    onInput=${(per_kwh: string) => set({ per_kwh })}
  />`;
  if (isLast) return html`<fieldset class="period"><legend>At all other times</legend>${cost}</fieldset>`;
  return html`<fieldset class="period">
    <legend>Period ${number}</legend>
    <div class="columns three">${cost}${time('from', 'From')}${time('to', 'Until')}</div>
    <${Some} legend="On" names=${WEEKDAYS} of=${period.days} onChange=${(days: number[]) => set({ days })} />
    <details class="more" open=${period.months.length > 0 && period.months.length < 12}>
      <summary>Only in some months</summary>
      <${Some} legend="In" names=${MONTHS} of=${period.months} onChange=${(months: number[]) => set({ months })} />
    </details>
    <p class="actions">
      ${onEarlier && html`<button type="button" aria-label=${`Move period ${number} up`} onClick=${onEarlier}>Move up</button>`}
      ${onRemove && html`<button type="button" aria-label=${`Remove period ${number}`} onClick=${onRemove}>Remove</button>`}
    </p>
  </fieldset>`;
}

/** Some of a few, numbered from 1 on; none of them is all of them. */
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
