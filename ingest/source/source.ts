export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker had retained the message and sent it because of a new subscription. */
  replayed: boolean;
  /** Account of the sender. Set only if the source can pause a single account. */
  account?: string;
}

/** Acknowledges a message. A receipt is an object and not a closure, to save memory for thousands of messages. */
export interface MessageReceipt {
  /** Must be called exactly once, when the message is committed or found to be irrelevant. */
  done(): void;
}

/**
 * Receives a message from a source. Returns false if the source should pause: for the message's account if it has one, otherwise
 * altogether.
 */
export type MessageReceiver = (message: RawMessage, receipt: MessageReceipt) => boolean;

export interface MessageSource {
  isConnected(): boolean;
  /** `account`: the only account that may continue. Undefined: all accounts. */
  resume(account?: string): void;
  /** Stops accepting new messages. Accepted messages can still be acknowledged. */
  pause(): void;
  /** Leaves new messages to other workers, and commits the messages that this source already has, as far as time permits. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
