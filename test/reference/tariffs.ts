import type { RegisterIncrement } from './registers.ts';

const HOUR = 3_600_000n;

/**
 * Applies the tariff rule: only one tariff of a circuit (a separately measured part of the home) is active at a time. If other tariffs rose
 * within the time of this step, the energy of this step is placed after the last of these rises. `others`: all steps of the other tariffs,
 * before the rule is applied.
 */
export function applyTariffRule<S extends RegisterIncrement>(step: S, others: readonly RegisterIncrement[]) {
  let from = step.from;
  for (const other of others) {
    const rose = other.energy > 0n;
    const isWithin = other.from >= step.from && other.to < step.to;
    if (rose && isWithin && other.to > from) from = other.to;
  }
  if (from === step.from) return step;
  const span = { from, to: step.to };
  return { ...step, estimated: step.late === true || step.to - from > HOUR, importWithin: span, exportWithin: span };
}
