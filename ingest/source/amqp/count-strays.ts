import type { ChannelModel } from 'amqplib';
import type { Logger } from '#src/core/log.ts';
import { runOnNewChannel } from './declare.ts';
import { STRAY_MESSAGES_QUEUE } from './topology.ts';

/** Interval in ms between two counts of stray messages. */
const EVERY_MS = 5_000;

/**
 * Counts the messages at the broker that belong to neither a device nor a gateway, and logs an increase. `connection` returns the
 * connection to use; null if it is paused, undefined if there is none.
 */
export function startCountingStrayMessages(
  connection: () => ChannelModel | undefined | null,
  log: Logger,
): {
  /** Returns the last count; null if unknown. */
  strays(): number | null;
  stop(): void;
} {
  let strays: number | null = null;
  let isCounting = false;
  async function count(): Promise<void> {
    const asked = connection();
    if (asked === null) return;
    const before = strays ?? 0;
    strays = null;
    if (!asked) return;
    const { messageCount } = await runOnNewChannel(asked, (channel) => channel.checkQueue(STRAY_MESSAGES_QUEUE));
    strays = messageCount;
    if (messageCount > before)
      log.error(
        { strays: messageCount, queue: STRAY_MESSAGES_QUEUE },
        'messages at the broker that are no device’s: kept in the queue; see deploy/cluster/rabbitmq/README.md',
      );
  }
  const counting = setInterval(() => {
    if (isCounting) return;
    isCounting = true;
    count()
      .catch((error: Error) => log.debug({ err: error }, 'strays not counted'))
      .finally(() => {
        isCounting = false;
      });
  }, EVERY_MS);
  counting.unref();
  return { strays: () => strays, stop: () => clearInterval(counting) };
}
