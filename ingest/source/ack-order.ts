import type { Receipt } from './source.ts';

/**
 * So long, and so many, a message that is late holds back the acknowledgements of those behind it. A batch on a busy machine takes longer than it
 * should, and another lane's is not late for that; while they are held the broker has as much less to send, of three times as many.
 */
const MOST_HELD = { ms: 1_000, count: 10_000 };
/** So long without a further message they are not held: the broker may wait for them, as it lets few be under way. */
const QUIET_MS = 100;

/** A message that was taken. `late`: it has held up others for as long as it may, and is acknowledged whenever it is done. */
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
 * Acknowledgements of one connection in the order in which its messages came (MQTT 5, 4.6), though lanes commit them in another. A broker looks for what is
 * acknowledged among all that it has sent, from the oldest on: with thousands under way out of order that was half of what mosquitto costs a
 * message. A message that is late (of a device that is behind) holds up the others for a second, once, and for a tenth where nothing more comes. Answers what
 * takes a message: its receipt is told once, when that message may be acknowledged.
 */
export function ackOrder(acknowledge: (messageId: number) => void): (messageId: number) => Receipt {
  /** From `first` on: what is not acknowledged yet, and not late. */
  let taken: Taken[] = [];
  let first = 0;
  /** How many of them are done. */
  let held = 0;
  /** What is done behind an open one is looked at again and again, until it is told. */
  let timer: NodeJS.Timeout | undefined;
  let count = 0;

  /** Lets go of what was taken before a place; of the array in large pieces. */
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
