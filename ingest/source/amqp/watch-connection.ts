import type { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';
import { MAJORITY_CHECK_QUEUE } from './topology.ts';

/** Internals of amqplib 2 (lib/connection.js) that this folder uses. A system test checks that they still work. */
interface Inner {
  stream: Duplex & { bytesRead: number };
  recvSinceLastCheck: boolean;
}

export const getInnerConnection = ({ connection }: ChannelModel): Inner => connection as unknown as Inner;

/**
 * Creates functions that pause and resume reading from a connection. amqplib reads without limit, so messages that do not fit into memory
 * must remain in the socket. During a pause, acknowledgements and heartbeats are still sent.
 */
export function createReadPauser(connection: ChannelModel, heartbeatSeconds: number) {
  const inner = getInnerConnection(connection);
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

const LOOK_MS = 250;

/**
 * Calls back once if nothing arrives from a connection for a time, although RabbitMQ sends heartbeats. amqplib itself would wait for two to
 * three heartbeats. The function counts checks instead of measuring the time, because a pause of this process is no silence of the broker.
 */
export function watchConnectionSilence(
  connection: ChannelModel,
  silentMs: number,
  isRead: () => boolean,
  onSilent: () => void,
) {
  const { stream } = getInnerConnection(connection);
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
 * Calls back once if the broker node cannot reach a majority of its cluster for a time. Such a node looks healthy to its clients, but
 * cannot deliver messages. To detect it, the function regularly consumes an empty replicated queue, which requires a majority.
 */
export async function watchClusterMajority(
  connection: ChannelModel,
  withinMs: number,
  isRead: () => boolean,
  onLost: () => void,
): Promise<void> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const ask = async () => {
    const { consumerTag } = await channel.consume(MAJORITY_CHECK_QUEUE, () => {}, { noAck: false });
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
