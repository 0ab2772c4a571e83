import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { CompiledMessage } from 'icu-minify/format';
import { compileTexts, type NestedTexts } from '#src/core/compile-words.ts';
import { type CompiledWords, type Language, setWords } from '#src/dashboard/words/words.ts';

const WORDS = resolve(import.meta.dirname, '../../src/dashboard/words');

/** Returns the texts of a language by page of the dashboard. */
export const readPageTexts = (language: Language): Record<string, NestedTexts> =>
  Object.fromEntries(
    readdirSync(join(WORDS, language))
      .toSorted()
      .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(WORDS, language, file), 'utf8'))]),
  );

/** Returns the texts of a language for mails, SMS and plain pages. */
export const readMailTexts = (language: Language): Record<string, NestedTexts> =>
  JSON.parse(readFileSync(resolve(WORDS, '../../delivery/words', `${language}.json`), 'utf8'));

/** Returns the texts of a language in the compiled form that a browser fetches. */
export const compileWordsOfLanguage = (language: Language): Promise<CompiledWords> =>
  compileTexts(readPageTexts(language));

/** Sets the language of `words()` in this process. */
export async function loadWords(language: Language, tags: readonly string[] = []): Promise<void> {
  setWords(language, await compileWordsOfLanguage(language), tags);
}

/** Returns every text of a language by its path, such as `devices.login.ports`. */
export const listTextsByPath = (words: CompiledWords, path = ''): [path: string, text: CompiledMessage][] =>
  Object.entries(words).flatMap(([name, one]) =>
    typeof one === 'string' || Array.isArray(one)
      ? [[path + name, one as CompiledMessage]]
      : listTextsByPath(one as CompiledWords, `${path}${name}.`),
  );

/** Kinds of arguments in a compiled message, by icu-minify's number. */
const KINDS: Record<number, string> = { 1: 'string', 2: 'number', 3: 'number', 4: 'number' };

/** Returns the TypeScript types of a message's arguments, by name. */
export function getArgumentTypes(message: CompiledMessage): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, kind] of nodesOf(message))
    if (kind !== undefined || !found.has(name))
      found.set(name, kind === undefined ? 'Shown' : (KINDS[kind] ?? 'never'));
  return found;
}

/** Returns the plural forms of each plural argument in a message. */
export const getPluralForms = (message: CompiledMessage): string[][] =>
  nodesOf(message).flatMap(([, kind, forms]) => (kind === 2 && forms ? [Object.keys(forms)] : []));

type Node = readonly [name: string, kind?: number, branches?: Readonly<Record<string, CompiledMessage>>];

/** Returns all arguments, plurals and choices of a message, including nested ones. */
const nodesOf = (message: CompiledMessage): Node[] =>
  (Array.isArray(message) ? message : []).flatMap((one) => {
    if (!Array.isArray(one)) return [];
    const node = one as unknown as Node;
    return [node, ...Object.values(node[2] ?? {}).flatMap(nodesOf)];
  });
