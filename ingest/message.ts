import type { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import type { DecodedMessage } from './decoders/decoder.ts';

/** Sender of readings over HTTPS, who may lose its rights while they wait. */
export interface MessageSender {
  /** Messages of one device with equal ids have the same sender, which is checked once per transaction. */
  id: string;
  /**
   * Checks whether the sender may still write the readings, and locks its account and key until the transaction ends, so that a revocation
   * waits. Throws an AppError if it may not.
   */
  confirm(trx: Database): Promise<void>;
}

/** A message as received from the broker, with its decoded content. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Clock against which future timestamps are judged, Unix ms: the time of a replay. Left out: the time of receipt. */
  judgedAtMs?: number;
  decoded: DecodedMessage;
  /** Whether the broker had retained the message and delivered it at subscription. Only a timestamp in the message then shows its age. */
  replayed?: boolean;
  /**
   * Gateway of the message. The message is decoded in the transaction that stores it, because its meaning depends on the gateway's stored
   * state.
   */
  gateway?: { gatewayId: string; topic: string };
  /** Sender whose rights are checked in the transaction that stores the message. Left out: the broker has already checked the login. */
  sender?: MessageSender;
}

/** Creates an empty message. It makes a writer recompute a device whose owner has changed it. */
export const emptyMessage = (deviceId: string): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: { deviceId, readings: [], rejections: [] },
});

/** Whether a message contains no reading, no rejection and no state of its device. */
export const isEmptyMessage = ({ decoded }: IncomingMessage): boolean =>
  decoded.readings.length === 0 && decoded.rejections.length === 0 && decoded.status === undefined;

/**
 * Result of a batch: numbers of readings stored, of duplicates, and of rejected messages and elements. A reading that replaces a higher
 * value counts as stored, and the higher value as rejected.
 */
export interface WriteResult {
  stored: number;
  duplicates: number;
  rejected: number;
  /** Devices that are always costly to write, because they have very many series. */
  large?: readonly string[];
  /** Messages that were set aside for the installation to which their accounts moved. */
  departed?: number;
  /** Devices whose heads were read from the database, because they were not cached. */
  loaded?: number;
  /** Returns the results of devices' own messages, for senders that receive them. */
  byMessage?: () => ResultsByMessage;
}

/**
 * Results of messages, or the errors with which their senders were refused. Messages of moved accounts, and requests for devices that have
 * ended, are left out.
 */
export type ResultsByMessage = Map<IncomingMessage, MessageResult | AppError>;

/** Result of one message: numbers of its readings that were stored or are duplicates, and its elements that are not stored. */
export interface MessageResult {
  stored: number;
  duplicates: number;
  rejections: { element: number | null; reason: string }[];
}

/** A rejection of a message or element, for `rejected_messages`. */
export interface Rejection {
  message: IncomingMessage;
  /** Position of the element in the message, from 0; null for the whole message. */
  element: number | null;
  reason: string;
  /** The rejected value was stored before; the element itself is stored in its place. */
  isOfEarlier?: true;
}
