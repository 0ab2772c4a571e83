import type { FastifyInstance } from 'fastify';

/**
 * After the signal, asks clients to move to another process without interrupting any request. Over HTTP/1.1 each response announces the end
 * of its connection (RFC 9112, 9.6); a connection without a request stays open, because one may be on its way. HTTP/2 has a frame for this
 * (GOAWAY).
 */
export function addClientHandover(
  app: FastifyInstance,
  signal: AbortSignal | undefined,
  handOnHttp2: () => void,
): void {
  signal?.addEventListener('abort', handOnHttp2);
  app.addHook('onSend', async (request, reply) => {
    if (signal?.aborted && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
  });
}
