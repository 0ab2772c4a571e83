import { isLanguage, type Language, language, languageFrom, setWords } from './words.ts';

/** Where a choice is kept in the browser. */
const KEPT = 'language';
const CHANGED = 'words';

/** Before anything is drawn: what was chosen here, else what the browser asks for. */
export function firstWords(): Promise<void> {
  const kept = localStorage.getItem(KEPT);
  return put(isLanguage(kept) ? kept : languageFrom(navigator.languages));
}

/** Another language from now on, in this browser. Rejects where it could not be fetched: then it stays as it was. */
export async function chooseLanguage(next: Language): Promise<void> {
  await put(next);
  localStorage.setItem(KEPT, next);
  document.dispatchEvent(new Event(CHANGED));
}

/** Calls back when another language was chosen; what is returned ends that. */
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
