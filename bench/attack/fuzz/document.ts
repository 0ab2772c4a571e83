import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { HttpResponse } from '../client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is traversed as untyped JSON
export type Json = any;

/** An operation as the OpenAPI document describes it. */
export interface OpenApiOperation {
  name: string;
  method: string;
  path: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Json }[];
  /** Schema of the request body; undefined if the operation takes none. */
  body: Json | undefined;
}

export interface OpenApiDocument {
  operations: readonly OpenApiOperation[];
  /** Resolves a `$ref`. */
  resolve(schema: Json): Json;
  /** Returns how a response differs from the OpenAPI document. Null if the response conforms. */
  findDeviation(operation: OpenApiOperation, answer: HttpResponse): string | null;
}

const FORMATS: Record<string, RegExp> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
};

const pointer = (...parts: string[]) =>
  parts
    .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}`)
    .join('');

/** Reads an OpenAPI 3.1 document. */
export function parseOpenApiDocument(document: Json): OpenApiDocument {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  for (const [name, pattern] of Object.entries(FORMATS)) ajv.addFormat(name, pattern);
  ajv.addFormat('binary', true);
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (place: string): ValidateFunction => {
    const found = validators.get(place) ?? ajv.compile({ $ref: `document#${place}` });
    validators.set(place, found);
    return found;
  };
  const resolve = (one: Json): Json =>
    one?.$ref === undefined
      ? one
      : resolve(
          (one.$ref as string)
            .slice(2)
            .split('/')
            .reduce((found: Json, part) => found[part], document),
        );

  const operations = Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, one]: [string, Json]) => ({
      name: one.operationId,
      method: method.toUpperCase(),
      path,
      parameters: one.parameters ?? [],
      body: one.requestBody?.content['application/json'].schema,
    })),
  );

  return {
    operations,
    resolve,
    findDeviation({ method, path }, { status, headers, bytes, json }) {
      const responses = document.paths[path][method.toLowerCase()].responses;
      const described = responses[status];
      if (described === undefined) return `${status} is not in the document`;
      const place =
        described.$ref?.slice(1) ?? pointer('paths', path, method.toLowerCase(), 'responses', String(status));
      const { content = {}, headers: describedHeaders = {} } = resolve(described);
      const [type = ''] = String(headers['content-type'] ?? '').split(';');
      if (content[type] === undefined) return `${status} has the type ${type || 'none'}, not ${Object.keys(content)}`;
      if (type === 'application/json') {
        const validate = validatorAt(`${place}${pointer('content', type, 'schema')}`);
        if (bytes.length === 0 || !validate(json)) return `${status}: ${ajv.errorsText(validate.errors)}`;
      }
      for (const [name, header] of Object.entries(describedHeaders as Json)) {
        const value = headers[name.toLowerCase()];
        if (name === 'Retry-After' && value === undefined) return `${status} has no Retry-After`;
        if (value === undefined) continue;
        const { schema } = resolve(header);
        const typed = schema.type === 'integer' ? Number(value) : String(value);
        if (!ajv.validate(schema, typed)) return `${status}: ${name} is ${value}`;
      }
      return null;
    },
  };
}
