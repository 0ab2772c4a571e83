import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '#src/api/openapi-schema.ts';
import { parseGuide, toPlainText } from './guide.ts';
import { highlight } from './highlight.ts';
import { renderPage } from './layout.ts';
import { escapeHtml } from './markup.ts';
import { buildReference } from './reference.ts';

/** Folder of the guides. Numbers at the start of their names give their order. */
export const GUIDES = fileURLToPath(new URL('../../../docs/guides/', import.meta.url));
const BROWSER = fileURLToPath(new URL('browser/', import.meta.url));
const MINISEARCH = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../es/index.js');

/** A file as served. */
export interface DocsFile {
  type: string;
  content: string;
}

/** Renders everything below `/docs`, by path: pages of the guides and of the OpenAPI document, and the files that they load. */
export async function buildDocsFiles(document: Json): Promise<Map<string, DocsFile>> {
  const names = (await readdir(GUIDES)).filter((name) => /^\d+-.*\.md$/.test(name)).sort();
  const guides = await Promise.all(
    names.map(async (name) =>
      parseGuide(
        `/docs/guides/${name.replace(/^\d+-|\.md$/g, '')}`,
        await readFile(join(GUIDES, name), 'utf8'),
        highlight,
      ),
    ),
  );
  const reference = buildReference(document, highlight);
  const all = { guides, reference };
  const files = new Map<string, DocsFile>();
  const page = (of: { href: string; title: string; description: string; html: string }) =>
    files.set(of.href, { type: 'text/html; charset=utf-8', content: renderPage(of, all) });
  page({ href: '/docs', title: 'Documentation', description: 'Guides and reference', html: firstPage(all) });
  guides.forEach((guide, index) => {
    const next = guides[index + 1];
    const html = `<article>${guide.html}${next ? `<p class="next">Next: <a href="${next.href}">${escapeHtml(next.title)}</a></p>` : ''}</article>`;
    page({ ...guide, description: toPlainText(guide.lead), html });
  });
  for (const one of reference) {
    const html = `<h1>${escapeHtml(one.title)}</h1><p class="lead">${escapeHtml(one.lead)}</p>${one.html}`;
    page({ ...one, description: escapeHtml(one.lead), html });
  }
  const sections = [...guides, ...reference].flatMap((one) => one.sections).map((one, id) => ({ id, ...one }));
  files.set('/docs/search.json', { type: 'application/json; charset=utf-8', content: JSON.stringify(sections) });
  for (const name of ['app.js', 'search.js', 'catcher.js'])
    files.set(`/docs/${name}`, {
      type: 'text/javascript; charset=utf-8',
      content: browsable(await readFile(BROWSER + name, 'utf8')),
    });
  files.set('/docs/style.css', {
    type: 'text/css; charset=utf-8',
    content: await readFile(`${BROWSER}style.css`, 'utf8'),
  });
  const library = (await readFile(MINISEARCH, 'utf8')).replace(/^\/\/# sourceMappingURL=.*$/m, '');
  files.set('/docs/minisearch.js', { type: 'text/javascript; charset=utf-8', content: library });
  return files;
}

/** Browsers import the only library by its path. */
const browsable = (code: string): string => code.replace("from 'minisearch'", "from './minisearch.js'");

interface Listed {
  href: string;
  title: string;
  lead: string;
}

function firstPage({ guides, reference }: { guides: readonly Listed[]; reference: readonly Listed[] }): string {
  const cards = (of: readonly Listed[], isHtml: boolean) =>
    `<ul class="cards">${of.map(({ href, title, lead }) => `<li><a href="${href}">${escapeHtml(title)}</a><p>${isHtml ? lead.replaceAll(/<\/?a[^>]*>/g, '') : escapeHtml(lead)}</p></li>`).join('')}</ul>`;
  return `<h1>Documentation</h1>
<p class="lead">Smart-meter readings in over MQTT, provably right kWh out over HTTPS. Start with the guides: each takes some minutes, in curl,
TypeScript or Python. To try things out there is a <a href="/docs/guides/sandbox">sandbox</a> with simulated homes.</p>
<h2>Guides</h2>${cards(guides, true)}
<h2>Reference</h2><p>Made of the <a href="/v1/openapi.json">OpenAPI document</a>, from which the clients for TypeScript and Python are made, too.</p>${cards(reference, false)}`;
}
