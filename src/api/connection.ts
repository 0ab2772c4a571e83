import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * What a request came by, over HTTP/1.1 and HTTP/2 alike. Node's two kinds of request and answer look the same and are not
 * (`Http2ServerResponse` has no `destroyed`; an answer of HTTP/1.1 that waits behind another one never emits `close`), so only this file
 * and those that serve the protocols look at them (test/contract/architecture.test.ts).
 */

/** The stream of HTTP/2 that an answer goes by; undefined over HTTP/1.1. */
const streamOf = ({ raw }: FastifyReply) => (raw as unknown as Partial<Http2ServerResponse>).stream;

/** The connection of a request: the same object for all its requests. (Of HTTP/2 http2.ts makes one that only has an address.) */
export const connectionOf = (reply: FastifyReply): object => reply.request.raw.socket ?? reply.raw;

/** Whether a client hung up, or gave the request up, before it had its answer. */
export function hasHungUp(reply: FastifyReply): boolean {
  const stream = streamOf(reply);
  if (stream) return stream.destroyed || stream.closed;
  return reply.raw.destroyed || reply.request.raw.socket?.destroyed === true;
}

/** Calls once, when the client has the whole answer, or has hung up: at once if it has by now. */
export function whenOver(reply: FastifyReply, run: () => void): void {
  const stream = streamOf(reply);
  if (hasHungUp(reply)) run();
  else if (stream) stream.once('close', run);
  else whenOverHttp1(reply, run);
}

function whenOverHttp1(reply: FastifyReply, run: () => void): void {
  // An answer that waits behind another one (pipelining) has no connection yet: it does not notice the end of it.
  const waiting = waitingAt(reply.request.raw.socket);
  const over = () => {
    if (waiting.delete(over)) run();
  };
  waiting.add(over);
  reply.raw.once('close', over);
}

/** By connection of HTTP/1.1: what is called at its end. One listener, however many requests were pipelined. */
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

/** Breaks an answer off: the stream of HTTP/2, or the connection of HTTP/1.1, ends visibly without the answer's end. */
export const breakOff = (reply: FastifyReply): void => void reply.raw.destroy();
