/** An account may hold so many times what is free. Alone it takes three quarters; ten that take all they may leave a thirty-first. */
const TIMES_FREE = 3;

/**
 * Room that accounts share, in any unit. What one account may hold depends on how much is free, so that there is always room for another
 * one (dynamic thresholds; Choudhury and Hahne, 1998), and nothing is set aside for accounts that do not come.
 */
export class Shares {
  readonly total: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(total: number) {
    this.total = total;
  }

  /** How much is held, by all accounts. */
  get taken(): number {
    return this.#taken;
  }

  takenBy(account: string): number {
    return this.#takenBy.get(account) ?? 0;
  }

  /** Whether the account may hold so much more. */
  hasRoom(account: string, amount = 1): boolean {
    const free = this.total - this.#taken;
    return amount <= free && this.takenBy(account) + amount <= TIMES_FREE * free;
  }

  /** Whether the account holds more than its share. `part`: of the share, 1 for all of it. */
  isOver(account: string, part = 1): boolean {
    return this.takenBy(account) > part * TIMES_FREE * Math.max(0, this.total - this.#taken);
  }

  /** Takes room, whether or not there is any. */
  take(account: string, amount = 1): void {
    this.#taken += amount;
    this.#takenBy.set(account, this.takenBy(account) + amount);
  }

  /** Gives back what was taken. */
  give(account: string, amount = 1): void {
    this.#taken -= amount;
    const rest = this.takenBy(account) - amount;
    if (rest > 0) this.#takenBy.set(account, rest);
    else this.#takenBy.delete(account);
  }
}
