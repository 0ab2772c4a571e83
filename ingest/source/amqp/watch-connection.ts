import type { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';
import { MAJORITY_CHECK_QUEUE } from './topology.ts';

/**
 * Internals of amqplib 2 (lib/connection.js) that this folder uses. test/system/cluster/access.test.ts pauses reading for longer than a
 * heartbeat to check that these internals still work.
 */
interface Inner {
  stream: Duplex & { bytesRead: number };
  recvSinceLastCheck: boolean;
}

export const getInnerConnection = ({ connection }: ChannelModel): Inner => connection as unknown as Inner;

/**
 * Pauses and resumes reading from a connection. amqplib reads without limit, and a prefetch limits the number of messages but not their
 * bytes. Messages that do not fit into memory must therefore remain in the socket, and then at the broker. During a pause, acknowledgements
 * and heartbeats are still sent, and silence is not taken for a failure of the broker.
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

/** Interval in ms between two checks for received bytes. */
const LOOK_MS = 250;

/**
 * Calls back once if a connection that is being read receives nothing for a time: the broker hangs, or has disappeared without closing the
 * connection. RabbitMQ sends at least one heartbeat in each interval; amqplib itself would wait for two to three intervals. The time is
 * measured in checks, because a process that hung has also missed its checks.
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
 * Regularly sends a request that the broker can answer only with a majority of its cluster: to consume an always empty queue that is
 * replicated like the shards. Calls back once if the request is unanswered for a time. A node that is cut off from the other nodes keeps
 * its connections and looks healthy to its workers, but cannot reach the shards. (Two other requests do not detect such a node: it reports
 * the length of a queue as 0, and during a disk alarm no broker accepts published messages.) The time is measured in checks, because a
 * process that hung has not received the answer.
 */
export async function watchClusterMajority(
  connection: ChannelModel,
  withinMs: number,
  isRead: () => boolean,
  onLost: () => void,
): Promise<void> {
  const channel = await connection.createChannel();
  // An error of this channel is ignored, because the request that failed is treated as unanswered.
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
