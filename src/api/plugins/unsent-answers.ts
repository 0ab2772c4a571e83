import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { breakOff, connectionOf, whenOver } from '#src/api/connection.ts';
import { unsent } from '#src/api/unsent.ts';
import { networkOf } from '#src/auth/request-counter.ts';
import type { Metrics } from '#src/core/metrics.ts';

const MIB = 1_048_576;
/**
 * Bytes of answers that clients may leave untaken; the longest answer that is made in one piece (the OpenAPI document) is below 1 MiB. Clients
 * without a key could hold as much as they open streams for: 60 connections held 2.5 GB.
 */
const LIMITS = { ofConnection: 4 * MIB, ofAddress: 32 * MIB, ofAll: 256 * MIB };
/** A request and its answer, apart from what is answered: objects of a stream of HTTP/2, heads. */
const OVERHEAD_BYTES = 8_192;
/** A stream that is read as far as its client takes it: what its buffers hold (several high-water marks of 16 KiB). */
const STREAM_BYTES = 65_536;

/**
 * Bounds what waits to be sent, by connection, by network and in all, whichever protocol it goes by. Beyond that the
 * answers that have waited longest are broken off. Streams of accounts are not cut: a slow reader of an export is no attack, and
 * accounts have limits of their own for them. Whatever is streamed ends with the connection of its client.
 */
export function addUnsentAnswers(app: FastifyInstance, metrics: Metrics | undefined): void {
  const answers = unsent(LIMITS);
  metrics?.valuesOf({ energy_http_unsent_bytes: 'Bytes of answers that clients have not taken yet' }, async () => ({
    energy_http_unsent_bytes: answers.bytes(),
  }));
  app.addHook('onSend', async (request, reply, payload) => {
    const isStream = payload instanceof Readable;
    if (isStream) whenOver(reply, () => payload.destroy());
    if (isStream && request.caller) return;
    const release = answers.hold({
      connection: connectionOf(reply),
      address: networkOf(request.ip),
      bytes: OVERHEAD_BYTES + (isStream ? STREAM_BYTES : lengthOf(payload)),
      cut: () => breakOff(reply),
    });
    whenOver(reply, release);
  });
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
