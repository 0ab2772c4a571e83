/** Maximum space of one account, as a multiple of the free space. A single account can take three quarters of all space. */
const TIMES_FREE = 3;

/**
 * Space that accounts share. The maximum of one account depends on the free space, so that some space always remains for another account
 * (dynamic thresholds; Choudhury and Hahne, 1998).
 */
export class FairShareCapacity {
  readonly total: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(total: number) {
    this.total = total;
  }

  /** Space taken by all accounts. */
  get taken(): number {
    return this.#taken;
  }

  takenBy(account: string): number {
    return this.#takenBy.get(account) ?? 0;
  }

  /** Whether the account may take this amount. */
  hasRoom(account: string, amount = 1): boolean {
    const free = this.total - this.#taken;
    return amount <= free && this.takenBy(account) + amount <= TIMES_FREE * free;
  }

  /** Whether the account has taken more than its maximum. `part`: compares with this fraction of the maximum. */
  isOver(account: string, part = 1): boolean {
    return this.takenBy(account) > part * TIMES_FREE * Math.max(0, this.total - this.#taken);
  }

  /** Takes space for an account, even if none is free. */
  take(account: string, amount = 1): void {
    this.#taken += amount;
    this.#takenBy.set(account, this.takenBy(account) + amount);
  }

  /** Releases space of an account. */
  give(account: string, amount = 1): void {
    this.#taken -= amount;
    const rest = this.takenBy(account) - amount;
    if (rest > 0) this.#takenBy.set(account, rest);
    else this.#takenBy.delete(account);
  }
}
