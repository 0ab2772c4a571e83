/**
 * Records of bytes by a key, of at most `maxBytes` together, outside of the JavaScript heap: a hundred thousand objects that change
 * every few seconds would cost the garbage collector as much as all the rest of ingest. A record is written in the place that
 * its key has, or behind the latest one, where those that have been there for longest give way. Keys are ASCII.
 */
export interface ByteRing {
  readonly bytes: Buffer;
  /** Where the content of a key's record begins; -1: it has none. */
  placeOf(key: string): number;
  /** Where the content of a key's record may be written, anew and whole; -1: it is too long. */
  reserve(key: string, length: number): number;
  delete(key: string): void;
  clear(): void;
}

/** Of each record: its size, 4 bytes; the length of its key, 4 bytes; the key. Then its content. */
const HEADER_BYTES = 8;
/** Sizes are multiples of this, so that a record that grows a little stays in its place. */
const GRAIN_BYTES = 64;
/** Longest key: a device_id has up to 64 characters. */
const MAX_KEY_BYTES = 255;

export function byteRing(maxBytes: number): ByteRing {
  // The system gives memory to what is written only.
  const bytes = Buffer.allocUnsafeSlow(maxBytes);
  /** Where the record of each key begins. */
  const places = new Map<string, number>();
  /** Where the next record goes. */
  let next = 0;
  /** Records of the lap before, which the next one writes over, begin here, and end there. */
  let oldest = 0;
  let lapEnd = 0;

  const sizeAt = (place: number) => bytes.readUInt32LE(place);
  const contentOf = (place: number) => place + HEADER_BYTES + bytes.readUInt32LE(place + 4);
  /** Forgets records of the lap before, up to a place. */
  function giveWay(upTo: number): void {
    while (oldest < lapEnd && oldest < upTo) {
      const key = bytes.toString('latin1', oldest + HEADER_BYTES, contentOf(oldest));
      if (places.get(key) === oldest) places.delete(key);
      oldest += sizeAt(oldest);
    }
  }

  return {
    bytes,
    placeOf(key) {
      const place = places.get(key);
      return place === undefined ? -1 : contentOf(place);
    },
    reserve(key, length) {
      const needed = HEADER_BYTES + key.length + length;
      const known = places.get(key);
      if (known !== undefined) {
        if (needed <= sizeAt(known)) return contentOf(known);
        places.delete(key);
      }
      const size = Math.ceil(needed / GRAIN_BYTES) * GRAIN_BYTES;
      if (size > maxBytes || key.length > MAX_KEY_BYTES) return -1;
      if (next + size > maxBytes) {
        giveWay(lapEnd);
        [lapEnd, oldest, next] = [next, 0, 0];
      }
      giveWay(next + size);
      bytes.writeUInt32LE(size, next);
      bytes.writeUInt32LE(key.length, next + 4);
      bytes.write(key, next + HEADER_BYTES, 'latin1');
      // A key of its own: the one that was given may be part of a longer text, which it would keep in memory.
      places.set(bytes.toString('latin1', next + HEADER_BYTES, contentOf(next)), next);
      const place = next;
      next += size;
      return contentOf(place);
    },
    delete(key) {
      places.delete(key);
    },
    clear() {
      places.clear();
      next = oldest = lapEnd = 0;
    },
  };
}
