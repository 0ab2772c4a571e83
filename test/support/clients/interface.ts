import { buildOpenApiDocument } from '#src/api/openapi.ts';
import { snakeToCamelCase } from '#src/api/openapi-samples.ts';

/** A JSON Schema, with the keywords that the OpenAPI document uses. */
export interface OpenApiSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
  items?: OpenApiSchema;
  anyOf?: OpenApiSchema[];
  enum?: (string | number)[];
  const?: string | number | boolean;
  additionalProperties?: boolean | OpenApiSchema;
  description?: string;
  format?: string;
}

interface Parameter {
  name: string;
  schema: OpenApiSchema;
  required: boolean;
  description: string;
  /** Whether the parameter accepts several names separated by commas. If so, the clients also accept a list. */
  isList: boolean;
}

/** An operation in the form in which the generated clients offer it. */
export interface ClientOperation {
  /** Name of the operation in camel case, such as `listAlerts`. */
  name: string;
  method: string;
  path: string;
  summary: string;
  /** Names of the path parameters, in the order in which they occur in the path. */
  inPath: string[];
  query: Parameter[];
  body: { schema: OpenApiSchema; isRequired: boolean; hasCsv: boolean } | null;
  answer: { schema: OpenApiSchema; mediaType: string };
  /** Other response formats: the suffix for the method's name, and the media type. */
  formats: { ending: string; mediaType: string; isText: boolean }[];
  /** Schema of one item of a paged list; null for other responses. A page is an array, or an object with the array in `data`. */
  item: OpenApiSchema | null;
  /** Whether a client may send the request again after a failure. */
  isSafe: boolean;
  example: { body?: unknown; answer?: unknown };
}

interface Media {
  schema: OpenApiSchema;
  example?: unknown;
}

interface Described {
  operationId: string;
  summary: string;
  parameters: (Omit<Parameter, 'isList'> & { in: string })[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { content: Record<string, Media> }>;
  'x-changes-nothing'?: true;
}

const ENDINGS: Record<string, string> = {
  'text/csv': 'Csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Xlsx',
  'application/atom+xml': 'GreenButton',
};

/** HTTP methods that are idempotent (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);

/** Reads the operations and named schemas of the OpenAPI document for the generated clients. Omits event streams. */
export function readOpenApiInterface(): {
  operations: ClientOperation[];
  schemas: Record<string, OpenApiSchema>;
  version: string;
} {
  const document = buildOpenApiDocument('https://localhost:8443') as unknown as {
    info: { version: string };
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, OpenApiSchema> };
  };
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, one]) => operationOf(path, method.toUpperCase(), one, schemas) ?? []),
  );
  return { operations, schemas, version: document.info.version };
}

/** Returns the schema of an array's items, or of the items of an object's array `data`. Null for other schemas. */
function itemOf(schema: OpenApiSchema, schemas: Record<string, OpenApiSchema>): OpenApiSchema | null {
  const { type, items, properties } =
    schema.$ref === undefined ? schema : (schemas[getReferencedSchemaName(schema.$ref)] ?? {});
  return (type === 'array' ? items : properties?.data?.items) ?? null;
}

function operationOf(
  path: string,
  method: string,
  one: Described,
  schemas: Record<string, OpenApiSchema>,
): ClientOperation | null {
  const [, response] = Object.entries(one.responses).find(([status]) => Number(status) < 300) ?? [];
  const [[mediaType, media] = ['', { schema: {} }], ...others] = Object.entries(response?.content ?? {});
  if (mediaType === 'text/event-stream') return null;
  const query = one.parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => ({ ...parameter, isList: /separated by commas/.test(parameter.description ?? '') }));
  const json = one.requestBody?.content['application/json'];
  const item = query.some(({ name }) => name === 'cursor') ? itemOf(media.schema, schemas) : null;
  const example = { body: json?.example, answer: (media as Media).example };
  return {
    name: one.operationId,
    method,
    path,
    summary: one.summary,
    inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query,
    body:
      one.requestBody && json
        ? { schema: json.schema, isRequired: one.requestBody.required, hasCsv: 'text/csv' in one.requestBody.content }
        : null,
    answer: { schema: media.schema, mediaType },
    formats: others.flatMap(([type]) =>
      ENDINGS[type] ? { ending: ENDINGS[type], mediaType: type, isText: !/spreadsheet/.test(type) } : [],
    ),
    item,
    isSafe: IDEMPOTENT.has(method) || one['x-changes-nothing'] === true,
    example,
  };
}

/** Converts camel case to Pascal case: `listAlerts` becomes `ListAlerts`. */
export const toPascalCase = (name: string): string =>
  snakeToCamelCase(name).replace(/^\w/, (letter) => letter.toUpperCase());

/** Returns the name of the schema that a `$ref` references. */
export const getReferencedSchemaName = (ref: string): string => ref.split('/').at(-1) ?? '';
