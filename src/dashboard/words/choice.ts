import { isLanguage, type Language, language, languageFrom, setWords } from './words.ts';

/** Key of the selected language in the browser's storage. */
const KEPT = 'language';
const CHANGED = 'words';

/** Loads the texts before anything is drawn: in the selected language or, without one, in a language that the browser requests. */
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

/** Calls back when the user has selected another language. Returns a function that stops the calls. */
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
