import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { SERVER_TLS } from '#src/core/tls.ts';
import { storeClientAddress } from './connection.ts';
import { type Http2Server, type Http2Timeouts, serveHttp2 } from './http2.ts';
import { LENIENT_PARSER_OPTIONS } from './plugins/protocol.ts';

/** Time limits, in ms, for a handshake, the head of a request and the whole request. Connections that exceed a limit are closed. */
export const SERVER_TIMEOUTS = {
  handshakeTimeout: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  unreadTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** Handler of requests. fastify's handler accepts requests of both protocols, although its type only mentions HTTP/1.1. */
interface Serving {
  serve(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void;
}

/**
 * Creates the server of the API, which does not listen yet. It accepts TLS connections in the protocol that the client chooses (ALPN).
 * Node's HTTPS server handles HTTP/1.1; connections that chose h2 are passed to http2.ts. (Node's server for both protocols needs a
 * different HTTP/1.1 server: decision 0053.)
 */
export function createApiServer(
  { serve }: Serving,
  tls: { cert: Buffer; key: Buffer },
  patience: typeof SERVER_TIMEOUTS,
): { server: Server; http2: Http2Server } {
  const { unreadTimeout, ...timeouts } = patience;
  const server = createServer(
    { ...tls, ...SERVER_TLS, ...LENIENT_PARSER_OPTIONS, ...timeouts, ALPNProtocols: ['h2', 'http/1.1'] },
    serve,
  );
  // Closes a connection whose client does not read its response. Does not affect a slow response that has no data to read yet.
  server.setTimeout(unreadTimeout, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  const http2 = serveHttp2(serve, patience satisfies Http2Timeouts);
  const serveHttp1 = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    storeClientAddress(socket);
    if (socket.alpnProtocol === 'h2') http2.take(socket);
    else for (const listener of serveHttp1) listener.call(server, socket);
  });
  return { server, http2 };
}
