/** So long a message that is late holds back the acknowledgements of those behind it. */
const MOST_HELD_MS = 100;

interface Taken {
  readonly messageId: number;
  state: 'open' | 'done' | 'told';
}

/**
 * Acknowledgements of one connection in the order in which its messages came (MQTT 5, 4.6), though lanes commit them in another. A broker looks for what is
 * acknowledged among all that it has sent, from the oldest on: with thousands under way out of order that was half of what mosquitto costs a
 * message. A message that is late (of a device that is behind) holds up the others for a tenth of a second and no longer. Answers what
 * takes a message: it answers what is called once, when that message may be acknowledged.
 */
export function ackOrder(acknowledge: (messageId: number) => void): (messageId: number) => () => void {
  let taken: Taken[] = [];
  /** The oldest that is not told yet. */
  let first = 0;
  /** What is done behind an open one will be looked at again. */
  let isTimed = false;

  const tell = (one: Taken) => {
    one.state = 'told';
    acknowledge(one.messageId);
  };
  /** Tells what is done up to the first that is open; all that is done where these have waited for too long. */
  function flush(isLate: boolean): void {
    for (let at = first; at < taken.length; at++) {
      const one = taken[at] as Taken;
      if (one.state === 'done') tell(one);
      else if (one.state === 'open' && !isLate) break;
    }
    while (taken[first]?.state === 'told') first++;
    // What was told is let go of in large pieces.
    if (2 * first > taken.length) {
      taken = taken.slice(first);
      first = 0;
    }
  }

  return (messageId) => {
    const one: Taken = { messageId, state: 'open' };
    taken.push(one);
    return () => {
      one.state = 'done';
      if (taken[first] === one) return flush(false);
      if (isTimed) return;
      isTimed = true;
      setTimeout(() => {
        isTimed = false;
        flush(true);
      }, MOST_HELD_MS).unref();
    };
  };
}
