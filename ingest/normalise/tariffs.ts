import { asMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { EnergyInterval } from './law.ts';
import { beforeLastOf, lastOf, latestRisenMs, type Run } from './run.ts';

/**
 * Of a circuit's tariffs (of one direction) one runs at a time (law of consumption, "From message to interval"): sources that write a
 * register only when it changes leave the hours of the other tariffs as a gap. Where a step of another tariff that rose lies wholly within a step
 * and ends before it, the energy of this one lies after the latest such end.
 */

/** What is known of the steps of a tariff, as they are before any shift: all that lie between two times, and a little more. */
export interface KnownSteps {
  /** All steps that begin at or after this time, and end at or before that one; in order. */
  readonly steps: readonly EnergyInterval[];
  readonly fromMs: number;
  readonly toMs: number;
  /** At or before `fromMs`: of the steps that end after this time and up to that one none rose. */
  readonly quietFromMs: number;
}

export const hasRisen = ({ importMilliwattHours, exportMilliwattHours }: EnergyInterval): boolean =>
  importMilliwattHours > 0 || exportMilliwattHours > 0;

/** What a register's run tells of its steps. (The last one is never late news: two readings have confirmed that.) */
export function stepsOfRun(run: Run, direction: 'import' | 'export'): KnownSteps {
  const [last, before] = [lastOf(run), beforeLastOf(run)];
  const toMs = Number.POSITIVE_INFINITY;
  if (!before) return { steps: [], fromMs: last.readAtMs, toMs, quietFromMs: last.readAtMs };
  const energy = last.valueMilliwattHours - before.valueMilliwattHours;
  const step: EnergyInterval = {
    startMs: before.readAtMs,
    endMs: last.readAtMs,
    importMilliwattHours: asMilliwattHours(direction === 'import' ? energy : 0),
    exportMilliwattHours: asMilliwattHours(direction === 'export' ? energy : 0),
    estimated: last.readAtMs - before.readAtMs > HOUR_MS,
  };
  return { steps: [step], fromMs: before.readAtMs, toMs, quietFromMs: latestRisenMs(run) };
}

/** Index of the first of these steps that ends after a time; their number, where none does. */
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
 * End of the latest step that rose, lies wholly within a step of another tariff and ends before it; null: there is none, undefined: what is
 * known does not tell.
 */
export function latestWithin(
  { steps, toMs, quietFromMs }: KnownSteps,
  { startMs, endMs }: EnergyInterval,
): number | null | undefined {
  if (toMs < endMs) return undefined;
  for (let index = firstEndingAfter(steps, endMs - 1) - 1; index >= 0; index--) {
    const step = steps[index] as EnergyInterval;
    if (step.startMs < startMs) return null;
    if (hasRisen(step)) return step.endMs;
  }
  // Of those that are not known, those that rose end at or before this time, and begin before.
  return quietFromMs <= startMs ? null : undefined;
}

/** The step that rose, and that a step of another tariff lies wholly within, and ends before; null, undefined: as above. */
export function stepAround(
  { steps, toMs, quietFromMs }: KnownSteps,
  { startMs, endMs }: EnergyInterval,
): EnergyInterval | null | undefined {
  if (quietFromMs > endMs) return undefined;
  const step = steps[firstEndingAfter(steps, endMs)];
  if (!step) return toMs === Number.POSITIVE_INFINITY ? null : undefined;
  return step.startMs <= startMs && hasRisen(step) ? step : null;
}

/** What is known once some steps have taken the place of others. */
export function withChanges(
  known: KnownSteps,
  removed: readonly EnergyInterval[],
  added: readonly EnergyInterval[],
): KnownSteps {
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

/** A step whose energy lies after a time within it. The time before it is known, with 0. */
export function shifted(step: EnergyInterval, afterMs: number): EnergyInterval {
  const left = { startMs: afterMs, endMs: step.endMs };
  return { ...step, estimated: step.isLate || step.endMs - afterMs > HOUR_MS, importSpan: left, exportSpan: left };
}
