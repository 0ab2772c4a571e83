import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { closeConnection, getConnection, onConnectionClosed } from '#src/api/connection.ts';
import { createUnsentResponseLimit } from '#src/api/unsent.ts';
import { getNetworkOfAddress } from '#src/auth/request-counter.ts';
import type { Metrics } from '#src/core/metrics.ts';

const MIB = 1_048_576;
/**
 * Maximum number of response bytes that clients have not read. The longest response that is held completely in memory (the OpenAPI
 * document) is below 1 MiB. Without limits, clients without a key could occupy memory by opening streams: 60 connections held 2.5 GB.
 */
const LIMITS = { ofConnection: 4 * MIB, ofAddress: 32 * MIB, ofAll: 256 * MIB };
/** Memory in bytes of a request and its response without the body: the objects of an HTTP/2 stream, and the heads. */
const OVERHEAD_BYTES = 8_192;
/** Memory in bytes of a response that is produced as its client reads it: its buffers (several high-water marks of 16 KiB). */
const STREAM_BYTES = 65_536;

/**
 * Limits the memory of unsent responses by connection, by network and in total, for HTTP/1.1 and HTTP/2. Beyond a limit, the responses that
 * have waited longest are aborted. Streams to authenticated callers are exempt: accounts have separate limits for streams, and a slow
 * reader of an export is no attack.
 */
export function addUnsentResponseLimits(app: FastifyInstance, metrics: Metrics | undefined): void {
  const answers = createUnsentResponseLimit(LIMITS);
  metrics?.valuesOf({ energy_http_unsent_bytes: 'Bytes of responses that clients have not read yet' }, async () => ({
    energy_http_unsent_bytes: answers.bytes(),
  }));
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable;
    if (isStream) onConnectionClosed(reply, () => payload.destroy());
    if (isStream && request.caller) return done();
    const release = answers.hold({
      connection: getConnection(reply),
      address: getNetworkOfAddress(request.ip),
      bytes: OVERHEAD_BYTES + (isStream ? STREAM_BYTES : lengthOf(payload)),
      cut: () => closeConnection(reply),
    });
    onConnectionClosed(reply, release);
    done();
  });
}

const lengthOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
