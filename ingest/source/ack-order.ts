import type { MessageReceipt } from './source.ts';

/** Maximum time in ms that an acknowledgement waits for those of earlier messages, and maximum number of waiting acknowledgements. */
const MAX_HELD = { ms: 1_000, count: 10_000 };
/**
 * If no message arrives for this time (ms), the waiting acknowledgements are sent: the broker may have reached its limit of unacknowledged
 * messages.
 */
const QUIET_MS = 100;

/** A received message. If acknowledgements of later messages have waited too long for it, its state is `late`. */
class OrderedReceipt implements MessageReceipt {
  readonly messageId: number;
  readonly #order: AckOrder;
  state: 'open' | 'done' | 'late' = 'open';
  constructor(messageId: number, order: AckOrder) {
    this.messageId = messageId;
    this.#order = order;
  }
  done(): void {
    this.#order.finish(this);
  }
}

/**
 * Sends the acknowledgements of a connection in the order of receipt, although messages are committed in another order. A broker searches
 * for each acknowledged message from the oldest one on: any other order cost mosquitto half of its time per message. A slow message delays
 * other acknowledgements only once, by at most a second.
 */
export class AckOrder {
  readonly #acknowledge: (messageId: number) => void;
  /** Messages in order of arrival. Those before index `#first` are acknowledged or late. */
  #receipts: OrderedReceipt[] = [];
  #first = 0;
  /** Number of committed messages whose acknowledgement is waiting. */
  #held = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(acknowledge: (messageId: number) => void) {
    this.#acknowledge = acknowledge;
  }

  /** Registers a message. The caller must call `done` of the result exactly once, when the message may be acknowledged. */
  register(messageId: number): MessageReceipt {
    const receipt = new OrderedReceipt(messageId, this);
    this.#count++;
    this.#receipts.push(receipt);
    return receipt;
  }

  finish(receipt: OrderedReceipt): void {
    if (receipt.state === 'late') {
      this.#acknowledge(receipt.messageId);
      return;
    }
    receipt.state = 'done';
    this.#held++;
    if (this.#receipts[this.#first] === receipt) this.#sendInOrder();
    else if (this.#held >= MAX_HELD.count) this.#sendAll();
    else if (!this.#timer) this.#watch(performance.now(), this.#count);
  }

  /** Sends acknowledgements up to the first message that is not done. */
  #sendInOrder(): void {
    let at = this.#first;
    for (; this.#receipts[at]?.state === 'done'; at++)
      this.#acknowledge((this.#receipts[at] as OrderedReceipt).messageId);
    this.#held -= at - this.#first;
    this.#drop(at);
  }

  /** Sends all waiting acknowledgements. Earlier messages that are not done become late. */
  #sendAll(): void {
    const last = this.#receipts.findLastIndex(({ state }) => state === 'done');
    for (let at = this.#first; at <= last; at++) {
      const receipt = this.#receipts[at] as OrderedReceipt;
      if (receipt.state === 'done') this.#acknowledge(receipt.messageId);
      else receipt.state = 'late';
    }
    this.#held = 0;
    this.#drop(Math.max(this.#first, last + 1));
  }

  /** Removes the messages before an index. The array is shortened only when half of it is unused. */
  #drop(before: number): void {
    this.#first = before;
    if (2 * before <= this.#receipts.length) return;
    this.#receipts = this.#receipts.slice(before);
    this.#first = 0;
  }

  #watch(sinceMs: number, counted: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#held === 0) return;
      if (this.#count === counted || performance.now() - sinceMs >= MAX_HELD.ms) this.#sendAll();
      else this.#watch(sinceMs, this.#count);
    }, QUIET_MS).unref();
  }
}
