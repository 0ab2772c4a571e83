/** A message, as a source delivers it to the pipeline. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the message was retained by the broker and delivered at subscription. */
  replayed: boolean;
  /** Account of the sender. Set only if the source has a connection for each sender, so that it can pause a single account. */
  account?: string;
}

/**
 * Acknowledges a message. Receipts are objects instead of functions, because a closure would need two more objects for each of thousands of
 * waiting messages.
 */
export interface MessageReceipt {
  /**
   * Must be called exactly once, when the message is committed or is found to be irrelevant. The message's sender gets no acknowledgement
   * before this call.
   */
  done(): void;
}

/**
 * Receives a message from a source. Returns whether the source may continue, or false if it should pause. If the
 * message has an account, the result applies to that account only.
 */
export type MessageReceiver = (message: RawMessage, receipt: MessageReceipt) => boolean;

/** Delivers messages and accepts their acknowledgements. */
export interface MessageSource {
  /** Whether the source is connected, so that messages can arrive now. */
  isConnected(): boolean;
  /** Resumes after `receive` returned false. `account`: the only account that may continue; undefined: all accounts may. */
  resume(account?: string): void;
  /** Stops accepting new messages. Until `close`, acknowledgements of accepted messages can still be sent. */
  pause(): void;
  /** Hands over new messages to other workers, if there are any, and empties this source as far as time permits. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
