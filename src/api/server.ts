import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { SERVER_TLS_OPTIONS } from '#src/core/tls.ts';
import { cacheClientAddress } from './connection.ts';
import { type Http2Server, type Http2Timeouts, serveHttp2 } from './http2.ts';
import { LENIENT_PARSER_OPTIONS } from './plugins/protocol.ts';

/** Time limits in ms of a handshake, a request and a connection. Connections that exceed a limit are closed. */
export const SERVER_TIMEOUTS = {
  handshakeTimeout: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  unreadTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** Handler of requests of HTTP/1.1 and HTTP/2. */
interface Serving {
  serve(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void;
}

/**
 * Creates the server of the API, which does not listen yet. The client of each TLS connection chooses the protocol (ALPN).
 * Decision 0053 explains why Node's server for both protocols is not used.
 */
export function createApiServer(
  { serve }: Serving,
  tls: { cert: Buffer; key: Buffer },
  patience: typeof SERVER_TIMEOUTS,
): { server: Server; http2: Http2Server } {
  const { unreadTimeout, ...timeouts } = patience;
  const server = createServer(
    { ...tls, ...SERVER_TLS_OPTIONS, ...LENIENT_PARSER_OPTIONS, ...timeouts, ALPNProtocols: ['h2', 'http/1.1'] },
    serve,
  );
  // Closes a connection whose client does not read its response.
  server.setTimeout(unreadTimeout, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
  const http2 = serveHttp2(serve, patience satisfies Http2Timeouts);
  const serveHttp1 = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    cacheClientAddress(socket);
    if (socket.alpnProtocol === 'h2') http2.take(socket);
    else for (const listener of serveHttp1) listener.call(server, socket);
  });
  return { server, http2 };
}
