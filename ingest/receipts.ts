import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { createDb, type Pool } from '#src/database/connect.ts';
import { noteClockStep } from '#src/devices/edits/clock.ts';
import { type ClockStep, createReceiptClock, receiptAtStart } from './receipt-clock.ts';
import type { RawMessage, Receipt, Receive } from './source/source.ts';

/** Interval at which the newest receipt of a host is stored, ms. A killed worker may have received messages for this long after the stored one. */
const NOTE_MS = 1_000;
const RETRY_MS = 500;

const DISTRUSTED =
  'the clock was set back by more than a day and is not believed: messages are stamped by the monotonic clock until it is right, or somebody confirms it (energy doctor --confirm-clock)';

/** Stamps messages with their receipt, and records a step of the clock before any message received after it is stored. */
export interface Receipts {
  readonly host: string;
  /**
   * Returns a receiver that passes stamped messages to a pipeline. While a step of the clock is being recorded, later messages wait here and the source is
   * paused; then `resume` is called.
   */
  stamp(pipeline: { receive: Receive; waiting(): number }, resume: () => void): Receive;
  stop(): Promise<void>;
}

type Waiting = { message: RawMessage; receipt: Receipt } | { step: ClockStep };

/** Loads this host's clock record and starts stamping. If the clock is behind the host's newest receipt, that is recorded as a step. */
export async function startReceipts(
  pool: Pool,
  {
    believedMs,
    log,
    host = hostname(),
    wallMs = Date.now,
    ...monotonic
  }: {
    believedMs: () => number;
    log: Logger;
    host?: string;
    wallMs?: () => number;
    monotonicMs?: () => number;
  },
): Promise<Receipts> {
  const db = createDb(pool);
  // Raw SQL: ingest does not use typed queries.
  const { rows } = await pool.query('SELECT stretch_from, newest_at FROM host_clocks WHERE host = $1', [host]);
  const newestMs = rows[0] ? rows[0].newest_at.getTime() + NOTE_MS : null;
  const { stampMs, step } = receiptAtStart(wallMs(), believedMs(), newestMs);
  if (step) {
    const edits = await noteClockStep(db, { host, ...step, stretchFromMs: rows[0].stretch_from.getTime() });
    log.warn({ ...step, edits }, 'the clock is behind the newest receipt of this host');
  }
  const waiting: Waiting[] = [];
  // The clock may be set back again over the time before an earlier step back, so the stretch then continues.
  let stretchFromMs = step ? Math.min(stampMs, rows[0].stretch_from.getTime()) : stampMs;
  let isStopped = false;
  let work: Promise<void> | null = null;
  let output: { receive: Receive; waiting(): number; resume: () => void } | null = null;
  const clock = createReceiptClock({
    startMs: stampMs,
    believedMs,
    wallMs,
    ...monotonic,
    onStep: (one) => void waiting.push({ step: one }),
    onDistrust: (one) => log.error(one, DISTRUSTED),
  });

  /** Waits until messages received before a step are committed, records the step, and then passes on the messages received after it. */
  async function drain(): Promise<void> {
    while (waiting.length > 0 && !isStopped) {
      const next = waiting[0] as Waiting;
      if ('step' in next) {
        while (!isStopped && (output?.waiting() ?? 0) > 0) await pause(10);
        if (!(await record(next.step))) {
          await pause(RETRY_MS);
          continue;
        }
      } else output?.receive(next.message, next.receipt);
      waiting.shift();
    }
    if (!isStopped) output?.resume();
  }
  /** Records a step and the receipt after it; returns false if the database did not store both. Recording a step twice changes nothing. */
  async function record(step: ClockStep): Promise<boolean> {
    const { beforeMs, afterMs } = step;
    try {
      const edits = await noteClockStep(db, { host, ...step, stretchFromMs });
      const continuedMs = afterMs > beforeMs ? afterMs : Math.min(stretchFromMs, afterMs);
      await note(afterMs, continuedMs);
      stretchFromMs = continuedMs;
      log.warn({ ...step, edits }, 'the clock was set');
      return true;
    } catch (error) {
      log.warn({ err: error }, 'clock step not recorded yet, retrying');
      return false;
    }
  }
  const begin = () => {
    work ??= drain().finally(() => {
      work = null;
    });
  };
  /** Stores the newest receipt, Unix ms. It may lie before the stored one only after a step back. */
  async function note(newest: number, stretchMs = stretchFromMs): Promise<void> {
    await pool.query(
      `INSERT INTO host_clocks (host, stretch_from, newest_at) VALUES ($1, $2, $3)
       ON CONFLICT (host) DO UPDATE SET stretch_from = excluded.stretch_from, newest_at = excluded.newest_at`,
      [host, new Date(stretchMs), new Date(newest)],
    );
  }
  /** Stores the newest receipt, and ignores errors: the next call makes up for a failed one. */
  const noteOrSkip = (newest: number) => note(newest).catch(() => {});
  await noteOrSkip(stampMs);
  const timer = setInterval(() => {
    const nowMs = clock.nowMs();
    if (waiting.length > 0) begin();
    else void noteOrSkip(nowMs);
  }, NOTE_MS).unref();
  return {
    host,
    stamp(pipeline, resume) {
      output = { ...pipeline, resume };
      return (message, receipt) => {
        const atMs = wallMs();
        const nowMs = clock.nowMs();
        // Messages that waited at a broker keep the time at which the broker received them, corrected by the clock's error.
        message.receivedAtMs = Math.round(message.receivedAtMs + nowMs - atMs);
        if (waiting.length === 0) return pipeline.receive(message, receipt);
        waiting.push({ message, receipt });
        begin();
        return false;
      };
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await work;
      await noteOrSkip(clock.nowMs());
    },
  };
}
