/** What a module of the dashboard may show: its markup, with \0 for each value in it, and its other strings. */
export interface Texts {
  markup: string[];
  strings: string[];
}

/** Before these a slash begins a regular expression; elsewhere it divides. */
const BEFORE_PATTERN = /(^|[(,=:[!&|?{};>\n]|return)\s*$/;

/** Takes a module apart, as far as its style (quotes of one kind) makes that simple. */
export function textsOf(source: string): Texts {
  const found: Texts = { markup: [], strings: [] };
  let at = 0;
  code('');
  return found;

  /** Code up to `end`, or to the end of all. */
  function code(end: string): void {
    for (let depth = 0; at < source.length; at++) {
      const char = source[at];
      if (char === end && depth === 0) return;
      if (char === '{') depth++;
      else if (char === '}') depth--;
      else if (source.startsWith('//', at)) at = source.indexOf('\n', at);
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
      else if (char === '/' && BEFORE_PATTERN.test(source.slice(0, at))) pattern();
      else if (char === "'") string();
      else if (char === '`') template(/\bhtml$/.test(source.slice(0, at)));
    }
  }

  function pattern(): void {
    for (let isClass = false; ; ) {
      at++;
      if (source[at] === '\\') at++;
      else if (source[at] === '[') isClass = true;
      else if (source[at] === ']') isClass = false;
      else if (source[at] === '/' && !isClass) return;
    }
  }

  function string(): void {
    const from = ++at;
    for (; source[at] !== "'"; at++) if (source[at] === '\\') at++;
    // Where a module is found is no text.
    if (!/(from|import)\s*\(?\s*$/.test(source.slice(0, from - 1))) found.strings.push(source.slice(from, at));
  }

  function template(isMarkup: boolean): void {
    let text = '';
    for (at++; source[at] !== '`'; at++) {
      if (source[at] === '\\') at++;
      else if (source.startsWith('${', at)) {
        at += 2;
        code('}');
        text += '\0';
        continue;
      }
      text += source[at];
    }
    found[isMarkup ? 'markup' : 'strings'].push(text);
  }
}

/** Attributes whose values people see, or have read to them; those of our own components among them. */
const SEEN = 'aria-label|title|placeholder|alt|label|hint|legend|question|text|mark|name-of|data-name';

/** What a piece of markup says by itself: text between tags, and attributes that are seen. */
export function saidIn(markup: string): string[] {
  const attributes = [...markup.matchAll(new RegExp(`\\b(?:${SEEN})="([^"]*)"`, 'g'))].map(([, value = '']) => value);
  // A code is the same in every language.
  const between = markup.replace(/<code>[^<]*<\/code>/g, '').split(/<[^>]*>/);
  return [...attributes, ...between].filter((text) => /\p{L}{2,}/u.test(text)).map((text) => text.trim());
}
