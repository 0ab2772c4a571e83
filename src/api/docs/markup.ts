/** A piece of a page that search finds: what is below one heading. */
export interface Section {
  /** Address with the heading's anchor. */
  href: string;
  /** Title of the page. */
  page: string;
  title: string;
  text: string;
}

/** Text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A heading as an anchor: letters and digits in lower case, with dashes between them. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** Code between backticks, in a text that has no other marks. */
export const withCode = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export type Highlight = (code: string, language: string) => string;

/** A block of code. It scrolls where it is wider than the screen, so it can have the focus. */
export const codeBlock = (highlighted: string, label: string): string =>
  `<pre tabindex="0" role="group" aria-label="${escaped(label)}"><code>${highlighted}</code></pre>`;

/** The same in several languages: one below the other, until the page's script makes tabs of them. */
export const samples = (of: readonly { label: string; html: string }[]): string =>
  `<div class="samples">${of.map(({ label, html }) => `<div data-language="${escaped(label)}"><p class="language">${escaped(label)}</p>${html}</div>`).join('')}</div>`;
