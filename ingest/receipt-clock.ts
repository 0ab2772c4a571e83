import { MAX_CLOCK_LEAP_MS } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';

/** If the wall clock and the monotonic clock differ by more than this (ms), somebody has set the wall clock. */
const AGREES_MS = 5_000;

/** A step of the wall clock (Unix ms). `beforeMs`: the time without the step. `afterMs`: the time after it. */
export interface ClockStep {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** The clock that gives messages their time of receipt. */
export interface ReceiptClock {
  nowMs(): number;
  /** Whether the wall clock is considered wrong. Times of receipt then follow the monotonic clock. */
  isDistrusted(): boolean;
}

/**
 * Whether a step of the clock is trusted. A step back is trusted only if it is at most a day, or leads nearer to the time that the
 * installation assumes to be right (`believedMs`, Unix ms).
 */
const isStepBelieved = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  afterMs >= beforeMs - DAY_MS || isNearer({ beforeMs, afterMs }, believedMs);

const isNearer = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  Math.abs(afterMs - believedMs) < Math.abs(beforeMs - believedMs);

/**
 * Returns the first time of receipt after a start and, if the clock was set while the process was stopped, the step of the clock.
 * `newestMs`: latest stored time of receipt of this host, Unix ms.
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
 * Creates a clock for times of receipt. It follows the wall clock until the wall clock makes a step that is not trusted. Then it follows
 * the monotonic clock until the wall clock is plausible again. `startMs`: first time of receipt. `onStep` is called for trusted steps,
 * `onDistrust` for others.
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
