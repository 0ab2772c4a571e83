import { escapeHtml } from '#src/core/html.ts';

/** An entry of the search index: the text below one heading. */
export interface SearchSection {
  /** Path of the page, with the heading's anchor. */
  href: string;
  page: string;
  title: string;
  text: string;
}

/** Returns the anchor of a heading: letters and digits in lower case, separated by dashes. */
export const createHeadingAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** Converts code between backticks to HTML, in a text without other markup. */
export const renderInlineCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export type CodeHighlighter = (code: string, language: string) => string;

/** Returns a code block as HTML. Keyboard users can focus and scroll it if it is wider than the screen. */
export const renderCodeBlock = (highlighted: string, label: string): string =>
  `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlighted}</code></pre>`;

/** Returns sample code in several languages as HTML, with one block per language. The page's script turns the blocks into tabs. */
export const renderCodeSamples = (of: readonly { label: string; html: string }[]): string =>
  `<div class="samples">${of.map(({ label, html }) => `<div data-language="${escapeHtml(label)}"><p class="language">${escapeHtml(label)}</p>${html}</div>`).join('')}</div>`;
