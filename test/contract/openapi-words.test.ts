import { describe, expect, test } from 'vitest';
import { buildOpenApiDocument } from '#src/api/openapi.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';
import { createEventSchema } from '#src/events/bodies.ts';
import { readCheckedInClients } from '#test/support/clients/generate.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is traversed as untyped JSON
type Json = any;

// The OpenAPI document after JSON serialisation, as clients receive it.
const document: Json = JSON.parse(JSON.stringify(buildOpenApiDocument('https://energy.example.net')));

interface Place {
  path: string;
  name: string;
  value: Json;
}

/**
 * Finds every member named `kind` in the document, such as `properties`. Returns the entries of each such object or list, with path and
 * name.
 */
function under(kind: string, value: Json = document, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([name, one]) => {
    // Skips examples, because their members are data without descriptions.
    if (name === 'example' || name === 'examples') return [];
    const here = `${path}/${name}`;
    const found =
      name === kind && !path.endsWith('/properties') && typeof one === 'object'
        ? Object.entries(one as Record<string, Json>).map(([member, of]) => ({
            path: `${here}/${member}`,
            name: Array.isArray(one) ? of.name : member,
            value: of,
          }))
        : [];
    return [...found, ...under(kind, one, here)];
  });
}

interface Operation {
  name: string;
  method: string;
  of: Json;
}

const operations: Operation[] = Object.entries(document.paths as Record<string, Json>).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Json>).map(([method, of]) => ({ name: `${method} ${path}`, method, of })),
);

const resolved = (one: Json): Json =>
  one.$ref === undefined
    ? one
    : (one.$ref as string)
        .slice(2)
        .split('/')
        .reduce((found: Json, name) => found[name], document);

/** Whether a condition holds for a schema or for at least one of its alternatives (anyOf, oneOf). */
const anywhere = (schema: Json, has: (one: Json) => boolean): boolean =>
  has(schema) || [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some((one: Json) => anywhere(resolved(one), has));

/**
 * Whether the description has the form of a sentence: it begins with a capital letter or code, ends with a full stop, and is shorter than
 * 400 characters.
 */
const isDescribed = ({ value }: Place) =>
  typeof value.description === 'string' &&
  /^[A-Z`][\s\S]+\.$/.test(value.description) &&
  value.description.length < 400;

describe('the document describes', () => {
  const kinds = [
    ['properties', 250],
    ['parameters', 60],
    ['headers', 100],
    ['responses', 250],
  ] as const;
  test.each(kinds)('all of its %s in sentences', (kind, atLeast) => {
    const places = under(kind);
    expect(places.length).toBeGreaterThan(atLeast);
    const withWords = places.map((one) => ({
      ...one,
      value: 'description' in one.value ? one.value : resolved(one.value),
    }));
    expect(withWords.filter((one) => !isDescribed(one)).map(({ path }) => path)).toEqual([]);
  });

  test('every date and time with its format', () => {
    // Excludes the settings of a price source. Their values are times of day, or paths to times within the source's response.
    const dates = [...under('properties'), ...under('parameters')].filter(
      ({ name, path }) =>
        /^(at|date|start|end|period_start|period_end)$|_at$/.test(name) && !/SeriesSource\//.test(path),
    );
    expect(dates.length).toBeGreaterThan(40);
    const isDated = ({ value }: Place) =>
      anywhere(value.schema ?? value, ({ format }) => format === 'date' || format === 'date-time');
    expect(dates.filter((one) => !isDated(one)).map(({ path }) => path)).toEqual([]);
  });

  test('every clock hour and month with its form', () => {
    const hours = under('properties').filter(({ name }) => /^(hour|peak_hour|peak_usage_time|month)$/.test(name));
    expect(hours.length).toBeGreaterThan(8);
    const isFormed = ({ value }: Place) => anywhere(value, ({ pattern }) => pattern !== undefined);
    expect(hours.filter((one) => !isFormed(one)).map(({ path }) => path)).toEqual([]);
  });

  test('energy with its unit', () => {
    const energies = under('properties').filter(({ name }) => /_kwh$|^kwh_used$/.test(name));
    expect(energies.length).toBeGreaterThan(40);
    expect(energies.filter(({ value }) => !/\bkWh\b/.test(value.description)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the headers', () => {
  const answers = (wanted: (status: number) => boolean) =>
    operations.flatMap(({ name, method, of }) =>
      Object.entries(of.responses as Record<string, Json>)
        .filter(([status]) => wanted(Number(status)))
        .map(([status, answer]) => ({
          name: `${name} ${status}`,
          method,
          of,
          headers: resolved(answer).headers ?? {},
        })),
    );
  const without = (header: string, among: ReturnType<typeof answers>) => {
    expect(among.length).toBeGreaterThan(0);
    return among.filter(({ headers }) => headers[header] === undefined).map(({ name }) => name);
  };

  test('of limits are on every answer that counts against a limit', () => {
    for (const header of ['RateLimit', 'RateLimit-Policy']) {
      expect(
        without(
          header,
          answers((status) => status !== 401),
        ),
      ).toEqual([]);
    }
  });

  test('Retry-After is on every 429 and 503', () => {
    for (const { of } of operations) expect(Object.keys(of.responses)).toEqual(expect.arrayContaining(['429', '503']));
    expect(
      without(
        'Retry-After',
        answers((status) => status === 429 || status === 503),
      ),
    ).toEqual([]);
  });

  test('Link is on the answer of every list, and on no other', () => {
    const hasCursor = ({ of }: { of: Json }) => of.parameters.some(({ name }: Json) => name === 'cursor');
    const successes = answers((status) => status < 300);
    expect(without('Link', successes.filter(hasCursor))).toEqual([]);
    expect(successes.filter((one) => one.headers.Link !== undefined && !hasCursor(one))).toEqual([]);
  });

  test('Idempotency-Key is accepted by every POST, and by nothing else', () => {
    const takesKey = ({ of }: Operation) =>
      of.parameters.some(({ name, in: where }: Json) => name === 'Idempotency-Key' && where === 'header');
    expect(operations.filter(takesKey).map(({ name }) => name)).toEqual(
      operations.filter(({ method }) => method === 'post').map(({ name }) => name),
    );
  });
});

test.each(['/v1/energy-insights', '/v1/devices/{device_id}/usage', '/v1/analytics/monthly'])(
  '%s is also answered as CSV and as a spreadsheet',
  (path) => {
    const { content } = document.paths[path].get.responses[200];
    expect(content['text/csv']).toMatchObject({
      schema: { type: 'string' },
      example: expect.stringContaining('kwh_used'),
    });
    expect(Object.keys(content)).toContain('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(Object.keys(content).includes('application/atom+xml')).toBe(!path.includes('analytics'));
  },
);

describe('the webhooks', () => {
  const types = [...EVENT_TYPES, 'webhook.test'] as const;

  test('are the events that a client can subscribe to, and the test event', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...types].sort());
  });

  test.each(types)('describe the envelope of %s, with an example that fits it', (type) => {
    const { parameters, requestBody } = document.webhooks[type].post;
    expect(parameters.map(({ name }: Json) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    const { schema, example } = requestBody.content['application/json'];
    const { properties } = resolved(schema);
    expect(Object.keys(properties).sort()).toEqual(['created_at', 'data', 'environment', 'id', 'type']);
    expect(properties.type.const).toBe(type);
    expect(createEventSchema(type).parse(example)).toEqual(example);
    expect(() => createEventSchema(type).parse({ ...example, data: {} })).toThrow();
  });

  test('have their types in the client', async () => {
    const { 'typescript/client.ts': source } = await readCheckedInClients();
    for (const name of ['UsageUpdatedEvent', 'AlertTriggeredEvent', 'DeviceConnectedEvent', 'UserCreatedEvent']) {
      expect(source).toContain(`export interface ${name} {`);
    }
  });
});
