import { type Children, html } from '../html.ts';

/** `**bold**`, `` `code` `` and `[link]` of a text in `words/`. */
const MARKS = /\*\*(.+?)\*\*|`(.+?)`|\[(.+?)\]/g;

/**
 * A text with marks as markup: translators move them within their sentence. `links`: make the links, in the order that they
 * have in the text.
 */
export function rich(text: string, ...links: ((name: string) => Children)[]): Children[] {
  const parts: Children[] = [];
  let end = 0;
  let link = 0;
  for (const { 0: whole, 1: bold, 2: code, 3: name, index } of text.matchAll(MARKS)) {
    parts.push(text.slice(end, index));
    if (bold !== undefined) parts.push(html`<b>${bold}</b>`);
    else if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else parts.push(links[link++]?.(name ?? '') ?? whole);
    end = index + whole.length;
  }
  return [...parts, text.slice(end)];
}
