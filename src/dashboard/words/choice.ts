import { isLanguage, type Language, language, languageFrom, setWords } from './words.ts';

/** Key in the browser's storage under which the selected language is stored. */
const KEPT = 'language';
const CHANGED = 'words';

/** Loads the texts in the selected language, or in a language that the browser prefers. */
export function firstWords(): Promise<void> {
  const kept = localStorage.getItem(KEPT);
  return put(isLanguage(kept) ? kept : languageFrom(navigator.languages));
}

/** Changes the language in this browser. If the texts cannot be loaded, rejects and changes nothing. */
export async function chooseLanguage(next: Language): Promise<void> {
  await put(next);
  localStorage.setItem(KEPT, next);
  document.dispatchEvent(new Event(CHANGED));
}

/** Calls `changed` whenever the user selects another language. Returns a function that stops this. */
export function onLanguage(changed: (language: Language) => void): () => void {
  const tell = () => changed(language());
  document.addEventListener(CHANGED, tell);
  return () => document.removeEventListener(CHANGED, tell);
}

async function put(next: Language): Promise<void> {
  const response = await fetch(`/dashboard/app/words/${next}.json`);
  if (!response.ok) throw new Error(`words: ${response.status}`);
  setWords(next, await response.json(), navigator.languages);
  document.documentElement.lang = next;
}
