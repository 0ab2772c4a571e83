import { Readable } from 'node:stream';

/** Sends server-sent events to one client (HTML standard, 9.2). */
export interface EventOutlet {
  stream: Readable;
  /** Whether the client has read enough of the earlier events to receive more. */
  hasRoom(): boolean;
  send(text: string): void;
  /** Sends the latest event of a name. If the client reads slowly, an unsent earlier event of the same name is dropped. */
  sendLatest(name: string, text: string): void;
  /** Ends the stream after this text. */
  end(text: string): void;
}

/** Unread bytes above which no event is added to the stream. Beyond this, only the latest event of each name is held. */
const MAX_UNREAD_BYTES = 16_384;

export function createEventOutlet(): EventOutlet {
  const waiting = new Map<string, string>();
  let isOver = false;
  const hasRoom = () => stream.readableLength < MAX_UNREAD_BYTES && !isOver && !stream.destroyed;
  const flush = () => {
    for (const [name, text] of waiting) {
      if (!hasRoom()) return;
      waiting.delete(name);
      stream.push(text);
    }
  };
  // The stream requests data before its client has read the buffered data, so a request does not mean that there is
  // room.
  const stream = new Readable({ highWaterMark: MAX_UNREAD_BYTES, read: () => queueMicrotask(flush) });
  stream.once('close', () => waiting.clear());
  return {
    stream,
    hasRoom,
    send(text) {
      if (hasRoom()) stream.push(text);
    },
    sendLatest(name, text) {
      if (isOver || stream.destroyed) return;
      waiting.set(name, text);
      flush();
    },
    end(text) {
      if (isOver || stream.destroyed) return;
      waiting.clear();
      stream.push(text);
      stream.push(null);
      isOver = true;
    },
  };
}

/** Formats an event as the standard requires. `data` becomes JSON, which contains no line breaks. */
export const formatEvent = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
