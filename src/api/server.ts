import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { SERVER_TLS } from '#src/core/tls.ts';
import { type Http2, type Http2Patience, serveHttp2 } from './http2.ts';
import { LENIENT } from './plugins/protocol.ts';

/** A socket that says nothing, or says it slowly, is closed: how long a handshake, the head of a request and all of it may take. */
export const PATIENCE = {
  handshakeTimeout: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  unreadTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** What answers requests: fastify's handler, which takes those of both protocols, though its type names the first alone. */
interface Serving {
  serve(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void;
}

/**
 * The server of the API, not listening yet: TLS, and on it the protocol that the client chooses (ALPN). HTTP/1.1 is Node's HTTPS
 * server as it is; connections that chose h2 are handed on. (Node's own way to speak both takes another server for HTTP/1.1 than
 * this one: decision 0053.)
 */
export function apiServer(
  { serve }: Serving,
  tls: { cert: Buffer; key: Buffer },
  patience: typeof PATIENCE,
): { server: Server; http2: Http2 } {
  const { unreadTimeout, ...timeouts } = patience;
  const server = createServer(
    { ...tls, ...SERVER_TLS, ...LENIENT, ...timeouts, ALPNProtocols: ['h2', 'http/1.1'] },
    serve,
  );
  // Of an answer that nobody reads the connection is not kept; what takes long before it answers has nothing to be read.
  server.setTimeout(unreadTimeout, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  const http2 = serveHttp2(serve, patience satisfies Http2Patience);
  const serveHttp1 = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') http2.take(socket);
    else for (const listener of serveHttp1) listener.call(server, socket);
  });
  return { server, http2 };
}
