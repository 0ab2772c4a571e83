import { FairShareCapacity } from '#src/core/fair-share-capacity.ts';

/** Maximum memory in bytes of messages that are not committed yet. */
const MAX_BYTES = 64 * 2 ** 20;
const MIN_MESSAGE_BYTES = Math.ceil(MAX_BYTES / 20_000);
/** A paused source is resumed when less than this fraction of its memory limit is in use. */
const GO_ON = 0.5;

interface Held {
  account: string;
  /** Memory of the message, in bytes. */
  bytes: number;
}

/**
 * Limits the memory of messages that are not committed yet. If one account sends faster than its messages are written, only this account is
 * paused. `onRoom`: called when an account, or all of them, may send again.
 */
export class PendingMessageLimit {
  readonly #shares = new FairShareCapacity(MAX_BYTES);
  readonly #full = new Set<string>();
  readonly #onRoom: (account?: string) => void;
  isFull = false;

  constructor(onRoom: (account?: string) => void) {
    this.#onRoom = onRoom;
  }

  /** Adds a message. Returns whether the source may send more. `byAccount`: whether the source can pause a single account. */
  take({ account, bytes }: Held, byAccount: boolean): boolean {
    this.#shares.take(account, Math.max(bytes, MIN_MESSAGE_BYTES));
    if (this.#shares.taken >= this.#shares.total) this.isFull = true;
    const isOver = byAccount && this.#shares.isOver(account);
    if (isOver) this.#full.add(account);
    return !this.isFull && !isOver;
  }

  give({ account, bytes }: Held): void {
    this.#shares.give(account, Math.max(bytes, MIN_MESSAGE_BYTES));
  }

  goOn(): void {
    for (const account of this.#full) {
      if (this.isFull || this.#shares.isOver(account, GO_ON)) continue;
      this.#full.delete(account);
      this.#onRoom(account);
    }
    if (!this.isFull || this.#shares.taken >= GO_ON * this.#shares.total) return;
    this.isFull = false;
    this.#onRoom();
  }
}
