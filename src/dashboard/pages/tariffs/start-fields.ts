import { useEffect, useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { COUNTRIES, formsOf, likelyCountry } from './start-from.ts';
import type { TariffTemplate } from './templates.ts';

/** What a new tariff begins with. */
export interface Start {
  name: string;
  currency: string;
  terms: TariffTemplate['terms'] | Tariff;
  note?: string | undefined;
}

const BLANK: Start = { name: '', currency: '', terms: { import: { per_kwh: '' } } };

/** Chooses what a new tariff begins with: the one that holds now, a form that is usual in a country, or nothing. */
export function StartFrom(props: { current: Tariff | null; zone: string; onStart: (start: Start) => void }) {
  const { current, zone, onStart } = props;
  const [from, setFrom] = useState(() => (current ? 'current' : likelyCountry(zone, navigator.language)));
  const [form, setForm] = useState(0);
  const forms = formsOf(from);
  useEffect(() => {
    if (from === 'current' && current) return onStart({ ...current, terms: current });
    onStart(forms[form] ?? BLANK);
  }, [from, form]);
  const country = new Intl.DisplayNames(undefined, { type: 'region' });
  return html`<div class=${forms.length > 0 ? 'columns' : ''}>
    <${Field} label="Start from">
      ${(attributes: object) => html`<select
        ...${attributes}
        onChange=${(event: Event) => {
          setFrom((event.target as HTMLSelectElement).value);
          setForm(0);
        }}
      >
        ${current && html`<option value="current" selected=${from === 'current'}>The tariff that holds now</option>`}
        ${COUNTRIES.map((one) => html`<option value=${one} selected=${one === from}>${country.of(one)}</option>`)}
        <option value="" selected=${from === ''}>Another country</option>
      </select>`}
    <//>
    ${
      forms.length > 0 &&
      html`<${Field} label="Form">
        ${(attributes: object) => html`<select
          ...${attributes}
          onChange=${(event: Event) => setForm(Number((event.target as HTMLSelectElement).value))}
        >
          ${forms.map(({ name }, index) => html`<option value=${index} selected=${index === form}>${name}</option>`)}
        </select>`}
      <//>`
    }
  </div>`;
}
