import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { recordClockStep } from '#src/devices/edits/clock.ts';
import { type ClockStep, computeFirstReceiptTime, createReceiptClock, type ReceiptClock } from './receipt-clock.ts';
import type { MessageReceipt, MessageReceiver, RawMessage } from './source/source.ts';

/** Interval in ms at which the newest time of receipt is stored. After a crash, the stored time may be too early by this interval. */
const NOTE_MS = 1_000;
const RETRY_MS = 500;

const DISTRUSTED =
  'the clock was set back by more than a day and is not believed: messages are stamped by the monotonic clock until it is right, or somebody confirms it (energy doctor --confirm-clock)';

type Waiting = { message: RawMessage; receipt: MessageReceipt } | { step: ClockStep };
type Pipeline = { receive: MessageReceiver; waiting(): number };
type Output = Pipeline & { resume: () => void };

interface HostClocks {
  /** The time that the installation assumes to be right, Unix ms. */
  believedMs: () => number;
  /** The host's wall clock, Unix ms. */
  wallMs?: () => number;
  monotonicMs?: () => number;
}

/**
 * Loads the stored clock state of this host. If the clock now shows an earlier time than the newest time of receipt, records a step of the
 * clock.
 */
export async function startReceiptStamper(
  pool: Pool,
  { log, host = hostname(), ...clocks }: HostClocks & { log: Logger; host?: string },
): Promise<ReceiptStamper> {
  // Raw SQL: message intake uses no typed queries.
  const { rows } = await pool.query('SELECT stretch_from, newest_at FROM host_clocks WHERE host = $1', [host]);
  const newestMs = rows[0] ? rows[0].newest_at.getTime() + NOTE_MS : null;
  const { stampMs, step } = computeFirstReceiptTime((clocks.wallMs ?? Date.now)(), clocks.believedMs(), newestMs);
  let stretchFromMs = stampMs;
  if (step) {
    const earlierMs = rows[0].stretch_from.getTime();
    const edits = await recordClockStep(createDatabase(pool), { host, ...step, stretchFromMs: earlierMs });
    log.warn({ ...step, edits }, 'the clock is behind the newest receipt of this host');
    // The clock was set back beyond an earlier step, so the range of increasing times begins at the new time.
    stretchFromMs = Math.min(stampMs, earlierMs);
  }
  const receipts = new ReceiptStamper(pool, { host, log, clocks, startMs: stampMs, stretchFromMs });
  await receipts.start();
  return receipts;
}

/** Gives each message its time of receipt. Records each step of the clock before a later message is stored. */
class ReceiptStamper {
  readonly host: string;
  readonly #pool: Pool;
  readonly #db: Database;
  readonly #log: Logger;
  readonly #wallMs: () => number;
  readonly #clock: ReceiptClock;
  readonly #startMs: number;
  /** Time (Unix ms) since which the times of receipt of this host have only increased. */
  #stretchFromMs: number;
  /** Clock steps that are not recorded yet, and the messages that arrived after them. */
  readonly #waiting: Waiting[] = [];
  #output: Output | null = null;
  #draining: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    pool: Pool,
    start: { host: string; log: Logger; clocks: HostClocks; startMs: number; stretchFromMs: number },
  ) {
    const { host, log, clocks, startMs, stretchFromMs } = start;
    this.host = host;
    this.#pool = pool;
    this.#db = createDatabase(pool);
    this.#log = log;
    this.#wallMs = clocks.wallMs ?? Date.now;
    this.#startMs = startMs;
    this.#stretchFromMs = stretchFromMs;
    this.#clock = createReceiptClock({
      ...clocks,
      wallMs: this.#wallMs,
      startMs,
      onStep: (step) => void this.#waiting.push({ step }),
      onDistrust: (step) => log.error(step, DISTRUSTED),
    });
  }

  async start(): Promise<void> {
    await this.#noteOrSkip(this.#startMs);
    this.#timer = setInterval(() => {
      const nowMs = this.#clock.nowMs();
      if (this.#waiting.length > 0) this.#startDraining();
      else void this.#noteOrSkip(nowMs);
    }, NOTE_MS).unref();
  }

  /**
   * Returns a receiver that gives messages their time of receipt and passes them to a pipeline. While it records a step of the clock, the
   * source is paused. `resume`: called after that.
   */
  stamp(pipeline: Pipeline, resume: () => void): MessageReceiver {
    this.#output = { ...pipeline, resume };
    return (message, receipt) => {
      const atMs = this.#wallMs();
      const nowMs = this.#clock.nowMs();
      // The broker's time of receipt is used for a message that has waited at the broker. The current error of this host's clock is added
      // to it.
      message.receivedAtMs = Math.round(message.receivedAtMs + nowMs - atMs);
      if (this.#waiting.length === 0) return pipeline.receive(message, receipt);
      this.#waiting.push({ message, receipt });
      this.#startDraining();
      return false;
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#draining;
    await this.#noteOrSkip(this.#clock.nowMs());
  }

  #startDraining(): void {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  /**
   * Passes waiting messages to the pipeline. At a clock step, first waits until all earlier messages are committed, and records the step.
   */
  async #drain(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const next = this.#waiting[0] as Waiting;
      if ('step' in next) {
        while (!this.#isStopped && (this.#output?.waiting() ?? 0) > 0) await pause(10);
        if (!(await this.#record(next.step))) {
          await pause(RETRY_MS);
          continue;
        }
      } else this.#output?.receive(next.message, next.receipt);
      this.#waiting.shift();
    }
    if (!this.#isStopped) this.#output?.resume();
  }

  /** Records a clock step and the first time of receipt after it. Returns false if the database failed. Safe to repeat. */
  async #record(step: ClockStep): Promise<boolean> {
    const { beforeMs, afterMs } = step;
    try {
      const edits = await recordClockStep(this.#db, { host: this.host, ...step, stretchFromMs: this.#stretchFromMs });
      const continuedMs = afterMs > beforeMs ? afterMs : Math.min(this.#stretchFromMs, afterMs);
      await this.#note(afterMs, continuedMs);
      this.#stretchFromMs = continuedMs;
      this.#log.warn({ ...step, edits }, 'the clock was set');
      return true;
    } catch (error) {
      this.#log.warn({ err: error }, 'clock step not recorded yet, retrying');
      return false;
    }
  }

  /** Stores the newest time of receipt, Unix ms. */
  async #note(newestMs: number, stretchMs = this.#stretchFromMs): Promise<void> {
    await this.#pool.query(
      `INSERT INTO host_clocks (host, stretch_from, newest_at) VALUES ($1, $2, $3)
       ON CONFLICT (host) DO UPDATE SET stretch_from = excluded.stretch_from, newest_at = excluded.newest_at`,
      [this.host, new Date(stretchMs), new Date(newestMs)],
    );
  }

  async #noteOrSkip(newestMs: number): Promise<void> {
    await this.#note(newestMs).catch(() => {});
  }
}
