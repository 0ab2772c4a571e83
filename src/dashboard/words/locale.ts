/** BCP 47 tag that determines the format of numbers and dates, and plural forms. */
let tag = 'en';

export const locale = (): string => tag;

/** Sets the locale. `words.ts` calls this function before the first page is rendered. */
export function setLocale(next: string): void {
  tag = next;
}

/** Cache of `Intl` formatters, because creating one is slow. */
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

export const count = (value: number): string => numberFormat().format(value);

/** Formatters of the selected locale for the numbers, dates and plural forms in messages (`words.ts`). */
export const formatters = {
  getNumberFormat: (_: unknown, options?: Intl.NumberFormatOptions): Intl.NumberFormat => numberFormat(options),
  getDateTimeFormat: (_: unknown, options: Intl.DateTimeFormatOptions = {}): Intl.DateTimeFormat => dateFormat(options),
  getPluralRules: (_: unknown, options: Intl.PluralRulesOptions = {}): Intl.PluralRules =>
    once('plural', options, () => new Intl.PluralRules(tag, options)),
};
