import { createHash } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, IllegalOperationError } from 'amqplib';

export interface ShardOptions {
  queue: string;
  /** Priority of this consumer. The broker delivers to the consumer with the highest priority. */
  priority: number;
  /** Maximum number of messages that the broker delivers before they are acknowledged. */
  prefetch: number;
  /**
   * Handles a message. Result `taken`: the message is accepted, and `done` must be called once it may be acknowledged. `refuse`: it belongs
   * to neither a device nor a gateway, and goes to the queue of stray messages. `leave`: it is not handled, so that the broker redelivers
   * it.
   */
  onMessage: (message: ConsumeMessage, done: () => void) => 'taken' | 'refuse' | 'leave';
  /** Called when the broker has ended the consumer or the channel. */
  onEnd: (why: Error) => void;
}

/**
 * Subscribes to a shard on a separate channel. Messages arrive while no other worker has a higher priority for the shard. Returns a
 * function that stops consuming and hands over the shard: the next owner receives the messages that were delivered and not acknowledged.
 */
export async function consumeShard(connection: ChannelModel, options: ShardOptions): Promise<() => Promise<void>> {
  const { queue, priority, prefetch, onMessage, onEnd } = options;
  const channel = await connection.createChannel();
  channel.on('error', (error: Error) => onEnd(error));
  let isOpen = true;
  channel.on('close', () => {
    isOpen = false;
  });
  const frontier = createAckTagTracker();
  let upTo: number | null = null;
  /** Sends an acknowledgement. If the connection is closing, does nothing: the broker redelivers the message. */
  const say = (what: () => void) => {
    try {
      if (isOpen) what();
    } catch (error) {
      if (!(error instanceof IllegalOperationError)) throw error;
    }
  };
  // All messages of a batch are done in the same turn of the event loop, so that one frame acknowledges them all.
  const acknowledge = () => {
    const tag = upTo;
    upTo = null;
    if (tag !== null) say(() => channel.ack({ fields: { deliveryTag: tag } } as ConsumeMessage, true));
  };
  const scheduleAcknowledgement = (reached: number | null) => {
    if (reached === null) return;
    if (upTo === null) queueMicrotask(acknowledge);
    upTo = reached;
  };
  // The prefetch is set for the consumer, because quorum queues reject a prefetch for the channel.
  await channel.prefetch(prefetch);
  const { consumerTag } = await channel.consume(
    queue,
    (message) => {
      if (message === null) return onEnd(new Error(`the broker ended the consumer of ${queue}`));
      const tag = message.fields.deliveryTag;
      if (onMessage(message, () => scheduleAcknowledgement(frontier.done(tag))) !== 'refuse') return;
      say(() => channel.reject(message, false));
      scheduleAcknowledgement(frontier.refused(tag));
    },
    { priority },
  );
  return async () => {
    if (isOpen) await channel.cancel(consumerTag);
  };
}

/**
 * Creates a counter that finds the tag up to which all messages of a channel are done. An AMQP acknowledgement covers all messages up to a
 * tag (`multiple`), but messages may be done in another order. Pure. The tags of a channel are 1, 2, 3 and so on (AMQP 0-9-1, 1.1).
 */
export function createAckTagTracker() {
  let reached = 0;
  const ahead = new Map<number, 'done' | 'refused'>();
  const note = (tag: number, what: 'done' | 'refused'): number | null => {
    ahead.set(tag, what);
    let last: number | null = null;
    for (let next = ahead.get(reached + 1); next !== undefined; next = ahead.get(reached + 1)) {
      ahead.delete(++reached);
      // The tag of a rejected message must not be acknowledged, because the broker has already removed it.
      if (next === 'done') last = reached;
    }
    return last;
  };
  return {
    /**
     * Records that a message is done. Must be called once per message. Returns the tag up to which all messages may now be acknowledged, or
     * null if an earlier message is not done.
     */
    done: (tag: number) => note(tag, 'done'),
    /** Records that a message was rejected. A rejected message needs no acknowledgement. Returns the same as `done`. */
    refused: (tag: number) => note(tag, 'refused'),
  };
}

/**
 * Returns the priority of a worker for a shard, by rendezvous hashing. The broker delivers a shard to the worker with the highest priority,
 * and to the next one if that worker disappears. Workers need no coordination: each gets about the same number of shards, and if a worker
 * joins or leaves, only its own shards move. The result is a 31-bit number, because priorities are signed in AMQP. Pure.
 */
export function computeShardPriority(workerId: string, shard: number): number {
  return createHash('sha256').update(`${workerId}/${shard}`).digest().readUInt32BE() >>> 1;
}
