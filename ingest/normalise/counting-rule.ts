import type { MilliwattHours } from '#src/core/units.ts';

/** A stored reading of one series, in the units of `readings.value`. Ordered by time, then by interval length. */
export interface SeriesReading {
  readAtMs: number;
  /** Length of an interval reading in ms; `READ_BY_HAND_INTERVAL_MS` for a reading entered by a person; 0 for every other reading. */
  intervalMs: number;
  value: number;
}

/** Energy in whole mWh over `[startMs, endMs)`, before it is divided into buckets. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMilliwattHours: MilliwattHours;
  exportMilliwattHours: MilliwattHours;
  /** Whether the energy was spread over a silence of more than an hour: the amount is certain, the distribution over the hours is not. */
  estimated: boolean;
  /**
   * Whether the energy is late news: a confirmed jump of a register whose source reported late. Late news counts as estimated even if other
   * tariffs narrow the time in which the energy flowed.
   */
  isLate?: boolean;
  /**
   * Part of the interval in which the energy of one direction flowed. Outside it, that energy is 0. Undefined: the energy flowed during the
   * whole interval.
   */
  importSpan?: TimeSpan;
  exportSpan?: TimeSpan;
}

/** A time span `[startMs, endMs)` of at least 1 ms. */
export interface TimeSpan {
  startMs: number;
  endMs: number;
}

/** Reason why a reading was held, rejected or counted in a special way. A plainly counted reading has no verdict. */
export type CountingVerdict =
  | 'jitter'
  | 'held'
  | 'confirming'
  | 'glitch'
  | 'late'
  | 'passed'
  | 'back'
  | 'reset'
  | 'rollover'
  | 'swap'
  | 'overlap'
  | 'excluded';

/** A stored reading with its verdict. Verdict null: the reading was plainly counted. */
export interface SeriesReadingWithVerdict extends SeriesReading {
  verdict: CountingVerdict | null;
}

/** Receives the results of processing a reading: energy, and verdicts on this reading or on earlier ones. */
export interface CountingResultReceiver {
  interval(interval: EnergyInterval): void;
  verdict(point: SeriesReading, verdict: CountingVerdict): void;
  /** Reverts all energy since a time. The readings between this time and `untilMs` get the verdict. */
  takeBack(sinceMs: number, untilMs: number, verdict: CountingVerdict): void;
}

/** State of a counting rule after the first `taken` readings of a list. */
export interface CountingRestart<State> {
  /** Number of readings that the state includes. The counting rule continues with the reading after them. */
  taken: number;
  state: State;
}

/**
 * Converts the readings of one series into intervals. A counting rule is a state machine that processes readings in order of event time. A
 * `State` is plain JSON, immutable, and complete: from equal states, equal readings give equal results.
 */
export interface CountingRule<State> {
  readonly initial: State;
  /**
   * Finds the latest state that follows from the given stored readings alone, whatever readings came before. From this state, a late
   * reading can be processed without all earlier readings. `before`: consecutive readings in order. `later`: the state after the series'
   * last reading, if known. Returns null if the readings do not determine a state; more readings may.
   */
  restart(before: readonly SeriesReadingWithVerdict[], later?: State): CountingRestart<State> | null;
  /**
   * Returns the energy that stored readings counted as after the state `from`, by their stored verdicts. Readings are replayed instead if a
   * counting rule lacks this method. The two results differ if an earlier edition of the counting rules gave the verdicts.
   */
  counted?(from: State, judged: readonly SeriesReadingWithVerdict[]): EnergyInterval[];
  /** Whether this edition of the counting rules wrote a stored state. Otherwise the state is derived again from stored readings. */
  knows(state: unknown): boolean;
  /**
   * Returns the time of the earliest reading in a state, Unix ms. Undefined if the counting rule does not compare elapsed times
   * with earlier readings.
   */
  earliestMs?(state: State): number;
  /** Processes the next reading, and returns the state after this reading. */
  step(state: State, point: SeriesReading, findings: CountingResultReceiver): State;
}

/** Finds a restart (see `restart`) for a counting rule whose state after a plainly counted reading depends only on this reading. */
export function findRestartAfterLastCounted<State>(
  before: readonly SeriesReadingWithVerdict[],
  stateAfter: (point: SeriesReading) => State,
): CountingRestart<State> | null {
  const index = before.findLastIndex(({ verdict }) => verdict === null);
  const point = before[index];
  return point ? { taken: index + 1, state: stateAfter(point) } : null;
}

/** Settings of a device that its counting rules need. */
export interface CountingSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

/** Settings that applied before a time, Unix ms. */
export interface SettingsBeforeTime extends CountingSettings {
  readonly untilMs: number;
}

/**
 * Settings that change with time. A reading is judged by the settings that are valid at its time. Settings differ by time while a changed
 * setting is applied to the past of a device in chunks. Consumption is a function of the set of messages and of these settings.
 */
export interface SettingsByTime extends CountingSettings {
  /** Earlier settings in order of time, each valid until its end. Undefined if the settings have never changed. */
  readonly earlier?: readonly SettingsBeforeTime[];
  /**
   * Times (Unix ms, in order) after which the series reads a different counter, because its owner then changed the decoder settings. Each
   * is the time of the last reading before such a change. The energy between this reading and the next is not counted.
   */
  readonly splits?: readonly number[];
  /**
   * Steps back of the clock of the series' host. Between a reading before the step and one after it, the elapsed time is longer by the
   * step.
   */
  readonly stepsBack?: readonly BackwardClockStep[];
}

/** A step back of a clock: its position among the readings (Unix ms), and its length in ms. */
export interface BackwardClockStep {
  readonly atMs: number;
  readonly byMs: number;
}

/** Compares two points of a series by time. Of intervals with the same end, the shorter comes first. */
export function compareSeriesReadings(a: SeriesReading, b: SeriesReading): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
