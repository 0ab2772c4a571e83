import { MAX_LEAP_MS } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';

/** So far the wall clock may be from the monotonic one before it was set, ms. */
const AGREES_MS = 5_000;

/** The wall clock was set: what it showed, and what it shows, Unix ms. */
export interface ClockStep {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** What receipts are stamped with (energy.md, "When the clock was wrong"). */
export interface ReceiptClock {
  /** The time of a receipt, Unix ms. */
  nowMs(): number;
  /** Whether the wall clock is not believed, and receipts follow the monotonic clock. */
  isDistrusted(): boolean;
}

/**
 * Whether a step of the clock is believed. Pure; Unix ms. Ahead always: the process has seen the time before; back by a day at most, or if it
 * leads nearer to the believed time.
 */
const isStepBelieved = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  afterMs >= beforeMs - DAY_MS || isNearer({ beforeMs, afterMs }, believedMs);

const isNearer = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  Math.abs(afterMs - believedMs) < Math.abs(beforeMs - believedMs);

/**
 * What a start stamps receipts with. Pure; Unix ms. `newestMs`: the newest receipt of this host; null: it has none. A clock behind that one is
 * a step of the clock, too.
 */
export function receiptAtStart(
  clockMs: number,
  believedMs: number,
  newestMs: number | null,
): { stampMs: number; step: ClockStep | null } {
  if (clockMs > believedMs + MAX_LEAP_MS) return { stampMs: believedMs, step: null };
  if (newestMs === null || clockMs >= newestMs - AGREES_MS) return { stampMs: clockMs, step: null };
  const step = { beforeMs: newestMs, afterMs: clockMs };
  return isStepBelieved(step, believedMs) ? { stampMs: clockMs, step } : { stampMs: believedMs, step: null };
}

/**
 * Stamps receipts by the wall clock while it agrees with the monotonic one to 5 s; after a step that is not believed by the monotonic clock,
 * until the wall clock agrees again, or a confirmed time does with it. `startMs`: the first stamp. `onStep`: a step that is believed.
 * `onDistrust`: one that is not.
 */
export function createReceiptClock({
  startMs,
  believedMs,
  onStep,
  onDistrust,
  wallMs = Date.now,
  monotonicMs = () => performance.now(),
}: {
  startMs?: number;
  believedMs: () => number;
  onStep: (step: ClockStep) => void;
  onDistrust: (step: ClockStep) => void;
  wallMs?: () => number;
  monotonicMs?: () => number;
}): ReceiptClock {
  let anchor = { wallMs: wallMs(), monoMs: monotonicMs() };
  /** Receipts minus the wall clock; 0 while that is believed. */
  let offsetMs = (startMs ?? anchor.wallMs) - anchor.wallMs;
  return {
    nowMs() {
      const [wall, mono] = [wallMs(), monotonicMs()];
      const expectedMs = anchor.wallMs + (mono - anchor.monoMs);
      const step = { beforeMs: Math.round(expectedMs + offsetMs), afterMs: wall };
      const hasStepped = Math.abs(wall - expectedMs) > AGREES_MS;
      anchor = { wallMs: wall, monoMs: mono };
      if (!hasStepped && offsetMs === 0) return wall;
      if (Math.abs(step.afterMs - step.beforeMs) <= AGREES_MS) offsetMs = 0;
      else if (hasStepped ? isStepBelieved(step, believedMs()) : isNearer(step, believedMs())) {
        offsetMs = 0;
        onStep(step);
      } else if (hasStepped) {
        offsetMs = step.beforeMs - wall;
        onDistrust(step);
      }
      return Math.round(wall + offsetMs);
    },
    isDistrusted: () => offsetMs !== 0,
  };
}
