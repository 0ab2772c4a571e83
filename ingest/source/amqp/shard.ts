import { createHash } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, IllegalOperationError } from 'amqplib';

export interface ShardOptions {
  queue: string;
  /** The broker delivers to the consumer with the highest priority. */
  priority: number;
  /** Maximum number of unacknowledged messages. */
  prefetch: number;
  /**
   * Handles a message. `taken`: `done` must be called when the message may be acknowledged. `refuse`: the message belongs to neither a
   * device nor a gateway. `leave`: the broker redelivers the message to another worker.
   */
  onMessage: (message: ConsumeMessage, done: () => void) => 'taken' | 'refuse' | 'leave';
  onEnd: (why: Error) => void;
}

/**
 * Subscribes to a queue. Messages arrive while no other worker has a higher priority. Returns a function that ends the subscription; the
 * next worker then receives the unacknowledged messages.
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
  /** If the connection is closing, the acknowledgement is dropped, and the broker redelivers the message. */
  const say = (what: () => void) => {
    try {
      if (isOpen) what();
    } catch (error) {
      if (!(error instanceof IllegalOperationError)) throw error;
    }
  };
  // The messages of a batch are done at the same time, so one frame acknowledges them all.
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
  // Quorum queues accept a prefetch for a consumer, but not for a channel.
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
 * Creates a tracker of AMQP delivery tags (1, 2, 3, …). An acknowledgement covers all messages up to a tag, but messages may be done in
 * another order.
 */
export function createAckTagTracker() {
  let reached = 0;
  const ahead = new Map<number, 'done' | 'refused'>();
  const note = (tag: number, what: 'done' | 'refused'): number | null => {
    ahead.set(tag, what);
    let last: number | null = null;
    for (let next = ahead.get(reached + 1); next !== undefined; next = ahead.get(reached + 1)) {
      ahead.delete(++reached);
      // The broker has already removed a rejected message, so its tag must not be acknowledged.
      if (next === 'done') last = reached;
    }
    return last;
  };
  return {
    /** Records that a message is done. Returns the highest tag that may now be acknowledged, or null if an earlier message is not done. */
    done: (tag: number) => note(tag, 'done'),
    /** Records that a message was rejected, and returns the same as `done`. */
    refused: (tag: number) => note(tag, 'refused'),
  };
}

/**
 * Returns the priority of a worker for a queue (rendezvous hashing). Each worker gets about the same number of queues without any
 * coordination, and if a worker leaves, only its own queues move. The result is a 31-bit number.
 */
export function computeShardPriority(workerId: string, shard: number): number {
  return createHash('sha256').update(`${workerId}/${shard}`).digest().readUInt32BE() >>> 1;
}
