import type { Receipt } from './source.ts';

/**
 * Maximum time and number of acknowledgements that wait for one late message. The time allows for a slow batch of another partition. Each
 * held acknowledgement leaves the broker one message fewer to send, of at most 30,000 in flight.
 */
const MOST_HELD = { ms: 1_000, count: 10_000 };
/**
 * If no further message arrives for this time, held acknowledgements are sent. A broker that allows few messages in flight may be waiting
 * for them.
 */
const QUIET_MS = 100;

/** A received message. `late`: it has held up others for the maximum time, and is now acknowledged as soon as it is done. */
class Taken implements Receipt {
  readonly messageId: number;
  state: 'open' | 'done' | 'late' = 'open';
  readonly tell: (one: Taken) => void;
  constructor(messageId: number, tell: (one: Taken) => void) {
    this.messageId = messageId;
    this.tell = tell;
  }
  done(): void {
    this.tell(this);
  }
}

/**
 * Sends the acknowledgements of one connection in the order in which its messages arrived (MQTT 5, 4.6), although partitions commit them in
 * another order. A broker searches for an acknowledged message among all that it has sent, from the oldest on. With thousands of messages
 * in flight, acknowledgements out of order were half of mosquitto's cost per message. A late message (of a backlogged device) holds up
 * others once: for a second, or for a tenth of a second if no more messages arrive. Returns a function that registers a message; `done` of
 * the returned receipt must be called once, when the message may be acknowledged.
 */
export function ackOrder(acknowledge: (messageId: number) => void): (messageId: number) => Receipt {
  /** Messages in order of arrival. From index `first` on, they are neither acknowledged nor late. */
  let taken: Taken[] = [];
  let first = 0;
  /** Number of finished messages from index `first` on. */
  let held = 0;
  /** Checks held acknowledgements at intervals until they are sent. */
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  /** Drops messages before an index. The array is shortened only in large pieces. */
  function leave(before: number): void {
    first = before;
    if (2 * first <= taken.length) return;
    taken = taken.slice(first);
    first = 0;
  }

  function tellInOrder(): void {
    let at = first;
    for (; taken[at]?.state === 'done'; at++) acknowledge((taken[at] as Taken).messageId);
    held -= at - first;
    leave(at);
  }

  function tellAll(): void {
    const last = taken.findLastIndex(({ state }) => state === 'done');
    for (let at = first; at <= last; at++) {
      const one = taken[at] as Taken;
      if (one.state === 'done') acknowledge(one.messageId);
      else one.state = 'late';
    }
    held = 0;
    leave(Math.max(first, last + 1));
  }

  function watch(sinceMs: number, counted: number): void {
    timer = setTimeout(() => {
      timer = undefined;
      if (held === 0) return;
      if (count === counted || performance.now() - sinceMs >= MOST_HELD.ms) tellAll();
      else watch(sinceMs, count);
    }, QUIET_MS).unref();
  }

  function tell(one: Taken): void {
    if (one.state === 'late') {
      acknowledge(one.messageId);
      return;
    }
    one.state = 'done';
    held++;
    if (taken[first] === one) tellInOrder();
    else if (held >= MOST_HELD.count) tellAll();
    else if (!timer) watch(performance.now(), count);
  }

  return (messageId) => {
    const one = new Taken(messageId, tell);
    count++;
    taken.push(one);
    return one;
  };
}
