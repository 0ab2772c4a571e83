import { TARIFF_TEMPLATES, type TariffTemplate } from './templates.ts';

/** Countries that have forms to start from, in the order of the list. */
export const COUNTRIES: readonly string[] = [...new Set(TARIFF_TEMPLATES.map(({ country }) => country))];

export const formsOf = (country: string): TariffTemplate[] => TARIFF_TEMPLATES.filter((one) => one.country === country);

/** Whose clocks these are: zones of countries that have forms. Links and islands are not worth a list. */
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

/** The country that a home is most likely in: by its zone, else by the browser's language; '' where that has no forms. */
export function likelyCountry(zone: string, language: string): string {
  if (zone.startsWith('Australia/')) return 'AU';
  const country = OF_ZONE[zone] ?? new Intl.Locale(language).region ?? '';
  return COUNTRIES.includes(country) ? country : '';
}
