import type { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';
import { BEAT } from './topology.ts';

/** The parts of amqplib 2 (lib/connection.js) that this stands on; test/system/cluster/access.test.ts stops it for longer than a heartbeat. */
interface Inner {
  stream: Duplex;
  recvSinceLastCheck: boolean;
}

export interface ReadControl {
  stop(): void;
  goOn(): void;
  isStopped(): boolean;
}

/**
 * Stops reading a connection, and goes on. amqplib reads whatever comes, and a prefetch counts messages, not bytes: what does not fit
 * into memory is to stay in the socket, and then at the broker. Acknowledgements and heartbeats go on being sent; for silence, which is
 * ours meanwhile, the broker is not taken for dead.
 */
export function controlReads(connection: ChannelModel, heartbeatSeconds: number): ReadControl {
  const inner = connection.connection as unknown as Inner;
  const { stream } = inner;
  const read = stream.read.bind(stream);
  let timer: NodeJS.Timeout | undefined;
  const markReceived = () => {
    inner.recvSinceLastCheck = true;
  };
  stream.read = (size) => (timer === undefined ? read(size) : null);
  stream.once('close', () => clearInterval(timer));
  return {
    stop() {
      if (timer !== undefined || stream.destroyed) return;
      markReceived();
      timer = setInterval(markReceived, (heartbeatSeconds * 1_000) / 2).unref();
    },
    goOn() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      markReceived();
      stream.emit('readable');
    },
    isStopped: () => timer !== undefined,
  };
}

/** How often it is looked whether anything came. */
const LOOK_MS = 250;

/**
 * Calls back once, when a connection that is read has brought nothing for so long: its broker hangs, or is gone without a word. RabbitMQ says
 * something every heartbeat; amqplib itself waits for two to three of them. A process that hung itself meanwhile has not looked: looks are
 * counted, not time.
 */
export function watchSilence(connection: ChannelModel, silentMs: number, isRead: () => boolean, onSilent: () => void) {
  const { stream } = connection.connection as unknown as { stream: Duplex & { bytesRead: number } };
  let before = -1;
  let silentLooks = 0;
  const timer = setInterval(() => {
    const isSilent = isRead() && stream.bytesRead === before;
    before = stream.bytesRead;
    silentLooks = isSilent ? silentLooks + 1 : 0;
    if (silentLooks * LOOK_MS < silentMs) return;
    clearInterval(timer);
    onSilent();
  }, LOOK_MS);
  timer.unref();
  stream.once('close', () => clearInterval(timer));
}

const ASK_EVERY_MS = 1_000;

/**
 * Asks the broker again and again for what it can do only with a majority of its cluster: to begin to read a queue, always empty, that is replicated
 * as shards are. Calls back once, when that was not answered for so long. A node that was cut off from the others keeps its connections, and
 * looks well to its workers, whose shards it cannot reach. (What it says of a queue's length is then 0, and it would not take a message in the
 * alarm of a full disk.) Times are counted, as a process that hung itself has not listened.
 */
export async function watchMajority(
  connection: ChannelModel,
  withinMs: number,
  isRead: () => boolean,
  onLost: () => void,
): Promise<void> {
  const channel = await connection.createChannel();
  // What goes wrong there is not answered.
  channel.on('error', () => {});
  const ask = async () => {
    const { consumerTag } = await channel.consume(BEAT, () => {}, { noAck: false });
    await channel.cancel(consumerTag);
  };
  let isAsking = false;
  let waited = 0;
  const timer = setInterval(() => {
    if (!isRead() || !isAsking) waited = 0;
    else if (++waited * ASK_EVERY_MS >= withinMs) {
      clearInterval(timer);
      onLost();
    }
    if (isAsking) return;
    isAsking = true;
    ask().then(
      () => {
        isAsking = false;
      },
      () => {},
    );
  }, ASK_EVERY_MS);
  timer.unref();
  connection.once('close', () => clearInterval(timer));
  connection.once('error', () => clearInterval(timer));
}
