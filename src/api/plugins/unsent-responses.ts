import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { closeConnection, getConnectionKey, onConnectionClosed } from '#src/api/connection.ts';
import { createUnsentResponseTracker } from '#src/api/unsent.ts';
import { getNetworkOfAddress } from '#src/auth/request-counter.ts';
import type { Metrics } from '#src/core/metrics.ts';

const MIB = 1_048_576;
/**
 * Maximum number of bytes of unread responses for a connection, a network address and the process. Without these limits, clients
 * without a key could fill the memory.
 */
const LIMITS = { ofConnection: 4 * MIB, ofAddress: 32 * MIB, ofAll: 256 * MIB };
/** Memory in bytes of a request and its response without their bodies. */
const OVERHEAD_BYTES = 8_192;
/** Memory in bytes of the buffers of a response that is sent as a stream. */
const STREAM_BYTES = 65_536;

/**
 * Limits the memory of responses that clients have not read. Above a limit, the responses that have waited longest are aborted.
 * Streams to authenticated callers are exempt, because accounts have separate limits for streams.
 */
export function addUnsentResponseLimits(app: FastifyInstance, metrics: Metrics | undefined): void {
  const answers = createUnsentResponseTracker(LIMITS);
  metrics?.valuesOf({ energy_http_unsent_bytes: 'Bytes of responses that clients have not read yet' }, async () => ({
    energy_http_unsent_bytes: answers.bytes(),
  }));
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable;
    if (isStream) onConnectionClosed(reply, () => payload.destroy());
    if (isStream && request.caller) return done();
    const release = answers.hold({
      connection: getConnectionKey(reply),
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
