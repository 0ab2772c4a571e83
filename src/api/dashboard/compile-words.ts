/** Texts by name, in folders of names: what a JSON file of `src/dashboard/words` contains. */
interface Texts {
  readonly [name: string]: string | Texts;
}

/**
 * Compiles the texts of all pages in one language into one file. `pages`: JSON by the name of the page, with texts in ICU MessageFormat. A
 * text without arguments remains text; one with arguments becomes an array that `icu-minify/format` reads, so that a browser needs no
 * parser (9 kB). Throws with the path of the text if one cannot be parsed.
 */
export async function compileWords(pages: Readonly<Record<string, string>>): Promise<Buffer> {
  // Imported with the first page; an API whose dashboard is not opened does not need it.
  const { default: compile } = await import('icu-minify/compile');
  const compileAll = (texts: Texts, path: string): object =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, compileOne(text, `${path}.${name}`)]));
  const compileOne = (text: string | Texts, path: string) => {
    if (typeof text !== 'string') return compileAll(text, path);
    try {
      return compile(text);
    } catch (error) {
      throw new Error(`${path} is no message: ${text}`, { cause: error });
    }
  };
  const compiled = Object.entries(pages).map(([page, json]) => [page, compileAll(JSON.parse(json), page)]);
  return Buffer.from(JSON.stringify(Object.fromEntries(compiled)));
}
