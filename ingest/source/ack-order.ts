import type { MessageReceipt } from './source.ts';

/**
 * An acknowledgement waits for earlier messages that are not done yet: at most this long, and at most this many acknowledgements. A slow
 * batch of another partition may take about as long. While an acknowledgement waits, the broker can have one message fewer in flight (at
 * most 30,000).
 */
const MAX_HELD = { ms: 1_000, count: 10_000 };
/**
 * If no message arrives for this time (ms), waiting acknowledgements are sent. A broker that allows few messages in flight may be waiting
 * for them.
 */
const QUIET_MS = 100;

/**
 * A received message. State `late`: acknowledgements of later messages have waited for it for the maximum time, so it is acknowledged on
 * its own as soon as it is done.
 */
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
 * Sends the acknowledgements of one connection in the order in which the messages arrived (MQTT 5, 4.6), although messages are committed in
 * another order. A broker searches for an acknowledged message among all sent messages, from the oldest on. With thousands of messages in
 * flight, this search took half of mosquitto's time per message if the order differed. A late message (of a backlogged device) delays the
 * acknowledgements of others only once: for a second, or for a tenth of a second if no further message arrives.
 */
export class AckOrder {
  readonly #acknowledge: (messageId: number) => void;
  /** Received messages in order of arrival. Messages before index `#first` are acknowledged or late. */
  #receipts: OrderedReceipt[] = [];
  #first = 0;
  /** Number of messages from index `#first` on that are done and not acknowledged yet. */
  #held = 0;
  /** Number of all messages that were ever registered. */
  #count = 0;
  /** Timer that checks the waiting acknowledgements until all of them are sent. */
  #timer: NodeJS.Timeout | undefined;

  constructor(acknowledge: (messageId: number) => void) {
    this.#acknowledge = acknowledge;
  }

  /** Registers a message. When the message may be acknowledged, the caller must call `done` of the returned object once. */
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

  /** Sends the acknowledgements of done messages, up to the first message that is not done. */
  #sendInOrder(): void {
    let at = this.#first;
    for (; this.#receipts[at]?.state === 'done'; at++)
      this.#acknowledge((this.#receipts[at] as OrderedReceipt).messageId);
    this.#held -= at - this.#first;
    this.#drop(at);
  }

  /** Sends the acknowledgements of all done messages. Open messages that arrived before them become late. */
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

  /** Removes the messages before an index. The array is shortened only if at least half of it is removed. */
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
