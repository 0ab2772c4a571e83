/** `packetId`: identifier for the PUBACK; null at QoS 0. */
export type PublishCallback = (topic: string, payload: Buffer, packetId: number | null, isRetained: boolean) => void;

/** Thrown if the broker violates MQTT 5. The connection must then end (4.13). */
export class MalformedPacketError extends Error {
  readonly code = 'ERR_MALFORMED_PACKET';
}

const PUBLISH = 3;
const RETAIN = 1;
/** Maximum length of a length field in bytes (MQTT 5, 1.5.5). */
const MAX_LENGTH_BYTES = 4;
const NOTHING: readonly Buffer[] = [];

/**
 * Separates PUBLISH packets from all other packets of an MQTT 5 connection. The returned function takes bytes as they arrive, calls `take`
 * with each PUBLISH, and returns the bytes of all other packets. It throws MalformedPacketError if the rest of the connection cannot be
 * read. mqtt.js would need a turn of the event loop for each message.
 */
export function createPublishSplitter(take: PublishCallback): (bytes: Buffer) => readonly Buffer[] {
  /** The bytes of an incomplete packet. It is parsed again when `wantedBytes` have arrived. */
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  let wantedBytes = 0;

  function withPieces(bytes: Buffer): Buffer | null {
    if (pieceBytes === 0) return bytes;
    pieces.push(bytes);
    pieceBytes += bytes.length;
    if (pieceBytes < wantedBytes) return null;
    const whole = Buffer.concat(pieces, pieceBytes);
    pieces = [];
    pieceBytes = 0;
    return whole;
  }

  return (came) => {
    const bytes = withPieces(came);
    if (!bytes) return NOTHING;
    const others: Buffer[] = [];
    let at = 0;
    let othersFrom = 0;
    let end = endOfPacket(bytes, at, bytes.length);
    for (; end <= bytes.length; end = endOfPacket(bytes, at, bytes.length)) {
      if ((bytes[at] as number) >> 4 === PUBLISH) {
        if (at > othersFrom) others.push(bytes.subarray(othersFrom, at));
        takePacket(take, bytes, at, end);
        othersFrom = end;
      }
      at = end;
    }
    if (at > othersFrom) others.push(bytes.subarray(othersFrom, at));
    if (at < bytes.length) {
      pieces = [bytes.subarray(at)];
      pieceBytes = bytes.length - at;
      wantedBytes = end - at;
    }
    return others;
  };
}

/**
 * Returns the end of a packet or field whose length starts at index `at` + 1. If the length is incomplete, returns a position after
 * `until`.
 */
function endOfPacket(bytes: Buffer, at: number, until: number): number {
  let length = 0;
  for (let index = 0; index < MAX_LENGTH_BYTES; index++) {
    const place = at + 1 + index;
    if (place >= until) return place + 1;
    const byte = bytes[place] as number;
    length += (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return place + 1 + length;
  }
  throw new MalformedPacketError('a packet of a length of more than four bytes');
}

function takePacket(take: PublishCallback, bytes: Buffer, at: number, end: number): void {
  const flags = bytes[at] as number;
  const qos = (flags >> 1) & 3;
  if (qos > 1) throw new MalformedPacketError(`a PUBLISH at QoS ${qos}, which was not subscribed to`);
  let place = at + 2;
  while ((bytes[place - 1] as number) >= 0x80) place++;
  const need = (count: number) => {
    if (place + count > end) throw new MalformedPacketError('a PUBLISH that ends within its header');
  };
  need(2);
  const topicEnd = place + 2 + bytes.readUInt16BE(place);
  const topicFrom = place + 2;
  place = topicEnd;
  need(0);
  if (topicEnd === topicFrom) throw new MalformedPacketError('a PUBLISH without a topic');
  let packetId: number | null = null;
  if (qos === 1) {
    need(2);
    packetId = bytes.readUInt16BE(place);
    place += 2;
  }
  // Skips the properties, which readings do not use.
  place = endOfPacket(bytes, place - 1, end);
  need(0);
  const topic = bytes.toString('utf8', topicFrom, topicEnd);
  take(topic, bytes.subarray(place, end), packetId, (flags & RETAIN) !== 0);
}
