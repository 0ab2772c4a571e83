/** Tracks the memory of responses that are being sent, until their clients have received them. */
export interface UnsentResponses {
  /**
   * Adds a response. The returned function removes it. If its connection, its address or all responses together exceed their limit, the
   * responses that have waited longest are aborted (`cut`); the new response is the last of them.
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

/** Maximum numbers of bytes of unsent responses. */
export interface UnsentResponseLimits {
  ofConnection: number;
  ofAddress: number;
  ofAll: number;
}

/** Responses in order of arrival, and the sum of their bytes. */
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
 * Limits the memory of unsent responses. A client that reads receives its response within milliseconds. So if a limit is exceeded, the
 * oldest responses belong to clients that do not read, and other clients at the same address lose nothing.
 */
export function createUnsentResponseLimit({ ofConnection, ofAddress, ofAll }: UnsentResponseLimits): UnsentResponses {
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
      // A single response may be larger than the limit.
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
