import type { ChannelModel } from 'amqplib';
import { BEAT } from './topology.ts';

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
