/** BCP 47 tag by which numbers, dates and plurals are written. */
let tag = 'en';

export const locale = (): string => tag;

/** Whoever draws the pages sets it before, with the words: `words.ts`. */
export function setLocale(next: string): void {
  tag = next;
}

/** To make a format takes longer than to use it a thousand times. */
const made = new Map<string, unknown>();
function once<T>(kind: string, options: object, make: () => T): T {
  const key = `${tag} ${kind} ${JSON.stringify(options)}`;
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known as T;
}

export const numberFormat = (options: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  once('number', options, () => new Intl.NumberFormat(tag, options));

export const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  once('date', options, () => new Intl.DateTimeFormat(tag, options));

/** A whole number for people. */
export const count = (value: number): string => numberFormat().format(value);

/** How messages (`words.ts`) write numbers and dates, and choose between plural forms: by the chosen locale, as everything else here. */
export const formatters = {
  getNumberFormat: (_: unknown, options?: Intl.NumberFormatOptions): Intl.NumberFormat => numberFormat(options),
  getDateTimeFormat: (_: unknown, options: Intl.DateTimeFormatOptions = {}): Intl.DateTimeFormat => dateFormat(options),
  getPluralRules: (_: unknown, options: Intl.PluralRulesOptions = {}): Intl.PluralRules =>
    once('plural', options, () => new Intl.PluralRules(tag, options)),
};
