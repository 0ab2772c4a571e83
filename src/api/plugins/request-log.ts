import type { FastifyInstance } from 'fastify';
import type { Logger } from '#src/core/log.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/**
 * Gives every answer the request's id (`Request-Id`), with which its log lines are found, and writes one line for each
 * request: what failed here as warning, what was refused as info, the rest as debug. Routes, not paths, and neither
 * query nor body: what they say of people stays out of logs.
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
      ...omitUndefined({ user_id: request.caller?.userId, key_id: request.caller?.keyId }),
    };
    request.log[level](line, 'request');
  });
}
