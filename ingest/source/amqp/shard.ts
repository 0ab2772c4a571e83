import { createHash } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, IllegalOperationError } from 'amqplib';

export interface ShardOptions {
  queue: string;
  /** Priority of this consumer. The broker delivers to the consumer with the highest priority. */
  priority: number;
  /** Maximum number of messages that the broker delivers before they are acknowledged. */
  prefetch: number;
  /**
   * Handles a message. `taken`: accepted; `done` must be called once the message may be acknowledged. `refuse`: the message belongs to
   * neither a device nor a gateway, and goes to the queue of strays. `leave`: not handled, so that the broker redelivers it.
   */
  onMessage: (message: ConsumeMessage, done: () => void) => 'taken' | 'refuse' | 'leave';
  /** Called when the broker has ended the consumer or the channel. */
  onEnd: (why: Error) => void;
}

/**
 * Subscribes to a shard, on a separate channel. Messages arrive as long as no other worker has a higher priority for it. Returns a function
 * that stops consuming and hands over the shard: messages that were delivered and not acknowledged go to the next owner.
 */
export async function consumeShard(connection: ChannelModel, options: ShardOptions): Promise<() => Promise<void>> {
  const { queue, priority, prefetch, onMessage, onEnd } = options;
  const channel = await connection.createChannel();
  channel.on('error', (error: Error) => onEnd(error));
  let isOpen = true;
  channel.on('close', () => {
    isOpen = false;
  });
  const frontier = createAckFrontier();
  let upTo: number | null = null;
  /** Sends an acknowledgement. If the connection is closing, the acknowledgement is skipped, because the broker redelivers the message. */
  const say = (what: () => void) => {
    try {
      if (isOpen) what();
    } catch (error) {
      if (!(error instanceof IllegalOperationError)) throw error;
    }
  };
  // A batch finishes all of its messages in one turn of the event loop, so that one frame acknowledges them all.
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
  // Sets the prefetch for the consumer, because quorum queues reject a prefetch for the channel.
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
 * Computes the tag up to which all messages of a channel are done. An AMQP acknowledgement covers all messages up to a tag (`multiple`),
 * but messages may be done out of order. Pure. The tags of a channel are 1, 2, 3 and so on (AMQP 0-9-1, 1.1).
 */
export function createAckFrontier() {
  let reached = 0;
  const ahead = new Map<number, 'done' | 'refused'>();
  const note = (tag: number, what: 'done' | 'refused'): number | null => {
    ahead.set(tag, what);
    let last: number | null = null;
    for (let next = ahead.get(reached + 1); next !== undefined; next = ahead.get(reached + 1)) {
      ahead.delete(++reached);
      // The tag of a rejected message must not be acknowledged: the broker has already discarded the tag.
      if (next === 'done') last = reached;
    }
    return last;
  };
  return {
    /**
     * Records that a message is done; called once for each message. Returns the tag up to which all messages may now be acknowledged. Null
     * if an earlier message is not done.
     */
    done: (tag: number) => note(tag, 'done'),
    /** Records that a message was rejected, which needs no acknowledgement. Returns the same as `done`. */
    refused: (tag: number) => note(tag, 'refused'),
  };
}

/**
 * Returns the priority of a worker for a shard, by rendezvous hashing. The broker gives a shard to the worker with the highest priority,
 * and to the next worker if that one disappears. Workers need no coordination: each gets about the same number of shards, and a worker that
 * joins or leaves moves only its own shards. The result is a 31-bit number, because priorities are signed in AMQP. Pure.
 */
export function computeShardPriority(workerId: string, shard: number): number {
  return createHash('sha256').update(`${workerId}/${shard}`).digest().readUInt32BE() >>> 1;
}
