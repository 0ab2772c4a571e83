import type { DecodedMessage } from './decoder.ts';
import { decodeNative } from './native/decode.ts';

/** A message as a source delivers it. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Delivered at subscription with the retain flag. */
  replayed: boolean;
}

/** Decoders, in the order in which they are asked. */
const DECODERS: ((message: RawMessage) => DecodedMessage | null)[] = [decodeNative];

/** Asks each family in turn. Null: a message of somebody else's. */
export function decode(message: RawMessage): DecodedMessage | null {
  for (const decoder of DECODERS) {
    const decoded = decoder(message);
    if (decoded) return decoded;
  }
  return null;
}
