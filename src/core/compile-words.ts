import type { CompiledMessage } from 'icu-minify/format';

/** Texts by name, in nested groups, in ICU MessageFormat. */
export interface NestedTexts {
  readonly [name: string]: string | NestedTexts;
}

/** Compiled texts, in the same groups as the source texts. */
export interface CompiledTexts {
  readonly [name: string]: CompiledMessage | CompiledTexts;
}

/**
 * Compiles the texts of one language, so that a browser needs no parser. `pages`: the texts of each page. A text without arguments remains
 * a string. A text with arguments becomes an array for `icu-minify/format`. Throws an error with the path of an invalid text.
 */
export async function compileTexts(pages: Readonly<Record<string, NestedTexts>>): Promise<CompiledTexts> {
  // The compiler is imported only when needed, because many processes need no texts.
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
