import type { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DecodedMessage } from './decoders/decoder.ts';

/** Sender of readings over HTTPS. The sender's rights may end while the readings wait to be written. */
export interface HttpsMessageSender {
  /** Id of the sender. If messages of one device have the same sender id, a transaction checks the sender only once. */
  id: string;
  /**
   * Checks whether the sender may still write the readings. Locks the sender's account and key until the transaction ends, so that a
   * concurrent revocation waits. Throws an AppError if the sender may not write.
   */
  confirm(trx: Database): Promise<void>;
}

/** A message as received from the broker, with its decoded content. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Time with which future timestamps are compared, Unix ms. Set in a replay; by default the time of receipt. */
  judgedAtMs?: number;
  decoded: DecodedMessage;
  /** Whether the broker retained the message and delivered it at subscription. Without a timestamp, the message's age is then unknown. */
  replayed?: boolean;
  /**
   * Gateway of the message. The message is decoded in the transaction that stores it, because its meaning depends on
   * the stored state of the gateway.
   */
  gateway?: { gatewayId: string; topic: string };
  /** Sender whose rights are checked in the transaction that stores the message. Undefined if the broker has already checked the login. */
  sender?: HttpsMessageSender;
}

/** Creates an empty message, which makes a writer recompute a device whose settings have changed. */
export const createEmptyMessage = (deviceId: string): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: { deviceId, readings: [], rejections: [] },
});

/** Whether a message contains neither readings nor rejections nor a state of its device. */
export const isEmptyMessage = ({ decoded }: IncomingMessage): boolean =>
  decoded.readings.length === 0 && decoded.rejections.length === 0 && decoded.status === undefined;

/**
 * Result of a batch: numbers of stored readings, of duplicates, and of rejected messages and elements. If a lower reading replaces a stored
 * higher one of the same time, the lower one counts as stored and the higher one as rejected.
 */
export interface WriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
  /** Devices whose messages are costly to write, because the devices have very many series. */
  large?: readonly string[];
  /** Number of messages that were stored for the installation to which their accounts moved. */
  departed?: number;
  /** Number of devices whose heads were read from the database, because they were not cached. */
  loaded?: number;
  /**
   * Returns the result of each message that came directly from a device, not through a gateway. For senders that wait for their results.
   */
  byMessage?: () => ResultsByMessage;
}

/**
 * Results of messages, or the errors with which the messages' senders were refused. Excludes messages of moved accounts, and requests for
 * devices that no longer exist.
 */
export type ResultsByMessage = Map<IncomingMessage, MessageResult | AppError>;

/** Result of one message: numbers of its readings that were stored and of duplicates, and its elements that were not stored. */
export interface MessageResult {
  stored: number;
  duplicates: number;
  rejections: { element: number | null; reason: string }[];
}

export interface Rejection {
  message: IncomingMessage;
  /** Position of the element in the message, from 0; null for the whole message. */
  element: number | null;
  reason: string;
  /** Set if the rejected value is an earlier, already stored one, which this element's value has replaced. */
  isOfEarlier?: true;
}
