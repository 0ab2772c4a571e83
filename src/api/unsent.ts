/** Measures the memory of responses that are being sent, until their clients have received them. */
interface UnsentResponseTracker {
  /**
   * Adds a response; the returned function removes it. Above a limit, aborts the responses that have waited longest (`cut`), but
   * never the new one.
   */
  hold(answer: UnsentAnswer): () => void;
  /** Returns the number of bytes of all unsent responses. */
  bytes(): number;
}

interface UnsentAnswer {
  connection: object;
  address: string;
  bytes: number;
  /** Aborts the response. */
  cut(): void;
}

/** Maximum number of bytes of unsent responses: for a connection, for a network address, and for the process. */
interface UnsentResponseLimits {
  ofConnection: number;
  ofAddress: number;
  ofAll: number;
}

/** Responses in the order of their addition, and the sum of their bytes. */
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

/** Limits the memory of unsent responses. Above a limit, aborts the oldest responses, whose clients do not read. */
export function createUnsentResponseTracker({
  ofConnection,
  ofAddress,
  ofAll,
}: UnsentResponseLimits): UnsentResponseTracker {
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
      // A single response may exceed the limit.
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
