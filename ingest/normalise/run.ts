import { asMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { JudgedPoint, Restart, Verdict } from './law.ts';
import type { RegisterValue } from './plausibility.ts';

/**
 * The readings that count since the last baseline, reset, rollover or swap, as far as the law remembers them, as a time (Unix ms) and
 * a value (mWh) of each in turn: it lies in the row of each series and is read and written with each batch. Nobody changes it.
 * First the last one; then, where there are more, the one before it; and of the readings up to this to which the register had
 * risen (the first counts as one) those that late news may go back to: the latest, the latest at or before the start of the clock
 * hour of the last but one, and that of the hour before; in order of time, each once.
 */
export type Run = readonly number[];

/** Where the last but one lies, and where the risen ones begin. */
const BEFORE = 2;
const RISEN = 4;

const valueAt = (run: Run, index: number): RegisterValue => ({
  readAtMs: run[index] as number,
  valueMilliwattHours: asMilliwattHours(run[index + 1] as number),
});

/** The last reading of a run. */
export const lastOf = (run: Run): RegisterValue => valueAt(run, 0);

/** The last but one; undefined: the last is the first. */
export const beforeLastOf = (run: Run): RegisterValue | undefined =>
  run.length > BEFORE ? valueAt(run, BEFORE) : undefined;

/** Time of the earliest reading that a run remembers. */
export const earliestOf = (run: Run): number => Math.min(...run.filter((_, index) => index % 2 === 0));

/** Time of the latest reading up to the last but one to which the register had risen; of a run of one reading its time. */
export const latestRisenMs = (run: Run): number => run[run.length > RISEN ? run.length - 2 : 0] as number;

/** A run of one reading. */
export const runOf = ({ readAtMs, valueMilliwattHours }: RegisterValue): Run => [readAtMs, valueMilliwattHours];

/** A run of two readings, the first of which is a risen one. */
export const runFromTo = (risen: RegisterValue, last: RegisterValue): Run => [
  ...runOf(last),
  ...runOf(risen),
  ...runOf(risen),
];

/** The run with another one in place of its last reading. */
export const withLast = (run: Run, last: RegisterValue): Run => [...runOf(last), ...run.slice(BEFORE)];

/** Start of the clock hour (UTC) that lies so many before that of a time. */
const hourStartMs = (ms: number, back: number) => (Math.floor(ms / HOUR_MS) - back) * HOUR_MS;

/** The times up to which a run remembers a risen reading, in order. `lastMs`: that of the last reading but one. */
const boundsOf = (lastMs: number) => [hourStartMs(lastMs, 1), hourStartMs(lastMs, 0), lastMs];

/** Index in a list of times and values of the latest at or before a time; -1: none. */
function latestUpTo(list: readonly number[], from: number, ms: number): number {
  let index = list.length - 2;
  while (index >= from && (list[index] as number) > ms) index -= 2;
  return index >= from ? index : -1;
}

/** The run with one more reading. */
export function runAfter(run: Run, next: RegisterValue): Run {
  // By index: to take an array apart makes an object of each of its elements where the code is cold.
  const lastMs = run[0] as number;
  const last = run[1] as number;
  const beforeMs = run[BEFORE];
  const before = run[BEFORE + 1];
  const isRisen = before === undefined || last > before;
  const hourMs = hourStartMs(lastMs, 0);
  if (beforeMs !== undefined && beforeMs >= hourMs) {
    // Within the hour only the latest of the risen ones changes: the usual case, and the fast one.
    const after = run.slice();
    after[0] = next.readAtMs;
    after[1] = next.valueMilliwattHours;
    after[BEFORE] = lastMs;
    after[BEFORE + 1] = last;
    if (!isRisen) return after;
    const latest = (run[run.length - 2] as number) > hourMs ? run.length - 2 : run.length;
    after[latest] = lastMs;
    after[latest + 1] = last;
    return after;
  }
  const after = [next.readAtMs, next.valueMilliwattHours, lastMs, last];
  const risen = isRisen ? [...run.slice(RISEN), lastMs, last] : run.slice(RISEN);
  for (const ms of boundsOf(lastMs)) {
    const index = latestUpTo(risen, 0, ms);
    if (index !== -1) addOnce(after, risen[index] as number, risen[index + 1] as number);
  }
  return after;
}

/** Adds a risen reading to a run that is being made, unless it is the latest of it. */
function addOnce(run: number[], ms: number, value: number): void {
  if (run.length === RISEN || run.at(-2) !== ms) run.push(ms, value);
}

/** The latest reading of the run to which the register had risen, at or before the start of the clock hour before that of a time. */
export function risenAnHourBefore(run: Run, ms: number): RegisterValue | undefined {
  const hourBeforeMs = hourStartMs(ms, 1);
  const last = lastOf(run);
  const isRisen = run.length <= BEFORE || last.valueMilliwattHours > (run[BEFORE + 1] as number);
  if (isRisen && last.readAtMs <= hourBeforeMs) return last;
  const index = latestUpTo(run, RISEN, hourBeforeMs);
  return index === -1 ? undefined : valueAt(run, index);
}

/**
 * Index of the latest reading at or before a time to which the register had risen, if the run as it went on after that time tells:
 * where it remembers one that is no later, there was none in between. -1: it does not.
 */
function risenUpTo(run: Run, ms: number): number {
  for (const bound of run.length > BEFORE ? boundsOf(run[BEFORE] as number) : []) {
    const index = bound < ms ? -1 : latestUpTo(run, RISEN, bound);
    if (index !== -1 && (run[index] as number) <= ms) return index;
  }
  return -1;
}

/** What counted readings begin a run, and which did not count. */
const BEGINS: ReadonlySet<Verdict | null> = new Set<Verdict>(['reset', 'rollover', 'swap']);
const NOT_COUNTED: ReadonlySet<Verdict | null> = new Set<Verdict>(['glitch', 'held', 'passed', 'excluded']);

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
    if (NOT_COUNTED.has(verdict)) continue;
    const now = { readAtMs, valueMilliwattHours: asMilliwattHours(value) };
    if (BEGINS.has(verdict)) {
      run = runOf(now);
      unknownToMs = Number.NEGATIVE_INFINITY;
    } else if (run) {
      run = runAfter(run, verdict === 'jitter' ? { ...lastOf(run), readAtMs } : now);
    } else if (verdict !== 'jitter') {
      run = runOf(now);
      unknownToMs = readAtMs;
    }
  }
  if (!run || unknownToMs === Number.NEGATIVE_INFINITY) return run && { taken, state: run };
  if (run.length <= BEFORE) return null;
  const state = run.slice(0, RISEN);
  for (const ms of boundsOf(run[BEFORE] as number)) {
    const told = latestUpTo(run, RISEN, ms);
    const isSure = told !== -1 && (run[told] as number) > unknownToMs;
    const source = isSure ? run : later;
    const index = isSure ? told : later ? risenUpTo(later, Math.min(ms, unknownToMs)) : -1;
    if (!source || index === -1) return null;
    addOnce(state, source[index] as number, source[index + 1] as number);
  }
  return { taken, state };
}
