import type { Words } from './en.ts';
import { setLocale } from './locale.ts';

export type { Words };

/** Languages that the dashboard speaks, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', nl: 'Nederlands' } as const;
export type Language = keyof typeof LANGUAGES;

const LOAD: Record<Language, () => Promise<{ words: Words }>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  nl: () => import('./nl.ts'),
};

export const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text);

let current: { language: Language; words: Words } | undefined;

/** What the dashboard says, in the chosen language. Nothing is drawn before it is there, so none of it is kept in a constant of a module. */
export function words(): Words {
  if (!current) throw new Error('no words: loadWords comes first');
  return current.words;
}

export const language = (): Language => current?.language ?? 'en';

/** Fetches a language, and no other. `tags`: the browser's, for its region: German in Austria writes numbers the Austrian way. */
export async function loadWords(next: Language, tags: readonly string[] = []): Promise<void> {
  const loaded = await LOAD[next]();
  current = { language: next, words: loaded.words };
  setLocale(localeOf(next, tags));
}

const languageOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? '';

/** The first of the browser's languages that there is; English where there is none. Pure. */
export const languageFrom = (tags: readonly string[]): Language => tags.map(languageOf).find(isLanguage) ?? 'en';

/** The browser's whole tag of a language, else the language alone. Pure. */
export function localeOf(language: Language, tags: readonly string[]): string {
  const tag = tags.find((one) => languageOf(one) === language) ?? language;
  return Intl.NumberFormat.supportedLocalesOf(tag)[0] ?? language;
}
