import type { DecodedMessage } from '#ingest/decoders/decoder.ts';

/** A message as it came from the broker, and what its decoder made of it. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  decoded: DecodedMessage;
}

/** What became of a batch. Every reading is one of the three. */
export interface WriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
}

/** Something that cannot be used, for `rejected_messages`. */
export interface Reject {
  message: IncomingMessage;
  /** Position in the message from 0; null for the whole of it. */
  element: number | null;
  reason: string;
}
