import type { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';

/** The parts of amqplib 2 (lib/connection.js) that this stands on; test/system/cluster/access.test.ts stops it for longer than a heartbeat. */
interface Inner {
  stream: Duplex;
  recvSinceLastCheck: boolean;
}

export interface Reading {
  stop(): void;
  goOn(): void;
  isStopped(): boolean;
}

/**
 * Stops reading a connection, and goes on. amqplib reads whatever comes, and a prefetch counts messages, not bytes: what does not fit
 * into memory is to stay in the socket, and then at the broker. Acknowledgements and heartbeats go on being sent; for silence, which is
 * ours meanwhile, the broker is not taken for dead.
 */
export function readingOf(connection: ChannelModel, heartbeatSeconds: number): Reading {
  const inner = connection.connection as unknown as Inner;
  const { stream } = inner;
  const read = stream.read.bind(stream);
  let timer: NodeJS.Timeout | undefined;
  const isHeard = () => {
    inner.recvSinceLastCheck = true;
  };
  stream.read = (size) => (timer === undefined ? read(size) : null);
  stream.once('close', () => clearInterval(timer));
  return {
    stop() {
      if (timer !== undefined || stream.destroyed) return;
      isHeard();
      timer = setInterval(isHeard, (heartbeatSeconds * 1_000) / 2).unref();
    },
    goOn() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      isHeard();
      stream.emit('readable');
    },
    isStopped: () => timer !== undefined,
  };
}
