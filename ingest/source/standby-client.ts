import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { type MqttClientOptions, type MqttSource, startMqttClient } from './mqtt-client.ts';
import {
  acquireLease,
  acquireLeaseOfEarlierVersion,
  loadSessionsOfEarlierVersions,
  recordSessionWithoutMessages,
  type SessionLease,
} from './session-lease.ts';
import type { MessageReceiver, MessageSource } from './source.ts';

/** Interval in ms at which a standby worker checks whether the active worker has ended. */
const STANDBY_LOOK_MS = 400;
/** Interval in ms of attempts to take over sessions of earlier versions, whose workers may still be running. */
const EARLIER_LOOK_MS = 5_000;
/** Maximum time in ms that a stop waits for background work. Leases and sessions end with the process. */
const LEAVE_MS = 1_500;

interface StandbySource extends MessageSource {
  isStandingBy(): boolean;
}

interface StandbyOptions {
  url: string;
  pool: Pool;
  environment: string;
  topics: readonly string[];
  receive: MessageReceiver;
  /** Called when another worker has taken over the session. The process must then be restarted. */
  onLost: () => void;
  log: Logger;
}

/**
 * Starts the client of an external broker. One worker is active and uses the session at the broker; all others are on standby and take over
 * if it ends or hangs (decision 0082).
 */
export async function startStandbyClient(options: StandbyOptions): Promise<StandbySource> {
  const client = new StandbyClient(options);
  await client.start();
  return client;
}

class StandbyClient implements StandbySource {
  readonly #options: StandbyOptions;
  readonly #sources = new Set<MqttSource>();
  readonly #stopping = new AbortController();
  #lease: SessionLease | null = null;
  /** Waits for the lease, then empties the sessions of earlier versions. */
  #background: Promise<void> = Promise.resolve();

  constructor(options: StandbyOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { pool, environment, url, log } = this.#options;
    const lease = await acquireLease(pool, environment, url);
    if (lease) {
      await this.#serve(lease);
      this.#background = this.#emptyEarlierSessions();
    } else {
      log.info('standing by: another worker has the session at the broker');
      this.#background = this.#standBy();
    }
  }

  isStandingBy(): boolean {
    return this.#lease === null;
  }

  isConnected(): boolean {
    return [...this.#sources].some((source) => source.isConnected());
  }

  pause(): void {
    for (const source of this.#sources) source.pause();
  }

  resume(): void {
    for (const source of this.#sources) source.resume();
  }

  async leave(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#background, setTimeout(LEAVE_MS, undefined, { ref: false })]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sources].map((source) => source.close()));
    // Acknowledgements use the session, so the lease is released last.
    await this.#lease?.release();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #rest(ms: number): Promise<void> {
    return setTimeout(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
  }

  /** Connects with a session. The source is stored before its first message arrives, so that it can be paused from then on. */
  #connect(session: Pick<MqttClientOptions, 'clientId' | 'subscription' | 'onTakenOver'>): Promise<MqttSource> {
    const { url, topics, receive, log } = this.#options;
    return startMqttClient({ url, topics, receive, log, ...session, onMade: (made) => void this.#sources.add(made) });
  }

  async #serve(lease: SessionLease): Promise<void> {
    const { onLost, log } = this.#options;
    this.#lease = lease;
    lease.whenLost(onLost, log);
    // While the database is unreachable, another worker may obtain the lease and connect with the session. `onTakenOver` reports this.
    await this.#connect({ clientId: lease.clientId, subscription: 'all', onTakenOver: onLost });
  }

  async #standBy(): Promise<void> {
    const { pool, environment, url, log } = this.#options;
    while (!this.#isStopping) {
      const lease = await acquireLease(pool, environment, url).catch((error: Error) => {
        log.debug({ err: error }, 'could not request the session of the broker');
        return null;
      });
      if (lease && this.#isStopping) return lease.release();
      if (lease) {
        log.info('taking over from a worker that is gone');
        await this.#serve(lease);
        return this.#emptyEarlierSessions();
      }
      await this.#rest(STANDBY_LOOK_MS);
    }
  }

  /** Receives the messages that the broker stores for workers of earlier versions, each of which had its own session. */
  async #emptyEarlierSessions(): Promise<void> {
    const { pool, log } = this.#options;
    while (!this.#isStopping) {
      try {
        const sessions = await loadSessionsOfEarlierVersions(pool);
        if (sessions.length === 0) return;
        for (const session of sessions) if (!this.#isStopping) await this.#emptyEarlierSession(session);
      } catch (error) {
        log.debug({ err: error }, 'session of an earlier version not emptied yet');
      }
      await this.#rest(EARLIER_LOOK_MS);
    }
  }

  async #emptyEarlierSession(session: number): Promise<void> {
    const { pool, environment, log } = this.#options;
    const lease = await acquireLeaseOfEarlierVersion(pool, environment, session);
    // The worker of that session is still running.
    if (!lease) return;
    log.info({ session }, 'emptying the session of a worker of an earlier version');
    try {
      const source = await this.#connect({ clientId: lease.clientId, subscription: 'none' });
      try {
        let isEmpty = false;
        const stopped = once(this.#stopping.signal, 'abort').then(() => false);
        while (!isEmpty && !this.#isStopping) isEmpty = await Promise.race([source.empty(), stopped]);
        if (isEmpty) await recordSessionWithoutMessages(pool, session);
      } finally {
        await source.close().finally(() => this.#sources.delete(source));
      }
    } finally {
      await lease.release();
    }
  }
}
