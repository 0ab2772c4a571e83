import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { AnyOperation } from './operation.ts';
import { error } from './shapes.ts';
import { OPERATIONS } from './v1/operations.ts';

type Json = Record<string, unknown>;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Errors that an operation can answer, by status, with what they mean (specification, Errors). */
const ERRORS: Record<number, string> = {
  400: 'The request was not understood: syntax, parameters, JSON, content type',
  401: 'The API key is missing, unknown, revoked or expired',
  403: 'The key lacks the scope, or its owner’s role the permission',
  404: 'It does not exist, or the caller may not know of it',
  409: 'The request conflicts with what is there',
  422: 'Understood, but values are missing or not valid',
  429: 'The account’s limits are used up, or it is suspended; retry_after says how long',
  500: 'Unexpected error; incident is in the service’s log, too',
  503: 'The service cannot answer now and will again; Retry-After says when to ask',
};

const TAGS: Record<string, string> = {
  'energy-insights': 'Usage by hour, day and month',
  analytics: 'Month over month',
  alerts: 'Thresholds on usage',
  users: 'Accounts',
  webhooks: 'Subscriptions to events',
  devices: 'Meters and thermostats',
  gateways: 'Brokers of households',
  keys: 'API keys',
};

/** The OpenAPI 3.1 document of the interface, from the schemas that validate requests. `url`: where clients reach it. */
export function openApiDocument(url: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Energy usage service',
      version,
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
      schemas: { Error: schemaOf(error, 'output') },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [nameOf(status), errorResponse(description)]),
      ),
    },
  };
}

const nameOf = (status: string) => `Error${status}`;

const errorResponse = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

function operationObject(operation: AnyOperation): Json {
  const { method, path, scope, summary, answer, body } = operation;
  const status = operation.status ?? (method === 'POST' ? 201 : 200);
  const tag = path.split('/')[2] ?? '';
  const isOptional = body?.safeParse(undefined).success;
  return {
    operationId: operationId(operation),
    summary,
    description: `Needs the scope \`${scope}\`.`,
    tags: [tag],
    parameters: [...pathParameters(path), ...queryParameters(operation), ...(method === 'POST' ? [IDEMPOTENCY] : [])],
    ...(body
      ? { requestBody: { required: !isOptional, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }
      : {}),
    responses: {
      [status]: { description: 'Done', content: { 'application/json': { schema: schemaOf(answer, 'output') } } },
      ...Object.fromEntries(
        errorsOf(operation).map((one) => [one, { $ref: `#/components/responses/${nameOf(String(one))}` }]),
      ),
    },
  };
}

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
  description: 'The same key and request within 24 h gives the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters({ query }: AnyOperation): Json[] {
  if (!query) return [];
  const schema = schemaOf(query, 'input') as { properties: Record<string, Json>; required?: string[] };
  return Object.entries(schema.properties).map(([name, one]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: one,
  }));
}

/** `getAlert`, `listAlerts`, `createAlert`: a name for clients that are generated. */
function operationId({ method, path }: AnyOperation): string {
  const parts = path
    .replace('/v1/', '')
    .split('/')
    .filter((part) => !part.startsWith('{'));
  const camel = parts
    .map((part) => part.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase()))
    .join('');
  const hasId = path.endsWith('}');
  const verb = { GET: hasId ? 'get' : 'list', POST: 'create', PATCH: 'update', DELETE: 'delete' }[method];
  return `${verb}${hasId ? camel.replace(/s$/, '') : camel}`;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _draft, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}
