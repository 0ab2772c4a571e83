import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { recordAttempt } from './attempts.ts';
import { type Channel, isOver, type Outcome, type Sending, TOO_LATE } from './channel.ts';
import { takeDue } from './take.ts';

/** Most attempts under way in this process, over all targets. */
const AT_ONCE = 512;

export interface Dispatcher {
  /**
   * Takes what is due and begins to send it; does not wait for the answers. Returns how many were taken.
   */
  pass(): Promise<number>;
  /** Waits for the tries that are under way. */
  settle(): Promise<void>;
  /** Tries that are under way. */
  underWay(): number;
}

/** Sends what is due through its channels: webhooks by their subscription, and `email`, and `sms`. */
export function createDispatcher(options: {
  pool: Pool;
  channels: { webhook: Channel; email: Channel; sms: Channel };
  clock: Clock;
  /** The clock by which a subscription that fails for too long is paused; by default `clock`. */
  ageClock?: Clock;
  log: Logger;
  /** Counts tries by channel and result, for metrics. */
  onTried?: (channel: string, result: 'succeeded' | 'failed') => void;
  /** Called when a try is over, and its target has room again. */
  onDone?: () => void;
  random?: () => number;
}): Dispatcher {
  const { pool, channels, clock, ageClock = clock, log, onTried, onDone, random = Math.random } = options;
  const sendings = new Map<string, Promise<void>>();

  async function tryOnce(sending: Sending): Promise<void> {
    const { target, deliveryId } = sending;
    const kind = target === 'email' || target === 'sms' ? target : 'webhook';
    const [startedAt, from] = [clock(), performance.now()];
    const send = async () => (isOver(sending, startedAt) ? TOO_LATE : await channels[kind].send(sending));
    const outcome: Outcome = await send().catch((error: Error) => {
      log.error({ err: error, delivery: deliveryId }, 'delivery failed unexpectedly');
      return { succeeded: false, responseStatus: null, error: 'internal error' };
    });
    onTried?.(kind, outcome.succeeded ? 'succeeded' : 'failed');
    const durationMs = performance.now() - from;
    const at = { startedAt, now: clock(), ageNow: ageClock(), durationMs, random: random() };
    // Not noted, it is tried again when the lease is over: twice rather than never.
    await recordAttempt(pool, sending, outcome, at).catch((error: Error) =>
      log.warn({ err: error, delivery: deliveryId }, 'result of a delivery not recorded'),
    );
  }

  function begin(sending: Sending): void {
    const done = tryOnce(sending).finally(() => {
      sendings.delete(sending.deliveryId);
      onDone?.();
    });
    sendings.set(sending.deliveryId, done);
  }

  return {
    async pass() {
      const room = AT_ONCE - sendings.size;
      if (room <= 0) return 0;
      const due = await takeDue(pool, room, clock(), [...sendings.keys()]);
      for (const sending of due) begin(sending);
      return due.length;
    },
    async settle() {
      await Promise.all(sendings.values());
    },
    underWay: () => sendings.size,
  };
}
