import { castToMilliwattHours, HOUR_MS } from '#src/core/units.ts';
import type { CountingRestart, CountingVerdict, SeriesReadingWithVerdict } from './counting-rule.ts';
import type { RegisterValue } from './plausibility.ts';

/**
 * The latest counted readings of a register, as far as they are needed to process the next one. They are stored with each series as a flat
 * array in which times (Unix ms) and values (mWh) alternate. The last and second-last reading come first, then up to three earlier readings
 * at which the register had risen. Energy that was reported late is spread over the time since one of these readings.
 */
export type LatestRegisterReadings = readonly number[];

/** Index of the second-last reading. */
const BEFORE = 2;
/** Index of the first of the earlier readings at which the register had risen. */
const RISEN = 4;

const valueAt = (run: LatestRegisterReadings, index: number): RegisterValue => ({
  readAtMs: run[index] as number,
  valueMilliwattHours: castToMilliwattHours(run[index + 1] as number),
});

export const getLastReading = (run: LatestRegisterReadings): RegisterValue => valueAt(run, 0);

export const getSecondLastReading = (run: LatestRegisterReadings): RegisterValue | undefined =>
  run.length > BEFORE ? valueAt(run, BEFORE) : undefined;

export const getEarliestReadingMs = (run: LatestRegisterReadings): number =>
  Math.min(...run.filter((_, index) => index % 2 === 0));

/**
 * Returns the time of the latest reading before the last one at which the register had risen. If there is only one reading, returns its
 * time.
 */
export const getLatestRiseTimeMs = (run: LatestRegisterReadings): number =>
  run[run.length > RISEN ? run.length - 2 : 0] as number;

export const createLatestRegisterReadings = ({
  readAtMs,
  valueMilliwattHours,
}: RegisterValue): LatestRegisterReadings => [readAtMs, valueMilliwattHours];

export const createLatestReadingsFromRiseAndLast = (
  risen: RegisterValue,
  last: RegisterValue,
): LatestRegisterReadings => [
  ...createLatestRegisterReadings(last),
  ...createLatestRegisterReadings(risen),
  ...createLatestRegisterReadings(risen),
];

export const replaceLastReading = (run: LatestRegisterReadings, last: RegisterValue): LatestRegisterReadings => [
  ...createLatestRegisterReadings(last),
  ...run.slice(BEFORE),
];

/** Returns the start of the UTC hour that contains a time, minus `back` hours. */
const hourStartMs = (ms: number, back: number) => (Math.floor(ms / HOUR_MS) - back) * HOUR_MS;

/**
 * Returns three times. The service stores, for each of them, the latest reading up to this time at which the register had risen. `lastMs`:
 * time of the second-last reading.
 */
const boundsOf = (lastMs: number) => [hourStartMs(lastMs, 1), hourStartMs(lastMs, 0), lastMs];

function latestUpTo(list: readonly number[], from: number, ms: number): number {
  let index = list.length - 2;
  while (index >= from && (list[index] as number) > ms) index -= 2;
  return index >= from ? index : -1;
}

export function appendLatestReading(run: LatestRegisterReadings, next: RegisterValue): LatestRegisterReadings {
  // Elements are read by index. In code that is not optimised yet, destructuring an array creates an object for each element.
  const lastMs = run[0] as number;
  const last = run[1] as number;
  const beforeMs = run[BEFORE];
  const before = run[BEFORE + 1];
  const isRisen = before === undefined || last > before;
  const hourMs = hourStartMs(lastMs, 0);
  if (beforeMs !== undefined && beforeMs >= hourMs) {
    // If the last two readings are in the same hour, which is usual, only one of the earlier readings changes.
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

function addOnce(run: number[], ms: number, value: number): void {
  if (run.length === RISEN || run.at(-2) !== ms) run.push(ms, value);
}

/** Returns the latest reading at which the register had risen, up to the start of the hour before the one that contains `ms`. */
export function findLatestRiseBeforePreviousHour(run: LatestRegisterReadings, ms: number): RegisterValue | undefined {
  const hourBeforeMs = hourStartMs(ms, 1);
  const last = getLastReading(run);
  const isRisen = run.length <= BEFORE || last.valueMilliwattHours > (run[BEFORE + 1] as number);
  if (isRisen && last.readAtMs <= hourBeforeMs) return last;
  const index = latestUpTo(run, RISEN, hourBeforeMs);
  return index === -1 ? undefined : valueAt(run, index);
}

/**
 * Returns the index of the latest reading up to a time at which the register had risen. Returns -1 if the stored readings do not show which
 * one it is.
 */
function risenUpTo(run: LatestRegisterReadings, ms: number): number {
  for (const bound of run.length > BEFORE ? boundsOf(run[BEFORE] as number) : []) {
    const index = bound < ms ? -1 : latestUpTo(run, RISEN, bound);
    if (index !== -1 && (run[index] as number) <= ms) return index;
  }
  return -1;
}

/** Verdicts of readings with which counting starts again, such as a reset. */
const BEGINS: ReadonlySet<CountingVerdict | null> = new Set<CountingVerdict>(['reset', 'rollover', 'swap']);
/** Verdicts of readings that add no energy. */
const NOT_COUNTED: ReadonlySet<CountingVerdict | null> = new Set<CountingVerdict>([
  'glitch',
  'held',
  'passed',
  'excluded',
]);

/**
 * Rebuilds the latest counted readings of a register from stored ones. Null if the stored readings do not go back far enough. `later`: the
 * present latest readings, which often contain missing ones.
 */
export function rebuildLatestReadings(
  judged: readonly SeriesReadingWithVerdict[],
  later: LatestRegisterReadings | undefined,
): CountingRestart<LatestRegisterReadings> | null {
  const taken = judged.findLastIndex(({ verdict }) => verdict === null) + 1;
  let run: LatestRegisterReadings | null = null;
  // It is unknown whether the register had risen at the first of the stored readings.
  let unknownToMs = Number.NEGATIVE_INFINITY;
  for (const { readAtMs, value, verdict } of judged.slice(0, taken)) {
    if (NOT_COUNTED.has(verdict)) continue;
    const now = { readAtMs, valueMilliwattHours: castToMilliwattHours(value) };
    if (BEGINS.has(verdict)) {
      run = createLatestRegisterReadings(now);
      unknownToMs = Number.NEGATIVE_INFINITY;
    } else if (run) {
      run = appendLatestReading(run, verdict === 'jitter' ? { ...getLastReading(run), readAtMs } : now);
    } else if (verdict !== 'jitter') {
      run = createLatestRegisterReadings(now);
      unknownToMs = readAtMs;
    }
  }
  if (!run || unknownToMs === Number.NEGATIVE_INFINITY) return run && { taken, state: run };
  if (run.length <= BEFORE) return null;
  const state = run.slice(0, RISEN);
  for (const ms of boundsOf(run[BEFORE] as number)) {
    const risenIndex = latestUpTo(run, RISEN, ms);
    const isSure = risenIndex !== -1 && (run[risenIndex] as number) > unknownToMs;
    const source = isSure ? run : later;
    const index = isSure ? risenIndex : later ? risenUpTo(later, Math.min(ms, unknownToMs)) : -1;
    if (!source || index === -1) return null;
    addOnce(state, source[index] as number, source[index + 1] as number);
  }
  return { taken, state };
}
