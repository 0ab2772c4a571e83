import { createHash } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, IllegalOperationError } from 'amqplib';

/** A shard as this worker consumes it, on a channel of its own. */
export interface Shard {
  /** Takes nothing more, and hands over: what was given and is not acknowledged comes to the next owner. */
  cancel(): Promise<void>;
}

export interface ShardOptions {
  queue: string;
  /** The broker gives the messages to the consumer with the highest. */
  priority: number;
  /** Most messages that are not acknowledged. */
  prefetch: number;
  /** Takes a message; `done` once it may be forgotten. `refuse`: it is no message of ours, and goes to the strays. */
  onMessage: (message: ConsumeMessage, done: () => void) => 'taken' | 'refuse' | 'leave';
  /** The broker ended the consumer or the channel. */
  onEnd: (why: Error) => void;
}

/** Asks for the messages of a shard: they come when no other worker wants it more. */
export async function consumeShard(connection: ChannelModel, options: ShardOptions): Promise<Shard> {
  const { queue, priority, prefetch, onMessage, onEnd } = options;
  const channel = await connection.createChannel();
  channel.on('error', (error: Error) => onEnd(error));
  let isOpen = true;
  channel.on('close', () => {
    isOpen = false;
  });
  const frontier = createFrontier();
  let upTo: number | null = null;
  /** What cannot be said any more, as the connection is closing, need not be: the message comes again. */
  const say = (what: () => void) => {
    try {
      if (isOpen) what();
    } catch (error) {
      if (!(error instanceof IllegalOperationError)) throw error;
    }
  };
  // A batch tells of all of its messages in one turn: one frame for them.
  const acknowledge = () => {
    const tag = upTo;
    upTo = null;
    if (tag !== null) say(() => channel.ack({ fields: { deliveryTag: tag } } as ConsumeMessage, true));
  };
  const tell = (reached: number | null) => {
    if (reached === null) return;
    if (upTo === null) queueMicrotask(acknowledge);
    upTo = reached;
  };
  // Per consumer: quorum queues refuse one for the channel.
  await channel.prefetch(prefetch);
  const { consumerTag } = await channel.consume(
    queue,
    (message) => {
      if (message === null) return onEnd(new Error(`the broker ended the consumer of ${queue}`));
      const tag = message.fields.deliveryTag;
      if (onMessage(message, () => tell(frontier.done(tag))) !== 'refuse') return;
      say(() => channel.reject(message, false));
      tell(frontier.refused(tag));
    },
    { priority },
  );
  return {
    async cancel() {
      if (isOpen) await channel.cancel(consumerTag);
    },
  };
}

/**
 * How far the messages of a channel are done, from its first on: AMQP acknowledges up to a tag (`multiple`), and a message may be done
 * before one that came earlier. Pure. Tags of a channel are 1, 2, 3 and so on (AMQP 0-9-1, 1.1).
 */
interface Frontier {
  /**
   * Notes that the message is done; once. Answers the tag up to which all may be acknowledged now; null where nothing new may be: an
   * earlier one is not done.
   */
  done(tag: number): number | null;
  /** Notes that the message was refused, which tells the broker by itself; answers as `done`. */
  refused(tag: number): number | null;
}

export function createFrontier(): Frontier {
  let reached = 0;
  const ahead = new Map<number, 'done' | 'refused'>();
  const note = (tag: number, what: 'done' | 'refused'): number | null => {
    ahead.set(tag, what);
    let last: number | null = null;
    for (let next = ahead.get(reached + 1); next !== undefined; next = ahead.get(reached + 1)) {
      ahead.delete(++reached);
      // The broker knows a refused one no more: it is no tag to acknowledge.
      if (next === 'done') last = reached;
    }
    return last;
  };
  return { done: (tag) => note(tag, 'done'), refused: (tag) => note(tag, 'refused') };
}

/**
 * How much a worker wants a shard: rendezvous hashing. The broker gives a shard to the worker that wants it most, and when that one is
 * gone to the next; nobody has to agree on anything, every worker gets about as many, and one that comes or goes moves only its own.
 * A 31-bit number: priorities are signed in AMQP. Pure.
 */
export function priorityOf(workerId: string, shard: number): number {
  return createHash('sha256').update(`${workerId}/${shard}`).digest().readUInt32BE() >>> 1;
}
