import type { Json } from './openapi-schema.ts';
import type { AnyOperation } from './operation.ts';

const text = { type: 'string' };

/** Descriptions of response headers, for `components.headers` of the OpenAPI document. */
export const RESPONSE_HEADER_SCHEMAS = {
  'Request-Id': { description: 'Id of the request, as in the log of the service.', schema: text },
  'Energy-Service-Version': { description: 'Version of the service.', schema: text, example: '1.7.0' },
  'RateLimit-Policy': {
    description: 'Limits of the account: requests (`q`) in a window of seconds (`w`), for the minute and the UTC day.',
    schema: text,
    example: '"minute";q=30;w=60, "day";q=5000;w=86400',
  },
  RateLimit: {
    description: 'Remaining requests (`r`) in each window, and seconds until the window ends (`t`).',
    schema: text,
    example: '"minute";r=29;t=60, "day";r=4999;t=43200',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  Link: {
    description: 'Address of the next page, with `rel="next"` (RFC 8288). Absent on the last page.',
    schema: text,
    example: '</v1/devices?limit=50&cursor=ZGV2XzAx.5mHq0XbA>; rel="next"',
  },
  Age: {
    description:
      'Age of the data in seconds (RFC 9111). Present if a read replica served the response and is more than 5 seconds behind the primary.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'Required authentication scheme, or the problem with the key that was sent.',
    schema: text,
    example: 'Bearer realm="Send the header Authorization: Bearer API_KEY"',
  },
  Allow: {
    description: 'Methods that the path allows. Present if the method of the request is not allowed.',
    schema: text,
  },
  'Content-Disposition': { description: 'File name for saving the response.', schema: text },
} satisfies Record<string, Json>;

type Header = keyof typeof RESPONSE_HEADER_SCHEMAS;

const ALWAYS: Header[] = ['Request-Id', 'Energy-Service-Version'];
/** Headers of the responses to requests that count against an account's limits. */
const COUNTED: Header[] = ['RateLimit-Policy', 'RateLimit'];
const OF_ERROR: Partial<Record<number, Header[]>> = {
  401: ['WWW-Authenticate'],
  404: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const referring = (names: Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Returns the descriptions of the headers of an error response with this status. */
export const getErrorHeaders = (status: number): Json =>
  referring([...ALWAYS, ...(status === 401 ? [] : COUNTED), ...(OF_ERROR[status] ?? [])]);

/** Returns the descriptions of the headers of a successful response to an operation. */
export function getResponseHeaders({ method, query, produces, readsFromStandby, deprecated }: AnyOperation): Json {
  const isList = query && 'cursor' in query.shape;
  return {
    ...referring([
      ...ALWAYS,
      ...COUNTED,
      ...(isList ? (['Link'] as const) : []),
      ...(readsFromStandby ? (['Age'] as const) : []),
      ...(method === 'POST' ? (['Idempotent-Replayed'] as const) : []),
      ...(produces && produces !== 'text/event-stream' ? (['Content-Disposition'] as const) : []),
    ]),
    ...(deprecated && {
      Deprecation: { description: 'Time since which the operation is deprecated (RFC 9745).', schema: text },
      ...(deprecated.sunset && {
        Sunset: { description: 'Time after which the operation may stop responding (RFC 8594).', schema: text },
      }),
    }),
  };
}
