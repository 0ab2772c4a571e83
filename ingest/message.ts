import type { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DecodedMessage } from './decoders/decoder.ts';

/** A client that sends readings over HTTPS. Its rights may end while the readings wait to be written. */
export interface HttpsMessageSender {
  /** Identifies the sender. A transaction checks each sender once, even if it has sent several messages for one device. */
  id: string;
  /**
   * Checks whether the sender may still write the readings. Locks the sender's account and key until the transaction ends, so that they
   * cannot be revoked before. Throws an AppError if the sender may not write.
   */
  confirm(trx: Database): Promise<void>;
}

/** A message from a broker or a client, with its decoded content. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /**
   * Time with which the message's timestamps are compared to find those in the future, Unix ms. Set if the message is replayed; by default,
   * the time of receipt is used.
   */
  judgedAtMs?: number;
  decoded: DecodedMessage;
  /**
   * Whether the broker had retained the message and delivered it because of a new subscription. If the message contains no timestamp, its
   * age is then unknown.
   */
  replayed?: boolean;
  /**
   * Set for a message of a gateway, which is decoded in the transaction that stores it, because its meaning depends on the stored state of
   * the gateway.
   */
  gateway?: { gatewayId: string; topic: string };
  /**
   * The sender whose rights are checked in the transaction that stores the message. Undefined if the broker has already checked the login.
   */
  sender?: HttpsMessageSender;
}

/** Creates an empty message. It makes a writer recompute a device whose settings have changed. */
export const createEmptyMessage = (deviceId: string): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: { deviceId, readings: [], rejections: [] },
});

/** Whether a message has no content: no readings, no rejections and no state of its device. */
export const isEmptyMessage = ({ decoded }: IncomingMessage): boolean =>
  decoded.readings.length === 0 && decoded.rejections.length === 0 && decoded.status === undefined;

/**
 * Result of a batch: numbers of stored readings, of duplicates, and of rejected messages and elements. If a lower reading replaces a stored
 * higher one of the same time, the lower one is counted as stored and the higher one as rejected.
 */
export interface BatchWriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
  /** Devices with so many series that their messages are costly to write. */
  large?: readonly string[];
  /** Number of messages of moved accounts. They were stored for the installations to which the accounts have moved. */
  departed?: number;
  /** Number of devices whose heads (stored states) were loaded from the database because they were not cached. */
  loaded?: number;
  /**
   * Returns the result of each message that a device sent itself and not through a gateway. Used by clients that wait for their results.
   */
  byMessage?: () => ResultsByMessage;
}

/**
 * The result of each message, or the error with which its sender was refused. Messages of moved accounts, and requests for devices that no
 * longer exist, have no result.
 */
export type ResultsByMessage = Map<IncomingMessage, MessageResult | AppError>;

/** Result of one message: the number of its readings that were stored, the number of duplicates, and the elements that were not stored. */
export interface MessageResult {
  stored: number;
  duplicates: number;
  rejections: { element: number | null; reason: string }[];
}

export interface Rejection {
  message: IncomingMessage;
  /** Position of the element in the message, starting at 0. Null if the whole message was rejected. */
  element: number | null;
  reason: string;
  /** Set if the rejected value was stored earlier, and a lower value in this message has replaced it. */
  isOfEarlier?: true;
}
