/** A message as a source delivers it. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Delivered at subscription with the retain flag. */
  replayed: boolean;
  /** The account that its sender counts to, where the source has a connection of each sender and can hold those of one account. */
  account?: string;
}

/** What a message is acknowledged with: no function, as each of a thousand that wait would be two objects more. */
export interface Receipt {
  /** Must be called exactly once, when the message is committed (or is nobody's): only then does its sender get the acknowledgement. */
  done(): void;
}

/**
 * Takes a message from a source. Answers whether the source may go on: false asks it to pause. Where the message names an account, that is whether its
 * account may go on.
 */
export type Receive = (message: RawMessage, receipt: Receipt) => boolean;

/** Something that delivers messages and takes their acknowledgement. */
export interface Source {
  /** Whether messages can arrive now. */
  isConnected(): boolean;
  /** Goes on after `receive` answered false: with one account, or with all. */
  resume(account?: string): void;
  /** Takes no new messages; acknowledgements of those taken can still be sent until `close`. */
  pause(): void;
  /** Where other workers stay they take over what comes from now on, and this source is emptied as far as time allows. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
