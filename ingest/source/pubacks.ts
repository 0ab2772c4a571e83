interface ByteWriter {
  write(data: Buffer): unknown;
}

/**
 * Creates a function that sends the PUBACKs of one connection. PUBACKs of the same turn of the event loop are written together: separate
 * writes took a tenth of a worker's time.
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
