import { asMilliwattHours } from '#src/core/units.ts';
import type { JudgedPoint, Restart, Verdict } from './law.ts';
import type { RegisterValue } from './plausibility.ts';

const HOUR_MS = 3_600_000;

/** The readings that count since the last baseline, reset, rollover or swap, as far as the law remembers them. Nobody changes it. */
export interface Run {
  readonly good: RegisterValue;
  /** The one before the last; none: the last is the first. */
  readonly before?: RegisterValue;
  /**
   * Of the readings up to `before` to which the register had risen (the first counts as one): the latest, the latest at or
   * before the start of `before`'s clock hour, and that of the hour before; in order, each once.
   */
  readonly risen: readonly RegisterValue[];
}

/** A run of one reading. */
export const runOf = (first: RegisterValue): Run => ({ good: first, risen: [] });

/** The run with one more reading. */
export const runAfter = (run: Run, next: RegisterValue): Run => ({
  good: next,
  before: run.good,
  risen: risenUpToLast(run),
});

/** Start of the clock hour (UTC) that lies so many before that of a time. */
const hourStartMs = (ms: number, back: number) => (Math.floor(ms / HOUR_MS) - back) * HOUR_MS;

/** The times up to which a run remembers a risen reading, in order. `lastMs`: that of the last reading but one. */
const boundsOf = (lastMs: number) => [hourStartMs(lastMs, 1), hourStartMs(lastMs, 0), lastMs];

const latestUpTo = (risen: readonly RegisterValue[], ms: number) => risen.findLast(({ readAtMs }) => readAtMs <= ms);

/** What `risen` is once the last reading of the run is one of those before. */
function risenUpToLast({ good, before, risen }: Run): RegisterValue[] {
  const all = before && good.valueMilliwattHours <= before.valueMilliwattHours ? risen : [...risen, good];
  const kept: RegisterValue[] = [];
  for (const ms of boundsOf(good.readAtMs)) {
    const one = latestUpTo(all, ms);
    if (one && one.readAtMs !== kept.at(-1)?.readAtMs) kept.push(one);
  }
  return kept;
}

/** The latest reading of the run to which the register had risen, at or before the start of the clock hour before that of a time. */
export const risenAnHourBefore = (run: Run, ms: number): RegisterValue | undefined =>
  latestUpTo(risenUpToLast(run), hourStartMs(ms, 1));

/**
 * The latest reading at or before a time to which the register had risen, if the run as it went on after that time tells: where it
 * remembers one that is no later, there was none in between.
 */
function risenUpTo({ before, risen }: Run, ms: number): RegisterValue | undefined {
  for (const bound of before ? boundsOf(before.readAtMs) : []) {
    const one = bound < ms ? undefined : latestUpTo(risen, bound);
    if (one && one.readAtMs <= ms) return one;
  }
  return undefined;
}

/** What counted readings begin a run, and which did not count. */
const BEGINS: ReadonlySet<Verdict | null> = new Set<Verdict>(['reset', 'rollover', 'swap']);
const IS_NONE: ReadonlySet<Verdict | null> = new Set<Verdict>(['glitch', 'held', 'passed']);

/**
 * The run up to the latest plainly counted of some stored readings, if these go far enough back to tell: to the start of the run,
 * or to a reading to which the register had risen an hour before. `later`: the run as it is now, which mostly tells the rest:
 * of a reading that is minutes late, and of a register that has not moved for months.
 */
export function runFrom(judged: readonly JudgedPoint[], later: Run | undefined): Restart<Run> | null {
  const taken = judged.findLastIndex(({ verdict }) => verdict === null) + 1;
  let run: Run | null = null;
  // Whether the register had risen to the first of them is not known, unless it begins the run.
  let unknownToMs = Number.NEGATIVE_INFINITY;
  for (const { readAtMs, value, verdict } of judged.slice(0, taken)) {
    if (IS_NONE.has(verdict)) continue;
    const now = { readAtMs, valueMilliwattHours: asMilliwattHours(value) };
    if (BEGINS.has(verdict)) {
      run = runOf(now);
      unknownToMs = Number.NEGATIVE_INFINITY;
    } else if (run) {
      run = runAfter(run, verdict === 'jitter' ? { ...run.good, readAtMs } : now);
    } else if (verdict !== 'jitter') {
      run = runOf(now);
      unknownToMs = readAtMs;
    }
  }
  if (!run || unknownToMs === Number.NEGATIVE_INFINITY) return run && { taken, state: run };
  if (!run.before) return null;
  const risen: RegisterValue[] = [];
  for (const ms of boundsOf(run.before.readAtMs)) {
    const told = latestUpTo(run.risen, ms);
    const isSure = told !== undefined && told.readAtMs > unknownToMs;
    const one = isSure ? told : later && risenUpTo(later, Math.min(ms, unknownToMs));
    if (!one) return null;
    if (one.readAtMs !== risen.at(-1)?.readAtMs) risen.push(one);
  }
  return { taken, state: { ...run, risen } };
}
