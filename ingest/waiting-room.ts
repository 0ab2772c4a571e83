import { Shares } from '#src/core/shares.ts';

/** Bytes of memory that may wait for a commit, and what a message counts at least: 20,000 may wait. */
const MAX_BYTES = 64 * 2 ** 20;
const MIN_MESSAGE_BYTES = Math.ceil(MAX_BYTES / 20_000);
/** All that had to wait go on when less than so much is held, and those of one account when it holds less than so much of its share. */
const GO_ON = 0.5;

interface Held {
  account: string;
  /** Of memory. */
  bytes: number;
}

/**
 * How many messages may wait for their commit. Accounts share the room: one that sends more than is written waits by itself, and its neighbours' messages
 * are taken meanwhile. `onRoom` is called when those may go on that were to wait: of an account, or all.
 */
export class WaitingRoom {
  readonly #shares = new Shares(MAX_BYTES);
  readonly #full = new Set<string>();
  readonly #onRoom: (account?: string) => void;
  /** Whether everybody is to wait. */
  isFull = false;

  constructor(onRoom: (account?: string) => void) {
    this.#onRoom = onRoom;
  }

  /** Takes a message in. Answers whether more may come: of its account, where `byAccount`. */
  take({ account, bytes }: Held, byAccount: boolean): boolean {
    this.#shares.take(account, Math.max(bytes, MIN_MESSAGE_BYTES));
    if (this.#shares.taken >= this.#shares.total) this.isFull = true;
    const isOver = byAccount && this.#shares.isOver(account);
    if (isOver) this.#full.add(account);
    return !this.isFull && !isOver;
  }

  /** A message that was taken in is committed. */
  give({ account, bytes }: Held): void {
    this.#shares.give(account, Math.max(bytes, MIN_MESSAGE_BYTES));
  }

  /** Lets those go on for whom there is room again. */
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
