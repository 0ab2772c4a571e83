import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * Access to the connection of a request, for HTTP/1.1 and HTTP/2. Node's requests and responses of the two protocols have the same shape but behave
 * differently: `Http2ServerResponse` has no `destroyed`, and a pipelined response of HTTP/1.1 never emits `close`. So only this file and the
 * protocol servers may use them (test/contract/architecture.test.ts).
 */

/** The HTTP/2 stream of a response; undefined for HTTP/1.1. */
const streamOf = ({ raw }: FastifyReply) =>
  'stream' in raw ? (raw.stream as Http2ServerResponse['stream']) : undefined;

/**
 * Returns the connection of a request: the same object for all requests of the connection. (For HTTP/2, http2.ts
 * creates an object that only has an address.)
 */
export const connectionOf = (reply: FastifyReply): object => reply.request.raw.socket ?? reply.raw;

/**
 * Keeps the address of a connection that was just accepted: Node stores it when it is first read, and a closed connection has none to read.
 * Limits, logs and the audit log need it for requests whose client has hung up. A connection that has already closed is destroyed.
 */
export function keepAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

/** Whether the client closed the connection or cancelled the request before it received the whole response. */
export function hasDisconnected(reply: FastifyReply): boolean {
  const stream = streamOf(reply);
  if (stream) return stream.destroyed || stream.closed;
  return reply.raw.destroyed || reply.request.raw.socket?.destroyed === true;
}

/** Calls `run` once, when the client has received the whole response or has disconnected; at once if it already has. */
export function onConnectionClosed(reply: FastifyReply, run: () => void): void {
  const stream = streamOf(reply);
  if (hasDisconnected(reply)) run();
  else if (stream) stream.once('close', run);
  else whenOverHttp1(reply, run);
}

function whenOverHttp1(reply: FastifyReply, run: () => void): void {
  // A pipelined response that waits behind another one has no connection yet, so it does not detect the end of the
  // connection.
  const waiting = waitingAt(reply.request.raw.socket);
  const over = () => {
    if (waiting.delete(over)) run();
  };
  waiting.add(over);
  reply.raw.once('close', over);
}

/** Callbacks at the end of an HTTP/1.1 connection. One listener serves all pipelined requests. */
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
 * Aborts a response: closes the HTTP/2 stream or the HTTP/1.1 connection, so that the client detects an incomplete
 * response.
 */
export const closeConnection = (reply: FastifyReply): void => void reply.raw.destroy();

/** Length of a refused body's rest up to which it is read, in bytes. */
const MAX_DISCARDED_BYTES = 67_108_864;

/**
 * Reads the rest of a body that is too long, and discards it. Many clients read a response only after they have sent the whole body, and
 * closing the connection before would reset it, with the response still unread (RFC 9112, 9.6). HTTP/2 ends a single stream instead.
 */
export async function discardBody(reply: FastifyReply): Promise<void> {
  const { raw } = reply.request;
  if (raw.httpVersionMajor !== 1) return;
  let bytes = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_DISCARDED_BYTES) return;
    }
  } catch {
    // The client has disconnected.
  }
}
