import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { isTracing, startServerSpan } from '#src/core/tracing.ts';

const spans = new WeakMap<object, Span>();

/** Creates a span for each request (OpenTelemetry, semantic conventions of HTTP) with its route and status, never its path or values. */
export function addRequestSpans(app: FastifyInstance): void {
  if (!isTracing()) return;
  app.addHook('onRequest', (request, _reply, done) => {
    spans.set(request, startServerSpan(request.method, request.headers, done));
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request);
    if (!span) return;
    const route = request.routeOptions.url;
    if (route !== undefined) span.updateName(`${request.method} ${route}`);
    const attributes = {
      'http.request.method': request.method,
      'http.response.status_code': reply.statusCode,
      'energy.request_id': request.id,
      'http.route': route,
    };
    span.setAttributes(omitUndefined(attributes));
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}
