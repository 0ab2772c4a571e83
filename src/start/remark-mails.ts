import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compileTexts } from '#src/core/compile-words.ts';
import { composeRemarkMail } from '#src/dashboard/parts/remark-text.ts';
import { type CompiledWords, type Language, setWords } from '#src/dashboard/words/words.ts';
import type { RemarkComposer } from '#src/delivery/email/compose-remark.ts';

const WORDS = new URL('../dashboard/words/', import.meta.url);

/** Returns a function that describes a remark (notice about unusual usage) in the language of its recipient, with the dashboard's texts. */
export function createRemarkComposer(): RemarkComposer {
  const compiled = new Map<Language, Promise<CompiledWords>>();
  return async (remark, { language, timezone }) => {
    const texts = compiled.get(language) ?? loadTexts(language);
    compiled.set(language, texts);
    // The language of the dashboard's texts is a global setting. In the worker, no other code uses it, and nothing runs between the next
    // two calls.
    setWords(language, await texts);
    return composeRemarkMail(remark, timezone);
  };
}

/** Compiles the texts of the Home page in a language. */
async function loadTexts(language: Language): Promise<CompiledWords> {
  const home = await readFile(fileURLToPath(new URL(`${language}/home.json`, WORDS)), 'utf8');
  return compileTexts({ home: JSON.parse(home) });
}
