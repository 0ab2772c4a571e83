import { type ChannelModel, type ConsumeMessage, IllegalOperationError } from 'amqplib';
import { createFrontier } from './frontier.ts';

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
