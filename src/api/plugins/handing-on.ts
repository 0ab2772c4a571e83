import type { FastifyInstance } from 'fastify';

/**
 * From a signal on asks clients to go elsewhere, without cutting anything: over HTTP/1.1 each answer says that its connection ends with
 * it (RFC 9112, 9.6), and a connection without a request stays, since one may be on its way; HTTP/2 has a frame for that.
 */
export function addHandingOn(app: FastifyInstance, signal: AbortSignal | undefined, handOnHttp2: () => void): void {
  signal?.addEventListener('abort', handOnHttp2);
  app.addHook('onSend', async (request, reply) => {
    if (signal?.aborted && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
  });
}
