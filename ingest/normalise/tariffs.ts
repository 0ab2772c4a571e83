import { castToMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { EnergyInterval } from './counting-rule.ts';
import { getLastReading, getLatestRiseTimeMs, getSecondLastReading, type LatestRegisterReadings } from './run.ts';

/**
 * Only one tariff is in force at a time. If a meter sends a tariff register only when its value changes, the time between two readings of
 * this register may also contain hours of other tariffs. If another tariff register has risen in this time, the energy is therefore
 * assigned to the time after that rise.
 */

/** Increments of a tariff register between two readings, before their energy is moved to a later time. */
export interface KnownRegisterIncrements {
  /** All increments that begin at or after `fromMs` and end at or before `toMs`, in order of time. */
  readonly steps: readonly EnergyInterval[];
  readonly fromMs: number;
  readonly toMs: number;
  /** The register did not rise between this Unix time in ms and `fromMs`. */
  readonly quietFromMs: number;
}

export const hasCountedEnergy = ({ importMilliwattHours, exportMilliwattHours }: EnergyInterval): boolean =>
  importMilliwattHours > 0 || exportMilliwattHours > 0;

/** Derives the known increments of a register from its latest counted readings. */
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

function firstEndingAfter(steps: readonly EnergyInterval[], ms: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] as EnergyInterval).endMs > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Finds the latest rise of another tariff register within an interval, and returns its time. Null: there is none. Undefined: unknown. */
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
  // Increments that are not in `steps` are unknown. They end at or before `quietFromMs`.
  return quietFromMs <= startMs ? null : undefined;
}

/** Finds an increment of another tariff register that contains the interval and ends after it. Null: there is none. Undefined: unknown. */
export function findEnclosingIncrement(
  { steps, toMs, quietFromMs }: KnownRegisterIncrements,
  { startMs, endMs }: EnergyInterval,
): EnergyInterval | null | undefined {
  if (quietFromMs > endMs) return undefined;
  const step = steps[firstEndingAfter(steps, endMs)];
  if (!step) return toMs === Number.POSITIVE_INFINITY ? null : undefined;
  return step.startMs <= startMs && hasCountedEnergy(step) ? step : null;
}

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

/** Moves the energy of an increment to the part of its time that is after `afterMs`. */
export function moveEnergyAfterTime(step: EnergyInterval, afterMs: number): EnergyInterval {
  const span = { startMs: afterMs, endMs: step.endMs };
  return { ...step, estimated: step.isLate || step.endMs - afterMs > HOUR_MS, importSpan: span, exportSpan: span };
}
