/** Destination for the bytes of a connection, such as a socket. */
export interface ByteWriter {
  write(data: Buffer): unknown;
}

/**
 * Creates a function that sends the PUBACKs of one connection. (MQTT 3.1.1, 3.4: type 4, length 2, packet identifier. In MQTT 5, 3.4.2.1,
 * length 2 means success.) A commit acknowledges thousands of messages at once, so all PUBACKs of one turn of the event loop are written
 * together. Separate writes took a tenth of a worker's time.
 */
export function createPubackSender(stream: () => ByteWriter | null): (messageId: number) => void {
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
