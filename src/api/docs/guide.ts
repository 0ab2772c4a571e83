import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '#src/core/html.ts';
import {
  type CodeHighlighter,
  createHeadingAnchor,
  renderCodeBlock,
  renderCodeSamples,
  type SearchSection,
} from './markup.ts';

/** A guide of the documentation, rendered as HTML. */
export interface Guide {
  /** Path of the page. */
  href: string;
  title: string;
  /** First paragraph of the guide, which states what the guide is about. */
  lead: string;
  html: string;
  sections: SearchSection[];
}

/** A block of code in a guide. */
interface CodeBlock {
  language: string;
  source: string;
  /** File name, if the block is a complete program. */
  file?: string;
}

/** Display names of languages. Consecutive blocks in these languages are alternatives of one sample. */
const SAMPLES: Record<string, string> = { curl: 'curl', ts: 'TypeScript', python: 'Python' };
/** Labels of code blocks that are not sample code, by language. */
const SAID: Record<string, string> = { sh: 'Commands', console: 'Commands', output: 'Output', json: 'JSON' };

/** Returns the code blocks of a guide in order. */
export const parseCodeBlocks = (markdown: string): CodeBlock[] =>
  new Marked().lexer(markdown).flatMap((token) => {
    if (token.type !== 'code') return [];
    const [language, file] = infoOf(token as Tokens.Code);
    return [{ language, source: (token as Tokens.Code).text, ...(file !== undefined && { file }) }];
  });

/** Returns the language of a code block, and the file name if the block has one. */
const infoOf = ({ lang = '' }: Tokens.Code): [language: string, file?: string] => {
  const [language = '', file] = lang.split(' ');
  return file === undefined ? [language] : [language, file];
};

/**
 * Renders a page from its Markdown. The HTML is not sanitised, because the Markdown is part of the service. `link`: returns the
 * target of a link; null if only the link's text must be shown.
 */
export function parseGuide(
  href: string,
  markdown: string,
  highlight: CodeHighlighter,
  link: (target: string) => string | null = (target) => target,
): Guide {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  marked.walkTokens(tokens, (token) => {
    if (token.type !== 'link') return;
    const target = link(token.href);
    if (target === null) Object.assign(token, { type: 'text' });
    else token.href = target;
  });
  const [title = ''] = tokens.flatMap((token) => (token.type === 'heading' ? [(token as Tokens.Heading).text] : []));
  const paragraph = tokens.find(({ type }) => type === 'paragraph');
  const lead = paragraph
    ? marked
        .parser([paragraph])
        .trim()
        .replaceAll(/^<p>|<\/p>$/g, '')
    : '';
  const parts: string[] = [];
  const sections: SearchSection[] = [{ href, page: title, title, text: '' }];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    if (token.type === 'code' && isSample(token)) {
      const group = [token as Tokens.Code];
      for (let next = nextOf(tokens, index); next && isSample(next.token); next = nextOf(tokens, index)) {
        group.push(next.token as Tokens.Code);
        index = next.index;
      }
      parts.push(renderCodeSamples(group.map((one) => renderBlock(one, SAMPLES, highlight))));
    } else if (token.type === 'code') {
      parts.push(renderBlock(token as Tokens.Code, SAID, highlight).html);
    } else if (token.type === 'heading' && (token as Tokens.Heading).depth > 1) {
      const { depth, text } = token as Tokens.Heading;
      const anchor = createHeadingAnchor(text);
      sections.push({ href: `${href}#${anchor}`, page: title, title: text, text: '' });
      parts.push(
        `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${marked.parseInline(text)}</a></h${depth}>`,
      );
    } else if (token.type === 'table') {
      parts.push(`<div class="scroll" tabindex="0" role="group" aria-label="Table">${marked.parser([token])}</div>`);
    } else {
      parts.push(marked.parser([token]));
    }
    const section = sections.at(-1);
    if (section && token.type !== 'heading' && 'text' in token) section.text += ` ${token.text}`;
  }
  return { href, title, lead, html: parts.join('\n'), sections };
}

function renderBlock(code: Tokens.Code, labels: Record<string, string>, highlight: CodeHighlighter) {
  const [language] = infoOf(code);
  const label = labels[language] ?? 'Code';
  return { label, html: renderCodeBlock(highlight(code.text, language), label) };
}

const isSample = (token: Token): boolean => token.type === 'code' && infoOf(token as Tokens.Code)[0] in SAMPLES;

/** Returns the next token that is not a blank line, and its index. The search begins after the index `after`. Null at the end. */
function nextOf(tokens: Token[], after: number): { token: Token; index: number } | null {
  for (let index = after + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token && token.type !== 'space') return { token, index };
  }
  return null;
}

/** Strips the tags from HTML, for the description of a page. */
export const toPlainText = (html: string): string => escapeHtml(html.replaceAll(/<[^>]+>/g, ''));
