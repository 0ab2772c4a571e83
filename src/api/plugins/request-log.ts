import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { isEventStream } from '#src/api/concurrency-limiter.ts';
import type { Logger } from '#src/core/log.ts';
import type { Metrics } from '#src/core/metrics.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { isTracing, startServerSpan } from '#src/core/tracing.ts';

/**
 * Adds the header `Request-Id` to every response, and logs each request in one line with this id. A line contains the route, but
 * not the path, query or body, so that the log contains no personal data.
 */
export function addRequestLog(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Request-Id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const { statusCode: status } = reply;
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug';
    if (!(request.log as Logger).isLevelEnabled(level)) return;
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      address: request.ip,
      ...omitUndefined({ user_id: request.caller?.accountId, key_id: request.caller?.keyId }),
    };
    request.log[level](line, 'request');
  });
}

/**
 * Counts requests by route and status, and records their durations. Metrics contain no paths, because these contain identifiers.
 */
export function addRequestMetrics(app: FastifyInstance, metrics: Metrics): void {
  const count = metrics.counter('energy_http_requests_total', 'Requests answered', ['method', 'route', 'status']);
  const observe = metrics.duration('energy_http_request_duration_seconds', 'Time from request to answer', [
    'method',
    'route',
  ]);
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    count({ method, route, status: String(reply.statusCode) });
    // Event streams are excluded, because the client determines their duration.
    if (!isEventStream(reply)) observe({ method, route }, reply.elapsedTime / 1_000);
    done();
  });
}

const spans = new WeakMap<object, Span>();

/** Creates an OpenTelemetry span for each request, with the route and the status but without path or values. */
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
