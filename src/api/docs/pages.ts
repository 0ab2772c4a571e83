import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import type { Json } from '#src/api/openapi-schema.ts';
import { escapeHtml } from '#src/core/html.ts';
import { toPlainText } from './guide.ts';
import { renderPage } from './layout.ts';
import { buildDocumentationPages, DOCUMENTATION_PARTS, type DocumentationPage } from './library.ts';
import type { CodeHighlighter } from './markup.ts';
import { buildReference } from './reference.ts';

const BROWSER = fileURLToPath(new URL('browser/', import.meta.url));
const MINISEARCH = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../es/index.js');

core.registerLanguage('bash', bash);
core.registerLanguage('json', json);
core.registerLanguage('python', python);
core.registerLanguage('typescript', typescript);

/** Languages of the syntax highlighter, by the names in code blocks. */
const LANGUAGES: Record<string, string> = {
  ...{ curl: 'bash', sh: 'bash', console: 'bash', shell: 'bash' },
  ...{ ts: 'typescript', javascript: 'typescript', python: 'python', json: 'json' },
};

/** Returns code as HTML with syntax highlighting. Code in an unknown language gets none. */
const highlight: CodeHighlighter = (code, language) => {
  const known = LANGUAGES[language.toLowerCase()];
  return known === undefined ? escapeHtml(code) : core.highlight(code, { language: known }).value;
};

/** A file as served. */
export interface DocsFile {
  type: string;
  content: string;
}

/** Renders all files below `/docs`, by path. */
export async function buildDocsFiles(document: Json): Promise<Map<string, DocsFile>> {
  const handWritten = await buildDocumentationPages(highlight);
  const reference = buildReference(document, highlight);
  const guides = handWritten.filter(({ part }) => part === 'Tutorials');
  const all = navigationOf(handWritten, reference);
  const files = new Map<string, DocsFile>();
  const page = (of: { href: string; title: string; description: string; html: string }) =>
    files.set(of.href, { type: 'text/html; charset=utf-8', content: renderPage(of, all) });
  page({
    href: '/docs',
    title: 'Documentation',
    description: 'Tutorials, how-to, reference and explanation',
    html: firstPage(all),
  });
  guides.forEach((guide, index) => {
    const next = guides[index + 1];
    const html = `<article>${guide.html}${next ? `<p class="next">Next: <a href="${next.href}">${escapeHtml(next.title)}</a></p>` : ''}</article>`;
    page({ ...guide, description: toPlainText(guide.lead), html });
  });
  for (const one of handWritten.filter(({ part }) => part !== 'Tutorials'))
    page({ ...one, description: toPlainText(one.lead), html: `<article>${one.html}</article>` });
  for (const one of reference) {
    const html = `<h1>${escapeHtml(one.title)}</h1><p class="lead">${escapeHtml(one.lead)}</p>${one.html}`;
    page({ ...one, description: escapeHtml(one.lead), html });
  }
  const sections = [...handWritten, ...reference].flatMap((one) => one.sections).map((one, id) => ({ id, ...one }));
  files.set('/docs/search.json', { type: 'application/json; charset=utf-8', content: JSON.stringify(sections) });
  for (const name of ['app.js', 'search.js', 'catcher.js', 'own-key.js'])
    files.set(`/docs/${name}`, {
      type: 'text/javascript; charset=utf-8',
      content: browsable(await readFile(BROWSER + name, 'utf8')),
    });
  files.set('/docs/style.css', {
    type: 'text/css; charset=utf-8',
    content: await readFile(`${BROWSER}style.css`, 'utf8'),
  });
  const search = (await readFile(MINISEARCH, 'utf8')).replace(/^\/\/# sourceMappingURL=.*$/m, '');
  files.set('/docs/minisearch.js', { type: 'text/javascript; charset=utf-8', content: search });
  return files;
}

/** Rewrites the import of the library minisearch to the path of its file. */
const browsable = (code: string): string => code.replace("from 'minisearch'", "from './minisearch.js'");

/** A page in the navigation. */
interface Listed {
  href: string;
  title: string;
  /** HTML. */
  lead: string;
}

interface ListedPart {
  title: string;
  pages: Listed[];
}

/** Returns the pages that the navigation lists, by section. */
const navigationOf = (handWritten: readonly DocumentationPage[], reference: readonly Listed[]): ListedPart[] =>
  DOCUMENTATION_PARTS.map((title) => ({
    title,
    pages: [
      ...handWritten.filter(({ part, isListed }) => part === title && isListed),
      ...(title === 'Reference' ? reference.map((one) => ({ ...one, lead: escapeHtml(one.lead) })) : []),
    ],
  }));

/** Description of each section of the documentation. */
const ABOUT: Readonly<Record<string, string>> = {
  Tutorials: 'Each takes a few minutes, in curl, TypeScript or Python.',
  'How-to': 'Connect devices, run the service, and use its features, step by step.',
  Reference:
    'Operations, events and errors, made of the <a href="/v1/openapi.json">OpenAPI document</a>, from which the clients for TypeScript and Python are made, too.',
  Explanation: 'The meaning of the numbers, and the reasons for how they are computed.',
};

function firstPage(parts: readonly ListedPart[]): string {
  const cards = (pages: readonly Listed[]) =>
    `<ul class="cards">${pages.map(({ href, title, lead }) => `<li><a href="${href}">${escapeHtml(title)}</a><p>${lead.replaceAll(/<\/?a[^>]*>/g, '')}</p></li>`).join('')}</ul>`;
  return `<h1>Documentation</h1>
<p class="lead">Receives smart-meter readings over MQTT and serves provably correct kWh over HTTPS. Start with the tutorials. To try things out there is a
<a href="/docs/guides/sandbox">sandbox</a> with simulated homes.</p>
${parts.map(({ title, pages }) => `<h2>${title}</h2><p>${ABOUT[title] ?? ''}</p>${cards(pages)}`).join('\n')}`;
}
