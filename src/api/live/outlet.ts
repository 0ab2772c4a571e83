import { Readable } from 'node:stream';

/** What one client is told, as server-sent events (HTML standard, 9.2). */
export interface Outlet {
  stream: Readable;
  /** Whether it has read enough of what it was told to be told more. */
  hasRoom(): boolean;
  say(text: string): void;
  /** Says the newest of a name: of a client that reads slowly the one before, if it still waits, is left out. */
  sayNewest(name: string, text: string): void;
  /** Says nothing more after this text. */
  end(text: string): void;
}

/** With more unread bytes than this nothing is added; beyond it the newest of each name waits. */
const MAX_UNREAD_BYTES = 16_384;

export function newOutlet(): Outlet {
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
  // Asked for more before it has taken what there is: then there is no room yet.
  const stream = new Readable({ highWaterMark: MAX_UNREAD_BYTES, read: () => queueMicrotask(flush) });
  stream.once('close', () => waiting.clear());
  return {
    stream,
    hasRoom,
    say(text) {
      if (hasRoom()) stream.push(text);
    },
    sayNewest(name, text) {
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

/** An event in the words of the standard. `data` has no line breaks: it is JSON. */
export const eventText = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
