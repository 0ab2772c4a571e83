import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { type MqttSource, startMqttClient } from './mqtt-client.ts';
import { earlierSessions, noteEmptied, type SessionLease, takeEarlierLease, takeLease } from './session-lease.ts';
import type { Receive, Source } from './source.ts';

/** How often a worker that stands by asks whether the one that serves is gone: messages wait at the broker for as long. */
const STANDBY_LOOK_MS = 400;
/** How often sessions of earlier versions are tried, whose workers may still be there. */
const EARLIER_LOOK_MS = 5_000;
/**
 * How long a stop waits for what goes on beside the client: it is left at once, unless the database or the broker hangs. With the process
 * its leases and sessions end, and what they have is somebody else's to take.
 */
const LEAVE_MS = 1_500;

export interface StandbySource extends Source {
  /** Whether another worker has the broker's session, and this one waits for it to be gone. */
  isStandingBy(): boolean;
}

/**
 * What an external broker has for this installation: one session, of which one worker is the client. Others at the same broker stand by,
 * and take it over where it is when that one ends, is killed, or hangs (decision 0082). `onLost`: another worker has the
 * session that this one had; the process must end, and begin anew.
 */
export async function startStandbyClient(options: {
  url: string;
  pool: Pool;
  environment: string;
  /** Filters of the topics that are asked for. */
  topics: readonly string[];
  receive: Receive;
  onLost: () => void;
  log: Logger;
}): Promise<StandbySource> {
  const { url, pool, environment, topics, receive, onLost, log } = options;
  const sources = new Set<MqttSource>();
  // Known before its first message, which a session delivers at once: one that is told to pause must be told to go on.
  const known = { url, topics, receive, log, onMade: (made: MqttSource) => void sources.add(made) };
  const stopping = new AbortController();
  const rest = (ms: number) => setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
  const isStopping = () => stopping.signal.aborted;
  let lease: SessionLease | null = null;
  /** What goes on beside the client: waiting for the lease, then emptying what earlier versions left. */
  let beside: Promise<void> = Promise.resolve();

  async function serve(taken: SessionLease): Promise<void> {
    lease = taken;
    taken.whenLost(onLost, log);
    // Without an answer of the database a lease may be over and nobody told: whoever has it now is the broker's client.
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
  /** Takes what the broker has for workers of earlier versions, each of which had a session, once they are gone. */
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
    // Its worker is still there.
    if (!earlier) return;
    log.info({ session }, 'emptying the session of a worker of an earlier version');
    try {
      const source = await startMqttClient({ ...known, clientId: earlier.clientId, subscription: 'none' });
      try {
        let isEmpty = false;
        // A broker that is away is not waited for when the process ends.
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
      // Last: until here what is acknowledged goes over the session.
      await lease?.release();
    },
  };
}
