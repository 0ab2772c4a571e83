import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { type MqttSource, startMqttClient } from './mqtt-client.ts';
import { earlierSessions, noteEmptied, type SessionLease, takeEarlierLease, takeLease } from './session-lease.ts';
import type { Receive, Source } from './source.ts';

/** Interval at which a standby worker checks whether the serving one is gone: messages wait at the broker for at most this long. */
const STANDBY_LOOK_MS = 400;
/** Interval at which sessions of earlier versions are tried, whose workers may still be running. */
const EARLIER_LOOK_MS = 5_000;
/**
 * Maximum time for which a stop waits for background work. The work ends at once, unless the database or the broker hangs. When the process
 * ends, its leases and sessions end, too, and other workers can take over their messages.
 */
const LEAVE_MS = 1_500;

export interface StandbySource extends Source {
  /** Whether another worker has the broker's session, and this worker waits to take it over. */
  isStandingBy(): boolean;
}

/**
 * Starts the client of an external broker: the installation has one session, which one worker serves. Other workers at the same broker
 * stand by, and continue the session if the serving worker ends, is killed, or hangs (decision 0082). `onLost`: another worker has obtained
 * the session of this one, so that the process must end and start again.
 */
export async function startStandbyClient(options: {
  url: string;
  pool: Pool;
  environment: string;
  /** Topic filters of the subscription. */
  topics: readonly string[];
  receive: Receive;
  onLost: () => void;
  log: Logger;
}): Promise<StandbySource> {
  const { url, pool, environment, topics, receive, onLost, log } = options;
  const sources = new Set<MqttSource>();
  // Each source is registered before its first message, which a session delivers at once, so that a paused source can be resumed.
  const known = { url, topics, receive, log, onMade: (made: MqttSource) => void sources.add(made) };
  const stopping = new AbortController();
  const rest = (ms: number) => setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
  const isStopping = () => stopping.signal.aborted;
  let lease: SessionLease | null = null;
  /** Background work: waiting for the lease, then emptying the sessions of earlier versions. */
  let beside: Promise<void> = Promise.resolve();

  async function serve(taken: SessionLease): Promise<void> {
    lease = taken;
    taken.whenLost(onLost, log);
    // If the database is unreachable, the lease may have ended unnoticed; another worker with the session is then the broker's client.
    await startMqttClient({ ...known, clientId: taken.clientId, subscription: 'all', onTakenOver: onLost });
  }
  async function standBy(): Promise<void> {
    while (!isStopping()) {
      const taken = await takeLease(pool, environment, url).catch((error: Error) => {
        log.debug({ err: error }, 'could not ask for the session of the broker');
        return null;
      });
      if (taken && isStopping()) return taken.release();
      if (taken) {
        log.info('taking over from a worker that is gone');
        await serve(taken);
        return emptyEarlier();
      }
      await rest(STANDBY_LOOK_MS);
    }
  }
  /** Receives what the broker still stores for workers of earlier versions, each of which had a session, once they have ended. */
  async function emptyEarlier(): Promise<void> {
    while (!isStopping()) {
      try {
        const numbers = await earlierSessions(pool);
        if (numbers.length === 0) return;
        for (const number of numbers) if (!isStopping()) await emptyOne(number);
      } catch (error) {
        log.debug({ err: error }, 'session of an earlier version not emptied yet');
      }
      await rest(EARLIER_LOOK_MS);
    }
  }
  async function emptyOne(session: number): Promise<void> {
    const earlier = await takeEarlierLease(pool, environment, session);
    // The worker of that session is still running.
    if (!earlier) return;
    log.info({ session }, 'emptying the session of a worker of an earlier version');
    try {
      const source = await startMqttClient({ ...known, clientId: earlier.clientId, subscription: 'none' });
      try {
        let isEmpty = false;
        // A stopping process does not wait for an unavailable broker.
        const over = once(stopping.signal, 'abort').then(() => false);
        while (!isEmpty && !isStopping()) isEmpty = await Promise.race([source.empty(), over]);
        if (isEmpty) await noteEmptied(pool, session);
      } finally {
        await source.close().finally(() => sources.delete(source));
      }
    } finally {
      await earlier.release();
    }
  }

  const taken = await takeLease(pool, environment, url);
  if (taken) {
    await serve(taken);
    beside = emptyEarlier();
  } else {
    log.info('standing by: another worker has the session at the broker');
    beside = standBy();
  }
  return {
    isStandingBy: () => lease === null,
    isConnected: () => [...sources].some((source) => source.isConnected()),
    pause() {
      for (const source of sources) source.pause();
    },
    resume() {
      for (const source of sources) source.resume();
    },
    async leave() {
      stopping.abort();
      await Promise.race([beside, setTimeout(LEAVE_MS, undefined, { ref: false })]);
    },
    async close() {
      await Promise.all([...sources].map((source) => source.close()));
      // Last, because acknowledgements use the session until here.
      await lease?.release();
    },
  };
}
