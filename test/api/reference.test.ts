import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { type TestApi, testApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
}, 60_000);
afterAll(() => api.close());

describe('the OpenAPI document', () => {
  test('is had without a key, and valid by the schema of OpenAPI 3.1', async () => {
    const { status, json } = await api.send('/v1/openapi.json');
    expect(status).toBe(200);
    expect(json.openapi).toBe('3.1.0');
    const { valid, errors } = await new Validator().validate(json);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    // The check itself can fail.
    expect((await new Validator().validate({ ...json, paths: { x: 1 } })).valid).toBe(false);
  });

  test('describes every operation once, with a summary, a name of its own, and its errors', async () => {
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

test('the reference page comes from here alone, under a policy that allows nothing else', async () => {
  const { status, text, headers } = await api.send('/docs');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) expect({ link, status: (await api.send(link)).status }).toEqual({ link, status: 200 });
  expect(text).not.toMatch(/<script>|\son\w+=/);
  for (const path of ['/docs/', '/docs/package.json', '/docs/../package.json', '/docs/%2e%2e%2fopenapi.ts']) {
    expect({ path, status: (await api.send(path)).status }).toEqual({ path, status: 404 });
  }
});

test('every answer carries the version and what keeps browsers from misusing it', async () => {
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
