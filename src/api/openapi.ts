import { z } from 'zod';
import { defined } from '#src/core/defined.ts';
import { ERRORS } from '#src/core/errors.ts';
import { VERSION } from '#src/core/version.ts';
import { EXAMPLES } from './examples.ts';
import { type AnyOperation, scopesOf } from './operation.ts';
import { error } from './shapes.ts';
import { OPERATIONS, type OperationName } from './v1/operations.ts';

type Json = Record<string, unknown>;

type Named = AnyOperation & { name: OperationName };

/** The errors of the catalogue by status. */
const STATUSES = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status);

const TAGS: Record<string, string> = {
  'energy-insights': 'Usage by hour, day and month',
  analytics: 'Month over month',
  alerts: 'Thresholds on usage',
  users: 'Accounts',
  webhooks: 'Subscriptions to events',
  devices: 'Meters and thermostats',
  gateways: 'Brokers of households',
  keys: 'API keys',
  audit: 'Who did what to whom',
};

/** The OpenAPI 3.1 document of the interface, from the schemas that validate requests. `url`: where clients reach it. */
export function openApiDocument(url: string): Json {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = {};
  schemaOf(error, 'output', schemas);
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Energy usage service',
      version: VERSION,
      description: 'Smart-meter readings in over MQTT, provably right kWh out over HTTPS.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, eus_live_… or eus_test_…' },
      },
      schemas,
      responses: Object.fromEntries([...STATUSES].map(([status, errors]) => [nameOf(status), errorResponse(errors)])),
    },
  };
}

const nameOf = (status: number) => `Error${status}`;

/** What a status means: each of its errors with an example. */
function errorResponse(errors: [string, { status: number; error: string; meaning: string }][]): Json {
  const examples = errors.map(([name, { status, error, meaning }]) => {
    const more = {
      422: { details: [{ field: 'end', message: 'must not lie before start' }] },
      429: { retry_after: 30 },
    };
    return [name, { summary: meaning, value: { error, status, ...more[status as keyof typeof more] } }] as const;
  });
  return {
    description: errors.map(([, { meaning }]) => meaning).join(' '),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function operationObject(operation: Named, schemas: Record<string, Json>): Json {
  const { name, method, path, summary, answer, body, deprecated, produces = 'application/json' } = operation;
  const example: { body?: unknown; answer: unknown } = EXAMPLES[name];
  const status = operation.status ?? (method === 'POST' ? 201 : 200);
  const tag = path.split('/')[2] ?? '';
  const isOptional = body?.safeParse(undefined).success;
  return {
    operationId: name,
    ...defined({ deprecated: deprecated && true }),
    summary,
    description: needs(scopesOf(operation)),
    tags: [tag],
    parameters: [
      ...pathParameters(path),
      ...queryParameters(operation, schemas),
      ...(method === 'POST' ? [IDEMPOTENCY] : []),
    ],
    ...(body
      ? {
          requestBody: {
            required: !isOptional,
            content: { 'application/json': { schema: schemaOf(body, 'input', schemas), example: example.body } },
          },
        }
      : {}),
    responses: {
      [status]: {
        description: 'Done',
        content: { [produces]: { schema: schemaOf(answer, 'output', schemas), example: example.answer } },
      },
      ...Object.fromEntries(errorsOf(operation).map((one) => [one, { $ref: `#/components/responses/${nameOf(one)}` }])),
    },
  };
}

const needs = (scopes: readonly string[]): string =>
  `Needs the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`;

/** Which errors an operation can answer at all. */
function errorsOf({ method, path, body, query }: AnyOperation): number[] {
  const always = [400, 401, 403, 404, 429, 500, 503];
  const conflicts = method === 'POST' || (method === 'PATCH' && /users|alerts/.test(path));
  return [...always, ...(conflicts ? [409] : []), ...(body || query ? [422] : [])].sort((a, b) => a - b);
}

const IDEMPOTENCY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and request within 24 h, with the same API key, gives the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters({ query }: AnyOperation, schemas: Record<string, Json>): Json[] {
  if (!query) return [];
  const schema = schemaOf(query, 'input', schemas) as { properties: Record<string, Json>; required?: string[] };
  return Object.entries(schema.properties).map(([name, one]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: one,
  }));
}

/** The JSON Schema of a zod schema. What has a name of its own goes to `named`, and is referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Record<string, Json>): Json {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Limits of the language, and patterns that a format says already, are noise to a reader.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined || jsonSchema.type === 'integer') delete jsonSchema.pattern;
      // What is read out of text has a default of another type, which the library leaves out.
      if ('missing' in jsonSchema) {
        jsonSchema.default = jsonSchema.missing as number;
        delete jsonSchema.missing;
      }
      // A later version may answer more (specification, Versioning): clients must not be generated to refuse it.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const referring = (one: Json) =>
    JSON.parse(JSON.stringify(one).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  for (const [name, one] of Object.entries($defs ?? {})) named[name] = referring(one);
  return referring(json);
}
