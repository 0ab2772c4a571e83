import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compileWords } from '#src/core/compile-words.ts';
import { composeRemarkMail } from '#src/dashboard/parts/remark-text.ts';
import { type CompiledWords, type Language, setWords } from '#src/dashboard/words/words.ts';
import type { ComposeRemark } from '#src/delivery/email/compose-remark.ts';

const WORDS = new URL('../dashboard/words/', import.meta.url);

/**
 * Returns a function that puts a remark into the words that the dashboard shows, in a person's language. The texts of a language are read
 * with its first mail.
 */
export function createRemarkComposer(): ComposeRemark {
  const compiled = new Map<Language, Promise<CompiledWords>>();
  return async (remark, { language, timezone }) => {
    const texts = compiled.get(language) ?? loadTexts(language);
    compiled.set(language, texts);
    // The dashboard's texts are a setting of the process. Nothing else of the worker uses them, and composing is synchronous.
    setWords(language, await texts);
    return composeRemarkMail(remark, timezone);
  };
}

/** Compiles the texts of the page Home, which include those of remarks, in a language. */
async function loadTexts(language: Language): Promise<CompiledWords> {
  const home = await readFile(fileURLToPath(new URL(`${language}/home.json`, WORDS)), 'utf8');
  return compileWords({ home: JSON.parse(home) });
}
