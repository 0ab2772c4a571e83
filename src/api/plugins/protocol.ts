import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#src/core/errors.ts';
import type { ErrorBody } from './errors.ts';

/** Maximum size of a request's head in bytes. Node has the same limit for HTTP/1.1. */
export const MAX_HEAD_BYTES = 16_384;

/**
 * Options that let `addProtocolErrorResponses` respond to requests without a Host header. Node itself would respond without a
 * body.
 */
export const LENIENT_PARSER_OPTIONS = { requireHostHeader: false } as const;

/** Responds to protocol errors in a request in the same format as to every other error (RFC 9112, 3.2; RFC 9110, 10.1.1). */
export function addProtocolErrorResponses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw, headers }, _reply, done) => {
    const { host, ':authority': authority } = headers as Record<string, string | undefined>;
    if (raw.httpVersion === '1.1' && host === undefined) throw wrong('Host', 'is required');
    // An HTTP/2 request may have both Host and :authority. If the two differ, one of them is false (RFC 9113, 8.3.1).
    if (host !== undefined && authority !== undefined && host.toLowerCase() !== authority.toLowerCase())
      throw wrong('Host', 'must be the :authority');
    // With HTTP/2, Node enforces this limit only after the client has acknowledged it.
    if (raw.httpVersionMajor === 2 && raw.rawHeaders.reduce((sum, { length }) => sum + length, 0) > MAX_HEAD_BYTES)
      throw new AppError('badRequest');
    const { expect } = headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw wrong('Expect', 'must be 100-continue');
    done();
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    // The connection is closed after the response, because the rest of the request's body may never arrive.
    response.setHeader('Connection', 'close');
    app.routing(request, response);
  });
}

/** Codes of connection errors after which the client can receive no response. */
const UNANSWERABLE = /^(?:ECONNRESET|EPROTO|ERR_TLS|ERR_SSL)/;

/** Responds to a request that Node cannot parse, if possible, and closes the connection. */
export function refuseUnparsableRequest(error: Error, socket: Duplex, refused: ErrorBody): void {
  // After a failed TLS handshake, no response can be sent.
  if (!socket.writable || UNANSWERABLE.test((error as NodeJS.ErrnoException).code ?? '')) return void socket.destroy();
  const body = JSON.stringify(refused);
  const status = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n`;
  const head = `${status}Content-Type: application/json; charset=utf-8\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const wrong = (field: string, message: string) => new AppError('badRequest', { details: [{ field, message }] });

/** Returns the path and query of a request target, without the scheme and host of a whole URL (RFC 9112, 3.2.2). */
export function getPathAndQuery(target: string): string {
  if (target.startsWith('/')) return target;
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * When the signal aborts, asks clients to connect to another process, without interrupting any request. With HTTP/1.1, each
 * response announces that its connection will be closed (RFC 9112, 9.6). With HTTP/2, the server sends GOAWAY.
 */
export function addConnectionDraining(
  app: FastifyInstance,
  signal: AbortSignal | undefined,
  handOnHttp2: () => void,
): void {
  signal?.addEventListener('abort', handOnHttp2);
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // After an invalid body, fastify sets the Connection header, which HTTP/2 forbids (RFC 9113, 8.2.2).
    if (raw.httpVersionMajor === 2) reply.removeHeader('Connection');
    else if (signal?.aborted) reply.header('Connection', 'close');
    done();
  });
}
