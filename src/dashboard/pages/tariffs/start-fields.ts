import { useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { locale } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { TARIFF_TEMPLATES, type TariffTemplate } from './templates.ts';

/** Initial terms in the form for a new tariff. */
export interface InitialTariffTerms {
  name: string;
  currency: string;
  terms: TariffTemplate['terms'] | Tariff;
  note?: string | undefined;
}

const BLANK: InitialTariffTerms = { name: '', currency: '', terms: { import: { per_kwh: '' } } };
const CURRENT = 'current';

/** Returns the key of the default initial terms: those of the current tariff, or of a template for the home's country. */
const likely = (current: Tariff | null, zone: string): string =>
  current ? CURRENT : likelyCountry(zone, navigator.language);

function startOf(from: string, form: number, current: Tariff | null): InitialTariffTerms {
  if (from !== CURRENT || !current) {
    const one = formsOf(from)[form];
    const { names, notes } = words().tariffs.templates;
    return one ? { ...one, name: names[one.name], note: one.note?.map((note) => notes[note]).join(' ') } : BLANK;
  }
  return { name: current.name, currency: current.currency, terms: current };
}

/** Returns the default terms in the form for a new tariff. */
export const getDefaultTariffTerms = (current: Tariff | null, zone: string): InitialTariffTerms =>
  startOf(likely(current, zone), 0, current);

/** Select box for the initial terms of a new tariff: those of the current tariff, of a template, or none. */
export function InitialTermsSelect(props: {
  current: Tariff | null;
  zone: string;
  onStart: (start: InitialTariffTerms) => void;
}) {
  const { current, zone, onStart } = props;
  const [[from, form], setChosen] = useState<[string, number]>(() => [likely(current, zone), 0]);
  const { form: w, templates } = words().tariffs;
  const forms = formsOf(from);
  const choose = (from: string, form: number) => {
    setChosen([from, form]);
    onStart(startOf(from, form, current));
  };
  const country = new Intl.DisplayNames(locale(), { type: 'region' });
  return html`<div class=${forms.length > 0 ? 'columns' : ''}>
    <${Field} label=${w.startFrom} control="select" onChange=${(event: Event) => choose((event.target as HTMLSelectElement).value, 0)}>
      ${current && html`<option value=${CURRENT} selected=${from === CURRENT}>${w.current}</option>`}
      ${COUNTRIES.map((one) => html`<option value=${one} selected=${one === from}>${country.of(one)}</option>`)}
      <option value="" selected=${from === ''}>${w.anotherCountry}</option>
    <//>
    ${
      forms.length > 0 &&
      html`<${Field} label=${w.form} control="select" onChange=${(event: Event) => choose(from, Number((event.target as HTMLSelectElement).value))}>
        ${forms.map(({ name }, index) => html`<option value=${index} selected=${index === form}>${templates.names[name]}</option>`)}
      <//>`
    }
  </div>`;
}

/** Countries that have templates, in the order of their first template. */
const COUNTRIES: readonly string[] = [...new Set(TARIFF_TEMPLATES.map(({ country }) => country))];

const formsOf = (country: string): TariffTemplate[] => TARIFF_TEMPLATES.filter((one) => one.country === country);

/** Country of each time zone, for countries with templates. */
const OF_ZONE: Record<string, string> = {
  'Europe/Berlin': 'DE',
  'Europe/Amsterdam': 'NL',
  'Europe/Brussels': 'BE',
  'Europe/Paris': 'FR',
  'Europe/Madrid': 'ES',
  'Europe/Rome': 'IT',
  'Europe/Stockholm': 'SE',
  'Europe/Oslo': 'NO',
  'Europe/Copenhagen': 'DK',
  'Europe/Warsaw': 'PL',
  'Europe/London': 'GB',
};

/** Returns the probable country of a home, by its time zone or the browser's language; '' if no country with templates is probable. */
function likelyCountry(zone: string, language: string): string {
  if (zone.startsWith('Australia/')) return 'AU';
  const country = OF_ZONE[zone] ?? new Intl.Locale(language).region ?? '';
  return COUNTRIES.includes(country) ? country : '';
}
