import format, { type CompiledMessage } from 'icu-minify/format';
import type { Arguments } from './arguments.d.ts';
import { formatters, locale, setLocale } from './locale.ts';

/** The English texts of each page. Their keys are the keys in every language. */
interface English {
  alerts: typeof import('./en/alerts.json');
  apps: typeof import('./en/apps.json');
  bills: typeof import('./en/bills.json');
  common: typeof import('./en/common.json');
  devices: typeof import('./en/devices.json');
  fleet: typeof import('./en/fleet.json');
  groups: typeof import('./en/groups.json');
  home: typeof import('./en/home.json');
  keys: typeof import('./en/keys.json');
  messages: typeof import('./en/messages.json');
  operator: typeof import('./en/operator.json');
  period: typeof import('./en/period.json');
  sessions: typeof import('./en/sessions.json');
  tariffs: typeof import('./en/tariffs.json');
  webhooks: typeof import('./en/webhooks.json');
}

/** Type of the texts below a path. A text with arguments is a function. */
type Spoken<Texts, Path extends string> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string
    ? `${Path}.${Key & string}` extends infer Full extends keyof Arguments
      ? (values: Arguments[Full]) => string
      : string
    : Spoken<Texts[Key], `${Path}.${Key & string}`>;
};

/** All texts of the pages in one language. */
export type Words = { readonly [Page in keyof English]: Spoken<English[Page], Page> };

/** Texts of a language as the service sends them. A text with arguments is an array. */
export type CompiledWords = { readonly [name: string]: CompiledMessage | CompiledWords };

/** Languages of the dashboard, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', nl: 'Nederlands' } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text);

let current: { language: Language; words: Words } | undefined;

/** Returns the texts in the selected language. Modules must not store a text in a constant, because the language may change. */
export function words(): Words {
  if (!current) throw new Error('no words: setWords comes first');
  return current.words;
}

export const language = (): Language => current?.language ?? 'en';

/** Sets the language. `tags`: the browser's language tags, which determine the region (de-AT: numbers as in Austria). */
export function setWords(next: Language, compiled: CompiledWords, tags: readonly string[] = []): void {
  current = { language: next, words: spoken(compiled) as Words };
  setLocale(findLocaleTag(next, tags));
}

function spoken(compiled: CompiledMessage | CompiledWords): unknown {
  if (typeof compiled === 'string') return compiled;
  if (isMessage(compiled))
    return (values: Record<string, string | number>) => format(compiled, locale(), values, { formatters });
  return Object.fromEntries(Object.entries(compiled).map(([name, one]) => [name, spoken(one)]));
}

const isMessage = (compiled: CompiledMessage | CompiledWords): compiled is CompiledMessage => Array.isArray(compiled);

/** Returns the text with this name, or undefined. */
export const textNamed = (texts: Readonly<Record<string, string>>, name: string): string | undefined => texts[name];

const languageOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? '';

/** Returns the first of the browser's languages in which the dashboard is available; English if there is none. */
export const languageFrom = (tags: readonly string[]): Language => tags.map(languageOf).find(isLanguage) ?? 'en';

/** Returns the browser's language tag for a language, with its region, or the language alone. */
export function findLocaleTag(language: Language, tags: readonly string[]): string {
  const tag = tags.find((one) => languageOf(one) === language) ?? language;
  return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? language;
}
