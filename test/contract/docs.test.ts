import { execFileSync } from 'node:child_process';
import MiniSearch from 'minisearch';
import { beforeAll, expect, test } from 'vitest';
import { buildDocsFiles, type DocsFile } from '#src/api/docs/pages.ts';
import { buildOpenApiDocument } from '#src/api/openapi.ts';

let files: Map<string, DocsFile>;
let index: MiniSearch<{ id: number; href: string; page: string; title: string; text: string }>;
beforeAll(async () => {
  files = await buildDocsFiles(buildOpenApiDocument('https://localhost:8443'));
  const [, options = ''] = /searchOptions: (\{.*\}),/.exec(files.get('/docs/search.js')?.content ?? '') ?? [];
  // The test uses the search options of the browser's script. They are a JavaScript object. Quotation marks around its names turn it into
  // JSON.
  const searchOptions = JSON.parse(options.replaceAll(/(\w+):/g, '"$1":').replaceAll("'", '"'));
  index = new MiniSearch({ fields: ['title', 'page', 'text'], storeFields: ['href', 'page'], searchOptions });
  index.addAll(JSON.parse(files.get('/docs/search.json')?.content ?? ''));
});

test.each([
  ['backup', '/docs/backup'],
  ['home assistant', '/docs/home-assistant'],
  ['self-signed', '/docs/certificate'],
  ['my device does not speak MQTT', '/docs/not-mqtt'],
  ['time zone', '/docs/guides/time-zones'],
])('a search for "%s" finds its page among the first ten', (typed, href) => {
  const found = index.search(typed).slice(0, 10);
  expect(found.map((hit) => String(hit.href).replace(/#.*/, ''))).toContain(href);
});

test('has a page for each file of docs/', () => {
  const written = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'docs/*.md'], { encoding: 'utf8' });
  const missing = written
    .trim()
    .split('\n')
    // The site omits pictures, and the page about writing guides, which is only for authors.
    .filter((file) => !['docs/guides/README.md', 'docs/images/README.md'].includes(file))
    .map((file) => `/${file.replace(/\/README\.md$|\.md$/, '').replace(/guides\/\d+-/, 'guides/')}`)
    .filter((href) => !files.has(href));
  expect(missing).toEqual([]);
});

test('links only to pages and headings that exist', () => {
  const broken = [...files].flatMap(([path, { type, content }]) =>
    type.startsWith('text/html')
      ? [...content.matchAll(/ href="(\/docs[^"#]*)?(?:#([^"]*))?"/g)].flatMap(([link, href = path, anchor]) => {
          const page = files.get(href)?.content;
          const exists = page !== undefined && (anchor === undefined || page.includes(` id="${anchor}"`));
          return exists ? [] : [`${path}: ${link}`];
        })
      : [],
  );
  expect([...new Set(broken)]).toEqual([]);
});

test('lists its pages in four parts', () => {
  const headings = [...(files.get('/docs')?.content ?? '').matchAll(/<h2>(.+?)<\/h2><p>/g)].map(([, title]) => title);
  expect(headings).toEqual(['Tutorials', 'How-to', 'Reference', 'Explanation']);
});
