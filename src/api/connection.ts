import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * This file gives access to the connection of a request, for HTTP/1.1 and HTTP/2. Node's request and response objects of the two protocols
 * have the same shape but behave differently: `Http2ServerResponse` has no `destroyed`, and a pipelined response of HTTP/1.1 never emits
 * `close`. So only this file and the protocol servers may use these objects (test/contract/architecture.test.ts).
 */

/** Returns the HTTP/2 stream of a response; undefined for HTTP/1.1. */
const streamOf = ({ raw }: FastifyReply) =>
  'stream' in raw ? (raw.stream as Http2ServerResponse['stream']) : undefined;

/**
 * Returns an object that identifies the connection of a request: all requests of a connection have the same object. For HTTP/2, http2.ts
 * creates this object, which contains little more than the client's address.
 */
export const getConnectionKey = (reply: FastifyReply): object => reply.request.raw.socket ?? reply.raw;

/**
 * Makes Node cache the client's address of a newly accepted connection. Node reads the address on first access, and cannot read it after
 * the connection has closed, but limits, logs and the audit log need the address even then. If the connection has already closed, destroys
 * it.
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
 * Calls `run` once, when the client has received the whole response or has disconnected. If either has already happened, calls `run`
 * immediately.
 */
export function onConnectionClosed(reply: FastifyReply, run: () => void): void {
  const stream = streamOf(reply);
  if (hasDisconnected(reply)) run();
  else if (stream) stream.once('close', run);
  else whenOverHttp1(reply, run);
}

function whenOverHttp1(reply: FastifyReply, run: () => void): void {
  // A pipelined response that waits for an earlier response is not attached to the connection yet. It cannot detect the connection's end
  // itself, so the end is detected at the socket.
  const waiting = waitingAt(reply.request.raw.socket);
  const over = () => {
    if (waiting.delete(over)) run();
  };
  waiting.add(over);
  reply.raw.once('close', over);
}

/** Callbacks that are called when an HTTP/1.1 connection ends. One listener serves all pipelined requests of the connection. */
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

/** Aborts a response: closes the HTTP/2 stream or the HTTP/1.1 connection, so that the client detects an incomplete response. */
export const closeConnection = (reply: FastifyReply): void => void reply.raw.destroy();

/** Maximum number of bytes that are read and discarded after a request was refused because its body is too long. */
const MAX_DISCARDED_BYTES = 67_108_864;

/**
 * Reads and discards the rest of a request body that is too long. Many clients read the response only after they have sent the whole body.
 * If the connection were closed earlier, it would be reset before these clients have read the response (RFC 9112, 9.6). With HTTP/2, only
 * the request's stream is ended.
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
    // Reading has failed because the client has disconnected, so no more of the request body will arrive.
  }
}
