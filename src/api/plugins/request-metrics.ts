import type { FastifyInstance } from 'fastify';
import { isEventStream } from '#src/api/share.ts';
import type { Metrics } from '#src/core/metrics.ts';

/** Counts requests by route and status, and records their durations. Routes instead of paths keep identifiers out of metrics. */
export function addRequestMetrics(app: FastifyInstance, metrics: Metrics): void {
  const count = metrics.counter('energy_http_requests_total', 'Requests answered', ['method', 'route', 'status']);
  const observe = metrics.duration('energy_http_request_duration_seconds', 'Time from request to answer', [
    'method',
    'route',
  ]);
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    count({ method, route, status: String(reply.statusCode) });
    // The duration of an event stream depends on the client, not on the service's speed.
    if (!isEventStream(reply)) observe({ method, route }, reply.elapsedTime / 1_000);
  });
}
