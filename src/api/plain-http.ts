import { createServer, type Server } from 'node:http';
import { errorBody } from './plugins/errors.ts';

/** Plain HTTP, which only says that HTTPS is required. It reads neither key nor body. */
export function plainHttpServer(): Server {
  const body = JSON.stringify(errorBody(403, 'HTTPS is required'));
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(403, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    });
    response.end(body);
  });
  server.requestTimeout = 10_000;
  return server;
}
