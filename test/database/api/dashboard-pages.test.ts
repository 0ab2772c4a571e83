import { readdir, readFile, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssetLoader } from '#src/api/dashboard/asset-files.ts';
import common from '#src/dashboard/words/en/common.json' with { type: 'json' };
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe('the pages', () => {
  test('exist at each address in the navigation', async () => {
    for (const page of Object.keys(common.pages))
      expect([page, (await api.send(`/dashboard/${page}`)).status]).toEqual([page, 200]);
  });

  test('are served from this host alone, without inline code, and are revalidated each time', async () => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/keys', '/dashboard/sign-in']) {
      const { status, headers, text } = await api.send(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?:/);
      for (const [, asset = ''] of text.matchAll(/(?:href|src)="(\/dashboard\/app[^"]+)"/g)) {
        const found = await api.send(asset);
        expect([asset, found.status, found.headers['cache-control']]).toEqual([asset, 200, 'no-cache']);
        const again = await api.send(asset, { headers: { 'if-none-match': String(found.headers.etag) } });
        expect([again.status, again.text]).toEqual([304, '']);
        const many = await api.send(asset, {
          headers: { 'if-none-match': `"x", W/${String(found.headers.etag)}` },
        });
        expect(many.status).toBe(304);
      }
    }
  });

  test('every module’s imports exist, and no module has types left', async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, headers, text } = await api.send(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'application/javascript; charset=utf-8']);
      for (const [, , name = ''] of text.matchAll(/(\bfrom\s*|\bimport\s*\(?\s*)['"]([./][^'"\n]+)['"]/g))
        await visit(new URL(name, `https://x${path}`).pathname);
    };
    await visit('/dashboard/app/app.js');
    expect(seen.size).toBeGreaterThan(20);
  });

  test('are sent in the best accepted compression', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['gzip;q=0', undefined],
      ['', undefined],
    ] as const) {
      const { status, headers } = await api.send('/dashboard/app/app.js', { headers: { 'accept-encoding': accepted } });
      expect([accepted, status, headers['content-encoding'], headers.vary]).toEqual([
        accepted,
        200,
        encoding,
        'Accept-Encoding',
      ]);
    }
  });

  test('that do not exist return an HTML page to a browser, whatever it has cached', async () => {
    const accept = 'text/html,application/xhtml+xml';
    const { status, headers, text } = await api.send('/dashboard/nothing', { headers: { accept } });
    expect([status, headers['cache-control'], headers.etag]).toEqual([404, 'no-store', undefined]);
    const { etag } = (await api.send('/dashboard')).headers;
    const again = await api.send('/dashboard/nothing', { headers: { accept, 'if-none-match': String(etag) } });
    expect([again.status, again.text]).toEqual([404, text]);
    expect(text).toContain('<html');
  });

  test.each([
    ['/dashboard/home/week', 200, '<html'],
    ['/dashboard/devices/dev_00000000000000000000000000/month', 200, '<html'],
    ['/dashboard/home/', 200, '<html'],
    ['/dashboard/home/week/2026-W48/?a=b', 302, '/dashboard/home/week/2026-W48?a=b'],
    ['/docs/', 302, '/docs'],
    ['/docs/guides/first-reading/', 302, '/docs/guides/first-reading'],
    ['/dashboard/a/b/c', 404, '<html'],
    ['/docs/nothing', 404, '<html'],
    ['/home', 404, '<html'],
    // If the service redirected this path to the path without its trailing slash, the browser would open another site.
    ['//example.com/', 404, '<html'],
    ['/\\\\example.com/', 404, '<html'],
    ['//example.com/docs//', 404, '<html'],
  ])(
    '%s answers a browser with %i and a page, and a program with JSON if there is none',
    async (path, status, shown) => {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      const page = await api.send(path, { headers: { accept } });
      expect([page.status, page.headers.location ?? page.text]).toEqual([status, expect.stringContaining(shown)]);
      if (status === 200) return;
      for (const headers of [{}, { accept: 'application/json' }])
        expect((await api.send(path, { headers })).json).toEqual(createExpectedErrorBody('notFound'));
      expect((await api.send(path, { method: 'POST', headers: { accept } })).json).toMatchObject({
        status: expect.any(Number),
      });
    },
  );

  test('have the same ETag in each process, another one for each content, and no time', async () => {
    const [files, others] = [createAssetLoader(), createAssetLoader()];
    const app = await files('app.js');
    expect((await others('app.js'))?.etag).toBe(app?.etag);
    expect((await files('layout.js'))?.etag).not.toBe(app?.etag);
    const { headers } = await api.send('/dashboard/app/app.js');
    expect([headers.etag, headers['last-modified']]).toEqual([app?.etag, undefined]);
  });

  test('are compressed once for all processes, and again if the stored file is damaged', async () => {
    const compressed = async () => (await createAssetLoader()('app.js'))?.coded.br as Buffer;
    const first = await compressed();
    const folder = String(getCompileCacheDir());
    const entries = (await readdir(folder)).filter((name) => name.startsWith('dashboard-'));
    const contents = await Promise.all(
      entries.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })),
    );
    const entry = contents.find(({ bytes }) => bytes.subarray(32).equals(first));
    expect(entry).toBeDefined();
    for (const damaged of [Buffer.alloc(0), entry?.bytes.subarray(0, -1)]) {
      await writeFile(join(folder, String(entry?.name)), damaged as Buffer);
      expect(await compressed()).toEqual(first);
      expect(await readFile(join(folder, String(entry?.name)))).toEqual(entry?.bytes);
    }
  });

  test('no other files are served', async () => {
    for (const path of [
      '/dashboard/app/',
      '/dashboard/app/app.ts',
      '/dashboard/app/tsconfig.json',
      '/dashboard/app/../../package.json',
      '/dashboard/app/..%2f..%2fpackage.json',
      '/dashboard/app/%2e%2e/app.ts',
      '/dashboard/app/lib/preact',
      '/dashboard/nothing',
    ])
      expect([path, (await api.send(path)).status]).toEqual([path, 404]);
  });
});
