import { MAX_CLOCK_LEAP_MS } from '#src/core/believed-time.ts';
import { DAY_MS } from '#src/core/units.ts';

/**
 * Maximum difference in ms by which the wall clock and the monotonic clock may advance differently. If they differ more, the wall clock was
 * set.
 */
const AGREES_MS = 5_000;

/** A step of the wall clock (Unix ms). `beforeMs`: the time without the step. `afterMs`: the time that the clock shows now. */
export interface ClockStep {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Clock that gives messages their time of receipt (energy.md, "When the clock was wrong"). */
export interface ReceiptClock {
  /** Returns the time of receipt for a message that arrives now, Unix ms. */
  nowMs(): number;
  /** Whether the wall clock is considered wrong, so that times of receipt follow the monotonic clock. */
  isDistrusted(): boolean;
}

/**
 * Whether a step of the clock is trusted. Pure. Times are in Unix ms. A step forward is always trusted, because the process knows the time
 * before the step. A step back is trusted if it is at most a day, or if it leads nearer to the believed time (the time that the
 * installation assumes to be right).
 */
const isStepBelieved = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  afterMs >= beforeMs - DAY_MS || isNearer({ beforeMs, afterMs }, believedMs);

const isNearer = ({ beforeMs, afterMs }: ClockStep, believedMs: number): boolean =>
  Math.abs(afterMs - believedMs) < Math.abs(beforeMs - believedMs);

/**
 * Returns the first time of receipt after a start, and the step of the clock if there was one. Pure. Times are in Unix ms. `newestMs`: the
 * newest time of receipt of this host, or null. If the clock shows an earlier time than that, this is also a step.
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
 * Creates a clock for times of receipt. It follows the wall clock as long as the wall clock and the monotonic clock agree to 5 s. After a
 * step of the wall clock that is not trusted, it follows the monotonic clock instead. It returns to the wall clock when this agrees with
 * the times of receipt, or is nearer than these to the believed time (for example after a person has confirmed the time). `startMs`: the
 * first time of receipt. `onStep`: called for a trusted step. `onDistrust`: called for a step that is not trusted.
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
  /** Time of receipt minus wall clock, in ms. 0 while the wall clock is trusted. */
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
