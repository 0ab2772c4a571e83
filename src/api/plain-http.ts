import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorBody } from './plugins/errors.ts';
import { LENIENT } from './plugins/protocol.ts';

/**
 * Plain HTTP, which only says that HTTPS is required and reads neither key nor body; but for proxies that are trusted, where
 * TLS ends (X-Forwarded-Proto: https): their requests are served.
 */
export function plainHttpServer(
  isTrusted: (address: string | undefined) => boolean,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const body = JSON.stringify(errorBody('httpsRequired'));
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['x-forwarded-proto'] === 'https' && isTrusted(request.socket.remoteAddress)) {
      serve(request, response);
      return;
    }
    request.resume();
    response.writeHead(403, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    });
    response.end(body);
  };
  const server = createServer(LENIENT, answer);
  server.on('checkExpectation', answer);
  server.requestTimeout = 10_000;
  return server;
}
