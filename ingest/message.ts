import type { DecodedMessage } from './decoders/decoder.ts';

/** A message as it came from the broker, and what its decoder made of it. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** The clock by which it is judged whether its times lie ahead, Unix ms: that of a replay. Left out: the receipt. */
  judgedAtMs?: number;
  decoded: DecodedMessage;
  /** Delivered at subscription with the retain flag: it has no age but its own time. */
  replayed?: boolean;
  /** It came through a gateway, and is read in the transaction that stores it: what it says depends on what is known there. */
  gateway?: { gatewayId: string; topic: string };
}

/** A message that says nothing: a writer of it computes its device anew, where its owner has changed it. */
export const nothingOf = (deviceId: string): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: { deviceId, readings: [], rejections: [] },
});

/** Whether a message has nothing of its device in it: no reading, no rejection and no state. */
export const isEmpty = ({ decoded }: IncomingMessage): boolean =>
  decoded.readings.length === 0 && decoded.rejections.length === 0 && decoded.status === undefined;

/**
 * Result of a batch: readings that were stored and that were known, and messages and elements that were refused. A reading that
 * takes the place of a higher value is stored, and that value refused.
 */
export interface WriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
  /** Devices that cost much whatever is written of them, as they have very many series. */
  large?: readonly string[];
  /** Messages that were kept for another installation, where their accounts are. */
  departed?: number;
  /** Devices whose heads were read from the database: they were not remembered. */
  loaded?: number;
}

/** A rejection, for `rejected_messages`. */
export interface Reject {
  message: IncomingMessage;
  /** Position in the message from 0; null for the whole of it. */
  element: number | null;
  reason: string;
}
