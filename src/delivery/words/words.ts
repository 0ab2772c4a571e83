import format, { type CompiledMessage } from 'icu-minify/format';
import { type CompiledTexts, compileTexts } from '#src/core/compile-words.ts';
import type { LANGUAGES } from '#src/database/enums.ts';
import type { Arguments } from './arguments.d.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };

export type Language = (typeof LANGUAGES)[number];

/** Texts by language. The English texts define the keys. */
const TEXTS: Record<Language, typeof en> = { en, de, es, fr, nl };
/** Locales for formatting numbers and dates. English mails are in British English. */
const LOCALES: Record<Language, string> = { en: 'en-GB', de: 'de', es: 'es', fr: 'fr', nl: 'nl' };

/** Type of the texts below a path. A text with arguments is a function. */
type Spoken<Texts, Path extends string = ''> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string
    ? `${Path}${Key & string}` extends infer Full extends keyof Arguments
      ? (values: Arguments[Full]) => string
      : string
    : Spoken<Texts[Key], `${Path}${Key & string}.`>;
};

/** Texts of mails, SMS and plain pages in one language. */
export type Words = Spoken<typeof en>;

/** Language, time zone and formats in which a person reads mails. */
export interface RecipientLocale {
  language: Language;
  words: Words;
  /** Formats energy. */
  kwh(value: number): string;
  /** Formats an amount of a currency (ISO 4217). The amount is a decimal as text. */
  money(amount: string, currency: string): string;
  /** Formats of an ISO 8601 time: `month`, `day`, and `moment` (to the minute, with the time zone). */
  month(iso: string): string;
  day(iso: string): string;
  moment(iso: string): string;
}

const compiled = new Map<Language, Promise<Words>>();

/** Returns the texts of a language, which are compiled on first use. */
export function loadWords(language: Language): Promise<Words> {
  const words = compiled.get(language) ?? compileLanguage(language);
  compiled.set(language, words);
  return words;
}

async function compileLanguage(language: Language): Promise<Words> {
  return spoken(await compileTexts(TEXTS[language]), LOCALES[language]) as Words;
}

const formatters = {
  getNumberFormat: (...given: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...given),
  getDateTimeFormat: (...given: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...given),
  getPluralRules: (...given: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...given),
};

function spoken(texts: CompiledMessage | CompiledTexts, locale: string): unknown {
  if (typeof texts === 'string') return texts;
  if (Array.isArray(texts))
    return (values: Record<string, string | number>) => format(texts, locale, values, { formatters });
  return Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, spoken(one, locale)]));
}

/** Returns the text for a name in an event, or the name itself, which a newer version may have written. */
export const findTextOrName = (texts: Readonly<Record<string, string>>, name: unknown): string =>
  Object.hasOwn(texts, String(name)) ? (texts[String(name)] as string) : String(name);

export async function loadRecipientLocale(account: { language: Language; timezone: string }): Promise<RecipientLocale> {
  const { language, timezone: timeZone } = account;
  const words = await loadWords(language);
  const locale = LOCALES[language];
  const date = (iso: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(new Date(iso));
  const day = (iso: string) =>
    words.common.day({
      weekday: date(iso, { weekday: 'long' }),
      date: date(iso, { day: 'numeric', month: 'long', year: 'numeric' }),
    });
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return {
    language,
    words,
    kwh: (value) => `${new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(value)} kWh`,
    money: (amount, currency) => formatMoney(language, amount, currency),
    month: (iso) => date(iso, { month: 'long', year: 'numeric' }),
    day,
    moment: (iso) => words.common.moment({ day: day(iso), time: date(iso, clock), zone: timeZone }),
  };
}

/** Formats an amount with all its decimals. In English, the currency code follows the number, because several currencies use the $ sign. */
function formatMoney(language: Language, amount: string, currency: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const locale = LOCALES[language];
  if (language === 'en') {
    const number = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    return `${number.format(Number(amount))} ${currency}`;
  }
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const { maximumFractionDigits = 2 } = money.resolvedOptions();
  if (decimals <= maximumFractionDigits) return money.format(Number(amount));
  return new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: decimals }).format(
    Number(amount),
  );
}
