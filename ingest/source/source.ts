/** A message that a source delivers to the pipeline. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker had retained the message and delivered it because of a new subscription. */
  replayed: boolean;
  /**
   * Account of the sender. Set only by a source that has a separate connection for each sender and can therefore pause a single account.
   */
  account?: string;
}

/**
 * Acknowledges a message. A receipt is an object and not a function: a closure would need two more objects for each of thousands of waiting
 * messages.
 */
export interface MessageReceipt {
  /**
   * Must be called exactly once, when the message is committed or found to be irrelevant. The sender gets no acknowledgement before this
   * call.
   */
  done(): void;
}

/**
 * Receives a message from a source. Returns true if the source may continue, and false if it should pause. If the message has an account,
 * the result concerns only that account.
 */
export type MessageReceiver = (message: RawMessage, receipt: MessageReceipt) => boolean;

/** Delivers messages and accepts their acknowledgements. */
export interface MessageSource {
  /** Whether the source is connected, so that messages can arrive now. */
  isConnected(): boolean;
  /** Resumes the source after a pause. `account`: the only account that may continue. Undefined: all accounts may continue. */
  resume(account?: string): void;
  /** Stops accepting new messages. Accepted messages can still be acknowledged until `close`. */
  pause(): void;
  /**
   * Leaves new messages to other workers, if there are any. Receives and commits the messages that this source already has, as far as time
   * permits.
   */
  leave(): Promise<void>;
  close(): Promise<void>;
}
