import { Readable } from 'node:stream';

/** Sends server-sent events to one client (HTML standard, 9.2). */
export interface ServerSentEventWriter {
  stream: Readable;
  /** Whether the client has read enough of the earlier events for another event. */
  hasRoom(): boolean;
  send(text: string): void;
  /** Sends an event with a name. For a slow client, the event replaces an unsent event of the same name. */
  sendLatest(name: string, text: string): void;
  /** Sends this text and ends the stream. */
  end(text: string): void;
}

/** Maximum number of unread bytes in a stream. Above it, only the latest event of each name waits to be sent. */
const MAX_UNREAD_BYTES = 16_384;

export function createServerSentEventWriter(): ServerSentEventWriter {
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
  // Node calls `read` even if the client has not read the buffered data, so a call does not mean that the stream has room.
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

/** Formats a server-sent event. `data` is written as JSON, which contains no line breaks. */
export const formatServerSentEvent = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
