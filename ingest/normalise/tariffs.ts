import { castToMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { EnergyInterval } from './counting-rule.ts';
import { getLastReading, getLatestRiseTimeMs, getSecondLastReading, type RegisterRun } from './run.ts';

/**
 * In each direction of a circuit, only one tariff runs at a time (counting rules, "From message to interval"). If a source sends a register
 * only when its value changes, a step of the register (the energy between two readings) also covers the hours of the other tariffs. If a
 * rising step of another tariff lies within a step and ends before it, the energy of the outer step is therefore placed after the latest
 * such end.
 */

/** Known steps of a tariff register, before any shift: all steps between two times, and a time range before them in which no step rose. */
export interface KnownTariffSteps {
  /** All steps that begin at or after `fromMs` and end at or before `toMs`, in order. */
  readonly steps: readonly EnergyInterval[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of the time before `fromMs` in which no step rose, Unix ms: no rising step ends in `(quietFromMs, fromMs]`. */
  readonly quietFromMs: number;
}

export const hasCountedEnergy = ({ importMilliwattHours, exportMilliwattHours }: EnergyInterval): boolean =>
  importMilliwattHours > 0 || exportMilliwattHours > 0;

/**
 * Derives the known steps from a register's run. The run's last step is never late news, because two later readings must confirm late news.
 */
export function deriveTariffStepsOfRun(run: RegisterRun, direction: 'import' | 'export'): KnownTariffSteps {
  const [last, before] = [getLastReading(run), getSecondLastReading(run)];
  const toMs = Number.POSITIVE_INFINITY;
  if (!before) return { steps: [], fromMs: last.readAtMs, toMs, quietFromMs: last.readAtMs };
  const energy = last.valueMilliwattHours - before.valueMilliwattHours;
  const step: EnergyInterval = {
    startMs: before.readAtMs,
    endMs: last.readAtMs,
    importMilliwattHours: castToMilliwattHours(direction === 'import' ? energy : 0),
    exportMilliwattHours: castToMilliwattHours(direction === 'export' ? energy : 0),
    estimated: last.readAtMs - before.readAtMs > HOUR_MS,
  };
  return { steps: [step], fromMs: before.readAtMs, toMs, quietFromMs: getLatestRiseTimeMs(run) };
}

/** Returns the index of the first step that ends after a time, or the number of steps if there is none. */
function firstEndingAfter(steps: readonly EnergyInterval[], ms: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] as EnergyInterval).endMs > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Finds the latest rising step of another tariff that lies within the given interval and ends earlier, and returns its end. Null: none
 * exists. Undefined: the known steps do not show whether one exists.
 */
export function findEndOfLatestRise(
  { steps, toMs, quietFromMs }: KnownTariffSteps,
  { startMs, endMs }: EnergyInterval,
): number | null | undefined {
  if (toMs < endMs) return undefined;
  for (let index = firstEndingAfter(steps, endMs - 1) - 1; index >= 0; index--) {
    const step = steps[index] as EnergyInterval;
    if (step.startMs < startMs) return null;
    if (hasCountedEnergy(step)) return step.endMs;
  }
  // The unknown rising steps all end at or before this time, so they begin before it.
  return quietFromMs <= startMs ? null : undefined;
}

/**
 * Finds a rising step of another tariff whose interval contains the given interval and ends later. Null: none exists. Undefined: the
 * known steps do not show whether one exists.
 */
export function findEnclosingRisingStep(
  { steps, toMs, quietFromMs }: KnownTariffSteps,
  { startMs, endMs }: EnergyInterval,
): EnergyInterval | null | undefined {
  if (quietFromMs > endMs) return undefined;
  const step = steps[firstEndingAfter(steps, endMs)];
  if (!step) return toMs === Number.POSITIVE_INFINITY ? null : undefined;
  return step.startMs <= startMs && hasCountedEnergy(step) ? step : null;
}

/** Returns the known steps after some were replaced by others. */
export function replaceTariffSteps(
  known: KnownTariffSteps,
  removed: readonly EnergyInterval[],
  added: readonly EnergyInterval[],
): KnownTariffSteps {
  if (removed.length === 0 && added.length === 0) return known;
  const { fromMs, toMs, quietFromMs } = known;
  const ends = new Set(removed.map(({ endMs }) => endMs));
  const steps = known.steps.filter(({ endMs }) => !ends.has(endMs));
  let isQuiet = true;
  for (const step of added) {
    if (step.startMs >= fromMs && step.endMs <= toMs) steps.push(step);
    else if (step.endMs > quietFromMs) isQuiet = false;
  }
  steps.sort((a, b) => a.endMs - b.endMs);
  return { steps, fromMs, toMs, quietFromMs: isQuiet ? quietFromMs : fromMs };
}

/** Moves the energy of a step to the time after an instant within the step. The energy before the instant is then 0. */
export function shiftStepEnergyAfter(step: EnergyInterval, afterMs: number): EnergyInterval {
  const span = { startMs: afterMs, endMs: step.endMs };
  return { ...step, estimated: step.isLate || step.endMs - afterMs > HOUR_MS, importSpan: span, exportSpan: span };
}
