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

/** Time limits in ms of a connection, a request and a response. */
export interface Http2Timeouts {
  /** Maximum time from the TLS handshake to the first request. */
  headersTimeout: number;
  /** Maximum time from the arrival of a request's head to the end of its body. */
  requestTimeout: number;
  /** Maximum time without a request, after the first request. */
  keepAliveTimeout: number;
  /** Maximum time in which a client reads nothing while a response is being sent to it. */
  unreadTimeout: number;
}

/** Serves connections on which the client has negotiated HTTP/2 (ALPN). */
export interface Http2Server {
  take(socket: TLSSocket): void;
  /**
   * Asks clients to connect to another process (GOAWAY). Requests in progress are answered. Later requests on the same
   * connections are refused in a way that lets the client repeat them (RFC 9113, 6.8).
   */
  handOn(): void;
  /** Stops accepting requests. Each connection ends after its last response. */
  close(): void;
}

/** Maximum number of concurrent requests on an HTTP/2 connection. Browsers and libraries expect at least 100 (RFC 9113, 5.1.2). */
const MAX_STREAMS = 100;

/**
 * Limits of an HTTP/2 connection that sends no requests or cancels its requests: the maximum number of frames of each kind in ten seconds
 * (CVE-2023-44487).
 */
const IDLE_FRAMES = { perMs: 10_000, pings: 100, settings: 50, resets: 200 };

/** Options of `node:http2` that Node's types do not declare. */
const LIMITS: object = { maxSessionInvalidFrames: 100, maxSettings: 32 };

/** Serves HTTP/2 connections and limits their cost. `serve` receives each request in the form of HTTP/1.1. */
export function serveHttp2(
  serve: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  patience: Http2Timeouts,
): Http2Server {
  const sessions = new Set<ServerHttp2Session>();
  let isClosing = false;
  const settings = { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEAD_BYTES, enablePush: false };
  const server = createServer({ ...LIMITS, settings }, (request, response) => {
    bound(request, response, patience);
    serve(request, response);
  });
  // These listeners pass requests with protocol errors to the app, which responds to them (plugins/protocol.ts).
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

/** Time in ms between the GOAWAY frame and the end of a connection, so that the client receives the frame. */
const LINGER_MS = 1_000;

function handOn(session: ServerHttp2Session): void {
  session.goaway(constants.NGHTTP2_NO_ERROR);
  setTimeout(() => session.close(), LINGER_MS).unref();
}

/** Ends a connection without requests, even if the client sends other frames. */
function endIdle(session: ServerHttp2Session, { headersTimeout, keepAliveTimeout }: Http2Timeouts): void {
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
        // Incomplete or unread data could keep the connection open, so it is destroyed after a second.
        setTimeout(() => session.destroy(), 1_000).unref();
      }, keepAliveTimeout);
    });
  });
  session.once('close', () => clearTimeout(timer));
}

/** Ends an HTTP/2 connection that sends too many frames without requests: pings, settings and resets. */
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
    // Both events are needed: `close` waits until all data are read, and `aborted` is not emitted after a complete response.
    stream.once('aborted', countOnce);
    stream.once('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) countOnce();
    });
  });
}

/**
 * Objects that replace the sockets of HTTP/2 requests. They store the client's address, which Node no longer returns after a
 * stream has closed.
 */
const connections = new WeakMap<Http2Session, object>();

function connectionOf(session: Http2Session | undefined): object {
  const { remoteAddress, remotePort } = session?.socket ?? {};
  const known = session && connections.get(session);
  if (known) return known;
  const connection = { remoteAddress, remotePort, encrypted: true, destroyed: false };
  if (session) connections.set(session, connection);
  return connection;
}

/** Makes a request and its response behave as over HTTP/1.1. */
function bound(request: Http2ServerRequest, response: Http2ServerResponse, patience: Http2Timeouts): void {
  const { stream } = response;
  Object.defineProperty(request, 'socket', { value: connectionOf(stream.session) });
  // fastify and Node's streams read the property `destroyed`. Without it, they would never abandon a response to a client that
  // has disconnected.
  Object.defineProperty(response, 'destroyed', { get: () => stream.destroyed });
  Object.defineProperty(response, 'closed', { get: () => stream.closed });
  // Without a listener, an error would end the process.
  request.on('error', () => {});
  const fail = () => request.emit('error', new AppError('badRequest'));
  // Reports an aborted request body as an error. Node reports it like a complete body.
  request.once('aborted', fail);
  const late = stream.endAfterHeaders
    ? undefined
    : setTimeout(() => {
        fail();
        // Resets the stream if the client has not received the complete response a second later.
        setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 1_000).unref();
      }, patience.requestTimeout);
  request.once('end', () => clearTimeout(late));
  stream.once('close', () => clearTimeout(late));
  // When the response is complete, the unread part of the request's body is discarded (RFC 9113, 8.1).
  response.once('finish', () => {
    if (!request.readableEnded && !stream.endAfterHeaders) stream.close(constants.NGHTTP2_NO_ERROR);
  });
  // Resets the stream, so that an aborted response does not look complete.
  response.destroy = (error?: Error) => {
    stream.destroy(error ?? new Error('the answer broke off'));
    return response;
  };
  stream.setTimeout(patience.unreadTimeout, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}
