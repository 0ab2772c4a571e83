import type { FastifyInstance } from 'fastify';
import type { Logger } from '#src/core/log.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/**
 * Adds the request's id (`Request-Id`), which its log lines contain, to every response, and writes one log line for each request: failures
 * of the service as warning, refusals as info, the rest as debug. Lines contain routes instead of paths, and neither query nor body, so
 * that personal data stays out of logs.
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
