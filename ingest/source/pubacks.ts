/** Where a connection's bytes go. */
export interface Writable {
  write(data: Buffer): unknown;
}

/**
 * PUBACKs of one connection (MQTT 3.1.1, 3.4, and MQTT 5, 3.4.2.1, where a length of 2 means success): type 4, length 2,
 * packet identifier. A commit acknowledges thousands of messages in one go, so what is asked for in one turn of the event
 * loop is one write: each by itself was a tenth of a worker's time.
 */
export function pubacks(stream: () => Writable | null): (messageId: number) => void {
  let waiting: number[] = [];
  const flush = () => {
    const ids = waiting;
    waiting = [];
    const bytes = Buffer.allocUnsafe(4 * ids.length);
    for (const [index, id] of ids.entries()) bytes.writeUInt32BE(0x40_02_00_00 + id, 4 * index);
    stream()?.write(bytes);
  };
  return (messageId) => {
    if (waiting.push(messageId) === 1) queueMicrotask(flush);
  };
}
