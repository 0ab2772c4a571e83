/**
 * How far the messages of a channel are done, from its first on: AMQP acknowledges up to a tag (`multiple`), and a message may be done
 * before one that came earlier. Pure. Tags of a channel are 1, 2, 3 and so on (AMQP 0-9-1, 1.1).
 */
export interface Frontier {
  /**
   * Notes that the message is done; once. Answers the tag up to which all may be acknowledged now; null where nothing new may be: an
   * earlier one is not done.
   */
  done(tag: number): number | null;
  /** Notes that the message was refused, which tells the broker by itself; answers as `done`. */
  refused(tag: number): number | null;
}

export function createFrontier(): Frontier {
  let reached = 0;
  const ahead = new Map<number, 'done' | 'refused'>();
  const note = (tag: number, what: 'done' | 'refused'): number | null => {
    ahead.set(tag, what);
    let last: number | null = null;
    for (let next = ahead.get(reached + 1); next !== undefined; next = ahead.get(reached + 1)) {
      ahead.delete(++reached);
      // The broker knows a refused one no more: it is no tag to acknowledge.
      if (next === 'done') last = reached;
    }
    return last;
  };
  return { done: (tag) => note(tag, 'done'), refused: (tag) => note(tag, 'refused') };
}
