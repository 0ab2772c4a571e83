import fc, { type Arbitrary } from 'fast-check';
import type { OpenApiDocument, OpenApiOperation } from './document.ts';
import { arbitraryObjectOfSchema, arbitraryValueForSchema, arbitraryValueOrNull } from './values.ts';

/** A generated request to an operation, by one of the callers. */
export interface FuzzedRequest {
  operation: OpenApiOperation;
  /** Index of the caller. */
  by: number;
  /** Path and query. */
  target: string;
  /** Request body as text, as it is sent; undefined for a request without a body. */
  raw: string | undefined;
  headers: Record<string, string>;
}

const RAW = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"a":1}{"b":2}',
  `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  '\ufeff{}',
  '{"__proto__":{}}',
  '<x/>',
];
const TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  '',
];

/** Encodes a value for a path or a query. A value that is not a string is written as JSON. */
const inUrl = (value: unknown): string =>
  encodeURIComponent(
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/[\ud800-\udfff]/gu, '?'),
  )
    // Restores placeholders, such as `«device_id 3»`, which must not be percent-encoded.
    .replaceAll(/%C2%AB(\w+)%20(\d+)%C2%BB/g, '«$1 $2»');

/** Generates requests to every operation of a document. The same seed always gives the same requests. */
export function generateRequests(
  document: OpenApiDocument,
  options: { seed: number; count: number; askers: number },
): FuzzedRequest[] {
  const { seed, count, askers } = options;
  const ofAny = fc.oneof(...document.operations.map((operation) => requestTo(document, operation, askers)));
  return fc.sample(ofAny, { seed, numRuns: count });
}

function requestTo(
  { resolve }: OpenApiDocument,
  operation: OpenApiOperation,
  askers: number,
): Arbitrary<FuzzedRequest> {
  const { method, path, parameters, body } = operation;
  const places = parameters.filter((one) => one.in !== 'header');
  const values = arbitraryObjectOfSchema(
    Object.fromEntries(places.map(({ name, schema }) => [name, arbitraryValueForSchema(schema, resolve, name)])),
    places.filter(({ required }) => required).map(({ name }) => name),
  );
  const json =
    body === undefined
      ? fc.constant(undefined)
      : arbitraryValueForSchema(body, resolve).map((one) => JSON.stringify(one));
  const rubbish = arbitraryValueOrNull(fc.constantFrom(...RAW), 30);
  const headers = fc.record({
    type: arbitraryValueOrNull(fc.constantFrom(...TYPES), 40),
    accept: arbitraryValueOrNull(fc.constantFrom('text/csv', 'text/csv;q=0', '*/*', 'x/y', ''), 8),
    idempotency: arbitraryValueOrNull(fc.constantFrom('one', 'two', 'three', 'a b', 'x'.repeat(256)), 8),
    query: arbitraryValueOrNull(fc.constantFrom('limit=1', 'user_id=%00', 'x=1', '&&', '__proto__=1', '%'), 40),
  });
  return fc.tuple(fc.nat(askers - 1), values, json, rubbish, headers).map(([by, given, made, other, more]) => {
    const inPath = (name: string) => inUrl(given[name]);
    const query = places.filter((one) => one.in === 'query' && one.name in given);
    const parts = [...query.map(({ name }) => `${name}=${inPath(name)}`), ...(more.query === null ? [] : [more.query])];
    const raw = other !== null && (made !== undefined || method !== 'GET') ? other : made;
    return {
      operation,
      by,
      target: `${path.replaceAll(/\{(\w+)\}/g, (_, name) => inPath(name) || '%20')}${parts.length > 0 ? `?${parts.join('&')}` : ''}`,
      raw,
      headers: {
        ...(raw === undefined ? {} : { 'content-type': more.type ?? 'application/json' }),
        ...(more.accept === null ? {} : { accept: more.accept }),
        ...(more.idempotency === null || method !== 'POST' ? {} : { 'idempotency-key': more.idempotency }),
      },
    };
  });
}
