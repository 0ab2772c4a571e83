import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDocsFiles } from '#src/api/docs/pages.ts';
import { EXAMPLES } from '#src/api/examples.ts';
import { buildOpenApiDocument } from '#src/api/openapi.ts';
import { addOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { ERROR_DEFINITIONS, type ErrorName, formatErrorCode } from '#src/core/errors.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe('the OpenAPI document', () => {
  test('needs no key, and is valid by the schema of OpenAPI 3.1', async () => {
    const { status, json } = await api.send('/v1/openapi.json');
    expect(status).toBe(200);
    expect(json.openapi).toBe('3.1.0');
    const { valid, errors } = await new Validator().validate(json);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    // Proves that the check can fail: the validator rejects this invalid document.
    expect((await new Validator().validate({ ...json, paths: { x: 1 } })).valid).toBe(false);
  });

  test('describes every operation once, with a summary, a unique name, and its errors', async () => {
    const { json } = await api.send('/v1/openapi.json');
    const described = Object.entries(
      json.paths as Record<string, Record<string, { operationId: string; summary: string; responses: object }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, ...one })),
    );
    expect(described.map(({ name }) => name).sort()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length);
    for (const { name, summary, responses } of described) {
      expect({ name, ends: summary.endsWith('.'), has401: '401' in responses }).toEqual({
        name,
        ends: true,
        has401: true,
      });
    }
  });
});

describe('the document', () => {
  const document = buildOpenApiDocument('https://energy.example.net');
  const lint = async (source: unknown) => {
    const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
    const problems = await lintFromString({ source: JSON.stringify(source), config });
    return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
  };

  test('has no findings of a linter', async () => {
    expect(await lint(document)).toEqual([]);
    // Proves that the check can fail: the linter reports an operation without a security requirement.
    const paths = { '/healthz': { get: { summary: 'Of the test.', responses: {} } } };
    expect((await lint({ ...document, paths, components: {}, security: undefined })).join()).toContain(
      'security-defined',
    );
  });

  test.each(OPERATIONS.map((one) => [one.name, one] as const))(
    'gives examples of %s that it would accept',
    (name, one) => {
      expect(() => one.answer.parse(EXAMPLES[name].answer)).not.toThrow();
      expect({ name, hasBody: EXAMPLES[name].body !== undefined }).toEqual({ name, hasBody: one.body !== undefined });
      if (one.body) expect(() => one.body?.parse(EXAMPLES[name].body)).not.toThrow();
    },
  );

  test('contains every error of the catalogue, and no other', () => {
    const { responses } = document.components as {
      responses: Record<string, { content: { 'application/json': { examples: Record<string, { value: object }> } } }>;
    };
    const named = Object.values(responses).flatMap(({ content }) =>
      Object.entries(content['application/json'].examples),
    );
    expect(named.map(([name, { value }]) => [name, value]).sort()).toMatchObject(
      Object.entries(ERROR_DEFINITIONS)
        .map(([name, { status, error }]) => [name, { status, error }])
        .sort(),
    );
  });

  test('has an entry in the reference for each error, which doc_url links to', async () => {
    const page = (await buildDocsFiles(document)).get('/docs/reference/errors')?.content ?? '';
    const names = Object.keys(ERROR_DEFINITIONS) as ErrorName[];
    expect(names.filter((name) => !page.includes(`id="${formatErrorCode(name)}"`))).toEqual([]);
  });
});

test('a deprecated operation states its dates of deprecation and removal, and its replacement', async () => {
  const known = OPERATIONS.find(({ name }) => name === 'listDevices');
  if (!known) throw new Error('no listDevices');
  const other = await startTestApi({
    beforeListening(app, context) {
      const deprecated = {
        since: new Date('2027-01-01T00:00:00Z'),
        sunset: new Date('2028-01-01T00:00:00Z'),
        see: 'https://example.com/v2',
      };
      addOperation(app, context, { ...known, path: '/v1/old-devices', deprecated });
    },
  });
  try {
    const { key } = await other.user('homeowner');
    for (let index = 0; index < 2; index++) {
      await other.send('/v1/devices', { method: 'POST', key, body: { type: 'meter', location: 'cellar' } });
    }
    const { status, headers } = await other.send('/v1/old-devices?limit=1', { key });
    expect({ status, deprecation: headers.deprecation, sunset: headers.sunset }).toEqual({
      status: 200,
      deprecation: '@1798761600',
      sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
    });
    expect(headers.link).toMatch(/rel="next", <https:\/\/example\.com\/v2>; rel="deprecation"/);
    expect((await other.send('/v1/devices', { key })).headers).not.toHaveProperty('deprecation');
  } finally {
    await other.close();
  }
});

test('the documentation is served from this host alone, under a policy that allows nothing else, and has no broken links', async () => {
  const pages = new Map<string, string>();
  const wanted = new Map([['/docs', 'the first page']]);
  // The loop may add links to `wanted` while it iterates; it then visits them, too.
  for (const [link, from] of wanted) {
    const [path = '', anchor] = link.split('#');
    const text = pages.get(path) ?? (await sentTo(path, from));
    pages.set(path, text);
    if (anchor !== undefined)
      expect({ link, from, hasAnchor: text.includes(` id="${anchor}"`) }).toMatchObject({ hasAnchor: true });
    if (!path.startsWith('/docs') || !text.startsWith('<!doctype')) continue;
    // Pages link to other sites, but load nothing from them.
    expect(text).not.toMatch(
      /<script>|<style|\sstyle=|\son\w+=|src="(?:https?:)?\/\/|<link[^>]*href="(?:https?:)?\/\//,
    );
    for (const [, href = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const to = href.startsWith('#') ? path + href : href;
      if (to.startsWith('/') && !wanted.has(to)) wanted.set(to, path);
    }
  }
  expect(pages.size).toBeGreaterThan(25);
  async function sentTo(path: string, from: string): Promise<string> {
    const { status, text, headers } = await api.send(path);
    expect({ path, from, status }).toEqual({ path, from, status: 200 });
    if (path.startsWith('/docs')) {
      expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
      // The page of a version never changes, so a repeated request with its ETag gets a 304.
      const again = await api.send(path, { headers: { 'if-none-match': String(headers.etag) } });
      expect({ path, status: again.status }).toEqual({ path, status: 304 });
    }
    return text;
  }
  for (const path of [
    '/docs/',
    '/docs/package.json',
    '/docs/../package.json',
    '/docs/%2e%2e%2fopenapi.ts',
    '/docs/constructor',
  ]) {
    expect({ path, status: (await api.send(path)).status }).toEqual({ path, status: 404 });
  }
});

test('the first page of the documentation is small, and contains a link to each operation', async () => {
  const sizes = ['/docs', '/docs/style.css', '/docs/app.js'].map(async (path) => {
    const { bytes, headers } = await api.send(path, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(headers['content-encoding']).toBe('br');
    return bytes.length;
  });
  expect((await Promise.all(sizes)).reduce((sum, one) => sum + one)).toBeLessThan(10_500);
  for (const { name, path } of OPERATIONS) {
    const { text } = await api.send(`/docs/reference/${path.split('/')[2]}`);
    expect({ name, isThere: text.includes(`id="${name}"`) }).toEqual({ name, isThere: true });
  }
});

test('every answer carries the version and the security headers for browsers', async () => {
  for (const path of ['/healthz', '/v1/users/x', '/nowhere', '/v1/openapi.json']) {
    const { headers } = await api.send(path);
    expect(headers).toMatchObject({
      'energy-service-version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'strict-transport-security': expect.stringContaining('max-age='),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  }
});
