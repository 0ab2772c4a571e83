import { castToMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { EnergyInterval } from './counting-rule.ts';
import { getLastReading, getLatestRiseTimeMs, getSecondLastReading, type LatestRegisterReadings } from './run.ts';

/**
 * In each direction of a circuit, only one tariff runs at a time (counting rules, "From message to interval"). If a source sends a register
 * only when its value changes, a step of the register (the energy between two readings) also covers the hours of the other tariffs. If
 * another tariff register rises within the time of a step, the energy of the step is therefore moved to the time after the latest such
 * rise.
 */

/** Known steps of a tariff register (the energies between two readings), before their energy is moved to a later time. */
export interface KnownRegisterIncrements {
  /** All steps (energies between two readings) that begin at or after `fromMs` and end at or before `toMs`, in order of time. */
  readonly steps: readonly EnergyInterval[];
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Start of a time range before `fromMs` in which the register did not rise (Unix ms): no step with energy ends in `(quietFromMs,
   * fromMs]`.
   */
  readonly quietFromMs: number;
}

export const hasCountedEnergy = ({ importMilliwattHours, exportMilliwattHours }: EnergyInterval): boolean =>
  importMilliwattHours > 0 || exportMilliwattHours > 0;

/**
 * Derives the known steps (the energies between two readings) from the run of a register, its latest counted readings. The last step of a
 * run is never late news (energy that the source reported late), because two later readings must confirm late news.
 */
export function deriveRegisterIncrements(
  run: LatestRegisterReadings,
  direction: 'import' | 'export',
): KnownRegisterIncrements {
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

/**
 * Returns the index of the first tariff step (energy between two readings) that ends after a time. If there is none, returns the number of
 * steps.
 */
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
 * Finds the latest rise of another tariff register: the latest step (between two readings) with energy that lies within the given interval
 * and ends before the interval does. Returns the end of the step. Null: there is none. Undefined: the known steps do not show whether there
 * is one.
 */
export function findEndOfLatestRise(
  { steps, toMs, quietFromMs }: KnownRegisterIncrements,
  { startMs, endMs }: EnergyInterval,
): number | null | undefined {
  if (toMs < endMs) return undefined;
  for (let index = firstEndingAfter(steps, endMs - 1) - 1; index >= 0; index--) {
    const step = steps[index] as EnergyInterval;
    if (step.startMs < startMs) return null;
    if (hasCountedEnergy(step)) return step.endMs;
  }
  // All unknown steps with energy end at or before this time, so they also begin before it.
  return quietFromMs <= startMs ? null : undefined;
}

/**
 * Finds a step (between two readings) with energy of another tariff register that contains the given interval and ends after it. Null:
 * there is none. Undefined: the known steps do not show whether there is one.
 */
export function findEnclosingIncrement(
  { steps, toMs, quietFromMs }: KnownRegisterIncrements,
  { startMs, endMs }: EnergyInterval,
): EnergyInterval | null | undefined {
  if (quietFromMs > endMs) return undefined;
  const step = steps[firstEndingAfter(steps, endMs)];
  if (!step) return toMs === Number.POSITIVE_INFINITY ? null : undefined;
  return step.startMs <= startMs && hasCountedEnergy(step) ? step : null;
}

/** Returns the known tariff steps (energies between two readings), with some of them replaced by others. */
export function replaceRegisterIncrements(
  known: KnownRegisterIncrements,
  removed: readonly EnergyInterval[],
  added: readonly EnergyInterval[],
): KnownRegisterIncrements {
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

/** Moves the energy between two readings to the part of this time that is after `afterMs`. Before `afterMs`, the energy is then 0. */
export function shiftEnergyAfter(step: EnergyInterval, afterMs: number): EnergyInterval {
  const span = { startMs: afterMs, endMs: step.endMs };
  return { ...step, estimated: step.isLate || step.endMs - afterMs > HOUR_MS, importSpan: span, exportSpan: span };
}
