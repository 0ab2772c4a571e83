import { html } from '../../html.ts';
import { monthNames, weekdayNames } from '../../parts/format.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import type { PeriodForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';

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
  const w = words().tariffs.form;
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
    <${Some} legend=${w.on} names=${weekdayNames()} of=${period.days} onChange=${(days: number[]) => set({ days })} />
    <details class="more" open=${period.months.length > 0 && period.months.length < 12}>
      <summary>${w.someMonths}</summary>
      <${Some} legend=${w.in} names=${monthNames()} of=${period.months} onChange=${(months: number[]) => set({ months })} />
    </details>
    <p class="actions">
      ${onEarlier && html`<button type="button" aria-label=${w.movePeriodUp({ number })} onClick=${onEarlier}>${w.moveUp}</button>`}
      ${onRemove && html`<button type="button" aria-label=${w.removePeriod({ number })} onClick=${onRemove}>${w.remove}</button>`}
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
