import { MAX_CLOCK_LEAP_MS } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';

/** Maximum difference between wall clock and monotonic clock, ms. If the difference is larger, the wall clock was set. */
const AGREES_MS = 5_000;

/** A step of the wall clock, Unix ms: the time that the clock would have shown without the step, and the time that it shows. */
export interface ClockStep {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Clock for the times of receipt (energy.md, "When the clock was wrong"). */
export interface ReceiptClock {
  /** Returns the time of a receipt, Unix ms. */
  nowMs(): number;
  /** Whether the wall clock is distrusted, so that receipts follow the monotonic clock. */
  isDistrusted(): boolean;
}

/**
 * Whether a step of the clock is trusted. Pure; Unix ms. A step forward is always trusted, because the process knows the time before the
 * step. A step back is trusted if it is at most a day, or leads nearer to the believed time (the time that the installation assumes to be
 * right).
 */
const isStepBelieved = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  afterMs >= beforeMs - DAY_MS || isNearer({ beforeMs, afterMs }, believedMs);

const isNearer = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  Math.abs(afterMs - believedMs) < Math.abs(beforeMs - believedMs);

/**
 * Returns the first time of receipt after a start, and the step of the clock that it implies. Pure; Unix ms.
 * `newestMs`: the newest receipt of this host, or null. A clock behind the newest receipt also counts as a step.
 */
export function computeFirstReceiptTime(
  clockMs: number,
  believedMs: number,
  newestMs: number | null,
): { stampMs: number; step: ClockStep | null } {
  if (clockMs > believedMs + MAX_CLOCK_LEAP_MS) return { stampMs: believedMs, step: null };
  if (newestMs === null || clockMs >= newestMs - AGREES_MS) return { stampMs: clockMs, step: null };
  const step = { beforeMs: newestMs, afterMs: clockMs };
  return isStepBelieved(step, believedMs) ? { stampMs: clockMs, step } : { stampMs: believedMs, step: null };
}

/**
 * Creates a clock for times of receipt. It follows the wall clock while the wall clock and the monotonic clock agree to 5 s. After a
 * distrusted step of the wall clock it follows the monotonic clock instead, until the wall clock is trusted again. That is the case if the
 * wall clock agrees with the receipts, or is nearer than the receipts to the believed time (for example after a person has confirmed the
 * time). `startMs`: the first time of receipt. `onStep`: called for a trusted step. `onDistrust`: called for a distrusted step.
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
  /** Difference between receipt time and wall clock; 0 while the wall clock is trusted. */
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
