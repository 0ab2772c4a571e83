import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { escapeHtml } from '#src/core/html.ts';
import { type Language, loadWords } from '#src/delivery/words/words.ts';
import { cacheClientAddress } from './connection.ts';
import { isHtmlRequested, PLAIN_PAGE_SECURITY_POLICY, renderPlainPage } from './plain-page.ts';
import { createErrorBody } from './plugins/errors.ts';
import { LENIENT_PARSER_OPTIONS, refuseUnparsableRequest } from './plugins/protocol.ts';
import { negotiateLanguage } from './tables/accept.ts';

/**
 * Creates the server for plain HTTP. It responds that HTTPS is required, unless a trusted proxy received the request over TLS
 * (X-Forwarded-Proto: https). Browsers get a link to `publicUrl` instead of the request's own host, which the client can choose.
 */
export function createPlainHttpServer(
  isTrusted: (address: string | undefined) => boolean,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  publicUrl: () => string,
): Server {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['x-forwarded-proto'] === 'https' && isTrusted(request.socket.remoteAddress)) {
      serve(request, response);
      return;
    }
    request.resume();
    void refuse(request, response);
  };
  const refuse = async (request: IncomingMessage, response: ServerResponse) => {
    const isPage = isHtmlRequested(request.headers);
    const language = negotiateLanguage(request.headers['accept-language'] ?? '') ?? 'en';
    const sent = isPage
      ? await pageTo(publicUrl(), language)
      : JSON.stringify(createErrorBody('httpsRequired', publicUrl()));
    response.writeHead(403, {
      'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(sent),
      'Content-Security-Policy': PLAIN_PAGE_SECURITY_POLICY,
      Vary: 'Accept, Accept-Language',
      Connection: 'close',
    });
    response.end(sent);
  };
  const server = createServer(LENIENT_PARSER_OPTIONS, answer);
  server.on('checkExpectation', answer);
  server.on('connection', cacheClientAddress);
  server.on('clientError', (error, socket) =>
    refuseUnparsableRequest(error, socket, createErrorBody('httpsRequired', publicUrl())),
  );
  server.requestTimeout = 10_000;
  return server;
}

async function pageTo(publicUrl: string, language: Language): Promise<string> {
  const { title, text } = (await loadWords(language)).pages.httpsOnly;
  const more = `<p><a href="${escapeHtml(publicUrl)}/dashboard">${escapeHtml(publicUrl)}</a></p>\n`;
  return renderPlainPage(title, text, { more, language });
}
