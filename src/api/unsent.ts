/** What answers that were begun still hold of this process until their clients have taken them. */
export interface Unsent {
  /**
   * Notes an answer until the function that is returned is called. If that is more than its connection, its address or all together may
   * hold, the answers that have waited longest are cut (`cut`), this one last.
   */
  hold(answer: UnsentAnswer): () => void;
  /** Bytes of all. */
  bytes(): number;
}

interface UnsentAnswer {
  connection: object;
  address: string;
  bytes: number;
  /** Breaks the answer off. */
  cut(): void;
}

/** Bytes that may wait. */
export interface UnsentLimits {
  ofConnection: number;
  ofAddress: number;
  ofAll: number;
}

/** Answers in the order in which they came, and the sum of their bytes. */
class Pile {
  readonly answers = new Set<UnsentAnswer>();
  bytes = 0;

  add(one: UnsentAnswer): void {
    this.answers.add(one);
    this.bytes += one.bytes;
  }

  remove(one: UnsentAnswer): void {
    if (this.answers.delete(one)) this.bytes -= one.bytes;
  }
}

/**
 * Bounds what waits to be sent. Answers of clients that read are there for milliseconds, so if the sum is too large, the oldest are those that
 * nobody takes: a client behind the same address that reads loses nothing.
 */
export function unsent({ ofConnection, ofAddress, ofAll }: UnsentLimits): Unsent {
  const all = new Pile();
  const byConnection = new Map<object, Pile>();
  const byAddress = new Map<string, Pile>();
  const release = (one: UnsentAnswer) => {
    all.remove(one);
    removeFrom(byConnection, one.connection, one);
    removeFrom(byAddress, one.address, one);
  };
  const shrink = (pile: Pile, limit: number) => {
    for (const one of pile.answers) {
      // A single answer may be longer than the limit.
      if (pile.bytes <= limit || pile.answers.size === 1) return;
      release(one);
      one.cut();
    }
  };
  return {
    hold(one) {
      all.add(one);
      const ofItsConnection = addTo(byConnection, one.connection, one);
      const ofItsAddress = addTo(byAddress, one.address, one);
      shrink(ofItsConnection, ofConnection);
      shrink(ofItsAddress, ofAddress);
      shrink(all, ofAll);
      return () => release(one);
    },
    bytes: () => all.bytes,
  };
}

function addTo<Key>(piles: Map<Key, Pile>, key: Key, one: UnsentAnswer): Pile {
  const pile = piles.get(key) ?? new Pile();
  piles.set(key, pile);
  pile.add(one);
  return pile;
}

function removeFrom<Key>(piles: Map<Key, Pile>, key: Key, one: UnsentAnswer): void {
  const pile = piles.get(key);
  pile?.remove(one);
  if (pile?.answers.size === 0) piles.delete(key);
}
