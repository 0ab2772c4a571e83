import type { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';

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
