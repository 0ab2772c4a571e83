import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The content of a file, packed (.gz) or not, as a stream; `onBytes` is told how far it was read. Whoever stops reading destroys it. */
export function fileBytes(file: string, onBytes?: (bytes: number) => void): Readable {
  const bytes = createReadStream(file);
  let read = 0;
  if (onBytes)
    bytes.on('data', (chunk) => {
      read += chunk.length;
      onBytes(read);
    });
  if (!file.endsWith('.gz')) return bytes;
  // Ends both, whichever fails or is left.
  return pipeline(bytes, createGunzip(), () => {}) as unknown as Readable;
}
