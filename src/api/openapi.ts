import { ERROR_DEFINITIONS, type ErrorName } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { VERSION } from '#src/core/version.ts';
import type { CsvBody } from './bodies.ts';
import { EXAMPLES } from './examples.ts';
import { getErrorHeaders, getResponseHeaders, RESPONSE_HEADER_SCHEMAS } from './openapi-headers.ts';
import { buildCodeSamples } from './openapi-samples.ts';
import { convertZodToJsonSchema, type Json } from './openapi-schema.ts';
import { buildOpenApiWebhooks } from './openapi-webhooks.ts';
import { type AnyOperation, getOperationScopes, listPathParameters } from './operation.ts';
import { createErrorBody } from './plugins/errors.ts';
import { errorSchema } from './shapes.ts';
import { MEDIA_TYPES } from './tables/accept.ts';
import { type Examples, PARAMETER_EXAMPLES } from './v1/example-ids.ts';
import { OPERATIONS, type OperationName } from './v1/operations.ts';

type Named = AnyOperation & { name: OperationName };

/** Maximum length of an error status's description, in characters. Longer descriptions are replaced by a general sentence. */
const MAX_DESCRIPTION = 400;
const STATUSES = Map.groupBy(Object.keys(ERROR_DEFINITIONS) as ErrorName[], (name) => ERROR_DEFINITIONS[name].status);

const TAGS: Record<string, string> = {
  'energy-insights': 'Usage, grid exchange, production and cost of a home, by hour, day or month.',
  analytics: 'Monthly usage, compared with the previous month.',
  usage: 'Live readings and changed hours, as a stream of events.',
  remarks: 'Unusual conditions in a home now.',
  forecast: 'Expected usage and cost of a home at the end of the month.',
  alerts: 'Thresholds on usage, costs and silence, and previews of when they would have fired.',
  users: 'Accounts: homeowners, utilities, administrators; export of their data.',
  groups: 'Buildings, feeders, districts: groups of homes with their total usage.',
  webhooks: 'Subscriptions to events, and the log of their deliveries.',
  devices: 'Meters, plugs and thermostats: pairing, settings and measurements.',
  fleet: 'Devices of all accessible homes, and groups that fell silent together.',
  'bill-periods': 'Versions of a period’s energy for a bill, and its current values.',
  tariffs: 'Prices of energy that a home imports, and payments for energy that it exports.',
  'what-if': 'Energy and cost of a home with a battery, or with other panels.',
  'price-series': 'Prices that are published over time, such as exchange prices.',
  'emission-series': 'Grams of CO2 equivalent for a kWh from the grid, published over time.',
  gateways: 'MQTT brokers of households, each of which connects many devices.',
  keys: 'API keys: create, rotate with an overlap, revoke.',
  memberships: 'Homes of other accounts that invited the caller.',
  authorizations: 'Apps that can access the caller’s home.',
  apps: 'Programs of utilities and administrators, to which homes can give access.',
  audit: 'Audit log for administrators: the actor, action and target of each change.',
  imports: 'Bulk import of devices from tables, all or none.',
  'provisioning-batches': 'Shared credentials with which new meters claim their devices.',
};

/**
 * Generates the OpenAPI 3.1 document of the public API from the schemas that validate requests. `url`: URL at which clients reach the API.
 */
export function buildOpenApiDocument(url: string): Json {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, Json> = {};
  convertZodToJsonSchema(errorSchema, 'output', schemas);
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
      description: 'Receives smart-meter readings over MQTT and serves provably correct kWh over HTTPS.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: buildOpenApiWebhooks(schemas),
    components: {
      headers: RESPONSE_HEADER_SCHEMAS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, eus_live_… or eus_test_…' },
      },
      schemas,
      responses: Object.fromEntries(
        [...STATUSES].map(([status, names]) => [nameOf(status), errorResponse(status, names, url)]),
      ),
    },
  };
}

const nameOf = (status: number) => `Error${status}`;

/** Describes an error status in the OpenAPI document, with an example for each of its errors. `url`: URL at which clients reach the API. */
function errorResponse(status: number, names: readonly ErrorName[], url: string): Json {
  const more = {
    422: { details: [{ field: 'end', message: 'must not lie before start' }] },
    429: { retry_after: 30 },
  }[status];
  const examples = names.map(
    (name) =>
      [name, { summary: ERROR_DEFINITIONS[name].meaning, value: { ...createErrorBody(name, url), ...more } }] as const,
  );
  return {
    description: descriptionOf(names.map((name) => ERROR_DEFINITIONS[name].meaning)),
    headers: getErrorHeaders(status),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** Returns the description of an error status: the meanings of its errors or, if they are too long, a general sentence. */
function descriptionOf(meanings: readonly string[]): string {
  const all = [...new Set(meanings)].join(' ');
  return all.length < MAX_DESCRIPTION ? all : 'Each example names one cause and its remedy.';
}

function operationObject(operation: Named, schemas: Record<string, Json>): Json {
  const { name, method, path, summary, deprecated, changes, produces } = operation;
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(operation, schemas),
    ...(method === 'POST' ? [IDEMPOTENCY] : []),
    ...(produces === EVENT_STREAM ? [LAST_EVENT_ID] : []),
  ];
  return {
    operationId: name,
    ...omitUndefined({ deprecated: deprecated && true }),
    // Marks operations that change nothing, so that clients may repeat their requests.
    ...(changes === 'nothing' && { 'x-changes-nothing': true }),
    summary,
    description: needs(getOperationScopes(operation)),
    tags: [path.split('/')[2] ?? ''],
    parameters,
    ...omitUndefined({ requestBody: requestBodyOf(operation, schemas) }),
    responses: responsesOf(operation, schemas),
    ...(produces !== EVENT_STREAM && {
      'x-codeSamples': buildCodeSamples({ name, method, path, body: EXAMPLES[name].body, query: mustAsk(parameters) }),
    }),
  };
}

function requestBodyOf({ name, body, csvBody, senmlBody }: Named, schemas: Record<string, Json>): Json | undefined {
  if (!body) return undefined;
  const example: Examples[string] = EXAMPLES[name];
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': { schema: convertZodToJsonSchema(body, 'input', schemas), example: example.body },
      ...(senmlBody && { 'application/senml+json': { schema: SENML, example: example.senmlBody } }),
      ...(csvBody && { 'text/csv': { schema: csvOf(csvBody), example: example.csvBody } }),
    },
  };
}

function responsesOf(operation: Named, schemas: Record<string, Json>): Json {
  const { method, answer, formats = [], produces = 'application/json', isTrial } = operation;
  const { status = method === 'POST' ? 201 : 200 } = operation;
  const example: Examples[string] = EXAMPLES[operation.name];
  const headers = getResponseHeaders(operation);
  const schema = convertZodToJsonSchema(answer, 'output', schemas);
  return {
    [status]: {
      description: SUCCESS[status] ?? 'Done.',
      headers,
      content: {
        [produces]: { schema, example: example.answer },
        ...Object.fromEntries(formats.map((format) => [MEDIA_TYPES[format], alsoAs(format, example)])),
      },
    },
    ...(isTrial && {
      200: {
        description: 'The source was fetched; nothing was stored.',
        headers,
        content: { [produces]: { schema } },
      },
    }),
    ...Object.fromEntries(errorsOf(operation).map((one) => [one, { $ref: `#/components/responses/${nameOf(one)}` }])),
  };
}

/** Returns the query parameters that are required, with an example value for each. */
const mustAsk = (parameters: Json[]): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === 'query' && one.required)
      .map(({ name }) => [name, String(PARAMETER_EXAMPLES[String(name)] ?? String(name).toUpperCase())]),
  );

const SUCCESS: Record<number, string> = { 200: 'Done.', 201: 'Created.', 202: 'Queued.' };

/** Describes an operation's response in a format other than JSON. */
const alsoAs = (format: keyof typeof ALSO, { csv }: Examples[string]): Json => ({
  schema: ALSO[format],
  ...(format === 'csv' ? { example: csv } : {}),
});

const ALSO = {
  csv: {
    type: 'string',
    description:
      'The same rows as CSV, if `Accept` prefers it. The first line names the columns: the members of a row. Lines end with LF.',
  },
  xlsx: {
    type: 'string',
    format: 'binary',
    description:
      'The same rows as a spreadsheet (Office Open XML), if `Accept` prefers it. Numbers, dates and amounts are typed cells; `starts_at` is the local time of `tz`, with its offset in the column `utc_offset`.',
  },
  greenButton: {
    type: 'string',
    description:
      'Hourly grid import and export as a Green Button feed (NAESB ESPI), if `Accept` prefers it. Needs `start`, `end` and `group_by=hour`.',
  },
};

const SENML: Json = {
  type: 'array',
  items: { type: 'object' },
  description: 'A SenML pack (RFC 8428) of the device. Each record needs an absolute time.',
};

const csvOf = (csv: readonly string[] | CsvBody): Json => ({
  type: 'string',
  description: 'read' in csv ? csv.described : `The same rows as CSV. The first line is \`${csv.join(',')}\`.`,
});

const needs = (scopes: readonly string[]): string =>
  `Needs the scope${scopes.length > 1 ? 's' : ''} ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`;

/** Returns the error statuses with which an operation can respond. */
function errorsOf({ method, path, body, query }: AnyOperation): number[] {
  const always = [400, 401, 403, 404, 429, 500, 503];
  const conflicts =
    method === 'POST' ||
    (method === 'PATCH' && /users|alerts|tariffs|price-series|emission-series/.test(path)) ||
    (method === 'DELETE' && /price-series|emission-series|bill-periods/.test(path));
  return [...always, ...(conflicts ? [409] : []), ...(body || query || method === 'POST' ? [422] : [])].sort(
    (a, b) => a - b,
  );
}

const IDEMPOTENCY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Key chosen by the client for safe retries. The same request with the same value and API key within 24 h returns the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: PARAMETER_EXAMPLES['Idempotency-Key'],
};

const EVENT_STREAM = 'text/event-stream';
const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event that was received, to resume an interrupted stream.',
  schema: { type: 'string' },
};

export const describePathParameter = (name: string): string =>
  `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`;

const pathParameters = (path: string): Json[] =>
  listPathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: describePathParameter(name),
    schema: { type: 'string' },
    ...exampleOf(name),
  }));

function queryParameters({ query }: AnyOperation, schemas: Record<string, Json>): Json[] {
  if (!query) return [];
  const schema = convertZodToJsonSchema(query, 'input', schemas) as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(schema.properties).map(([name, { description, ...one }]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    description,
    schema: one,
    // Omits the example of a parameter if the operation does not accept its value.
    ...(isNone(one, PARAMETER_EXAMPLES[name]) ? {} : exampleOf(name)),
  }));
}

const isNone = ({ enum: values }: Json, example: unknown) => Array.isArray(values) && !values.includes(example);

const exampleOf = (name = ''): Json => omitUndefined({ example: PARAMETER_EXAMPLES[name] });
