/** Texts that a dashboard module may show: its markup, with \0 instead of each inserted value, and its other strings. */
interface ModuleTexts {
  markup: string[];
  strings: string[];
}

/** After one of these tokens, a slash begins a regular expression. After any other token, it is a division. */
const BEFORE_PATTERN = /(^|[(,=:[!&|?{};>\n]|return)\s*$/;

/** Extracts the texts of a module. It supports only the style of the dashboard's modules, which use one kind of quotation marks. */
export function extractTexts(source: string): ModuleTexts {
  const found: ModuleTexts = { markup: [], strings: [] };
  let at = 0;
  code('');
  return found;

  /** Reads code up to `end`, or to the end of the source. */
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
    // The path in an import is not a text.
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

/** Attributes whose values are visible or read by screen readers, including attributes of the dashboard's own components. */
const SEEN = 'aria-label|title|placeholder|alt|label|hint|legend|question|text|mark|name-of|data-name';

/** Returns the visible texts of markup: text between tags, and values of visible attributes. */
export function extractVisibleTexts(markup: string): string[] {
  const attributes = [...markup.matchAll(new RegExp(`\\b(?:${SEEN})="([^"]*)"`, 'g'))].map(([, value = '']) => value);
  // The content of code elements is never translated.
  const between = markup.replace(/<code>[^<]*<\/code>/g, '').split(/<[^>]*>/);
  return [...attributes, ...between].filter((text) => /\p{L}{2,}/u.test(text)).map((text) => text.trim());
}
