import { createEventSchema, type EventType } from '#src/events/bodies.ts';
import { convertZodToJsonSchema, type Json } from './openapi-schema.ts';
import { EVENT_EXAMPLES } from './v1/webhooks/shape.ts';

const SUMMARIES: Record<EventType | 'webhook.test', string> = {
  'usage.updated': 'The usage of a user changed. At most one event a minute for each user.',
  'alert.triggered': 'An alert fired. One event for each period.',
  'device.connected': 'A paired device sent its first valid message.',
  'user.created': 'A user was created.',
  'remark.raised':
    'A home has a new remark (`GET /v1/remarks`). Homes are checked each hour. A remark that applies to several days causes one event.',
  'webhook.test': 'A subscription is tested (`POST /v1/webhooks/{webhook_id}/test`).',
};

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** Request headers that Standard Webhooks defines. */
const PARAMETERS = [
  header('webhook-id', 'Id of the event, the same in every attempt.', 'evt_01k8xqe8k4r1w5y7d9ms2b6gjt'),
  header('webhook-timestamp', 'Time of this attempt, in Unix seconds.', '1781524800'),
  header(
    'webhook-signature',
    'Signatures, separated by blanks: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. While the secret is being changed, the header has a signature for each secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** Returns the part `webhooks` of the OpenAPI document: the requests that the service sends to webhook receivers. */
export const buildOpenApiWebhooks = (schemas: Record<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(SUMMARIES).map(([type, summary]) => [
      type,
      {
        post: {
          operationId: type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
          summary,
          description: 'Signed according to Standard Webhooks (https://www.standardwebhooks.com).',
          tags: ['webhooks'],
          security: [],
          parameters: PARAMETERS,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: convertZodToJsonSchema(createEventSchema(type as EventType), 'output', schemas),
                example: EVENT_EXAMPLES[type as EventType],
              },
            },
          },
          responses: {
            '2XX': {
              description:
                'The event was received. Any other status, a redirect, or no response within 5 s is a failed attempt.',
            },
          },
        },
      },
    ]),
  );
