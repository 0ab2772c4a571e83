import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { createDb, type Pool } from '#src/database/connect.ts';
import { noteClockStep } from '#src/devices/edits/clock.ts';
import { type ClockStep, createReceiptClock, receiptAtStart } from './receipt-clock.ts';
import type { RawMessage, Receipt, Receive } from './source/source.ts';

/** How often the newest receipt of a host is noted. Beyond it, a worker that was killed may have received for so long, ms. */
const NOTE_MS = 1_000;
const RETRY_MS = 500;

const DISTRUSTED =
  'the clock was set back by more than a day and is not believed: messages are stamped by the monotonic clock until it is right, or somebody confirms it (energy doctor --confirm-clock)';

/** Stamps what a source delivers, and works steps of the clock in before anything that is received after them is stored. */
export interface Receipts {
  readonly host: string;
  /**
   * Gives a pipeline stamped messages. While a step of the clock is noted, what comes after it waits here, and the source with it.
   */
  stamp(pipeline: { receive: Receive; waiting(): number }, resume: () => void): Receive;
  stop(): Promise<void>;
}

type Waiting = { message: RawMessage; receipt: Receipt } | { step: ClockStep };

/** Reads what is known of this host's clock, and begins to stamp. A start whose clock is behind its newest receipt is a step, and is noted here. */
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
  // Raw SQL: as all of ingest: it has no typed queries.
  const { rows } = await pool.query('SELECT stretch_from, newest_at FROM host_clocks WHERE host = $1', [host]);
  const newestMs = rows[0] ? rows[0].newest_at.getTime() + NOTE_MS : null;
  const { stampMs, step } = receiptAtStart(wallMs(), believedMs(), newestMs);
  if (step) {
    const edits = await noteClockStep(db, { host, ...step, stretchFromMs: rows[0].stretch_from.getTime() });
    log.warn({ ...step, edits }, 'the clock is behind the newest receipt of this host');
  }
  const waiting: Waiting[] = [];
  // What was received before a step back may be gone over once more: the stretch goes on.
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

  /** What was received before a step is committed, then the step is noted, then what came after it goes on. */
  async function goOn(): Promise<void> {
    while (waiting.length > 0 && !isStopped) {
      const next = waiting[0] as Waiting;
      if ('step' in next) {
        while (!isStopped && (output?.waiting() ?? 0) > 0) await pause(10);
        const edits = await noteClockStep(db, { host, ...next.step, stretchFromMs }).catch((error: Error) => {
          log.warn({ err: error }, 'a step of the clock is not noted yet');
          return null;
        });
        if (edits === null) {
          await pause(RETRY_MS);
          continue;
        }
        log.warn({ ...next.step, edits }, 'the clock was set');
        const { beforeMs, afterMs } = next.step;
        stretchFromMs = afterMs > beforeMs ? afterMs : Math.min(stretchFromMs, afterMs);
        await note(afterMs);
      } else output?.receive(next.message, next.receipt);
      waiting.shift();
    }
    if (!isStopped) output?.resume();
  }
  const begin = () => {
    work ??= goOn().finally(() => {
      work = null;
    });
  };
  /** `newest`: that it is behind is right only after a step. */
  async function note(newest: number): Promise<void> {
    await pool
      .query(
        `INSERT INTO host_clocks (host, stretch_from, newest_at) VALUES ($1, $2, $3)
         ON CONFLICT (host) DO UPDATE SET stretch_from = excluded.stretch_from, newest_at = excluded.newest_at`,
        [host, new Date(stretchFromMs), new Date(newest)],
      )
      .catch(() => {});
  }
  await note(stampMs);
  const timer = setInterval(() => {
    const nowMs = clock.nowMs();
    if (waiting.length > 0) begin();
    else void note(nowMs);
  }, NOTE_MS).unref();
  return {
    host,
    stamp(pipeline, resume) {
      output = { ...pipeline, resume };
      return (message, receipt) => {
        const atMs = wallMs();
        const nowMs = clock.nowMs();
        // What has waited at a broker has the time at which that took it.
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
      await note(clock.nowMs());
    },
  };
}
