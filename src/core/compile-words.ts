import type { CompiledMessage } from 'icu-minify/format';

/** Texts by name, in nested groups, in ICU MessageFormat: the content of a file of `src/dashboard/words` or `src/delivery/words`. */
export interface NestedTexts {
  readonly [name: string]: string | NestedTexts;
}

/** Compiled texts, in the same groups as the source texts. */
export interface CompiledTexts {
  readonly [name: string]: CompiledMessage | CompiledTexts;
}

/**
 * Compiles the texts of one language. `pages`: the texts of each page, by the page's name. A text without arguments remains a string. A
 * text with arguments becomes an array that `icu-minify/format` reads, so that a browser needs no parser (9 kB). If a text cannot be
 * parsed, throws an error with the path of the text.
 */
export async function compileTexts(pages: Readonly<Record<string, NestedTexts>>): Promise<CompiledTexts> {
  // The compiler is imported when the first text is compiled, because a process that shows and mails no texts does not need it.
  const { default: compile } = await import('icu-minify/compile');
  const compileAll = (texts: NestedTexts, path: string): CompiledTexts =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, compileOne(text, `${path}.${name}`)]));
  const compileOne = (text: string | NestedTexts, path: string) => {
    if (typeof text !== 'string') return compileAll(text, path);
    try {
      return compile(text);
    } catch (error) {
      throw new Error(`${path} is no message: ${text}`, { cause: error });
    }
  };
  return Object.fromEntries(Object.entries(pages).map(([page, texts]) => [page, compileAll(texts, page)]));
}
