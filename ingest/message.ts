import type { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DecodedMessage } from './decoders/decoder.ts';

/** A client that sends readings over HTTPS. Its rights may end while its readings wait to be written. */
export interface HttpsMessageSender {
  /** Identifies the sender. A transaction checks each sender only once. */
  id: string;
  /**
   * Checks whether the sender may still write the readings, and throws an AppError if not. Locks the sender's account and key, so that
   * nobody can revoke them before the transaction ends.
   */
  confirm(trx: Database): Promise<void>;
}

/** A message from a broker or a client. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Time (Unix ms) with which timestamps of the message are compared to reject those in the future. Default: the time of receipt. */
  judgedAtMs?: number;
  decoded: DecodedMessage;
  /**
   * Whether the message was a retained message, which the broker sent because of a new subscription. Without a timestamp, its age is
   * unknown.
   */
  replayed?: boolean;
  /**
   * Set for a message of a gateway. It is decoded in the transaction that stores it, because its meaning depends on the stored state of the
   * gateway.
   */
  gateway?: { gatewayId: string; topic: string };
  /** The sender whose rights are checked before the message is stored. Undefined if the broker has checked the login. */
  sender?: HttpsMessageSender;
}

/** Creates an empty message, which makes a writer recompute a device whose settings have changed. */
export const createEmptyMessage = (deviceId: string): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: { deviceId, readings: [], rejections: [] },
});

export const isEmptyMessage = ({ decoded }: IncomingMessage): boolean =>
  decoded.readings.length === 0 && decoded.rejections.length === 0 && decoded.status === undefined;

/** Result of a batch: numbers of stored readings, of duplicates and of rejections. */
export interface BatchWriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
  /** Ids of devices with so many series that their messages are costly to write. */
  large?: readonly string[];
  departed?: number;
  /** Number of devices whose state was loaded from the database because it was not cached. */
  loaded?: number;
  /** Returns the result of each message that a device sent itself. Clients wait for these results. */
  byMessage?: () => ResultsByMessage;
}

/**
 * The result of each message, or the error with which its sender was refused. Some messages have no result: those of moved accounts, and
 * those for deleted devices.
 */
export type ResultsByMessage = Map<IncomingMessage, MessageResult | AppError>;

export interface MessageResult {
  stored: number;
  duplicates: number;
  rejections: { element: number | null; reason: string }[];
}

export interface Rejection {
  message: IncomingMessage;
  /** Index of the element in the message, from 0. Null if the whole message was rejected. */
  element: number | null;
  reason: string;
  /** Set if the rejected value was stored earlier, and a lower value in this message has replaced it. */
  isOfEarlier?: true;
}
