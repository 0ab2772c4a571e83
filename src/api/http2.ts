import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { AppError } from '#src/core/errors.ts';
import { MAX_HEAD_BYTES } from './plugins/protocol.ts';

/** How long a connection, a request and an answer may take, ms. */
export interface Http2Patience {
  /** From the handshake to the first request. */
  headersTimeout: number;
  /** From a request's head to the end of its body. */
  requestTimeout: number;
  /** Without a request, after the first. */
  keepAliveTimeout: number;
  /** While the client takes nothing of an answer that is under way. */
  unreadTimeout: number;
}

/** HTTP/2 on connections that chose it (ALPN). */
export interface Http2 {
  take(socket: TLSSocket): void;
  /**
   * Asks the clients of now to go elsewhere (GOAWAY): requests under way are answered, those that come later are not begun, which the
   * client is told, and may make again (RFC 9113, 6.8). Connections that come later are served.
   */
  handOn(): void;
  /** Takes no more requests; each connection ends with its last answer. */
  close(): void;
}

/** Requests of one connection under way: what browsers and libraries count on (RFC 9113, 5.1.2). */
const MAX_STREAMS = 100;

/**
 * What a connection may do in ten seconds that asks for nothing, or gives up what it asked for (CVE-2023-44487): no client that means
 * well comes near. (nghttp2 counts resets itself, and ends a connection with its next write only: some thousands later.)
 */
const IDLE_FRAMES = { perMs: 10_000, pings: 100, settings: 50, resets: 200 };

/** What `node:http2` takes, and its types do not know. */
const LIMITS: object = { maxSessionInvalidFrames: 100, maxSettings: 32 };

/**
 * Serves connections by Node's compatibility layer, in which a request looks as one of HTTP/1.1 does, and bounds what one of them
 * may cost. `serve` gets its requests.
 */
export function serveHttp2(
  serve: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  patience: Http2Patience,
): Http2 {
  const sessions = new Set<ServerHttp2Session>();
  let isClosing = false;
  const settings = { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEAD_BYTES, enablePush: false };
  const server = createServer({ ...LIMITS, settings }, (request, response) => {
    bound(request, response, patience);
    serve(request, response);
  });
  // What is wrong with a request as HTTP is answered by the app (plugins/protocol.ts).
  server.on('checkExpectation', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('connect', (request: Http2ServerRequest, response: Http2ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('sessionError', () => {});
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    endIdle(session, patience);
    endFloods(session);
    if (isClosing) session.close();
  });
  return {
    take: (socket) => void server.emit('connection', socket),
    handOn() {
      for (const session of sessions) handOn(session);
    },
    close() {
      isClosing = true;
      for (const session of sessions) session.close();
    },
  };
}

/** So long a connection stays open after GOAWAY: closed at once it could be gone before what it said was read. */
const LINGER_MS = 1_000;

function handOn(session: ServerHttp2Session): void {
  session.goaway(constants.NGHTTP2_NO_ERROR);
  setTimeout(() => session.close(), LINGER_MS).unref();
}

/** Ends a connection without requests: whatever else it sends, it has no business here. */
function endIdle(session: ServerHttp2Session, { headersTimeout, keepAliveTimeout }: Http2Patience): void {
  let underWay = 0;
  let timer = setTimeout(() => session.destroy(), headersTimeout);
  session.on('stream', (stream) => {
    clearTimeout(timer);
    underWay++;
    stream.once('close', () => {
      underWay--;
      if (underWay > 0 || session.destroyed) return;
      timer = setTimeout(() => {
        session.close();
        // Half of a head, or bytes that nobody takes, may hold it open.
        setTimeout(() => session.destroy(), 1_000).unref();
      }, keepAliveTimeout);
    });
  });
  session.once('close', () => clearTimeout(timer));
}

/** Ends a connection that floods with frames that ask for nothing and have to be answered. */
function endFloods(session: ServerHttp2Session): void {
  let sinceMs = 0;
  const counts = { pings: 0, settings: 0, resets: 0 };
  const count = (kind: keyof typeof counts) => () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > IDLE_FRAMES.perMs) {
      sinceMs = nowMs;
      Object.assign(counts, { pings: 0, settings: 0, resets: 0 });
    }
    if (++counts[kind] > IDLE_FRAMES[kind]) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  session.on('ping', count('pings'));
  session.on('remoteSettings', count('settings'));
  const countReset = count('resets');
  session.on('stream', (stream) => {
    let isCounted = false;
    const countOnce = () => {
      if (!isCounted) countReset();
      isCounted = true;
    };
    // Before `close`, which waits until all that came with it was read. It is not emitted of a stream whose answer was made by then.
    stream.once('aborted', countOnce);
    stream.once('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) countOnce();
    });
  });
}

/** What requests show as their connection: of a stream that is over the layer knows no address, which the log of requests still wants. */
const connections = new WeakMap<Http2Session, object>();

function connectionOf(session: Http2Session | undefined): object {
  const { remoteAddress, remotePort } = session?.socket ?? {};
  const known = session && connections.get(session);
  if (known) return known;
  const connection = { remoteAddress, remotePort, encrypted: true, destroyed: false };
  if (session) connections.set(session, connection);
  return connection;
}

/** Makes of a request and its answer what they are over HTTP/1.1 where the compatibility layer does not. */
function bound(request: Http2ServerRequest, response: Http2ServerResponse, patience: Http2Patience): void {
  const { stream } = response;
  Object.defineProperty(request, 'socket', { value: connectionOf(stream.session) });
  // fastify and Node's own streams ask these of an answer; without them what is sent to nobody is never given up.
  Object.defineProperty(response, 'destroyed', { get: () => stream.destroyed });
  Object.defineProperty(response, 'closed', { get: () => stream.closed });
  // Nobody else may listen by then.
  request.on('error', () => {});
  const fail = () => request.emit('error', new AppError('badRequest'));
  // A body that broke off ends, in the layer, as a whole one does.
  request.once('aborted', fail);
  const late = stream.endAfterHeaders
    ? undefined
    : setTimeout(() => {
        fail();
        // Where that was no answer.
        setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 1_000).unref();
      }, patience.requestTimeout);
  request.once('end', () => clearTimeout(late));
  stream.once('close', () => clearTimeout(late));
  // After its answer nobody reads on (RFC 9113, 8.1).
  response.once('finish', () => {
    if (!request.readableEnded && !stream.endAfterHeaders) stream.close(constants.NGHTTP2_NO_ERROR);
  });
  // What breaks off must not look whole.
  response.destroy = (error?: Error) => {
    stream.destroy(error ?? new Error('the answer broke off'));
    return response;
  };
  stream.setTimeout(patience.unreadTimeout, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}
