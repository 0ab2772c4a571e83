import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * Access to the connection of a request, for HTTP/1.1 and HTTP/2. Only this file and the protocol servers may use Node's request
 * and response objects, because the two protocols' objects behave differently.
 */

/** Returns the HTTP/2 stream of a response; undefined for HTTP/1.1. */
const streamOf = ({ raw }: FastifyReply) =>
  'stream' in raw ? (raw.stream as Http2ServerResponse['stream']) : undefined;

/** Returns an object that identifies the connection of a request. All requests of a connection have the same object. */
export const getConnectionKey = (reply: FastifyReply): object => reply.request.raw.socket ?? reply.raw;

/**
 * Makes Node cache the client's address of a new connection, because Node cannot read the address after the connection has
 * closed. If the connection has already closed, destroys it.
 */
export function cacheClientAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

/** Whether the client closed the connection or cancelled the request before it had received the whole response. */
export function hasDisconnected(reply: FastifyReply): boolean {
  const stream = streamOf(reply);
  if (stream) return stream.destroyed || stream.closed;
  return reply.raw.destroyed || reply.request.raw.socket?.destroyed === true;
}

/**
 * Calls `run` once, when the client has received the whole response or has disconnected (immediately if this has already
 * happened).
 */
export function onConnectionClosed(reply: FastifyReply, run: () => void): void {
  const stream = streamOf(reply);
  if (hasDisconnected(reply)) run();
  else if (stream) stream.once('close', run);
  else whenOverHttp1(reply, run);
}

function whenOverHttp1(reply: FastifyReply, run: () => void): void {
  // In HTTP/1.1, a response that waits for an earlier response on the same connection cannot detect that the client disconnects.
  // The socket can.
  const waiting = waitingAt(reply.request.raw.socket);
  const over = () => {
    if (waiting.delete(over)) run();
  };
  waiting.add(over);
  reply.raw.on('close', over);
}

/** Functions to be called when an HTTP/1.1 connection ends. */
const atEnd = new WeakMap<Socket, Set<() => void>>();

function waitingAt(socket: Socket): Set<() => void> {
  const known = atEnd.get(socket);
  if (known) return known;
  const waiting = new Set<() => void>();
  atEnd.set(socket, waiting);
  socket.once('close', () => {
    for (const over of waiting) over();
  });
  return waiting;
}

/**
 * Aborts a response by closing the HTTP/2 stream or the HTTP/1.1 connection, so that the client detects an incomplete response.
 */
export const closeConnection = (reply: FastifyReply): void => void reply.raw.destroy();

/** Maximum number of bytes that are read and discarded of a body that is too long. */
const MAX_DISCARDED_BYTES = 67_108_864;

/**
 * Reads and discards the rest of a request body that is too long, because many clients read the response only after they have
 * sent the whole body (RFC 9112, 9.6). With HTTP/2, only the request's stream is ended.
 */
export async function discardRequestBody(reply: FastifyReply): Promise<void> {
  const { raw } = reply.request;
  if (raw.httpVersionMajor !== 1) return;
  let bytes = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_DISCARDED_BYTES) return;
    }
  } catch {
    // Reading fails if the client has disconnected.
  }
}
