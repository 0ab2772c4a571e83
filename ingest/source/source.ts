/** A message, as a source delivers it to the pipeline. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the message was delivered at subscription with the retain flag. */
  replayed: boolean;
  /** Account of the sender, if the source has a connection for each sender and can pause a single account. */
  account?: string;
}

/**
 * Acknowledges a message. An object instead of a function, because a closure would cost two more objects for each of thousands of waiting
 * messages.
 */
export interface Receipt {
  /**
   * Must be called exactly once, when the message is committed or is found to be irrelevant: only then does its sender get the
   * acknowledgement.
   */
  done(): void;
}

/**
 * Receives a message from a source. Returns whether the source may continue; false asks it to pause. If the message names an account, the
 * result applies to that account only.
 */
export type ReceiveMessage = (message: RawMessage, receipt: Receipt) => boolean;

/** Delivers messages and accepts their acknowledgements. */
export interface MessageSource {
  /** Whether the source is connected, so that messages can arrive now. */
  isConnected(): boolean;
  /** Resumes after `receive` returned false: one account, or all. */
  resume(account?: string): void;
  /** Stops accepting new messages. Acknowledgements of accepted messages can still be sent until `close`. */
  pause(): void;
  /** If other workers remain, hands over new messages to them and empties this source as far as time allows. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
